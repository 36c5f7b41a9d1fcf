/*
 * strategy_exhaustive.c - everything: each template's default first, then the rest in a pseudo-random order.
 *
 * A good incumbent early lets the race end too slow candidates early, and a run that is interrupted has seen
 * a fair sample. The order needs no memory, so a space of any size can be begun.
 */
#include "search/strategy.h"
#include "util/permute.h"

#include <stdlib.h>

typedef struct walk {
    atx_permutation order;
    int64_t place; /* next of the order               */
    int64_t left;  /* proposals that are still allowed */
    int next_first;
    int first_count;
    int64_t first[]; /* the defaults' indices            */
} walk;

static at_status exhaustive_open(void **state, const atx_search *search, at_error *err)
{
    walk *w = calloc(1, sizeof *w + (size_t)search->space_count * sizeof *w->first);
    if (!w)
        return atx_no_memory(err);
    for (int i = 0; i < search->space_count; i++) {
        int64_t index = atx_search_default(search, i);
        if (index >= 0)
            w->first[w->first_count++] = index;
    }
    w->order = atx_permute((uint64_t)search->total, search->seed);
    w->left = search->max_trials < search->total ? search->max_trials : search->total;
    *state = w;
    return AT_OK;
}

static bool is_first(const walk *w, int64_t index)
{
    for (int i = 0; i < w->first_count; i++)
        if (w->first[i] == index)
            return true;
    return false;
}

static int64_t exhaustive_propose(void *state)
{
    walk *w = state;
    int64_t index;
    if (w->left <= 0)
        return ATX_NO_MORE;
    w->left--;
    if (w->next_first < w->first_count)
        return w->first[w->next_first++];
    do {
        index = (int64_t)atx_permute_at(&w->order, (uint64_t)w->place++);
    } while (is_first(w, index));
    return index;
}

static void exhaustive_report(void *state, int64_t index, const atx_finding *finding)
{
    (void)state, (void)index, (void)finding;
}

const atx_strategy atx_strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration: the defaults first, the rest in random order",
    .open = exhaustive_open,
    .propose = exhaustive_propose,
    .report = exhaustive_report,
    .close = free,
};
