/*
 * lookup.c - how fast look-ups are on a large store; no GPU needed.
 *
 *     bench_lookup [TRIALS]       default 1000000
 *     bench_lookup --first ROWS COLS    of $AUTOTUNE_DB
 *     bench_lookup --fill FILE WINNERS
 *
 * Fills a scratch database through the store's own functions (synthetic times: only its size matters), then
 * measures the library (open, exact, near, what nobody knows), new processes that open it on a machine where
 * nothing was tuned and on databases of 100 to 10,000 winners (--first is one of them), and cold starts of
 * `autotune query`, which is looked for beside this program.
 */
#include "lang/arch.h"
#include "lang/catalog.h"
#include "space/space.h"
#include "db/store.h"
#include "tune/tune.h"
#include "util/clock.h"
#include "util/permute.h"

#include <autotune/autotune.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROBLEMS = 1000, LOOKUPS = 500000, NEAR_LOOKUPS = 2000, QUERIES = 41, BATCH = 500 };

static void must(at_status status, const at_error *err)
{
    if (status != AT_OK) {
        fprintf(stderr, "bench_lookup: %s\n", err->text);
        exit(1);
    }
}

/* ---- the store ---- */

typedef struct filler {
    atx_store *store;
    const atx_template *t;
    atx_limits limits;
    atx_fingerprint fingerprint;
    atx_str configs[BATCH]; /* reused for every problem */
} filler;

/* Sides of the i-th problem: 1000 different ones between 64 and 16384. */
static void sides_of(int64_t sides[2], int i)
{
    sides[0] = 64 * (1 + i % 40) * (1 + i / 400);
    sides[1] = 128 * (1 + i / 40);
}

static void put_winner(filler *f, const atx_problem_key *key, const atx_problem *p)
{
    at_error err = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_config config;
    atx_geometry g;
    must(atx_problem_bind(slots, p, &f->limits, &err), &err);
    must(atx_config_parse(&config, f->t, atx_str_text(&f->configs[0]), &err), &err);
    must(atx_config_bind(slots, f->t, &config, &err), &err);
    must(atx_geometry_of(&g, &f->t->call.steps[0].launch, slots, &err), &err);
    atx_winner w = { .template_name = f->t->name,
                     .template_hash = f->t->text.hash,
                     .config = atx_str_text(&f->configs[0]),
                     .source_hash = "",
                     .op_hash = "",
                     .timing.median_s = 1e-5,
                     .timing.min_s = 1e-5,
                     .timing.samples = 15,
                     .ceiling_s = 9e-6,
                     .ceiling_name = "memcpy",
                     .ties = "",
                     .geometry = g,
                     .resources = ATX_RESOURCES_UNKNOWN,
                     .conditions = ATX_CONDITIONS_UNKNOWN };
    must(atx_store_put_winner(f->store, 0, key, &f->fingerprint, &w, &err), &err);
}

static void put_problem(filler *f, int index, int64_t trials)
{
    at_error err = { 0 };
    atx_problem p;
    atx_problem_key key;
    atx_str shape = { 0 };
    atx_trial_row rows[BATCH];
    int64_t sides[2];
    sides_of(sides, index);
    must(atx_problem_init(&p, f->t->op, ATX_F32, sides, 2, &err), &err);
    must(atx_problem_key_of(&key, &shape, &p, &err), &err);
    for (int64_t done = 0; done < trials;) {
        int count = 0;
        char template_name[BATCH][32];
        for (; count < BATCH && done < trials; count++, done++) {
            snprintf(template_name[count], sizeof template_name[count], "t%" PRId64, done / BATCH);
            rows[count] = (atx_trial_row){ .template_name = template_name[count],
                                           .template_hash = "h",
                                           .config = atx_str_text(&f->configs[done % BATCH]),
                                           .outcome = ATX_TIMED,
                                           .timing.median_s = 1e-5 + 1e-8 * (double)done,
                                           .timing.min_s = 1e-5,
                                           .timing.samples = 7,
                                           .log = "",
                                           .source_hash = "" };
        }
        must(atx_store_put_trials(f->store, 0, &key, &f->fingerprint, rows, (size_t)count, &err), &err);
    }
    put_winner(f, &key, &p);
    atx_str_clear(&shape);
}

static void fill(const char *path, int problems, int64_t trials)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    filler f = { .fingerprint = { "NVIDIA H200", 90, 132, 143155, "580.1", "13.0", "0.1.0", true } };
    must(atx_catalog_open(&catalog, NULL, &err), &err);
    f.t = atx_catalog_find_template(catalog, atx_catalog_find_op(catalog, "transpose"), "tile_rows");
    must(atx_arch_parse(&f.limits, "sm_90", &err), &err);
    must(atx_store_open(&f.store, path, ATX_STORE_WRITE, &err), &err);
    atx_str_add(&f.configs[0], "TILE=32 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast");
    for (int i = 1; i < BATCH; i++)
        atx_str_addf(&f.configs[i], "%s N=%d", atx_str_text(&f.configs[0]), i);
    for (int i = 0; i < problems; i++)
        put_problem(&f, i, trials / problems);
    for (int i = 0; i < BATCH; i++)
        atx_str_clear(&f.configs[i]);
    atx_store_close(f.store);
    atx_catalog_close(catalog);
}

/* ---- the library ---- */

/* Of this process: other work on the machine does not count. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Looks up `count` problems whose sides are `add` longer than tuned ones. */
static void time_lookups(at_tuner *tuner, const char *what, int count, int64_t add, at_match expected)
{
    at_error err = { 0 };
    double start = cpu_s();
    for (int i = 0; i < count; i++) {
        at_found *found = NULL;
        at_problem p = {
            .struct_bytes = sizeof(at_problem), .op = "transpose", .type = AT_TYPE_F32, .size_count = 2
        };
        sides_of(p.sizes, (int)((int64_t)i * 7919 % PROBLEMS));
        p.sizes[0] += add ? add * (1 + i / PROBLEMS) : 0;
        must(at_find(&found, tuner, &p, NULL, &err), &err);
        if (found->match != expected) {
            fprintf(stderr, "bench_lookup: %s: %s\n", at_match_name(found->match), found->why);
            exit(1);
        }
        at_found_close(found);
    }
    double took = cpu_s() - start;
    printf("%-28s %9.3f us of CPU time, %10.0f a second\n", what, 1e6 * took / count, count / took);
}

/* What is remembered: no model is asked, and nothing searched. */
static void time_again(at_tuner *tuner)
{
    at_error err = { 0 };
    at_found *found = NULL;
    const at_problem p = { .struct_bytes = sizeof(at_problem),
                           .op = "transpose",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { 1500, 1531 } };
    double start = 0;
    for (int i = 0; i <= LOOKUPS; i++) {
        must(at_find(&found, tuner, &p, NULL, &err), &err);
        at_found_close(found);
        start = i ? start : cpu_s();
    }
    double took = cpu_s() - start;
    printf("%-28s %9.3f us of CPU time, %10.0f a second\n", "at_find, predicted, again", 1e6 * took / LOOKUPS,
           LOOKUPS / took);
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- the first question of a process ---- */

/* In a process of its own: prints seconds of opening, of the first answer, of the same again, and its match.
 */
static int time_first(int64_t rows, int64_t cols)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    at_found *found = NULL;
    const at_problem p = { .struct_bytes = sizeof(at_problem),
                           .op = "transpose",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { rows, cols } };
    double times[4] = { atx_now_s() };
    must(at_open(&tuner, NULL, &err), &err);
    times[1] = atx_now_s();
    for (int i = 0; i < 2; i++) {
        at_found_close(found);
        must(at_find(&found, tuner, &p, NULL, &err), &err);
        times[2 + i] = atx_now_s();
    }
    printf("%.9f %.9f %.9f %s\n", times[1] - times[0], times[2] - times[1], times[3] - times[2],
           at_match_name(found->match));
    at_found_close(found);
    at_close(tuner);
    return 0;
}

static void run_first(double took[3], char match[32], const char *self, int64_t rows, int64_t cols)
{
    char command[4400];
    snprintf(command, sizeof command, "'%s' --first %" PRId64 " %" PRId64, self, rows, cols);
    FILE *output = popen(command, "r");
    if (!output || fscanf(output, "%lf %lf %lf %31s", &took[0], &took[1], &took[2], match) != 4) {
        fprintf(stderr, "bench_lookup: %s does not answer\n", command);
        exit(1);
    }
    pclose(output);
}

/* The environment says which database. */
static void time_firsts(const char *what, const char *self, int64_t rows, int64_t cols)
{
    double sums[QUERIES], opens[QUERIES], again[QUERIES], took[3];
    char match[32] = "";
    for (int i = 0; i < QUERIES; i++) {
        run_first(took, match, self, rows, cols);
        opens[i] = took[0];
        sums[i] = took[0] + took[1];
        again[i] = took[2];
    }
    qsort(opens, QUERIES, sizeof *opens, ascending);
    qsort(sums, QUERIES, sizeof *sums, ascending);
    qsort(again, QUERIES, sizeof *again, ascending);
    printf("%s, %-15s %9.3f ms: at_open %.3f ms, the first at_find the rest; again %.1f us\n", what, match,
           1e3 * sums[QUERIES / 2], 1e3 * opens[QUERIES / 2], 1e6 * again[QUERIES / 2]);
}

/* Nothing was tuned: what comes with autotune is read. */
static void time_new_machine(const char *self, const char *folder)
{
    unsetenv("AUTOTUNE_DB");
    unsetenv("AUTOTUNE_NO_SHIPPED");
    setenv("XDG_DATA_HOME", folder, 1);
    time_firsts("new machine", self, 4096, 4096);
    time_firsts("new machine", self, 3000, 5000);
}

static void time_winners(const char *self, const char *folder, int count)
{
    char db[80], what[32];
    snprintf(db, sizeof db, "%s/%d.db", folder, count);
    snprintf(what, sizeof what, "%d winners", count);
    fill(db, count, count);
    setenv("AUTOTUNE_DB", db, 1);
    time_firsts(what, self, 64, 128);
    time_firsts(what, self, 3000, 5000);
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    time_firsts(what, self, 3000, 5000);
    unsetenv("AUTOTUNE_NO_MODEL");
}

/* ---- the program ---- */

extern char **environ;

static double time_query(const char *program, const char *db)
{
    char *argv[] = { (char *)program,    "query",    "transpose", db ? "256x256" : "4096x4096", "f32",
                     db ? "--db" : NULL, (char *)db, NULL };
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    int status = 1;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
    double start = atx_now_s();
    if (posix_spawn(&pid, program, &quiet, NULL, argv, environ) == 0)
        waitpid(pid, &status, 0);
    double took = atx_now_s() - start;
    posix_spawn_file_actions_destroy(&quiet);
    return status == 0 ? took : -1;
}

/* db NULL: a new machine. */
static void time_queries(const char *what, const char *program, const char *db)
{
    double took[QUERIES];
    for (int i = 0; i < QUERIES; i++)
        if ((took[i] = time_query(program, db)) < 0) {
            fprintf(stderr, "bench_lookup: %s query does not answer\n", program);
            exit(1);
        }
    qsort(took, QUERIES, sizeof *took, ascending);
    printf("%-28s %9.3f ms, slowest of %d %.3f ms\n", what, 1e3 * took[QUERIES / 2], QUERIES,
           1e3 * took[QUERIES - 1]);
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    at_tuner *tuner = NULL;
    int64_t trials = argc > 1 ? strtoll(argv[1], NULL, 10) : 1000000;
    char folder[] = "/tmp/bench_lookup.XXXXXX", db[64], self[4096], program[4096];
    if (argc == 4 && strcmp(argv[1], "--first") == 0)
        return time_first(strtoll(argv[2], NULL, 10), strtoll(argv[3], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "--fill") == 0) {
        fill(argv[2], atoi(argv[3]), atoi(argv[3]));
        return 0;
    }
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 16);
    if (trials < PROBLEMS || len < 0 || !mkdtemp(folder))
        return 2;
    program[len] = '\0';
    snprintf(self, sizeof self, "%s", program);
    snprintf(strrchr(program, '/') + 1, 10, "autotune");
    snprintf(db, sizeof db, "%s/store.db", folder);
    double start = atx_now_s();
    fill(db, PROBLEMS, trials);
    printf("%" PRId64 " trials of %d problems written, %.1f s\n", trials, PROBLEMS, atx_now_s() - start);

    at_open_options options = AT_OPEN_OPTIONS_INIT;
    options.database = db;
    start = atx_now_s();
    must(at_open(&tuner, &options, &err), &err);
    printf("%-28s %9.3f ms\n", "at_open", 1e3 * (atx_now_s() - start));
    time_lookups(tuner, "the first at_find", 1, 0, AT_MATCH_EXACT);
    time_lookups(tuner, "at_find, exact", LOOKUPS, 0, AT_MATCH_EXACT);
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    time_lookups(tuner, "the first at_find, near", 1, 4, AT_MATCH_NEAR);
    time_lookups(tuner, "at_find, near, first time", NEAR_LOOKUPS, 8, AT_MATCH_NEAR);
    unsetenv("AUTOTUNE_NO_MODEL");
    time_lookups(tuner, "the first at_find, predicted", 1, 12, AT_MATCH_PREDICTED);
    time_lookups(tuner, "at_find, predicted, 1st time", NEAR_LOOKUPS, 20, AT_MATCH_PREDICTED);
    time_again(tuner);
    at_close(tuner);
    for (int count = 100; count <= 10000; count *= 10)
        time_winners(self, folder, count);
    time_new_machine(self, folder);
    time_queries("autotune query, cold start", program, db);
    time_queries("the same, on a new machine", program, NULL);
    snprintf(program, sizeof program, "rm -rf '%s'", folder);
    return system(program) != 0;
}
