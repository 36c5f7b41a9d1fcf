/*
 * final.h - who is the fastest: the leaders of a contest, the former winner, the winning template's default,
 * the fastest plain copies and the driver's memcpy, timed again, interleaved. What fails there is no
 * candidate any more, and the next ones are timed again until those that are left include the best trials.
 */
#ifndef AUTOTUNE_FINAL_H
#define AUTOTUNE_FINAL_H

#include "tune/contest.h"

typedef struct at__final {
    at__env *env;                               /* borrowed, and so are the contests */
    at__contest *main, *copies;                 /* copies NULL: the op has no ceiling of its own */
    at__candidate *entrants[AT__MAX_FINALISTS]; /* NULL: the driver's memcpy */
    at__finalist list[AT__MAX_FINALISTS];
    at__final_row rows[AT__MAX_FINALISTS];
    int count;
    at__final_notes notes;
    double seconds; /* that it took; 0 on a replay */
    int winner;     /* of the entrants; -1: none   */
} at__final;

/*
 * Times the finalists of *f: the rows, the notes, the seconds. A kernel of the cache that does not load is
 * compiled again first. A finalist that fails is invalidated (contest.h), also where the final itself has no
 * result; *failed counts those.
 */
at_status at__final_play(at__final *f, int *failed, at_error *err) AT_MUST_CHECK;

/* Runs it: the rows and the winner. Without one right candidate in `main` there is no final. */
at_status at__final_run(at__final *out, at__env *env, at__contest *main, at__contest *copies,
                        at_error *err) AT_MUST_CHECK;

/* The fastest copy: index, or -1. The op `copy` is its own ceiling. */
int at__final_fastest_copy(const at__final *f);

/* Adds "tile TILE=32 ..." or "memcpy"; nothing for -1. */
void at__final_name(at__str *out, const at__final *f, int i);

/* Adds those that could not be told from the winner, one a line. */
void at__final_name_ties(at__str *out, const at__final *f);

#endif
