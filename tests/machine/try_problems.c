/*
 * try_problems.c - every template of operations that compute, on the machine, on problems that files name:
 * outputs as the op's `check` wants them, and nothing found that no result shows.
 *
 *     build/tests/machine/try_problems [--until-wrong] [--only TEMPLATE] [--arch CC] TEMPLATES PROBLEMS
 * [TEMPLATES PROBLEMS]...
 *
 * TEMPLATES is as for `--templates`, PROBLEMS a file as for `--shapes`. Of each template the default, the
 * first and the last valid configuration and some at random (always the same ones) run on each problem.
 * --until-wrong: the first that is wrong ends all, with the name of what was found. Exit code 0: all is
 * right; 1: something is not; 77: no NVRTC.
 */
#include "explain/instance.h"
#include "lang/shapes.h"
#include "moves.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of contents in which some largest number is negative, or there twice: buffers are the random streams 7, 8,
 * ... */
#define SEED ((uint64_t)0xa61c3265cfbe165du)

enum { SKIP = 77, RANDOM_PICKS = 4, PICKS = RANDOM_PICKS + 3 };

/* Of all processes. */
typedef struct tally {
    atomic_int next_unit, cases, wrong;
} tally;

typedef struct prober {
    atx_catalog *catalog;
    atx_shapes shapes;
    atx_nvrtc *nvrtc;
    const char *only; /* NULL: all templates */
    int cc;
    bool until_wrong;
    tally *all;
} prober;

static bool is_over(const prober *p)
{
    return p->until_wrong && p->all->wrong > 0;
}

static void tell(const prober *p, const atx_problem *problem, const atx_template *t, const atx_config *config,
                 const atx_flaw *flaw, const char *why)
{
    atx_str shape = { 0 }, words = { 0 }, what = { 0 };
    if (atomic_fetch_add(&p->all->wrong, 1) > 0 && p->until_wrong)
        return;
    atx_problem_shape(&shape, problem);
    if (t)
        atx_config_text(&words, t, config);
    if (flaw)
        atx_flaw_text(&what, flaw);
    printf("%s %s %s %s [%s]: %s: %s\n", problem->op->name, atx_str_text(&shape),
           atx_dtype_name(problem->type), t ? t->name : problem->op->expected.reference, atx_str_text(&words),
           flaw ? atx_flaw_name(flaw->kind) : "does_not_run", flaw ? atx_str_text(&what) : why);
    atx_str_clear(&shape);
    atx_str_clear(&words);
    atx_str_clear(&what);
}

static void try_config(const prober *p, const atx_problem *problem, const int64_t *bound,
                       atx_instance *instance, const atx_template *t, const atx_config *config)
{
    static atx_flaws flaws; /* large */
    at_error err = { 0 };
    atx_program program = { .module = NULL };
    int64_t slots[ATX_MAX_SLOTS];
    memcpy(slots, bound, sizeof slots);
    flaws.count = 0;
    must(atx_config_bind(slots, t, config, &err), &err);
    at_status status = atx_program_of_template(
        &program, p->nvrtc, &(atx_program_request){ t, problem->type, config, slots, p->cc }, &err);
    if (status == AT_OK)
        status = atx_instance_try(&flaws, instance, &program, &err);
    atomic_fetch_add(&p->all->cases, 1);
    if (status != AT_OK || flaws.count > 0)
        tell(p, problem, t, config, status == AT_OK ? &flaws.items[0] : NULL, err.text);
    atx_program_close(&program);
}

static int pick(int64_t picks[PICKS], const atx_space *space, atx_rng *rng)
{
    const atx_template *t = atx_space_template(space);
    const int64_t count = atx_space_count(space);
    atx_config config;
    int picked = 0;
    memcpy(config.values, t->scope.defaults, sizeof config.values);
    int64_t wishes[PICKS] = { atx_space_find(space, &config), 0, count - 1 };
    for (int i = 3; i < PICKS; i++)
        wishes[i] = atx_space_sample(space, rng);
    for (int i = 0; i < PICKS; i++) {
        bool fresh = wishes[i] >= 0;
        for (int k = 0; k < picked; k++)
            fresh = fresh && picks[k] != wishes[i];
        if (fresh)
            picks[picked++] = wishes[i];
    }
    return picked;
}

static void try_template(const prober *p, const atx_problem *problem, const int64_t *slots,
                         atx_instance *instance, const atx_template *t, atx_rng *rng)
{
    at_error err = { 0 };
    int64_t picks[PICKS];
    atx_space *space = NULL;
    must(atx_space_open(&space, t, slots, NULL, 0, &err), &err);
    const bool wanted = !p->only || strcmp(p->only, t->name) == 0;
    const int count = wanted && atx_space_count(space) > 0 ? pick(picks, space, rng) : 0;
    for (int i = 0; i < count && !is_over(p); i++) {
        atx_config config;
        atx_space_config(&config, space, picks[i]);
        try_config(p, problem, slots, instance, t, &config);
    }
    atx_space_close(space);
}

static void try_problem(const prober *p, const atx_problem *problem, size_t number)
{
    at_error err = { 0 };
    int64_t slots[ATX_MAX_SLOTS];
    atx_instance *instance = NULL;
    atx_rng rng = { 20 + number };
    atx_limits limits = few_multiprocessors;
    limits.cc = p->cc;
    must(atx_problem_bind(slots, problem, &limits, &err), &err);
    const atx_instance_options o = { .catalog = p->catalog,
                                     .nvrtc = p->nvrtc,
                                     .problem = problem,
                                     .slots = slots,
                                     .cc = p->cc,
                                     .seed = SEED,
                                     .answer = true };
    const at_status status = atx_instance_open(&instance, &o, &err);
    if (status != AT_OK)
        tell(p, problem, NULL, NULL, NULL, err.text);
    for (int n = 0; status == AT_OK && n < atx_catalog_template_count(p->catalog, problem->op); n++)
        try_template(p, problem, slots, instance, atx_catalog_template(p->catalog, problem->op, n), &rng);
    atx_instance_close(instance);
}

/* One of several processes: NVRTC does not scale over threads. */
static void work(prober *p)
{
    at_error err = { 0 };
    must(atx_nvrtc_open(&p->nvrtc, &err), &err);
    for (size_t i; !is_over(p) && (i = (size_t)atomic_fetch_add(&p->all->next_unit, 1)) < p->shapes.count;)
        try_problem(p, &p->shapes.problems[i], i);
    atx_nvrtc_close(p->nvrtc);
    fflush(stdout);
}

/* False: one of them ended badly. */
static bool work_together(prober *p)
{
    bool well = true;
    p->all->next_unit = 0;
    for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) {
        const pid_t child = fork();
        if (child == 0) {
            work(p);
            _exit(0);
        }
        well = well && child > 0;
    }
    for (int status; wait(&status) > 0;)
        well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return well;
}

static bool try_file(prober *p, const char *templates, const char *file)
{
    at_error err = { 0 };
    must(atx_catalog_open(&p->catalog, templates, &err), &err);
    must(atx_shapes_read(&p->shapes, file, p->catalog, NULL, &err), &err);
    const bool well = work_together(p);
    atx_shapes_clear(&p->shapes);
    atx_catalog_close(p->catalog);
    return well;
}

int main(int argc, char **argv)
{
    at_error err = { 0 };
    prober p = { .cc = 90 };
    bool well = true;
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++)
        if (strcmp(argv[first], "--until-wrong") == 0)
            p.until_wrong = true;
        else if (first + 1 < argc && strcmp(argv[first], "--only") == 0)
            p.only = argv[++first];
        else if (first + 1 < argc && strcmp(argv[first], "--arch") == 0)
            p.cc = atoi(argv[++first]);
    if (argc <= first || (argc - first) % 2) {
        fprintf(stderr,
                "usage: try_problems [--until-wrong] [--only TEMPLATE] [--arch CC] TEMPLATES PROBLEMS...\n");
        return 2;
    }
    if (atx_nvrtc_open(&p.nvrtc, &err) != AT_OK) {
        printf("skipped: %s\n", err.text);
        return SKIP;
    }
    atx_nvrtc_close(p.nvrtc);
    p.all = mmap(NULL, sizeof *p.all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p.all == MAP_FAILED)
        must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
    for (int i = first; i < argc && well; i += 2)
        well = try_file(&p, argv[i], argv[i + 1]);
    printf("%d cases, %d wrong\n", p.all->cases, p.all->wrong);
    return well && p.all->wrong == 0 && p.all->cases > 0 ? 0 : 1;
}
