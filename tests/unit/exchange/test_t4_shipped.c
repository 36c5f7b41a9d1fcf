/* test_t4_shipped.c - every problem of the recordings and the winners that come with autotune goes out as T4
 * results and comes back with the same trials, those of the newest driver and NVRTC. */
#include "exchange/import.h"
#include "exchange/t4.h"
#include "scratch_support.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(t4_shipped, .init = enter_scratch, .fini = leave_scratch);

enum { MAX_PROBLEMS = 400 };

typedef struct problems {
    char texts[MAX_PROBLEMS][3][200]; /* op, shape, type key */
    int count;
} problems;

static bool add_problem(void *context, const atx_problem_key *key)
{
    problems *all = context;
    cr_assert_lt(all->count, MAX_PROBLEMS);
    char(*texts)[200] = all->texts[all->count++];
    snprintf(texts[0], sizeof *texts, "%s", key->op);
    snprintf(texts[1], sizeof *texts, "%s", key->shape);
    snprintf(texts[2], sizeof *texts, "%s", key->type_key);
    return true;
}

static bool write_line(void *context, const char *line)
{
    return fprintf(context, "%s\n", line) > 0;
}

static atx_import go_and_come(atx_store *store, const atx_problem_key *key)
{
    const char *const paths[] = { "t4.json" };
    const atx_dump_options options = { .op = key->op, .problems = key, .problem_count = 1 };
    const atx_import_options import_options = { 0 };
    atx_import import = { 0 };
    at_error err = { 0 };
    FILE *file = fopen(paths[0], "w");
    cr_assert_not_null(file);
    cr_assert_eq(atx_t4_write(store, &options, write_line, file, &err), AT_OK, "%s %s %s: %s", key->op,
                 key->shape, key->type_key, err.text);
    fclose(file);
    cr_assert_eq(atx_import_read(&import, paths, 1, &import_options, &err), AT_OK, "%s %s %s: %s", key->op,
                 key->shape, key->type_key, err.text);
    return import;
}

/* ---- is it the same? ---- */

typedef struct looking {
    const atx_import *import;
    const atx_problem_key *key;
    size_t seen;
    atx_fingerprint conditions; /* of the newest trial: T4 has a place for one driver and one NVRTC */
    char newest[32];
} looking;

static bool look_for_newest(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    looking *l = context;
    if (strcmp(row->measured_at, l->newest) > 0) {
        l->conditions = *f;
        snprintf(l->newest, sizeof l->newest, "%s", row->measured_at);
    }
    return true;
}

static const atx_trial_row *find(const atx_import *import, const atx_trial_row *row, const char *device)
{
    for (size_t i = 0; i < import->count; i++) {
        const atx_imported *item = &import->items[i];
        for (size_t k = 0; k < item->count && strcmp(item->fingerprint.device, device) == 0; k++)
            if (strcmp(item->rows[k].template_name, row->template_name) == 0 &&
                strcmp(item->rows[k].config, row->config) == 0)
                return &item->rows[k];
    }
    return NULL;
}

/* 15 digits go out. */
static bool close_to(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-13 * fabs(a);
}

static bool compare(void *context, const atx_trial_row *row, const atx_fingerprint *f)
{
    looking *l = context;
    const atx_trial_row *back = find(l->import, row, f->device);
    l->seen++;
    cr_assert_not_null(back, "%s %s: %s %s is missing", l->key->op, l->key->shape, row->template_name,
                       row->config);
    cr_assert_eq(back->outcome, row->outcome);
    cr_assert(close_to(row->timing.median_s, back->timing.median_s));
    cr_assert(close_to(row->timing.min_s, back->timing.min_s));
    cr_assert(close_to(row->timing.spread, back->timing.spread));
    cr_assert(close_to(row->compile_s, back->compile_s));
    cr_assert_eq(back->timing.samples, row->timing.samples);
    cr_assert_eq(memcmp(&back->resources, &row->resources, sizeof row->resources), 0);
    cr_assert_str_eq(back->measured_at, row->measured_at);
    return true;
}

static size_t check_problem(atx_store *store, char texts[3][200])
{
    const atx_problem_key key = { .op = texts[0], .shape = texts[1], .type_key = texts[2] };
    at_error err = { 0 };
    atx_import import = go_and_come(store, &key);
    looking l = { .import = &import, .key = &key };
    size_t came = 0;
    cr_assert_eq(atx_store_each_trial(store, &key, NULL, look_for_newest, &l, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_each_trial(store, &key, &l.conditions, compare, &l, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < import.count; i++)
        came += import.items[i].count;
    cr_assert_eq(came, l.seen, "%s %s: %zu trials went, %zu came", key.op, key.shape, l.seen, came);
    atx_import_clear(&import);
    return l.seen;
}

Test(t4_shipped, goes_out_and_comes_back, .timeout = 900)
{
    static problems all;
    glob_t files;
    size_t trials = 0, checked = 0;
    cr_assert_eq(glob(AT_SOURCE_DIR "/db/winners/*.gz", 0, NULL, &files), 0);
    cr_assert_eq(glob(AT_SOURCE_DIR "/db/recordings/*.gz", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        at_error err = { 0 };
        atx_store *store = NULL;
        cr_assert_eq(atx_store_open_recording(&store, files.gl_pathv[i], NULL, &err), AT_OK, "%s", err.text);
        all.count = 0;
        cr_assert_eq(atx_store_each_problem(store, add_problem, &all, &err), AT_OK, "%s", err.text);
        for (int k = 0; k < all.count; k++)
            trials += check_problem(store, all.texts[k]);
        checked += (size_t)all.count;
        atx_store_close(store);
    }
    globfree(&files);
    cr_assert(checked > 300 && trials > 10000, "%zu problems, %zu trials", checked, trials);
}
