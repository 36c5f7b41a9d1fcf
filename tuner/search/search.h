/*
 * search.h - what is searched: the configurations of all of an op's templates, under one index.
 *
 * The first space's configurations come first, then the next one's. `total` saturates at INT64_MAX, and what
 * lies beyond has no index. A space's own index is called local. All that turns one into the other is here.
 */
#pragma once

#include "space/space.h"

/* A configuration's time for another problem or on another device. */
typedef struct atx_elsewhere {
    int64_t index;
    double seconds;
} atx_elsewhere;

/* What a strategy may look at. Borrowed. */
typedef struct atx_search {
    atx_space *const *spaces;
    int space_count;
    int64_t total;      /* indices are below it: atx_search_count */
    int64_t max_trials; /* the user's limit; total when there is none */
    uint64_t seed;
    const int64_t *slots; /* the op's, bound for problem and device; NULL: unknown                  */
    int ahead;            /* proposals that keep the pipeline busy; 0 and 1: one after the other    */
    const int64_t *hints; /* to be tried first: what is expected to win, winners of neighbouring problems */
    int hint_count;
    const atx_elsewhere *elsewhere; /* all of one problem on one device */
    int elsewhere_count;
    double worth; /* 0.005: stop when finding something better by 1 % is unlikely; 0: never stop */
} atx_search;

/* Sets `total`, when the spaces are there. The other functions need it. */
void atx_search_count(atx_search *search);

/* The index of a space's configuration; -1: there is none, or local < 0. */
int64_t atx_search_index(const atx_search *search, int which, int64_t local);

/* The space that an index falls in, and the index there. NULL: there is no such index. */
const atx_space *atx_search_locate(const atx_search *search, int64_t index, int *which, int64_t *local);

/* The index of a template's configuration; -1: it is not in the template's space, or the template not here.
 */
int64_t atx_search_find(const atx_search *search, const atx_template *t, const atx_config *config);

/* The index of a space's default configuration; -1: the problem does not allow it. */
int64_t atx_search_default(const atx_search *search, int which);
