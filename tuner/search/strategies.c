/*
 * strategies.c - the table of strategies, in the order of `autotune list strategies`; and the two that learn
 * nothing: a walk through all templates' configurations in a pseudo-random order, with or without each
 * template's default before.
 *
 * A good incumbent early lets the race end too slow candidates early, and a run that is interrupted has seen
 * a fair sample. The order needs no memory, so a space of any size can be begun. The sample without the
 * defaults is uniform: what other strategies must beat.
 */
#include "search/strategy.h"
#include "util/permute.h"

#include <stdlib.h>
#include <string.h>

const atx_strategy *const atx_strategies[] = {
    &atx_strategy_exhaustive,
    &atx_strategy_random,
    &atx_strategy_model,
    NULL,
};

const atx_strategy *atx_strategy_find(const char *name)
{
    for (const atx_strategy *const *s = atx_strategies; *s; s++)
        if (strcmp((*s)->name, name) == 0)
            return *s;
    return NULL;
}

typedef struct walk {
    atx_permutation order;
    int64_t place; /* next of the order               */
    int64_t left;  /* proposals that are still allowed */
    int next_first;
    int first_count;
    int64_t first[]; /* the defaults' indices            */
} walk;

static at_status open_walk(void **state, const atx_search *search, bool with_defaults, at_error *err)
{
    walk *w = calloc(1, sizeof *w + (size_t)search->space_count * sizeof *w->first);
    if (!w)
        return atx_no_memory(err);
    for (int i = 0; i < search->space_count && with_defaults; i++) {
        int64_t index = atx_search_default(search, i);
        if (index >= 0)
            w->first[w->first_count++] = index;
    }
    w->order = atx_permute((uint64_t)search->total, search->seed);
    w->left = search->max_trials < search->total ? search->max_trials : search->total;
    *state = w;
    return AT_OK;
}

static at_status exhaustive_open(void **state, const atx_search *search, at_error *err)
{
    return open_walk(state, search, true, err);
}

static at_status random_open(void **state, const atx_search *search, at_error *err)
{
    return open_walk(state, search, false, err);
}

static bool is_first(const walk *w, int64_t index)
{
    for (int i = 0; i < w->first_count; i++)
        if (w->first[i] == index)
            return true;
    return false;
}

static int64_t propose(void *state)
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

static void learn_nothing(void *state, int64_t index, const atx_finding *finding)
{
    (void)state, (void)index, (void)finding;
}

const atx_strategy atx_strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration: the defaults first, the rest in random order",
    .open = exhaustive_open,
    .propose = propose,
    .report = learn_nothing,
    .close = free,
};

const atx_strategy atx_strategy_random = {
    .name = "random",
    .about = "a uniform sample, up to the limit of trials",
    .open = random_open,
    .propose = propose,
    .report = learn_nothing,
    .close = free,
};
