/* bench_spaces.c - see bench_spaces.h. */
#include "bench_spaces.h"

#include "lang/arch.h"
#include "lookup/lookup.h"
#include "lang/shapes.h"
#include "db/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A problem's row, kept while the store is read. */
typedef struct key_text {
    char op[ATX_MAX_NAME], shape[256], type_key[16];
} key_text;

/* One file being read. */
typedef struct reading {
    atx_bench_spaces *to;
    atx_catalog *catalog;
    atx_store *store;
    atx_lookup *lookup;
    atx_store *asked; /* beside which the model is; NULL: none */
    atx_lookup *expecting;
    atx_fingerprint device;
    int64_t least;
    key_text *keys;
    size_t count, cap;
    bool failed;      /* out of memory */
    at_status status; /* of the declarations */
    at_error err;
} reading;

/* What each_trial fills. */
typedef struct filling {
    const atx_bench_space *space;
    int pick; /* the template's place among the spaces */
    atx_config *configs;
    size_t count, cap;
    bool failed, by_index;
} filling;

at_status atx_bench_spaces_open(atx_bench_spaces *out, const char *dir, at_error *err)
{
    (void)err;
    *out = (atx_bench_spaces){ .dir = dir };
    return AT_OK;
}

static void space_clear(atx_bench_space *s)
{
    for (int i = 0; s->spaces && i < s->search.space_count; i++)
        atx_space_close(s->spaces[i]);
    free(s->spaces);
    free(s->findings);
    free(s->sorted_s);
    *s = (atx_bench_space){ .search = { .spaces = NULL } };
}

void atx_bench_spaces_close(atx_bench_spaces *spaces)
{
    for (size_t i = 0; i < spaces->count; i++)
        space_clear(&spaces->items[i]);
    free(spaces->items);
    for (size_t i = 0; i < spaces->catalog_count; i++)
        atx_catalog_close(spaces->catalogs[i]);
    free(spaces->catalogs);
    *spaces = (atx_bench_spaces){ 0 };
}

/* ---- one problem ---- */

/* A type that the key stands for, as a user writes it. */
static const char *word_of(const char *type_key)
{
    static const char *const WORDS[][2] = {
        { "b1", "u8" }, { "b2", "f16" }, { "b4", "f32" }, { "b8", "f64" }, { "b16", "c128" },
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(type_key, WORDS[i][0]) == 0)
            return WORDS[i][1];
    return type_key;
}

static at_status parse_problem(atx_problem *out, const atx_catalog *catalog, const key_text *key,
                               at_error *err)
{
    char line[512];
    atx_shapes shapes = { 0 };
    atx_shape_defaults defaults = { .op = key->op };
    int len = snprintf(line, sizeof line, "%s %s %s\n", key->op, key->shape, word_of(key->type_key));
    at_status status = atx_shapes_parse(&shapes, line, (size_t)len, "problem", catalog, &defaults, err);
    if (status == AT_OK)
        *out = shapes.problems[0];
    atx_shapes_clear(&shapes);
    return status;
}

static bool visit_row(void *context, const atx_trial_row *row, const atx_fingerprint *fingerprint)
{
    filling *f = context;
    const atx_space *space = f->space->spaces[f->pick];
    const atx_template *t = atx_space_template(space);
    atx_config config;
    (void)fingerprint;
    if (strcmp(row->template_name, t->name) != 0 || atx_config_parse(&config, t, row->config, NULL) != AT_OK)
        return true;
    int64_t index = atx_space_find(space, &config);
    if (index < 0)
        return true;
    if (!f->by_index) {
        f->failed = !atx_grow(&f->configs, &f->cap, f->count, sizeof *f->configs);
        if (!f->failed)
            f->configs[f->count++] = config;
        return !f->failed;
    }
    f->space->findings[atx_search_index(&f->space->search, f->pick, index)] = (atx_finding){
        .outcome = row->outcome, .seconds = row->timing.median_s, .resources = row->resources
    };
    return true;
}

/* Leaves in the template's space what was recorded. */
static at_status keep_recorded(atx_bench_space *s, reading *r, const atx_problem_key *key,
                               const atx_fingerprint *f, at_error *err)
{
    filling fill = { .space = s, .pick = s->search.space_count - 1 };
    at_status status = atx_store_each_trial(r->store, key, f, visit_row, &fill, err);
    if (status == AT_OK && fill.failed)
        status = atx_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status = atx_space_keep(s->spaces[fill.pick], fill.configs, fill.count, err);
    free(fill.configs);
    return status;
}

static at_status open_spaces(atx_bench_space *s, reading *r, const atx_problem_key *key,
                             const atx_fingerprint *f, at_error *err)
{
    const atx_catalog *catalog = r->catalog;
    const atx_op *op = s->problem.op;
    int count = atx_catalog_template_count(catalog, op);
    at_status status = AT_OK;
    s->spaces = calloc((size_t)count + 1, sizeof(atx_space *));
    if (!s->spaces)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count && status == AT_OK; i++) {
        status = atx_space_open(&s->spaces[i], atx_catalog_template(catalog, op, i), s->slots, NULL, 0, err);
        if (status != AT_OK)
            break;
        s->search.space_count++;
        status = keep_recorded(s, r, key, f, err);
    }
    s->search.spaces = s->spaces;
    atx_search_count(&s->search);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static at_status read_findings(atx_bench_space *s, reading *r, const atx_problem_key *key,
                               const atx_fingerprint *f, at_error *err)
{
    filling fill = { .space = s, .by_index = true };
    at_status status = AT_OK;
    s->findings = calloc((size_t)s->search.total + 1, sizeof *s->findings);
    s->sorted_s = calloc((size_t)s->search.total + 1, sizeof *s->sorted_s);
    if (!s->findings || !s->sorted_s)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    for (; fill.pick < s->search.space_count && status == AT_OK; fill.pick++)
        status = atx_store_each_trial(r->store, key, f, visit_row, &fill, err);
    for (int64_t i = 0; i < s->search.total; i++)
        if (s->findings[i].outcome == ATX_TIMED)
            s->sorted_s[s->sorted_count++] = s->findings[i].seconds;
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
    return status;
}

static void limits_of(atx_limits *out, const atx_fingerprint *f)
{
    atx_arch_limits(out, f->cc);
    out->sms = f->sms;
    out->memory_bytes = atx_memory_bytes(f->memory_mib);
}

static void add_hint(atx_bench_space *s, const atx_hint *hint)
{
    int64_t index = atx_search_find(&s->search, hint->t, &hint->config);
    for (int i = 0; i < s->hint_count && index >= 0; i++)
        index = s->hints[i] == index ? -1 : index;
    if (index >= 0)
        s->hints[s->hint_count++] = index;
}

static at_status add_elsewhere(atx_bench_space *s, reading *r, const atx_hint *hint, at_error *err)
{
    int count = 0;
    atx_elsewhere_trial *trials = malloc(ATX_MAX_ELSEWHERE * sizeof *trials);
    if (!trials)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = atx_lookup_trials(trials, &count, ATX_MAX_ELSEWHERE, r->lookup, hint, err);
    for (int i = 0; i < count; i++) {
        int64_t index = atx_search_find(&s->search, trials[i].t, &trials[i].config);
        if (index >= 0)
            s->elsewhere[s->elsewhere_count++] = (atx_elsewhere){ index, trials[i].seconds };
    }
    free(trials);
    return status;
}

/* What a search of this shape would begin with if the recording's other shapes were tuned, and it were not.
 */
static at_status read_hints(atx_bench_space *s, reading *r, const key_text *text, const atx_fingerprint *f,
                            at_error *err)
{
    atx_hint hints[64];
    int count = 0;
    atx_target target = { .cc = f->cc, .sms = f->sms };
    snprintf(target.name, sizeof target.name, "%s", f->device);
    at_status status = AT_OK;
    if (r->expecting)
        status =
            atx_lookup_expected(hints, &count, ATX_MAX_EXPECTED, r->expecting, &s->problem, &target, err);
    for (int i = 0; i < count; i++)
        add_hint(s, &hints[i]);
    int expected = s->hint_count, most = expected + ATX_BENCH_WON;
    if (status == AT_OK)
        status = atx_lookup_hints(hints, &count, 64, r->lookup, &s->problem, &target, err);
    for (int i = 0; i < count && s->hint_count < most && status == AT_OK; i++)
        if (strcmp(hints[i].answer->shape, text->shape) != 0) {
            add_hint(s, &hints[i]);
            if (!expected && !s->elsewhere_count)
                status = add_elsewhere(s, r, &hints[i], err);
        }
    return status;
}

static at_status read_problem(atx_bench_space *s, reading *r, const key_text *text, at_error *err)
{
    atx_limits limits;
    atx_fingerprint f;
    atx_problem_key key = { .op = text->op, .shape = text->shape, .type_key = text->type_key };
    at_status status = atx_store_main_fingerprint(&f, r->store, &key, &r->device, err);
    if (status == AT_OK)
        status = parse_problem(&s->problem, r->catalog, text, err);
    if (status != AT_OK)
        return status;
    limits_of(&limits, &f);
    snprintf(s->name, sizeof s->name, "%s %s %s, %.120s", text->op, text->shape, text->type_key, f.device);
    snprintf(s->kernel, sizeof s->kernel, "%s", text->op);
    status = atx_problem_bind(s->slots, &s->problem, &limits, err);
    if (status == AT_OK)
        status = open_spaces(s, r, &key, &f, err);
    if (status == AT_OK)
        status = read_findings(s, r, &key, &f, err);
    if (status == AT_OK)
        status = read_hints(s, r, text, &f, err);
    return status;
}

/* ---- one file ---- */

static bool visit_problem(void *context, const atx_problem_key *key)
{
    reading *r = context;
    if (!atx_catalog_find_op(r->catalog, key->op))
        return true;
    r->failed = !atx_grow(&r->keys, &r->cap, r->count, sizeof *r->keys);
    if (r->failed)
        return false;
    key_text *k = &r->keys[r->count++];
    snprintf(k->op, sizeof k->op, "%s", key->op);
    snprintf(k->shape, sizeof k->shape, "%s", key->shape);
    snprintf(k->type_key, sizeof k->type_key, "%s", key->type_key);
    return true;
}

static at_status read_one(reading *r, const key_text *text, at_error *err)
{
    atx_bench_spaces *to = r->to;
    if (!atx_grow(&to->items, &to->cap, to->count, sizeof *to->items))
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    atx_bench_space *s = &to->items[to->count];
    *s = (atx_bench_space){ .search = { .spaces = NULL } };
    at_status status = read_problem(s, r, text, err);
    if (status == AT_OK && s->sorted_count >= r->least) {
        to->count++;
        return AT_OK;
    }
    space_clear(s);
    return status == AT_ERR_NOT_FOUND ? AT_OK : status;
}

/* Adds a declaration that the recording holds. */
static bool visit_recorded(void *context, const char *path, const char *text, size_t len)
{
    reading *r = context;
    r->status = atx_catalog_add(r->catalog, path, text, len, &r->err);
    return r->status == AT_OK;
}

static at_status open_catalog(reading *r, at_error *err)
{
    atx_bench_spaces *to = r->to;
    if (!atx_grow(&to->catalogs, &to->catalog_cap, to->catalog_count, sizeof(atx_catalog *)))
        return atx_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = atx_catalog_open(&r->catalog, to->dir, err);
    if (status == AT_OK)
        to->catalogs[to->catalog_count++] = r->catalog;
    if (status == AT_OK)
        status = atx_store_each_recorded(r->store, visit_recorded, r, err);
    return status == AT_OK && r->status != AT_OK ? atx_fail(err, r->status, "%s", r->err.text) : status;
}

at_status atx_bench_spaces_read(atx_bench_spaces *spaces, const char *path, int64_t least, at_error *err)
{
    reading r = { .to = spaces, .least = least };
    at_status status = atx_store_open_recording(&r.store, path, NULL, err);
    if (status == AT_OK)
        status = open_catalog(&r, err);
    if (status == AT_OK)
        status = atx_store_main_fingerprint(&r.device, r.store, NULL, NULL, err);
    if (status == AT_OK)
        status = atx_lookup_open(&r.lookup, r.store, r.catalog, err);
    if (status == AT_OK && spaces->model_of)
        status = atx_store_open(&r.asked, spaces->model_of, ATX_STORE_READ, err);
    if (status == AT_OK && (r.asked || spaces->built_in))
        status = atx_lookup_open(&r.expecting, r.asked ? r.asked : r.store, r.catalog, err);
    if (status == AT_OK && spaces->built_in)
        atx_lookup_add_shipped(r.expecting);
    if (status == AT_OK)
        status = atx_store_each_problem(r.store, visit_problem, &r, err);
    if (status == AT_OK && r.failed)
        status = atx_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < r.count && status == AT_OK; i++)
        status = read_one(&r, &r.keys[i], err);
    free(r.keys);
    atx_lookup_close(r.expecting);
    atx_lookup_close(r.lookup);
    atx_store_close(r.asked);
    if (r.store)
        atx_store_close(r.store);
    return status;
}
