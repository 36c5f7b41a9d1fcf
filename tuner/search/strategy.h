/*
 * strategy.h - how a space is walked. A strategy sees configurations as indices and what became of them,
 * never CUDA.
 *
 * Indices are those of search.h, over all templates of an op. A new strategy is one new file and one row in
 * strategies.c.
 */
#pragma once

#include "search/search.h"
#include "lang/record.h"

/* What became of a configuration. */
typedef struct atx_finding {
    atx_outcome outcome;
    double seconds; /* when timed; of an op with an objective its score: above zero, smaller is better */
    atx_resources resources;
} atx_finding;

/* Answers of propose that are no index. */
#define ATX_NO_MORE         (-1) /* everything was proposed, or the limit is reached             */
#define ATX_NOT_YET         (-2) /* after the next report; only while a report is still to come  */
#define ATX_BELOW_THRESHOLD (-3) /* ended: something better by 2 search->worth is unlikely         */

typedef struct atx_strategy {
    const char *name, *about;
    at_status (*open)(void **state, const atx_search *search, at_error *err);
    /* The next index to try, each at most once, or one of the above. May run ahead of report. */
    int64_t (*propose)(void *state);
    /* A proposal is compiled and the device is free for it: shall it be timed now? False takes it back: it is
     * not reported, and may be proposed again. NULL: always. */
    bool (*consider)(void *state, int64_t index, const atx_resources *resources);
    /* One more to be tried soon, which became known after opening: as search->hints. NULL: never mind. */
    void (*hint)(void *state, int64_t index);
    /* What became of a proposal. Reports may come in any order. */
    void (*report)(void *state, int64_t index, const atx_finding *finding);
    /* So many proposals are compiled in the time that one is measured: with fewer under way the device waits.
     * 0: compiling takes no time. NULL: never mind. */
    void (*pace)(void *state, double ahead);
    /* So many devices measure from now on, and so many proposals keep compilers and devices busy, in place of
     * search->ahead. NULL: never mind. */
    void (*widen)(void *state, int devices, int ahead);
    /* How many more it expects to propose. NULL: all that may be. */
    int64_t (*expected_left)(const void *state);
    void (*close)(void *state);
} atx_strategy;

extern const atx_strategy atx_strategy_exhaustive, atx_strategy_random, atx_strategy_model;

/* All of them, ended by NULL; and one by name, NULL when there is none. */
extern const atx_strategy *const atx_strategies[];
const atx_strategy *atx_strategy_find(const char *name);
