/*
 * pack_sample.c - problems of a domain: sizes even in their logarithms; half of them multiples of a small
 * power of two, as programs often have them, the others as they fall. One in eight has buffers that begin at
 * any element. Listed problems are drawn as often as a program asks for them. Those that need more memory
 * than a device gives a program are drawn again.
 */
#include "pack/pack_internal.h"

#include "util/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWS = 256 }; /* of one problem, before there is none */

static int64_t draw_size(atx_rng *rng, const atx_pack_ranges *ranges)
{
    const atx_bounds range = ranges->items[atx_rng_below(rng, (uint64_t)ranges->count)];
    const double low = log((double)range.low), high = log((double)range.high + 1);
    int64_t size = (int64_t)exp(low + (high - low) * ((double)(atx_rng_next(rng) >> 11) * 0x1p-53));
    const int64_t step = (int64_t)1 << atx_rng_below(rng, 8);
    if (atx_rng_below(rng, 2) && size >= step)
        size -= size % step;
    return size < range.low ? range.low : size > range.high ? range.high : size;
}

int64_t atx_pack_bytes(const atx_problem *problem, const int64_t *slots)
{
    int64_t bytes, all = 0;
    for (int i = 0; i < problem->op->arg_count; i++) {
        if (problem->op->args[i].role == ATX_SCALAR)
            continue;
        if (atx_arg_bytes(&bytes, problem->op, i, slots, NULL) != AT_OK ||
            __builtin_add_overflow(all, bytes, &all))
            return INT64_MAX;
    }
    return all;
}

/* Each range as often as another, each size of it evenly in its logarithm. */
static bool draw_sizes(atx_problem *out, atx_rng *rng, const atx_pack_domain *domain)
{
    const atx_op *op = domain->op;
    int64_t sizes[ATX_MAX_DIMS], any = atx_dtype_bytes(domain->type);
    for (int i = 0; i < op->shape.dim_count; i++)
        sizes[i] = draw_size(rng, &domain->dims[i]);
    const bool unaligned = op->shape.align_count && atx_rng_below(rng, 8) == 0;
    return atx_problem_init(out, op, domain->type, sizes, op->shape.dim_count, NULL) == AT_OK &&
           (!unaligned || atx_problem_set_aligns(out, &any, 1, NULL) == AT_OK);
}

enum { ENOUGH = 8, EACH = 4 }; /* listed problems, of which some are held out; each of so many is */

bool atx_pack_holds_out(const atx_pack_domain *domain)
{
    return !domain->problems || domain->problem_count >= ENOUGH;
}

/* The problem that the call is for; calls[] are sums. */
static bool draw_listed(atx_problem *out, atx_rng *rng, const atx_pack_domain *domain, atx_pack_use use)
{
    const int count = domain->problem_count;
    const int64_t call = (int64_t)atx_rng_below(rng, (uint64_t)domain->calls[count - 1]);
    int i = 0;
    while (domain->calls[i] <= call)
        i++;
    *out = domain->problems[i];
    return use == ATX_PACK_ANY || !atx_pack_holds_out(domain) ||
           (i % EACH == EACH - 1) == (use == ATX_PACK_HELD_OUT);
}

bool atx_pack_draw(atx_pack_sample *out, atx_rng *rng, const atx_pack_domain *domain, atx_pack_use use,
                   const atx_limits *limits)
{
    for (int n = 0; n < MOST_DRAWS; n++)
        if ((domain->problems ? draw_listed(&out->problem, rng, domain, use)
                              : draw_sizes(&out->problem, rng, domain)) &&
            atx_problem_bind(out->slots, &out->problem, limits, NULL) == AT_OK &&
            atx_pack_bytes(&out->problem, out->slots) < limits->memory_bytes / 8)
            return true;
    return false;
}
