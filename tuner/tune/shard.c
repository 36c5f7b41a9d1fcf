/*
 * shard.c - parts of equal expected cost: the dearest problem left goes to the part that has the least.
 *
 * That is longest-processing-time-first scheduling: no part costs more than 4/3 of the best division
 * (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
 */
#include "tune/shard.h"

#include <stdlib.h>

/*
 * What tuning a problem costs, fitted to 200 transposes on an NVIDIA H200: two seconds whatever it is
 * (compilers, decisions, the final), and some 1800 launches, here of a device of 1 TB/s and 10 TFLOP/s. Only
 * ratios count.
 */
#define SECONDS_A_PROBLEM  2.0
#define LAUNCHES_A_PROBLEM 1800.0
#define BYTES_A_SECOND     1e12
#define OPS_A_SECOND       1e13

typedef struct cost {
    double seconds;
    size_t place; /* in the list */
} cost;

at_status at__shard_parse(at__shard *out, const char *text, at_error *err)
{
    char *slash = NULL, *end = NULL;
    long index = strtol(text, &slash, 10), count = 0;
    if (slash != text && *slash == '/')
        count = strtol(slash + 1, &end, 10);
    if (!end || end == slash + 1 || *end || index < 1 || count < index || count > AT__MAX_SHARDS)
        return at_fail(err, AT_ERR_USAGE,
                       "--shard: found '%s'; expected I/N, part I of N, from 1/N to N/N (N at most %d)", text,
                       AT__MAX_SHARDS);
    *out = (at__shard){ (int)index, (int)count };
    return AT_OK;
}

static at_status cost_of(double *seconds, const at__problem *problem, at_error *err)
{
    at__str shape = { 0 };
    at__problem_key key = { 0 };
    at_status status = at__problem_key_of(&key, &shape, problem, err);
    double moving = (double)key.traffic_bytes / BYTES_A_SECOND,
           computing = (double)key.ops_count / OPS_A_SECOND;
    *seconds = SECONDS_A_PROBLEM + LAUNCHES_A_PROBLEM * (moving > computing ? moving : computing);
    at__str_clear(&shape);
    return status;
}

/* Dearest first; equal ones as in the list, so that every task sorts alike. */
static int dearer(const void *a, const void *b)
{
    const cost *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int cheapest_part(const double *parts, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (parts[i] < parts[best])
            best = i;
    return best;
}

/* Marks in `mine` what belongs to the shard. */
static void divide(bool *mine, cost *costs, size_t count, double *parts, const at__shard *shard)
{
    qsort(costs, count, sizeof *costs, dearer);
    for (size_t i = 0; i < count; i++) {
        int part = cheapest_part(parts, shard->count);
        parts[part] += costs[i].seconds;
        mine[costs[i].place] = part == shard->index - 1;
    }
}

at_status at__shard_take(at__shapes *shapes, const at__shard *shard, at_error *err)
{
    if (shard->count == 0 || shapes->count == 0)
        return AT_OK;
    size_t kept = 0;
    at_status status = AT_OK;
    cost *costs = calloc(shapes->count, sizeof *costs);
    double *parts = calloc((size_t)shard->count, sizeof *parts);
    bool *mine = calloc(shapes->count, sizeof *mine);
    if (!costs || !parts || !mine) {
        status = at_fail(err, AT_ERR_MEMORY, "out of memory for %zu problems", shapes->count);
        goto done;
    }
    for (size_t i = 0; i < shapes->count; i++) {
        costs[i].place = i;
        status = cost_of(&costs[i].seconds, &shapes->problems[i], err);
        if (status != AT_OK)
            goto done;
    }
    divide(mine, costs, shapes->count, parts, shard);
    for (size_t i = 0; i < shapes->count; i++)
        if (mine[i])
            shapes->problems[kept++] = shapes->problems[i];
    shapes->count = kept;
done:
    free(costs);
    free(parts);
    free(mine);
    return status;
}
