/* search_bench.c - see search_bench.h. */
#include "search_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char OP[] = "/*!autotune\n"
                         "op        fill\n"
                         "shape     n\n"
                         "type      T = storage\n"
                         "arg       out T[n] output\n"
                         "reference fill_reference\n"
                         "grid      1\n"
                         "block     32\n"
                         "check     exact\n"
                         "traffic   n * sizeof(T)\n"
                         "*/\n"
                         "extern \"C\" __global__ void fill_reference(T *out) {}\n";

#define KERNEL(name) "*/\nextern \"C\" __global__ void fill_" name "(T *out) {}\n"

/* 8 x 6 x 4 x 4 x 2 less what the requirement refuses: 1376. */
const char TILES[] = "/*!autotune\n"
                     "template  tiles\n"
                     "param     TILE   = 1 2 4 8 16 32 64 128\n"
                     "param     BLOCK  = 32 64 128 256 512 1024\n"
                     "param     VEC    = 1 2 4 8\n"
                     "param     UNROLL = 1..4\n"
                     "param     ORDER  = rows columns\n"
                     "require   TILE * VEC < 1024\n"
                     "grid      1\n"
                     "block     BLOCK\n" KERNEL("tiles");

const char OTHER[] = "/*!autotune\n"
                     "template  other\n"
                     "param     BLOCK = 32 64 128 256 512 1024\n"
                     "param     DEPTH = 0..15\n"
                     "grid      1\n"
                     "block     BLOCK\n" KERNEL("other");

/* 64^5: more than 10^9. */
const char HUGE_SPACE[] = "/*!autotune\n"
                          "template  huge\n"
                          "param     A = 1..64\n"
                          "param     B = 1..64\n"
                          "param     C = 1..64\n"
                          "param     D = 1..64\n"
                          "param     E = 1..64\n"
                          "require   (A + B) % 2 == 0\n"
                          "grid      1\n"
                          "block     32\n" KERNEL("huge");

const char SINGLE[] = "/*!autotune\n"
                      "template  single\n"
                      "param     A = 1\n"
                      "grid      1\n"
                      "block     32\n" KERNEL("single");

void bench_open(bench *b, const char *first, const char *second)
{
    const atx_limits limits = {
        .cc = 90, .sms = 132, .max_threads_per_block = 1024, .max_grid_x = 2147483647
    };
    const char *const texts[] = { first, second };
    int64_t n = 64;
    atx_problem problem;
    at_error err = { 0 };

    *b = (bench){ .pace = -1 };
    cr_assert_eq(atx_op_read(&b->op, OP, sizeof OP - 1, "op.cu", &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_init(&problem, b->op, ATX_F32, &n, 1, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(b->slots, &problem, &limits, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 2 && texts[i]; i++) {
        at_status status =
            atx_template_read(&b->templates[i], b->op, texts[i], strlen(texts[i]), "template.cu", &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        status = atx_space_open(&b->spaces[i], b->templates[i], b->slots, NULL, 0, &err);
        cr_assert_eq(status, AT_OK, "%s", err.text);
        b->search.space_count++;
    }
    b->search.spaces = b->spaces;
    atx_search_count(&b->search);
    b->search.slots = b->slots;
    b->search.max_trials = b->search.total;
    b->search.seed = 1;
}

void bench_close(bench *b)
{
    for (int i = 0; i < 2; i++) {
        atx_space_close(b->spaces[i]);
        atx_template_close(b->templates[i]);
    }
    atx_op_close(b->op);
}

static atx_finding timed(double seconds)
{
    return (atx_finding){ .outcome = ATX_TIMED, .seconds = seconds, .resources = ATX_RESOURCES_UNKNOWN };
}

static double octaves(int64_t a, int64_t b)
{
    return fabs(log2((double)a / (double)b));
}

/* The best of `tiles` takes 1: TILE=32 BLOCK=256 VEC=4 UNROLL=2 ORDER=columns. Blocks suit tiles. */
static double tiles_time(const int64_t *v)
{
    return (1 + 0.3 * octaves(v[0], 32)) * (1 + 0.2 * octaves(v[1], v[0] * 8)) *
           (1 + 0.1 * octaves(v[2], 4)) * (1 + 0.05 * fabs((double)v[3] - 2)) * (v[4] == 1 ? 1 : 1.4);
}

/* The first template's configurations as above; of the second 1.5 at best, with BLOCK=512 DEPTH=7. */
atx_finding smooth(const bench *b, int64_t index)
{
    atx_config config;
    int64_t count = atx_space_count(b->spaces[0]);
    if (index < count) {
        atx_space_config(&config, b->spaces[0], index);
        return timed(tiles_time(config.values));
    }
    atx_space_config(&config, b->spaces[1], index - count);
    return timed((1.5 + octaves(config.values[0], 512)) * (1 + 0.1 * fabs((double)config.values[1] - 7)));
}

/* The same, but nothing with blocks of 512 and more compiles, and wide accesses of wide tiles crash. */
atx_finding failing(const bench *b, int64_t index)
{
    atx_config config;
    atx_space_config(&config, b->spaces[0], index);
    atx_finding f = timed(tiles_time(config.values));
    if (config.values[1] >= 512)
        f = (atx_finding){ .outcome = ATX_COMPILE_FAILED };
    if (config.values[2] * config.values[0] >= 256)
        f = (atx_finding){ .outcome = ATX_CRASHED };
    return f;
}

atx_finding all_fail(const bench *b, int64_t index)
{
    (void)b, (void)index;
    return (atx_finding){ .outcome = ATX_WRONG_RESULT };
}

static bool at_random(int64_t index)
{
    return (uint64_t)(index + 1) * 0x9e3779b97f4a7c15u >> 63;
}

/* The tiles again, but of every second kernel, which no parameter tells, the compiler spills registers. */
atx_finding spilling(const bench *b, int64_t index)
{
    atx_finding f = smooth(b, index);
    bool spills = at_random(index) && f.seconds > 1; /* not the best */
    f.seconds *= spills ? 3 : 1;
    f.resources = (atx_resources){ .registers = spills ? 255 : 64,
                                   .shared_bytes = 0,
                                   .stack_bytes = -1,
                                   .spill_bytes = -1,
                                   .local_bytes = spills ? 512 : 0 };
    return f;
}

atx_finding spilling_unseen(const bench *b, int64_t index)
{
    atx_finding f = spilling(b, index);
    f.resources = ATX_RESOURCES_UNKNOWN;
    return f;
}

/* Wide accesses of wide tiles give wrong results, or crash: at random, so that some are always tried. */
atx_finding wrong(const bench *b, int64_t index)
{
    atx_config config;
    atx_space_config(&config, b->spaces[0], index);
    bool fails = config.values[2] * config.values[0] >= 64 && at_random(index);
    return fails ? (atx_finding){ .outcome = ATX_WRONG_RESULT } : timed(tiles_time(config.values));
}

atx_finding crashing(const bench *b, int64_t index)
{
    atx_finding f = wrong(b, index);
    f.outcome = f.outcome == ATX_TIMED ? ATX_TIMED : ATX_CRASHED;
    return f;
}

atx_finding all_equal(const bench *b, int64_t index)
{
    (void)b, (void)index;
    return timed(1e-5);
}

/* Times up to twice as long, that no parameter tells. */
atx_finding no_pattern(const bench *b, int64_t index)
{
    (void)b;
    return timed(1e-5 * (1 + (double)((uint64_t)(index + 1) * 0x9e3779b97f4a7c15u >> 11) * 0x1p-53));
}

/* A bowl with its bottom, 1, in one corner of five dimensions. */
atx_finding bowl(const bench *b, int64_t index)
{
    static const double BOTTOM[] = { 40, 20, 50, 10, 33 };
    atx_config config;
    double sum = 0;
    atx_space_config(&config, b->spaces[0], index);
    for (int i = 0; i < 5; i++)
        sum += fabs((double)config.values[i] - BOTTOM[i]) / 64;
    return timed(1 + sum);
}

void search_with(outcome *o, const bench *b, finding_of *find, int max, int lag, bool newest_first)
{
    void *state = NULL;
    int64_t pending[64];
    int waiting = 0;
    atx_search search = b->search;
    search.ahead = lag;
    *o = (outcome){ .best = INFINITY };
    cr_assert_eq(atx_strategy_model.open(&state, &search, NULL), AT_OK);
    if (b->pace >= 0)
        atx_strategy_model.pace(state, b->pace);
    for (;;) {
        o->end = ATX_NOT_YET;
        while (waiting < lag && o->count + waiting < max &&
               (o->end = atx_strategy_model.propose(state)) >= 0) {
            pending[waiting++] = o->end;
            o->proposed++;
        }
        if (!waiting)
            break;
        int64_t index = pending[newest_first ? waiting - 1 : 0];
        if (!newest_first)
            memmove(pending, pending + 1, (size_t)(waiting - 1) * sizeof *pending);
        waiting--;
        atx_finding f = find(b, index);
        if (f.outcome != ATX_COMPILE_FAILED && !atx_strategy_model.consider(state, index, &f.resources))
            continue;
        o->order[o->count++] = index;
        if (f.outcome == ATX_TIMED)
            o->best = fmin(o->best, f.seconds);
        atx_strategy_model.report(state, index, &f);
    }
    atx_strategy_model.close(state);
}

void assert_distinct(const outcome *o, int64_t total)
{
    for (int i = 0; i < o->count; i++) {
        cr_assert(o->order[i] >= 0 && o->order[i] < total);
        for (int k = 0; k < i; k++)
            cr_assert_neq(o->order[i], o->order[k], "trials %d and %d", k, i);
    }
}
