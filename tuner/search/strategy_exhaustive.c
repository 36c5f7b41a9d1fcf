/*
 * strategy_exhaustive.c - everything: each template's default first, then the rest in a pseudo-random order.
 *
 * A good incumbent early lets the race end hopeless candidates early, and a run that is interrupted has seen
 * a fair sample. The order needs no memory, so a space of any size can be begun.
 */
#include "search/strategy.h"
#include "util/permute.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    at__permutation order;
    int64_t place; /* next of the order               */
    int64_t left;  /* proposals that are still allowed */
    int next_first;
    int first_count;
    int64_t first[]; /* the defaults' indices            */
} walk;

/* The default's index in the numbering of the whole search, or -1 where the problem does not allow it. */
static int64_t default_index(const at__space *space, int64_t offset)
{
    at__config config = { { 0 } };
    const at__template *t = at__space_template(space);
    memcpy(config.values, t->defaults, sizeof t->defaults);
    int64_t index = at__space_find(space, &config);
    return index < 0 ? -1 : offset + index;
}

static at_status exhaustive_open(void **state, const at__search *search, at_error *err)
{
    int64_t offset = 0;
    walk *w = calloc(1, sizeof *w + (size_t)search->space_count * sizeof *w->first);
    if (!w)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (int i = 0; i < search->space_count; i++) {
        int64_t count = at__space_count(search->spaces[i]);
        if (count > search->total - offset)
            break; /* beyond what a number can say: total is saturated */
        int64_t index = default_index(search->spaces[i], offset);
        if (index >= 0)
            w->first[w->first_count++] = index;
        offset += count;
    }
    w->order = at__permute((uint64_t)search->total, search->seed);
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
        return AT__NO_MORE;
    w->left--;
    if (w->next_first < w->first_count)
        return w->first[w->next_first++];
    do {
        index = (int64_t)at__permute_at(&w->order, (uint64_t)w->place++);
    } while (is_first(w, index));
    return index;
}

static void exhaustive_report(void *state, int64_t index, const at__finding *finding)
{
    (void)state, (void)index, (void)finding;
}

const at__strategy at__strategy_exhaustive = {
    .name = "exhaustive",
    .about = "every configuration: the defaults first, the rest in random order",
    .open = exhaustive_open,
    .propose = exhaustive_propose,
    .report = exhaustive_report,
    .close = free,
};
