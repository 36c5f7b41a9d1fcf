/*
 * remeasure.h - finds the fastest: the leaders of a search run, the former winner, the winning template's
 * default, the fastest plain copies and the driver's memcpy are timed again, interleaved. Candidates that
 * fail there are dropped, and the next ones are timed until the remaining ones include the best trials.
 */
#pragma once

#include "tune/search_run.h"

typedef struct atx_remeasurement {
    atx_env *env;                                    /* borrowed, and so are the search runs */
    atx_search_run *main, *copies;                   /* copies NULL: the op has no ceiling of its own */
    atx_candidate *entrants[ATX_MAX_TOP_CANDIDATES]; /* NULL: the driver's memcpy */
    atx_top_candidate list[ATX_MAX_TOP_CANDIDATES];
    atx_remeasure_row rows[ATX_MAX_TOP_CANDIDATES];
    int count;
    atx_remeasure_notes notes;
    double seconds; /* that it took; 0 on a replay */
    int winner;     /* of the entrants; -1: none   */
} atx_remeasurement;

/*
 * Times the top candidates of *f: the rows, the notes, the seconds. A kernel of the cache that does not load
 * is compiled again first. A top candidate that fails is invalidated (search_run.h), also where the
 * re-measurement itself has no result; *failed counts those.
 */
at_status atx_remeasurement_once(atx_remeasurement *f, int *failed, at_error *err) AT_MUST_CHECK;

/* Runs it: the rows and the winner. Without one right candidate in `main` there is no re-measurement. */
at_status atx_remeasurement_run(atx_remeasurement *out, atx_env *env, atx_search_run *main,
                                atx_search_run *copies, at_error *err) AT_MUST_CHECK;

/* The fastest copy: index, or -1. The op `copy` is its own ceiling. */
int atx_remeasurement_fastest_copy(const atx_remeasurement *f);

/* Adds "tile TILE=32 ..." or "memcpy"; nothing for -1. */
void atx_remeasurement_name(atx_str *out, const atx_remeasurement *f, int i);

/* Adds those that could not be told from the winner, one a line. */
void atx_remeasurement_name_ties(atx_str *out, const atx_remeasurement *f);
