/*
 * search_run_internal.h - the insides of a search run. Private to search_run*.c: search_run.c runs it,
 * search_run_outcome.c decides the results of candidates, search_run_open.c opens it with the known trials,
 * search_run_space.c opens the spaces, search_run_slots.c has the devices that measure, search_run_leaders.c
 * chooses the candidates for the re-measurement.
 */
#pragma once

#include "lookup/lookup.h"
#include "tune/search_run.h"

/* What a search begins with, at most: winners of other problems, and what a model expects to win. */
#define ATX_MAX_WON   8
#define ATX_MAX_HINTS (ATX_MAX_WON + ATX_MAX_EXPECTED)

/* A trial of an earlier run. */
typedef struct atx_known_trial {
    char *key; /* template hash, blank, configuration: owned */
    atx_outcome outcome;
    atx_timing timing;
    atx_resources resources;
} atx_known_trial;

/* A device that measures for a search run. The first is its own and stays. */
typedef struct atx_device_slot {
    atx_device *device;    /* NULL: it has gone */
    int64_t run_id;        /* in the store      */
    int workers;           /* compile workers that came along */
    bool ready;            /* it may have candidates: its own, or one that is like it */
    double since_s;        /* it is ready; on atx_now_s() */
    int asked, calibrated; /* times that the calibration kernel was to be measured on it, and was */
    double calibration_s, calibration_spread; /* the fastest of them */
} atx_device_slot;

/* What tells cards apart: a kernel that each of them measures. */
typedef struct atx_calibration {
    atx_search_run *copies; /* NULL: the calibration kernel is the fastest so far */
    atx_kernel kernel;
    bool is_copy, chosen;
    bool failed; /* there can be none: the search run's own device works alone */
} atx_calibration;

struct atx_search_run {
    atx_env *env;
    /* The devices that measure. */
    struct atx_search_run_devices {
        atx_device_slot *device_slots;
        size_t device_slot_count, device_slot_cap;
        atx_help_request *help_request; /* NULL: no other device is wanted */
        atx_calibration calibration;
    } devices;
    atx_problem problem;
    bool is_copy;
    atx_aim aim;
    atx_problem_key key;
    atx_str shape; /* key.shape */
    int64_t slots[ATX_MAX_SLOTS];
    /* What is tried next. */
    struct atx_search_run_proposals {
        atx_space **spaces;
        int space_count;
        atx_search search;
        const atx_strategy *strategy;
        void *strategy_state;
        bool exhausted;               /* the strategy has no more                              */
        bool waiting;                 /* it needs a report first                               */
        int64_t hints[ATX_MAX_HINTS]; /* search.hints                            */
        int expected;                 /* configurations that a model expects to win            */
        atx_elsewhere elsewhere[ATX_MAX_ELSEWHERE]; /* search.elsewhere */
    } proposals;
    int owner;              /* of its jobs: see atx_pool_submit */
    atx_known_trial *known; /* in order of their keys                        */
    size_t known_count, known_cap;
    /* What was proposed, and its state. */
    struct atx_search_run_candidates {
        atx_candidate **candidates;
        size_t candidate_count, candidate_cap;
        size_t *ready; /* compiled, waiting for the device                       */
        size_t ready_first, ready_count, ready_cap;
        size_t *again; /* set aside: the cache's did not load, or another search compiles it */
        size_t again_count, again_cap;
        size_t unstored;  /* first candidate that may lack a row                 */
        int64_t deferred; /* candidates that are, now                            */
    } candidates;
    /* What is reported. */
    struct atx_search_run_account {
        atx_search_run_count tally;
        double compile_s, measure_s;         /* sums over the trials that were compiled */
        double run_s, flushed_s, reported_s; /* when it began to run, stored, reported */
        atx_progress progress;               /* what stays the same between reports            */
        double ceiling_s;
    } account;
};

/* Opens the templates' spaces. On a replay they hold what was recorded, nothing else. */
at_status atx_search_run_open_spaces(atx_search_run *search_run, at_error *err);

/* ---- the devices: search_run_slots.c ---- */

/* The search run's own. AT_ERR_MEMORY. */
at_status atx_search_run_device_slot_own(atx_search_run *search_run, at_error *err);

/* Accepts devices that came to help, and has them measure the calibration kernel. *progressed: something was
 * done. */
at_status atx_search_run_admit(atx_search_run *search_run, bool *progressed, at_error *err);

/* The device slot with the least to do that can take a trial; -1: none. */
int atx_search_run_free_device_slot(const atx_search_run *search_run);

/* A device has measured the calibration kernel: decides whether its slot takes part from now on. */
void atx_search_run_calibrated(atx_search_run *search_run, size_t device_slot, const atx_measured *measured);
bool atx_search_run_is_calibration(const atx_measured *measured);

/* A device that came to help is lost: its candidates are ready for the others. */
at_status atx_search_run_lose(atx_search_run *search_run, size_t device_slot, at_status status,
                              const at_error *why, at_error *err);

/* Gives back all that came. */
void atx_search_run_dismiss(atx_search_run *search_run);

/* Candidates with all devices together, and devices that measure. */
int atx_search_run_queued(const atx_search_run *search_run);
int atx_search_run_ready_device_slots(const atx_search_run *search_run);

/* A candidate's outcome, in a->m, is known: counts it, tells the strategy, remembers the best. Once for each.
 */
void atx_search_run_decide(atx_search_run *search_run, atx_candidate *candidate);

/* What is stored of a candidate; borrowed from it. */
atx_trial_row atx_search_run_row(const atx_candidate *candidate);

/* A candidate, by its number, can go to a device. */
at_status atx_search_run_make_ready(atx_search_run *search_run, size_t tag, at_error *err);

/* A new candidate, owned by the search run; NULL: out of memory. */
atx_candidate *atx_search_run_add(atx_search_run *search_run, const atx_space *space, int64_t index,
                                  int64_t local);

/* What an earlier run knows of a candidate; NULL: nothing. */
const atx_known_trial *atx_search_run_find_known(const atx_search_run *search_run,
                                                 const atx_candidate *candidate);
