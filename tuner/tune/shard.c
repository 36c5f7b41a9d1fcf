/*
 * shard.c - parts of equal expected cost: the most expensive problem left goes to the part that has the
 * least.
 *
 * That is longest-processing-time-first scheduling: no part costs more than 4/3 of the best division
 * (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
 */
#include "tune/shard.h"

#include "tune/cost.h"

#include "util/number.h"

#include <stdlib.h>
#include <string.h>

at_status atx_shard_parse(atx_shard *out, const char *text, at_error *err)
{
    int64_t index = 0, count = 0;
    const char *at = text;
    bool whole =
        !atx_whole_read(&index, &at, text + strlen(text)) && *at == '/' && !atx_whole_parse(&count, at + 1);
    if (!whole || index < 1 || count < index || count > ATX_MAX_SHARDS)
        return atx_fail(err, AT_ERR_USAGE,
                        "--shard: found '%s'; expected I/N, part I of N, from 1/N to N/N (N at most %d)",
                        text, ATX_MAX_SHARDS);
    *out = (atx_shard){ (int)index, (int)count };
    return AT_OK;
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
static void divide(bool *mine, const atx_cost *costs, size_t count, double *parts, const atx_shard *shard)
{
    for (size_t i = 0; i < count; i++) {
        int part = cheapest_part(parts, shard->count);
        parts[part] += costs[i].seconds;
        mine[costs[i].place] = part == shard->index - 1;
    }
}

at_status atx_shard_take(atx_shapes *shapes, const atx_shard *shard, at_error *err)
{
    if (shard->count == 0 || shapes->count == 0)
        return AT_OK;
    size_t kept = 0;
    at_status status = AT_OK;
    atx_cost *costs = calloc(shapes->count, sizeof *costs);
    double *parts = calloc((size_t)shard->count, sizeof *parts);
    bool *mine = calloc(shapes->count, sizeof *mine);
    if (!costs || !parts || !mine) {
        status = atx_fail(err, AT_ERR_MEMORY, "out of memory for %zu problems", shapes->count);
        goto done;
    }
    status = atx_cost_sorted(costs, shapes->problems, shapes->count, err);
    if (status != AT_OK)
        goto done;
    divide(mine, costs, shapes->count, parts, shard);
    for (size_t i = 0; i < shapes->count; i++)
        if (mine[i]) {
            shapes->calls[kept] = shapes->calls[i];
            shapes->problems[kept++] = shapes->problems[i];
        }
    shapes->count = kept;
done:
    free(costs);
    free(parts);
    free(mine);
    return status;
}
