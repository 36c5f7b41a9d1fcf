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
    char op[AT__MAX_NAME], shape[256], type_key[16];
} key_text;

/* One file being read. */
typedef struct reading {
    at__bench_spaces *to;
    at__catalog *catalog;
    at__store *store;
    at__lookup *lookup;
    at__store *asked; /* beside which the model is; NULL: none */
    at__lookup *expecting;
    at__fingerprint device;
    int64_t least;
    key_text *keys;
    size_t count, cap;
    bool failed;      /* out of memory */
    at_status status; /* of the declarations */
    at_error err;
} reading;

/* What each_trial fills. */
typedef struct filling {
    const at__bench_space *space;
    int pick; /* the template's place among the spaces */
    at__config *configs;
    size_t count, cap;
    bool failed, by_index;
} filling;

at_status at__bench_spaces_open(at__bench_spaces *out, const char *dir, at_error *err)
{
    (void)err;
    *out = (at__bench_spaces){ .dir = dir };
    return AT_OK;
}

static void space_clear(at__bench_space *s)
{
    for (int i = 0; s->spaces && i < s->search.space_count; i++)
        at__space_close(s->spaces[i]);
    free(s->spaces);
    free(s->findings);
    free(s->sorted_s);
    *s = (at__bench_space){ .search = { .spaces = NULL } };
}

void at__bench_spaces_close(at__bench_spaces *spaces)
{
    for (size_t i = 0; i < spaces->count; i++)
        space_clear(&spaces->items[i]);
    free(spaces->items);
    for (size_t i = 0; i < spaces->catalog_count; i++)
        at__catalog_close(spaces->catalogs[i]);
    free(spaces->catalogs);
    *spaces = (at__bench_spaces){ 0 };
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

static at_status parse_problem(at__problem *out, const at__catalog *catalog, const key_text *key,
                               at_error *err)
{
    char line[512];
    at__shapes shapes = { 0 };
    at__shape_defaults defaults = { .op = key->op };
    int len = snprintf(line, sizeof line, "%s %s %s\n", key->op, key->shape, word_of(key->type_key));
    at_status status = at__shapes_parse(&shapes, line, (size_t)len, "problem", catalog, &defaults, err);
    if (status == AT_OK)
        *out = shapes.problems[0];
    at__shapes_clear(&shapes);
    return status;
}

static bool visit_row(void *context, const at__trial_row *row, const at__fingerprint *fingerprint)
{
    filling *f = context;
    const at__space *space = f->space->spaces[f->pick];
    const at__template *t = at__space_template(space);
    at__config config;
    (void)fingerprint;
    if (strcmp(row->template_name, t->name) != 0 || at__config_parse(&config, t, row->config, NULL) != AT_OK)
        return true;
    int64_t index = at__space_find(space, &config);
    if (index < 0)
        return true;
    if (!f->by_index) {
        f->failed = !at__grow(&f->configs, &f->cap, f->count, sizeof *f->configs);
        if (!f->failed)
            f->configs[f->count++] = config;
        return !f->failed;
    }
    f->space->findings[at__search_index(&f->space->search, f->pick, index)] = (at__finding){
        .outcome = row->outcome, .seconds = row->timing.median_s, .resources = row->resources
    };
    return true;
}

/* Leaves in the template's space what was recorded. */
static at_status keep_recorded(at__bench_space *s, reading *r, const at__problem_key *key,
                               const at__fingerprint *f, at_error *err)
{
    filling fill = { .space = s, .pick = s->search.space_count - 1 };
    at_status status = at__store_each_trial(r->store, key, f, visit_row, &fill, err);
    if (status == AT_OK && fill.failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status = at__space_keep(s->spaces[fill.pick], fill.configs, fill.count, err);
    free(fill.configs);
    return status;
}

static at_status open_spaces(at__bench_space *s, reading *r, const at__problem_key *key,
                             const at__fingerprint *f, at_error *err)
{
    const at__catalog *catalog = r->catalog;
    const at__op *op = s->problem.op;
    int count = at__catalog_template_count(catalog, op);
    at_status status = AT_OK;
    s->spaces = calloc((size_t)count + 1, sizeof(at__space *));
    if (!s->spaces)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < count && status == AT_OK; i++) {
        status = at__space_open(&s->spaces[i], at__catalog_template(catalog, op, i), s->slots, NULL, 0, err);
        if (status != AT_OK)
            break;
        s->search.space_count++;
        status = keep_recorded(s, r, key, f, err);
    }
    s->search.spaces = s->spaces;
    at__search_count(&s->search);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static at_status read_findings(at__bench_space *s, reading *r, const at__problem_key *key,
                               const at__fingerprint *f, at_error *err)
{
    filling fill = { .space = s, .by_index = true };
    at_status status = AT_OK;
    s->findings = calloc((size_t)s->search.total + 1, sizeof *s->findings);
    s->sorted_s = calloc((size_t)s->search.total + 1, sizeof *s->sorted_s);
    if (!s->findings || !s->sorted_s)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (; fill.pick < s->search.space_count && status == AT_OK; fill.pick++)
        status = at__store_each_trial(r->store, key, f, visit_row, &fill, err);
    for (int64_t i = 0; i < s->search.total; i++)
        if (s->findings[i].outcome == AT__TIMED)
            s->sorted_s[s->sorted_count++] = s->findings[i].seconds;
    qsort(s->sorted_s, (size_t)s->sorted_count, sizeof *s->sorted_s, ascending);
    return status;
}

static void limits_of(at__limits *out, const at__fingerprint *f)
{
    at__arch_limits(out, f->cc);
    out->sms = f->sms;
    out->memory_bytes = at__memory_bytes(f->memory_mib);
}

static void add_hint(at__bench_space *s, const at__hint *hint)
{
    int64_t index = at__search_find(&s->search, hint->t, &hint->config);
    for (int i = 0; i < s->hint_count && index >= 0; i++)
        index = s->hints[i] == index ? -1 : index;
    if (index >= 0)
        s->hints[s->hint_count++] = index;
}

/* What a search of this shape would begin with if the recording's other shapes were tuned, and it were not.
 */
static at_status read_hints(at__bench_space *s, reading *r, const key_text *text, const at__fingerprint *f,
                            at_error *err)
{
    at__hint hints[64];
    int count = 0;
    at__target target = { .cc = f->cc, .sms = f->sms };
    snprintf(target.name, sizeof target.name, "%s", f->device);
    at_status status = AT_OK;
    if (r->expecting)
        status =
            at__lookup_expected(hints, &count, AT__MAX_EXPECTED, r->expecting, &s->problem, &target, err);
    for (int i = 0; i < count; i++)
        add_hint(s, &hints[i]);
    int most = s->hint_count + AT__BENCH_WON;
    if (status == AT_OK)
        status = at__lookup_hints(hints, &count, 64, r->lookup, &s->problem, &target, err);
    for (int i = 0; i < count && s->hint_count < most; i++)
        if (strcmp(hints[i].answer->shape, text->shape) != 0)
            add_hint(s, &hints[i]);
    return status;
}

static at_status read_problem(at__bench_space *s, reading *r, const key_text *text, at_error *err)
{
    at__limits limits;
    at__fingerprint f;
    at__problem_key key = { .op = text->op, .shape = text->shape, .type_key = text->type_key };
    at_status status = at__store_main_fingerprint(&f, r->store, &key, &r->device, err);
    if (status == AT_OK)
        status = parse_problem(&s->problem, r->catalog, text, err);
    if (status != AT_OK)
        return status;
    limits_of(&limits, &f);
    snprintf(s->name, sizeof s->name, "%s %s %s, %.120s", text->op, text->shape, text->type_key, f.device);
    snprintf(s->kernel, sizeof s->kernel, "%s", text->op);
    status = at__problem_bind(s->slots, &s->problem, &limits, err);
    if (status == AT_OK)
        status = open_spaces(s, r, &key, &f, err);
    if (status == AT_OK)
        status = read_findings(s, r, &key, &f, err);
    if (status == AT_OK)
        status = read_hints(s, r, text, &f, err);
    return status;
}

/* ---- one file ---- */

static bool visit_problem(void *context, const at__problem_key *key)
{
    reading *r = context;
    if (!at__catalog_find_op(r->catalog, key->op))
        return true;
    r->failed = !at__grow(&r->keys, &r->cap, r->count, sizeof *r->keys);
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
    at__bench_spaces *to = r->to;
    if (!at__grow(&to->items, &to->cap, to->count, sizeof *to->items))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    at__bench_space *s = &to->items[to->count];
    *s = (at__bench_space){ .search = { .spaces = NULL } };
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
    r->status = at__catalog_add(r->catalog, path, text, len, &r->err);
    return r->status == AT_OK;
}

static at_status open_catalog(reading *r, at_error *err)
{
    at__bench_spaces *to = r->to;
    if (!at__grow(&to->catalogs, &to->catalog_cap, to->catalog_count, sizeof(at__catalog *)))
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    at_status status = at__catalog_open(&r->catalog, to->dir, err);
    if (status == AT_OK)
        to->catalogs[to->catalog_count++] = r->catalog;
    if (status == AT_OK)
        status = at__store_each_recorded(r->store, visit_recorded, r, err);
    return status == AT_OK && r->status != AT_OK ? at_fail(err, r->status, "%s", r->err.text) : status;
}

at_status at__bench_spaces_read(at__bench_spaces *spaces, const char *path, int64_t least, at_error *err)
{
    reading r = { .to = spaces, .least = least };
    at_status status = at__store_open_recording(&r.store, path, err);
    if (status == AT_OK)
        status = open_catalog(&r, err);
    if (status == AT_OK)
        status = at__store_main_fingerprint(&r.device, r.store, NULL, NULL, err);
    if (status == AT_OK)
        status = at__lookup_open(&r.lookup, r.store, r.catalog, err);
    if (status == AT_OK && spaces->model_of)
        status = at__store_open(&r.asked, spaces->model_of, AT__STORE_READ, err);
    if (status == AT_OK && r.asked)
        status = at__lookup_open(&r.expecting, r.asked, r.catalog, err);
    if (status == AT_OK)
        status = at__store_each_problem(r.store, visit_problem, &r, err);
    if (status == AT_OK && r.failed)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < r.count && status == AT_OK; i++)
        status = read_one(&r, &r.keys[i], err);
    free(r.keys);
    at__lookup_close(r.expecting);
    at__lookup_close(r.lookup);
    at__store_close(r.asked);
    if (r.store)
        at__store_close(r.store);
    return status;
}
