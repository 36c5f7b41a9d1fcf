/*
 * shard.c - parts of equal expected cost: the dearest problem left goes to the part that has the least.
 *
 * That is longest-processing-time-first scheduling: no part costs more than 4/3 of the best division
 * (R. L. Graham, Bounds on multiprocessing timing anomalies, 1969).
 */
#include "tune/shard.h"

#include "tune/cost.h"

#include "util/whole_number.h"

#include <stdlib.h>
#include <string.h>

at_status at__shard_parse(at__shard *out, const char *text, at_error *err)
{
    int64_t index = 0, count = 0;
    const char *at = text;
    bool whole =
        !at__whole_read(&index, &at, text + strlen(text)) && *at == '/' && !at__whole_parse(&count, at + 1);
    if (!whole || index < 1 || count < index || count > AT__MAX_SHARDS)
        return at_fail(err, AT_ERR_USAGE,
                       "--shard: found '%s'; expected I/N, part I of N, from 1/N to N/N (N at most %d)", text,
                       AT__MAX_SHARDS);
    *out = (at__shard){ (int)index, (int)count };
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
static void divide(bool *mine, const at__cost *costs, size_t count, double *parts, const at__shard *shard)
{
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
    at__cost *costs = calloc(shapes->count, sizeof *costs);
    double *parts = calloc((size_t)shard->count, sizeof *parts);
    bool *mine = calloc(shapes->count, sizeof *mine);
    if (!costs || !parts || !mine) {
        status = at_fail(err, AT_ERR_MEMORY, "out of memory for %zu problems", shapes->count);
        goto done;
    }
    status = at__cost_sorted(costs, shapes->problems, shapes->count, err);
    if (status != AT_OK)
        goto done;
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
