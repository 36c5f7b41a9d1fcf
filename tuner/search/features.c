/*
 * features.c - levels are small integers, so a model can hold its kernel as a table over pairs of
 * levels. Each value of each parameter has its level from the start; only figures of the launch are
 * computed for a configuration, two levels an octave.
 *
 * A parameter of the same name in several templates is one feature: what is learned of TILE in one
 * serves the others. Its place on the line is that of the template which named it first. A template
 * without the parameter is at level 0, ATX_ABSENT.
 */
#include "search/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The figures of the launch, two levels an octave. */
enum { THREADS, BLOCKS, SHARED, FIGURES };

/* What a template's parameter gives: level of each of its values in up to two features. */
typedef struct column {
    int value_feature, twos_feature; /* -1: none */
    uint8_t *value_level, *twos_level;
} column;

struct atx_features {
    const atx_search *search;
    atx_feature of[ATX_MAX_FEATURES];
    const atx_param *param_of[ATX_MAX_FEATURES]; /* the first that gave this feature; NULL: another kind */
    bool is_twos[ATX_MAX_FEATURES];
    int count;
    int template_feature, elsewhere_feature, figure_feature[FIGURES]; /* -1: none */
    column *columns;                                                  /* ATX_MAX_PARAMS for each space */
};

/* ---- levels ---- */

static int twos_of(int64_t value)
{
    int twos = 0;
    for (; value && value % 2 == 0 && twos < 16; value /= 2)
        twos++;
    return twos;
}

/* The level that has this place, added when there is none; the nearest one when there is no room. */
static uint8_t level_at(atx_feature *f, float place)
{
    int nearest = 0;
    for (int i = 1; i < f->levels; i++)
        if (fabsf(f->place[i] - place) < fabsf(f->place[nearest] - place))
            nearest = i;
    if (fabsf(f->place[nearest] - place) < 1e-6f || f->levels == ATX_MAX_LEVELS)
        return (uint8_t)nearest;
    f->place[f->levels++] = place;
    return (uint8_t)(f->levels - 1);
}

/*
 * Where a value stands between the least and the greatest of the parameter that gave the feature: by its
 * logarithm where values span much.
 */
static float place_of(const atx_param *p, int64_t value)
{
    int64_t least = p->values[0], most = p->values[0];
    for (int i = 1; i < p->count; i++) {
        least = p->values[i] < least ? p->values[i] : least;
        most = p->values[i] > most ? p->values[i] : most;
    }
    double v = (double)value, low = (double)least, high = (double)most;
    if (p->labels || least == most)
        return (float)v;
    if (low > 0 && high / low >= 4 && v > 0)
        return (float)(log2(v / low) / log2(high / low));
    if (high - low >= 4 && v >= low)
        return (float)(log2(v - low + 1) / log2(high - low + 1));
    return (float)((v - low) / (high - low));
}

/* The feature of a parameter's name: the same for templates that share it. -1: no more room. */
static int feature_of(atx_features *f, const atx_param *p, bool twos)
{
    for (int i = 0; i < f->count; i++)
        if (f->param_of[i] && f->is_twos[i] == twos && strcmp(f->param_of[i]->name, p->name) == 0)
            return i;
    if (f->count == ATX_MAX_FEATURES)
        return -1;
    f->param_of[f->count] = p;
    f->is_twos[f->count] = twos;
    f->of[f->count].ordered = twos || !p->labels;
    f->of[f->count].levels = 1;
    f->of[f->count].place[0] = ATX_ABSENT;
    return f->count++;
}

static bool twos_tell(const atx_param *p)
{
    bool varies = false, other = false;
    for (int k = 0; k < p->count; k++) {
        varies |= twos_of(p->values[k]) != twos_of(p->values[0]);
        other |= p->values[k] > 0 && (p->values[k] & (p->values[k] - 1)) != 0;
    }
    return !p->labels && p->count > 4 && varies && other;
}

static at_status read_param(atx_features *f, column *c, const atx_space *space, int param, at_error *err)
{
    const atx_param *p = &atx_space_template(space)->scope.params[param];
    int first;
    *c = (column){ .value_feature = -1, .twos_feature = -1 };
    if (atx_space_allowed(&first, space, param) < 2 && f->search->space_count < 2)
        return AT_OK;
    c->value_level = calloc((size_t)p->count, 1);
    c->twos_level = calloc((size_t)p->count, 1);
    if (!c->value_level || !c->twos_level)
        return atx_no_memory(err);
    c->value_feature = feature_of(f, p, false);
    c->twos_feature = twos_tell(p) ? feature_of(f, p, true) : -1;
    for (int k = 0; k < p->count; k++) {
        if (c->value_feature >= 0)
            c->value_level[k] =
                level_at(&f->of[c->value_feature], place_of(f->param_of[c->value_feature], p->values[k]));
        if (c->twos_feature >= 0)
            c->twos_level[k] = level_at(&f->of[c->twos_feature], (float)twos_of(p->values[k]) / 4);
    }
    return AT_OK;
}

static int add_plain(atx_features *f, bool ordered, int levels, float scale)
{
    if (f->count == ATX_MAX_FEATURES)
        return -1;
    atx_feature *g = &f->of[f->count];
    g->ordered = ordered;
    g->levels = levels < ATX_MAX_LEVELS ? levels : ATX_MAX_LEVELS;
    for (int i = 0; i < g->levels; i++)
        g->place[i] = (float)i * scale;
    return f->count++;
}

at_status atx_features_open(atx_features **out, const atx_search *search, at_error *err)
{
    at_status status = AT_OK;
    atx_features *f = calloc(1, sizeof *f);
    if (!f)
        return atx_no_memory(err);
    f->search = search;
    f->columns = calloc((size_t)search->space_count * ATX_MAX_PARAMS + 1, sizeof *f->columns);
    if (!f->columns) {
        status = atx_no_memory(err);
        goto done;
    }
    f->template_feature = search->space_count > 1 ? add_plain(f, false, search->space_count, 1) : -1;
    f->elsewhere_feature = search->elsewhere_count ? add_plain(f, false, 2, 1) : -1;
    for (int k = 0; k < FIGURES; k++)
        f->figure_feature[k] = search->slots ? add_plain(f, true, ATX_MAX_LEVELS, 1.0f / 16) : -1;
    for (int i = 0; i < search->space_count && status == AT_OK; i++) {
        int params = atx_space_template(search->spaces[i])->scope.param_count;
        for (int k = 0; k < params && status == AT_OK; k++)
            status = read_param(f, &f->columns[i * ATX_MAX_PARAMS + k], search->spaces[i], k, err);
    }
    if (status == AT_OK) {
        *out = f;
        f = NULL;
    }
done:
    atx_features_close(f);
    return status;
}

void atx_features_close(atx_features *f)
{
    if (!f)
        return;
    for (int i = 0; f->columns && i < f->search->space_count * ATX_MAX_PARAMS; i++) {
        free(f->columns[i].value_level);
        free(f->columns[i].twos_level);
    }
    free(f->columns);
    free(f);
}

int atx_features_count(const atx_features *f)
{
    return f->count;
}

const atx_feature *atx_features_at(const atx_features *f, int i)
{
    return &f->of[i];
}

/* ---- a configuration ---- */

static uint8_t octaves(int64_t a, int64_t b, int64_t c)
{
    double level = 2 * log2((double)a * (double)b * (double)c + 1);
    return (uint8_t)(level < ATX_MAX_LEVELS - 1 ? level + 0.5 : ATX_MAX_LEVELS - 1);
}

/* Figures of the launch; 0 where they cannot be evaluated. */
static void add_figures(uint8_t *out, const atx_features *f, const atx_template *t, const atx_config *config)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_geometry g;
    memcpy(slots, f->search->slots, sizeof slots);
    if (atx_config_bind(slots, t, config, NULL) != AT_OK ||
        atx_geometry_of(&g, &t->call.steps[0].launch, slots, NULL) != AT_OK)
        return;
    if (f->figure_feature[THREADS] >= 0)
        out[f->figure_feature[THREADS]] = octaves(g.block[0], g.block[1], g.block[2]);
    if (f->figure_feature[BLOCKS] >= 0)
        out[f->figure_feature[BLOCKS]] = octaves(g.grid[0], g.grid[1], g.grid[2]);
    if (f->figure_feature[SHARED] >= 0)
        out[f->figure_feature[SHARED]] = octaves(g.shared_bytes, 1, 1);
}

void atx_features_levels(uint8_t *out, const atx_features *f, int64_t index)
{
    int which = 0;
    int64_t local = 0;
    atx_places places;
    atx_config config;
    const atx_space *space = atx_search_locate(f->search, index, &which, &local);
    memset(out, 0, (size_t)f->count);
    if (!space)
        return;
    const atx_template *t = atx_space_template(space);
    atx_space_places(&places, space, local);
    for (int k = 0; k < t->scope.param_count; k++) {
        const column *c = &f->columns[which * ATX_MAX_PARAMS + k];
        if (c->value_feature >= 0)
            out[c->value_feature] = c->value_level[places.of[k]];
        if (c->twos_feature >= 0)
            out[c->twos_feature] = c->twos_level[places.of[k]];
    }
    if (f->template_feature >= 0)
        out[f->template_feature] = (uint8_t)(which < ATX_MAX_LEVELS ? which : ATX_MAX_LEVELS - 1);
    if (f->search->slots) {
        atx_space_config(&config, space, local);
        add_figures(out, f, t, &config);
    }
}

void atx_features_mark_elsewhere(uint8_t *levels, const atx_features *f)
{
    levels[f->elsewhere_feature] = 1;
}
