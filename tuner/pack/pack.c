/*
 * pack.c - makes a pack: problems are drawn, candidates found, kernels chosen, the tree grown; other problems
 * tell what it loses. Equal requests give equal packs.
 */
#include "pack/pack_parts.h"

#include "lang/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

static at_status draw_all(atx_pack_sample **out, atx_pack_use use, atx_rng *rng, const atx_pack_request *r,
                          at_error *err)
{
    *out = calloc((size_t)r->problems, sizeof **out);
    if (!*out)
        return atx_no_memory(err);
    for (int i = 0; i < r->problems; i++)
        if (!atx_pack_draw(&(*out)[i], rng, r->domain, use, r->limits))
            return atx_fail(
                err, AT_ERR_INPUT,
                "%s: found no problem with sizes of these ranges that %s allows and %s has memory "
                "for; expected other ranges",
                r->domain->op->name, r->domain->op->name, r->device);
    return AT_OK;
}

static int by_loss(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

atx_pack_loss atx_pack_summarize(float *losses, int count)
{
    atx_pack_loss out = { .problems = count };
    qsort(losses, (size_t)count, sizeof *losses, by_loss);
    while (count && losses[count - 1] >= ATX_PACK_INVALID) {
        out.unanswered++;
        count--;
    }
    for (int i = 0; i < count; i++)
        out.mean += (double)losses[i] / count;
    if (count) {
        out.median = losses[count / 2];
        out.p95 = losses[(count - 1) * 95 / 100];
        out.worst = losses[count - 1];
    }
    return out;
}

int atx_pack_take(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem, int64_t *slots)
{
    const atx_pack_node *leaf = atx_pack_leaf(pack, problem);
    for (int i = 0; i < pack->kernel_count; i++)
        if (atx_pack_allows(geometry, &pack->kernels[leaf->order[i]], slots))
            return leaf->order[i];
    return -1;
}

int atx_pack_find(atx_geometry *geometry, const atx_pack *pack, const atx_problem *problem)
{
    int64_t slots[ATX_MAX_SLOTS];
    if (atx_problem_bind(slots, problem, &pack->limits, NULL) != AT_OK)
        return -1;
    return atx_pack_take(geometry, pack, problem, slots);
}

/* What the pack's answers lose. */
static bool measure(atx_pack_loss *out, const atx_pack *pack, atx_pack_sample *samples, const float *losses,
                    int count)
{
    atx_geometry unused;
    float *lost = malloc(((size_t)count + 1) * sizeof *lost);
    for (int i = 0; lost && i < count; i++) {
        const int k = atx_pack_take(&unused, pack, &samples[i].problem, samples[i].slots);
        lost[i] = k < 0 ? ATX_PACK_INVALID : losses[(size_t)i * (size_t)pack->kernel_count + (size_t)k];
    }
    if (lost)
        *out = atx_pack_summarize(lost, count);
    free(lost);
    return lost != NULL;
}

/* The best of the first n kernels for each problem, for all n. */
static bool draw_curve(atx_pack *pack, const float *losses, int count)
{
    float *lost = malloc(((size_t)count + 1) * sizeof *lost);
    for (int n = 1; lost && n <= pack->kernel_count; n++) {
        for (int i = 0; i < count; i++) {
            const float *row = losses + (size_t)i * (size_t)pack->kernel_count;
            lost[i] = row[0];
            for (int k = 1; k < n; k++)
                lost[i] = row[k] < lost[i] ? row[k] : lost[i];
        }
        pack->curve[n - 1] = atx_pack_summarize(lost, count);
    }
    free(lost);
    return lost != NULL;
}

static at_status choose(atx_pack *pack, const atx_pack_request *r, atx_pack_sample *samples, at_error *err)
{
    int chosen[ATX_PACK_MAX_KERNELS];
    atx_pack_candidates c = { 0 };
    at_status status = atx_pack_candidates_find(&c, r, samples, r->problems, err);
    if (status == AT_OK) {
        const int most =
            r->kernels > 0 && r->kernels < ATX_PACK_MAX_KERNELS ? r->kernels : ATX_PACK_MAX_KERNELS;
        pack->kernel_count = atx_pack_choose(chosen, most, r->within, &c);
        pack->candidates = c.count;
        for (int i = 0; i < pack->kernel_count; i++)
            pack->kernels[i] = c.kernels[chosen[i]];
    }
    atx_pack_candidates_clear(&c);
    if (status == AT_OK && pack->kernel_count == 0)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found no kernel that is valid for sizes of these ranges on %s",
                        r->domain->op->name, r->device);
    return status;
}

static at_status make(atx_pack *pack, const atx_pack_request *r, atx_pack_sample **samples,
                      atx_pack_sample **others, at_error *err)
{
    const int count = r->problems;
    atx_rng rng = { r->seed };
    float *losses = NULL, *held_out = NULL;
    at_status status = draw_all(samples, ATX_PACK_TO_CHOOSE, &rng, r, err);
    if (status == AT_OK)
        status = draw_all(others, ATX_PACK_HELD_OUT, &rng, r, err);
    if (status == AT_OK)
        status = choose(pack, r, *samples, err);
    if (status != AT_OK)
        return status;
    losses = atx_pack_losses(pack, r, *samples, count);
    held_out = atx_pack_losses(pack, r, *others, count);
    const bool good = losses && held_out && atx_pack_grow(pack, *samples, losses, count) &&
                      measure(&pack->chosen, pack, *samples, losses, count) &&
                      measure(&pack->held_out, pack, *others, held_out, count) &&
                      draw_curve(pack, held_out, count);
    free(losses);
    free(held_out);
    return good ? AT_OK : atx_no_memory(err);
}

at_status atx_pack_make(atx_pack **out, const atx_pack_request *r, at_error *err)
{
    atx_pack_sample *samples = NULL, *others = NULL;
    atx_pack *pack = calloc(1, sizeof *pack);
    if (!pack)
        return atx_no_memory(err);
    pack->domain = *r->domain;
    pack->limits = *r->limits;
    snprintf(pack->device, sizeof pack->device, "%s", r->device);
    at_status status = make(pack, r, &samples, &others, err);
    free(samples);
    free(others);
    if (status == AT_OK)
        *out = pack;
    else
        atx_pack_close(pack);
    return status;
}

void atx_pack_close(atx_pack *pack)
{
    free(pack);
}
