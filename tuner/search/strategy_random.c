/*
 * strategy_random.c - a uniform sample of all templates' configurations, without repeats. What other
 * strategies must beat.
 */
#include "search/strategy.h"
#include "util/permute.h"

#include <stdlib.h>

typedef struct sample {
    atx_permutation order;
    int64_t place, end;
} sample;

static at_status random_open(void **state, const atx_search *search, at_error *err)
{
    sample *s = calloc(1, sizeof *s);
    if (!s)
        return atx_no_memory(err);
    s->order = atx_permute((uint64_t)search->total, search->seed);
    s->end = search->max_trials < search->total ? search->max_trials : search->total;
    *state = s;
    return AT_OK;
}

static int64_t random_propose(void *state)
{
    sample *s = state;
    return s->place < s->end ? (int64_t)atx_permute_at(&s->order, (uint64_t)s->place++) : ATX_NO_MORE;
}

static void random_report(void *state, int64_t index, const atx_finding *finding)
{
    (void)state, (void)index, (void)finding;
}

const atx_strategy atx_strategy_random = {
    .name = "random",
    .about = "a uniform sample, up to the limit of trials",
    .open = random_open,
    .propose = random_propose,
    .report = random_report,
    .close = free,
};
