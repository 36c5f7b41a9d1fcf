/*
 * contest_parts.h - the insides of a contest. Private to contest*.c: contest.c runs it, contest_outcome.c
 * decides what becomes of candidates, contest_open.c opens it with what is known, contest_space.c opens the
 * spaces, contest_seats.c has the devices that measure, contest_leaders.c says who goes into the final.
 */
#ifndef AUTOTUNE_CONTEST_PARTS_H
#define AUTOTUNE_CONTEST_PARTS_H

#include "lookup/lookup.h"
#include "tune/contest.h"

/* What a search begins with, at most: winners of other problems, and what a model expects to win. */
#define AT__MAX_WON   8
#define AT__MAX_HINTS (AT__MAX_WON + AT__MAX_EXPECTED)

/* A trial of an earlier run. */
typedef struct at__known_trial {
    char *key; /* template hash, blank, configuration: owned */
    at__outcome outcome;
    at__timing timing;
    at__resources resources;
} at__known_trial;

/* A device that measures for a contest. The first is its own and stays. */
typedef struct at__seat {
    at__device *device;           /* NULL: it has gone */
    int64_t run_id;               /* in the store      */
    int workers;                  /* compile workers that came along */
    bool ready;                   /* it may have candidates: its own, or one that is like it */
    double since_s;               /* it is ready; on at__now_s() */
    int asked, gauged;            /* times that the gauge was to be measured on it, and was */
    double gauge_s, gauge_spread; /* the fastest of them */
} at__seat;

/* What tells cards apart: a kernel that each of them measures. */
typedef struct at__gauge {
    at__contest *copies; /* NULL: the gauge is the fastest so far */
    at__kernel kernel;
    bool is_copy, chosen;
    bool failed; /* there can be none: the contest's own device works alone */
} at__gauge;

struct at__contest {
    at__env *env;
    at__seat *seats;
    size_t seat_count, seat_cap;
    at__offer *offer; /* NULL: nobody else is wanted */
    at__gauge gauge;
    at__problem problem;
    bool is_copy;
    at__problem_key key;
    at__str shape; /* key.shape */
    int64_t slots[AT__MAX_SLOTS];
    at__space **spaces;
    int space_count;
    int owner; /* of its jobs: see at__pool_submit */
    at__search search;
    const at__strategy *strategy;
    void *strategy_state;
    bool exhausted;               /* the strategy has no more                              */
    bool waiting;                 /* it wants a report first                               */
    int64_t hints[AT__MAX_HINTS]; /* search.hints                            */
    at__known_trial *known;       /* in order of their keys                        */
    size_t known_count, known_cap;
    at__candidate **candidates;
    size_t candidate_count, candidate_cap;
    size_t *ready; /* compiled, waiting for the device                       */
    size_t ready_first, ready_count, ready_cap;
    size_t *again; /* to be compiled again: what the cache gave did not load        */
    size_t again_count, again_cap;
    size_t unstored;  /* first candidate that may lack a row                 */
    int64_t deferred; /* candidates that are, now                            */
    at__contest_count tally;
    double compile_s, measure_s; /* sums over the trials that were compiled */
    double flushed_s, reported_s;
    at__progress progress; /* what stays the same between reports            */
    double ceiling_s;
};

/* Opens the templates' spaces. On a replay they hold what was recorded, nothing else. */
at_status at__contest_open_spaces(at__contest *contest, at_error *err);

/* ---- the devices: contest_seats.c ---- */

/* The contest's own. AT_ERR_MEMORY. */
at_status at__contest_seat_own(at__contest *contest, at_error *err);

/* Lets in who has come, and has the gauge measured. *progressed is set when something was done. */
at_status at__contest_admit(at__contest *contest, bool *progressed, at_error *err);

/* The seat with the least to do that can take a trial; -1: none. */
int at__contest_free_seat(const at__contest *contest);

/* What a device says of the gauge; whether its seat is one of the contest's from now on. */
void at__contest_gauged(at__contest *contest, size_t seat, const at__measured *measured);
bool at__contest_is_gauge(const at__measured *measured);

/* A device that came to help has gone: its candidates are ready for the others. */
at_status at__contest_lose(at__contest *contest, size_t seat, at_status status, const at_error *why,
                           at_error *err);

/* Gives back all that came. */
void at__contest_dismiss(at__contest *contest);

/* Candidates with all devices together, and devices that measure. */
int at__contest_queued(const at__contest *contest);
int at__contest_ready_seats(const at__contest *contest);

/* A candidate's outcome, in a->m, is known: counts it, tells the strategy, remembers the best. Once for each.
 */
void at__contest_decide(at__contest *contest, at__candidate *candidate);

/* What is stored of a candidate; borrowed from it. */
at__trial_row at__contest_row(const at__candidate *candidate);

/* A candidate, by its number, can go to a device. */
at_status at__contest_make_ready(at__contest *contest, size_t tag, at_error *err);

/* A new candidate, owned by the contest; NULL: out of memory. */
at__candidate *at__contest_add(at__contest *contest, const at__space *space, int64_t index, int64_t local);

/* What an earlier run knows of a candidate; NULL: nothing. */
const at__known_trial *at__contest_find_known(const at__contest *contest, const at__candidate *candidate);

#endif
