/*
 * space.c - a space is the product of its groups' tables of rows. An index is a number with one
 * digit a group, the last one's fastest, and a digit is a row: an index is split by division, and
 * found again by a binary search of the row's key in each group. Parameters with one allowed value
 * are in no group.
 *
 * A neighbour changes one parameter, hence one digit: the other groups' rows stay valid as they
 * are. Counts and indices saturate at INT64_MAX; join_index() is the one place where an index may
 * turn out not to exist.
 */
#include "space/space.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "space/space_walk.h"
#include "util/bug.h"

/* A value of a parameter and its index, for look-ups. */
typedef struct value_index {
    int64_t value;
    int index;
} value_index;

struct atx_space {
    atx_rules rules;
    atx_rows groups[ATX_MAX_PARAMS]; /* the first one counts slowest */
    int group_count;
    int group_of[ATX_MAX_PARAMS]; /* -1: one allowed value */
    atx_key_column column_of[ATX_MAX_PARAMS];
    value_index *sorted[ATX_MAX_PARAMS]; /* all declared values, ascending */
    int64_t count;
    double raw_count;
    char *refusal; /* NULL unless empty */
};

/* ---- opening ---- */

static at_status copy_part(char out[ATX_MAX_NAME], const char *begin, size_t len, const char *text,
                           at_error *err)
{
    if (len == 0 || len >= ATX_MAX_NAME)
        return atx_fail(err, AT_ERR_INPUT, "found '%.200s'; expected TEMPLATE.PARAMETER=VALUE", text);
    memcpy(out, begin, len);
    out[len] = '\0';
    return AT_OK;
}

at_status atx_fix_parse(atx_fix *out, const char *text, at_error *err)
{
    atx_fix fix;
    const char *dot = strchr(text, '.'), *equals = strchr(text, '=');
    if (!dot || !equals || equals < dot)
        return atx_fail(err, AT_ERR_INPUT, "found '%.200s'; expected TEMPLATE.PARAMETER=VALUE", text);
    ATX_TRY(copy_part(fix.template_name, text, (size_t)(dot - text), text, err));
    ATX_TRY(copy_part(fix.param, dot + 1, (size_t)(equals - dot - 1), text, err));
    ATX_TRY(copy_part(fix.value, equals + 1, strlen(equals + 1), text, err));
    *out = fix;
    return AT_OK;
}

/* The parameters that hang together with the lowest one in `left`. */
static atx_param_set grow_group(const atx_rules *r, atx_param_set left)
{
    atx_param_set group = left & (~left + 1), before;
    do {
        before = group;
        for (size_t i = r->let_count; i < r->rule_count; i++)
            if (r->rules[i].needed && (r->rules[i].params & group))
                group |= r->rules[i].params;
    } while (group != before);
    return group;
}

static void set_refusal(atx_space *s, const atx_require *r)
{
    atx_str text = { 0 };
    atx_str_add(&text, r ? atx_expr_text(r->expr) : "");
    if (r && r->reason[0])
        atx_str_addf(&text, " (%s)", r->reason);
    s->refusal = text.data; /* taken; NULL when out of memory, which atx_space_refusal covers */
}

static at_status find_groups(atx_space *s, atx_cancel *cancel, at_error *err)
{
    atx_param_set left = 0;

    s->count = s->rules.refused ? 0 : 1;
    if (s->rules.refused)
        set_refusal(s, s->rules.refused);
    for (int i = 0; i < s->rules.t->scope.param_count; i++)
        left |= s->rules.count[i] > 1 ? 1u << i : 0;
    while (left && s->count) {
        atx_param_set params = grow_group(&s->rules, left);
        atx_rows *group = &s->groups[s->group_count];
        ATX_TRY(atx_rows_find(group, &s->rules, params, cancel, err));
        s->group_count++;
        left &= ~params;
        if (__builtin_mul_overflow(s->count, group->count, &s->count))
            s->count = INT64_MAX;
        if (group->count == 0)
            set_refusal(s, group->refused);
    }
    return AT_OK;
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = ((const value_index *)a)->value, y = ((const value_index *)b)->value;
    return (x > y) - (x < y);
}

static at_status index_values(atx_space *s, at_error *err)
{
    for (int i = 0; i < s->rules.t->scope.param_count; i++) {
        const atx_param *param = &s->rules.t->scope.params[i];
        value_index *sorted = malloc((size_t)param->count * sizeof *sorted);
        if (!sorted)
            return atx_no_memory(err);
        for (int k = 0; k < param->count; k++)
            sorted[k] = (value_index){ .value = param->values[k], .index = k };
        qsort(sorted, (size_t)param->count, sizeof *sorted, compare_values);
        s->sorted[i] = sorted;
    }
    return AT_OK;
}

static void place_params(atx_space *s)
{
    s->raw_count = 1;
    for (int i = 0; i < s->rules.t->scope.param_count; i++) {
        s->group_of[i] = -1;
        s->raw_count *= s->rules.count[i];
    }
    for (int g = 0; g < s->group_count; g++) {
        for (int c = 0; c < s->groups[g].column_count; c++) {
            s->group_of[s->groups[g].columns[c].param] = g;
            s->column_of[s->groups[g].columns[c].param] = s->groups[g].columns[c];
        }
    }
}

at_status atx_space_open_until(atx_space **out, const atx_template *t, const int64_t *slots,
                               const atx_fix *fixes, int fix_count, atx_cancel *cancel, at_error *err)
{
    atx_space *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);

    at_status status = atx_rules_init(&s->rules, t, slots, fixes, fix_count, err);
    if (status != AT_OK)
        goto done;
    if ((status = find_groups(s, cancel, err)) != AT_OK)
        goto done;
    if ((status = index_values(s, err)) != AT_OK)
        goto done;
    place_params(s);
    *out = s;
    s = NULL;
done:
    atx_space_close(s);
    return status;
}

at_status atx_space_open(atx_space **out, const atx_template *t, const int64_t *slots, const atx_fix *fixes,
                         int fix_count, at_error *err)
{
    return atx_space_open_until(out, t, slots, fixes, fix_count, NULL, err);
}

void atx_space_close(atx_space *space)
{
    if (!space)
        return;
    for (int i = 0; i < space->group_count; i++)
        atx_rows_clear(&space->groups[i]);
    for (int i = 0; i < ATX_MAX_PARAMS; i++)
        free(space->sorted[i]);
    atx_rules_clear(&space->rules);
    free(space->refusal);
    free(space);
}

/* ---- counting ---- */

const atx_template *atx_space_template(const atx_space *space)
{
    return space->rules.t;
}

int64_t atx_space_count(const atx_space *space)
{
    return space->count;
}

double atx_space_raw_count(const atx_space *space)
{
    return space->raw_count;
}

int atx_space_group_count(const atx_space *space)
{
    return space->group_count;
}

size_t atx_space_bytes(const atx_space *space)
{
    size_t bytes = sizeof *space + space->rules.rule_count * sizeof *space->rules.rules;
    for (int g = 0; g < space->group_count; g++)
        bytes +=
            (size_t)space->groups[g].count * (size_t)space->groups[g].words * sizeof *space->groups[g].keys;
    for (int i = 0; i < space->rules.t->scope.param_count; i++)
        bytes += (size_t)space->rules.t->scope.params[i].count * sizeof *space->sorted[i];
    return bytes;
}

const char *atx_space_refusal(const atx_space *space)
{
    if (space->count)
        return NULL;
    return space->refusal ? space->refusal : "";
}

const atx_require *atx_space_idle(const atx_space *space, int index)
{
    const atx_rules *r = &space->rules;
    for (size_t i = r->let_count; i < r->rule_count; i++)
        if (r->rules[i].params && !r->rules[i].needed && index-- == 0)
            return r->rules[i].require;
    return NULL;
}

/* ---- indices ---- */

/* An index is a number with one digit a group, the last group's fastest. */
static void split_index(int64_t *digits, const atx_space *s, int64_t index)
{
    for (int g = s->group_count - 1; g >= 0; g--) {
        digits[g] = index % s->groups[g].count;
        index /= s->groups[g].count;
    }
}

/* -1 beyond INT64_MAX, where configurations of a huge space have no index. */
static int64_t join_index(const int64_t *digits, const atx_space *s)
{
    int64_t index = 0;
    for (int g = 0; g < s->group_count; g++)
        if (__builtin_mul_overflow(index, s->groups[g].count, &index) ||
            __builtin_add_overflow(index, digits[g], &index))
            return -1;
    return index < s->count ? index : -1;
}

void atx_space_config(atx_config *out, const atx_space *space, int64_t index)
{
    const atx_template *t = space->rules.t;
    atx_places places;

    *out = (atx_config){ { 0 } };
    atx_space_places(&places, space, index);
    for (int i = 0; i < t->scope.param_count; i++)
        out->values[i] = t->scope.params[i].values[places.of[i]];
}

/* ---- many at once ---- */

/* A group's present row, and the lists that its columns choose from. */
typedef struct scatter {
    const atx_rows *group;
    int64_t digit;
    const int64_t *values[ATX_MAX_PARAMS];
} scatter;

static void write_columns(int64_t *row, const scatter *s)
{
    const uint64_t *key = atx_rows_key(s->group, s->digit);
    for (int c = 0; c < s->group->column_count; c++) {
        const atx_key_column *column = &s->group->columns[c];
        row[column->param] = s->values[c][atx_key_place(key, column)];
    }
}

static void open_scatters(scatter *out, int64_t *row, const atx_space *space, int64_t first)
{
    const atx_template *t = space->rules.t;
    int64_t digits[ATX_MAX_PARAMS];
    split_index(digits, space, first);
    for (int i = 0; i < t->scope.param_count; i++)
        row[i] = t->scope.params[i].values[space->rules.first[i]];
    for (int g = 0; g < space->group_count; g++) {
        out[g].group = &space->groups[g];
        out[g].digit = digits[g];
        for (int c = 0; c < space->groups[g].column_count; c++)
            out[g].values[c] = t->scope.params[space->groups[g].columns[c].param].values;
        write_columns(row, &out[g]);
    }
}

/* Goes on after the last row of the last group: carries over into the groups before. */
static void carry(int64_t *row, scatter *scatters, int last)
{
    bool more = true;
    scatters[last].digit = 0;
    for (int g = last - 1; g >= 0 && more; g--) {
        scatter *s = &scatters[g];
        s->digit = s->digit + 1 == s->group->count ? 0 : s->digit + 1;
        write_columns(row, s);
        more = s->digit == 0;
    }
}

/* The last group changes from row to row: its columns go straight to where they belong, behind the copy of
 * the rest, which would otherwise wait for them. */
void atx_space_rows(int64_t *out, const atx_space *space, int64_t first, int64_t count)
{
    scatter scatters[ATX_MAX_PARAMS];
    int64_t row[ATX_MAX_PARAMS];
    int n = space->rules.t->scope.param_count, last = space->group_count - 1;
    if (count <= 0)
        return;
    assert(first >= 0 && count <= space->count - first);
    open_scatters(scatters, row, space, first);
    if (last < 0) { /* one configuration */
        memcpy(out, row, (size_t)n * sizeof *row);
        return;
    }
    while (count > 0) {
        scatter *s = &scatters[last];
        int64_t run = s->group->count - s->digit;
        run = run < count ? run : count;
        for (int64_t i = 0; i < run; i++, out += n, s->digit++) {
            memcpy(out, row, (size_t)n * sizeof *row);
            write_columns(out, s);
        }
        count -= run;
        if (count > 0)
            carry(row, scatters, last);
    }
}

/* ---- finding ---- */

/* The index of a declared value, or -1. */
static int find_value(const atx_space *s, int param, int64_t value)
{
    value_index key = { .value = value };
    const value_index *hit = bsearch(&key, s->sorted[param], (size_t)s->rules.t->scope.params[param].count,
                                     sizeof key, compare_values);
    return hit ? hit->index : -1;
}

/* The place of a parameter's value in a row of its group. */
static int place_in(const atx_space *s, int param, int64_t digit)
{
    return atx_key_place(atx_rows_key(&s->groups[s->group_of[param]], digit), &s->column_of[param]);
}

void atx_space_places(atx_places *out, const atx_space *space, int64_t index)
{
    int64_t digits[ATX_MAX_PARAMS];

    assert(index >= 0 && index < space->count);
    *out = (atx_places){ { 0 } };
    split_index(digits, space, index);
    for (int i = 0; i < space->rules.t->scope.param_count; i++) {
        int g = space->group_of[i];
        out->of[i] = (uint16_t)(g < 0 ? space->rules.first[i] : place_in(space, i, digits[g]));
    }
}

static void make_key(uint64_t *key, const atx_rows *group, const atx_places *places)
{
    memset(key, 0, (size_t)group->words * sizeof *key);
    for (int c = 0; c < group->column_count; c++)
        key[group->columns[c].word] |= (uint64_t)places->of[group->columns[c].param]
                                       << group->columns[c].shift;
}

int64_t atx_space_find_places(const atx_space *space, const atx_places *places)
{
    int64_t digits[ATX_MAX_PARAMS];

    if (space->count == 0)
        return -1;
    for (int i = 0; i < space->rules.t->scope.param_count; i++)
        if (space->group_of[i] < 0 ? places->of[i] != space->rules.first[i]
                                   : places->of[i] >= space->rules.t->scope.params[i].count)
            return -1;
    for (int g = 0; g < space->group_count; g++) {
        uint64_t key[ATX_MAX_PARAMS];
        make_key(key, &space->groups[g], places);
        if ((digits[g] = atx_rows_search(&space->groups[g], key)) < 0)
            return -1;
    }
    return join_index(digits, space);
}

int64_t atx_space_find(const atx_space *space, const atx_config *config)
{
    atx_places places = { { 0 } };
    for (int i = 0; i < space->rules.t->scope.param_count; i++) {
        int place = find_value(space, i, config->values[i]);
        if (place < 0)
            return -1;
        places.of[i] = (uint16_t)place;
    }
    return atx_space_find_places(space, &places);
}

int atx_space_allowed(int *first, const atx_space *space, int param)
{
    *first = space->rules.first[param];
    return space->rules.count[param];
}

int64_t atx_space_sample(const atx_space *space, atx_rng *rng)
{
    return (int64_t)atx_rng_below(rng, (uint64_t)space->count);
}

/* ---- restricting ---- */

/* A group of all parameters that have a choice. */
static void join_groups(atx_rows *out, const atx_space *s)
{
    int params[ATX_MAX_PARAMS], count = 0;
    for (int i = 0; i < s->rules.t->scope.param_count; i++)
        if (s->group_of[i] >= 0)
            params[count++] = i;
    atx_rows_init(out, s->rules.t, params, count);
}

static void add_config(atx_rows *rows, const atx_space *s, const atx_config *config)
{
    atx_places places = { { 0 } };
    for (int c = 0; c < rows->column_count; c++) {
        int param = rows->columns[c].param;
        places.of[param] = (uint16_t)find_value(s, param, config->values[param]);
    }
    make_key(rows->keys + rows->count++ * rows->words, rows, &places);
}

static void replace_groups(atx_space *s, atx_rows *rows)
{
    for (int g = 0; g < s->group_count; g++)
        atx_rows_clear(&s->groups[g]);
    s->count = rows->count;
    s->group_count = rows->column_count > 0;
    if (s->group_count) {
        s->groups[0] = *rows;
        rows->keys = NULL;
    }
    place_params(s);
}

at_status atx_space_keep(atx_space *space, const atx_config *configs, size_t count, at_error *err)
{
    atx_rows rows;
    join_groups(&rows, space);
    at_status status = atx_rows_reserve(&rows, (int64_t)count + 1, err);
    for (size_t i = 0; i < count && status == AT_OK; i++)
        if (atx_space_find(space, &configs[i]) >= 0)
            add_config(&rows, space, &configs[i]);
    ATX_THEN(status, atx_rows_sort(&rows, err));
    if (status == AT_OK)
        replace_groups(space, &rows);
    atx_rows_clear(&rows);
    return status;
}

/* ---- neighbours ---- */

/* The index after one parameter's value was changed, or -1. `digits` is left as it was. */
static int64_t changed_index(int64_t *digits, const atx_space *s, int param, int value)
{
    uint64_t key[ATX_MAX_PARAMS];
    int g = s->group_of[param];
    const atx_rows *group = &s->groups[g];
    int64_t old = digits[g], index = -1;

    memcpy(key, atx_rows_key(group, old), (size_t)group->words * sizeof *key);
    atx_key_set(key, &s->column_of[param], value);
    digits[g] = atx_rows_search(group, key);
    if (digits[g] >= 0)
        index = join_index(digits, s);
    digits[g] = old;
    return index;
}

typedef struct neighbours {
    const atx_space *space;
    int64_t digits[ATX_MAX_PARAMS]; /* of the configuration whose neighbours they are */
    int64_t *out, max, count;
} neighbours;

/* Adds the neighbour with that value, if there is one. */
static bool add_neighbour(neighbours *n, int param, int value)
{
    int64_t index = changed_index(n->digits, n->space, param, value);
    if (index >= 0 && n->count++ < n->max)
        n->out[n->count - 1] = index;
    return index >= 0;
}

/* Those that differ in this parameter: up to `reach` of them on each side, tried up to `steps` away. */
static void add_along(neighbours *n, int param, int reach, int steps)
{
    const atx_space *s = n->space;
    int here = place_in(s, param, n->digits[s->group_of[param]]);
    int first = s->rules.first[param], last = first + s->rules.count[param] - 1;
    int low = here - first > steps ? here - steps : first, high = last - here > steps ? here + steps : last;

    if (reach == 1) /* the nearest one below, so downwards */
        for (int value = here - 1; value >= low && !add_neighbour(n, param, value);)
            value--;
    else
        for (int value = low; value < here; value++)
            add_neighbour(n, param, value);
    for (int value = here + 1, found = 0; value <= high && found < reach; value++)
        found += add_neighbour(n, param, value);
}

int64_t atx_space_neighbours(int64_t *out, int64_t max, const atx_space *space, int64_t index,
                             atx_neighbourhood kind)
{
    neighbours n = { .space = space, .out = out, .max = max };
    int reach = kind == ATX_NEAREST ? 1 : ATX_MAX_VALUES, steps = kind == ATX_ADJACENT ? 1 : ATX_MAX_VALUES;

    assert(index >= 0 && index < space->count);
    split_index(n.digits, space, index);
    for (int i = 0; i < space->rules.t->scope.param_count; i++)
        if (space->group_of[i] >= 0)
            add_along(&n, i, reach, steps);
    return n.count;
}
