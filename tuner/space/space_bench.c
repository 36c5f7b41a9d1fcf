/*
 * space_bench.c - opening is timed as a whole, best of ROUNDS; calls of nanoseconds in batches of CALLS, with
 * the same configurations for each. Their results are added up and used, so that no compiler removes the
 * calls.
 */
#include "space/space_bench.h"

#include "util/stats.h"
#include "util/clock.h"

#include <math.h>
#include <stdlib.h>

/* Repetitions of what takes long; calls of what takes nanoseconds, and rows that are written at once. */
enum { ROUNDS = 9, CALLS = 4000, BLOCK_ROWS = 512 };

/* What calls gave, so that none can be left out. Static would do; a struct keeps it out of the globals. */
typedef struct tally {
    int64_t sum;
} tally;

static at_status time_open(atx_space_times *out, const atx_template *t, const int64_t *slots,
                           atx_cancel *cancel, at_error *err)
{
    double seconds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        ATX_CLOSED(atx_space) *space = NULL;
        double start_s = atx_now_s();
        at_status status = atx_space_open_until(&space, t, slots, NULL, 0, cancel, err);
        seconds[i] = atx_now_s() - start_s;
        if (status != AT_OK)
            return status;
        out->count = atx_space_count(space);
        out->raw_count = atx_space_raw_count(space);
        out->groups = atx_space_group_count(space);
        out->bytes = atx_space_bytes(space);
    }
    out->open_s = atx_quantile(seconds, ROUNDS, 0);
    return AT_OK;
}

/* Everything from the declaration on, in blocks that stay in the cache. */
static at_status write_rows(const atx_template *t, const int64_t *slots, int64_t *block, atx_cancel *cancel,
                            at_error *err)
{
    ATX_CLOSED(atx_space) *space = NULL;
    at_status status = atx_space_open_until(&space, t, slots, NULL, 0, cancel, err);
    int64_t count = status == AT_OK ? atx_space_count(space) : 0;
    for (int64_t first = 0; first < count; first += BLOCK_ROWS)
        atx_space_rows(block, space, first, count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS);
    return status;
}

static at_status time_rows(atx_space_times *out, const atx_template *t, const int64_t *slots,
                           atx_cancel *cancel, at_error *err)
{
    double seconds[ROUNDS];
    int rounds = out->count > 1000000 ? 3 : ROUNDS;
    out->rows_s = -1;
    if (out->count > ATX_BENCH_MAX_ROWS)
        return AT_OK;
    ATX_FREED int64_t *block = malloc((size_t)BLOCK_ROWS * ATX_MAX_PARAMS * sizeof *block);
    if (!block)
        return atx_no_memory(err);
    for (int i = 0; i < rounds; i++) {
        double start_s = atx_now_s();
        ATX_TRY(write_rows(t, slots, block, cancel, err));
        seconds[i] = atx_now_s() - start_s;
    }
    out->rows_s = atx_quantile(seconds, (size_t)rounds, 0);
    return AT_OK;
}

/* ---- one call ---- */

typedef int64_t use(const atx_space *space, atx_rng *rng, const atx_config *config, int64_t index);

static int64_t use_sample(const atx_space *space, atx_rng *rng, const atx_config *config, int64_t index)
{
    atx_config drawn;
    (void)config, (void)index;
    atx_space_config(&drawn, space, atx_space_sample(space, rng));
    return drawn.values[0];
}

static int64_t use_config(const atx_space *space, atx_rng *rng, const atx_config *config, int64_t index)
{
    atx_config values;
    (void)config, (void)rng;
    atx_space_config(&values, space, index);
    return values.values[0];
}

static int64_t use_find(const atx_space *space, atx_rng *rng, const atx_config *config, int64_t index)
{
    (void)rng, (void)index;
    return atx_space_find(space, config);
}

static int64_t use_neighbours(const atx_space *space, atx_rng *rng, const atx_config *config, int64_t index)
{
    (void)config, (void)rng;
    return atx_space_neighbours(NULL, 0, space, index, ATX_HAMMING);
}

static double time_calls(const atx_space *space, use *f, tally *t)
{
    static const int CONFIGS = 64;
    atx_rng rng = { 1 };
    atx_config configs[64];
    int64_t indices[64];
    for (int i = 0; i < CONFIGS; i++) {
        indices[i] = atx_space_sample(space, &rng);
        atx_space_config(&configs[i], space, indices[i]);
    }
    double best_s = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start_s = atx_now_s();
        for (int i = 0; i < CALLS; i++)
            t->sum += f(space, &rng, &configs[i % CONFIGS], indices[i % CONFIGS]);
        best_s = fmin(best_s, (atx_now_s() - start_s) / CALLS);
    }
    return best_s;
}

static at_status time_uses(atx_space_times *out, const atx_template *t, const int64_t *slots,
                           atx_cancel *cancel, at_error *err)
{
    atx_space *space = NULL;
    tally all = { 0 }, neighbours = { 0 };
    at_status status = atx_space_open_until(&space, t, slots, NULL, 0, cancel, err);
    if (status != AT_OK || atx_space_count(space) == 0)
        goto done;
    out->sample_s = time_calls(space, use_sample, &all);
    out->config_s = time_calls(space, use_config, &all);
    out->find_s = time_calls(space, use_find, &all);
    double each_s = time_calls(space, use_neighbours, &neighbours);
    out->neighbour_s = neighbours.sum > 0 ? each_s * ROUNDS * CALLS / (double)neighbours.sum : 0;
done:
    atx_space_close(space);
    return status;
}

at_status atx_space_bench(atx_space_times *out, const atx_template *t, const int64_t *slots,
                          atx_cancel *cancel, at_error *err)
{
    atx_space_times times = { 0 };
    ATX_TRY(time_open(&times, t, slots, cancel, err));
    ATX_TRY(time_uses(&times, t, slots, cancel, err));
    ATX_TRY(time_rows(&times, t, slots, cancel, err));
    *out = times;
    return AT_OK;
}
