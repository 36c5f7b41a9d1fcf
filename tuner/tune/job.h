/*
 * job.h - the request of a run and its reports: options, progress, results. Plain data.
 *
 * Borrowed by every receiver. Events come from the devices' threads, one at a time.
 */
#pragma once

#include "db/store.h"
#include "device/verdict.h"
#include "lang/catalog.h"
#include "lang/front.h"
#include "search/strategy.h"
#include "tune/population.h"
#include "util/trace.h"
#include "util/wire.h"
#include <stdatomic.h>

/* A place where compilers run, NULL: here; of a run over several machines. */
typedef struct atx_tune_place {
    atx_site *site;
    int workers; /* that there are cores for */
} atx_tune_place;

/* As many of each problem as suits a population, which knows whether there is a model. */
#define ATX_TRIALS_OF_POPULATION (-1)

typedef struct atx_tune_options {
    const char *const *devices;     /* CUDA ordinals, or replay:FILE; see device.h          */
    int device_count;               /* 0: every device                                     */
    atx_site *const *device_places; /* where each of them is; NULL: all here             */
    const atx_tune_place *places;   /* where compilers run                                  */
    int place_count;                /* 0: here                                             */
    const atx_strategy *strategy;   /* NULL: the model; all of a tiny space              */
    uint64_t seed;
    bool no_copies;       /* none are timed; a ceiling that is known is kept         */
    int64_t max_trials;   /* per problem; 0: no limit; ATX_TRIALS_OF_POPULATION  */
    double budget_s;      /* wall time per problem, the re-measurement apart; 0: no limit */
    int jobs;             /* compile workers in all; 0: one a core               */
    bool force;           /* measure again what is already known                 */
    bool warm;            /* inputs may stay in the L2 cache                     */
    const atx_fix *fixes; /* --fix                                               */
    int fix_count;
    const char *const *templates; /* only these; NULL: all                               */
    int template_count;
    const char *db_path;
    const char *cache_path;                /* compiled kernels; NULL: no cache                    */
    int64_t cache_bytes;                   /* its limit; 0: none                                  */
    const atx_front *front;                /* search for these figures too; NULL: none         */
    const atx_population_plan *population; /* tune some of the problems, by doubt; NULL: all   */
    const char *command;                   /* as typed, for the record                            */
    atx_trace *trace;                      /* where the time goes is written; NULL: nowhere       */
    const atomic_int *cancel; /* becomes non-zero on Ctrl-C: finish what is timed, store, end; may be NULL */
} atx_tune_options;

typedef enum atx_phase {
    ATX_PHASE_SETUP,   /* device, buffers, reference             */
    ATX_PHASE_CEILING, /* plain copies of the same bytes        */
    ATX_PHASE_SEARCH,
    ATX_PHASE_REMEASURE
} atx_phase;

typedef struct atx_progress {
    int device; /* CUDA ordinal; below zero: a replay                */
    const atx_problem *problem;
    int problem_index, problem_count; /* index counts from 0                */
    atx_phase phase;
    int64_t done, total;      /* trials of this problem                            */
    bool total_is_estimate;   /* by the strategy: the search ends before the space does */
    int64_t failed;           /* of them: not timed                                */
    int helping;              /* other devices that measure for it, too            */
    double best_s;            /* 0: none yet                                       */
    double best_share;        /* of the copy ceiling; 0: unknown                   */
    const char *best;         /* "tile_rows TILE=32 ..."; ""                       */
    double elapsed_s, left_s; /* of this problem; left_s < 0: unknown          */
    const char *doing;        /* of the setup: "counting the configurations of mine"; NULL or "" */
} atx_progress;

/* A configuration that none other beats in all figures of the front. */
typedef struct atx_front_point {
    char *kernel; /* "tile_rows TILE=32 ..." */
    double values[ATX_MAX_FRONT];
} atx_front_point;

/* What became of one problem on one device. Borrowed by the event. */
typedef struct atx_result {
    int device; /* CUDA ordinal; below zero: a replay                          */
    const atx_problem *problem;
    bool from_store;          /* known before; nothing was measured                          */
    bool found;               /* false: no winner; `why` says so                             */
    const atx_answer *answer; /* when found                                                  */
    const char *why;
    int64_t outcomes[ATX_OUTCOMES]; /* this run's trials                                 */
    int64_t compiled;               /* kernels compiled, not counting cache hits                   */
    int64_t known;                  /* trials taken from the store                                 */
    double elapsed_s;
    double device_busy_s;         /* time the device worked for us: trials and re-measurement             */
    double race_saved_s;          /* and would have, had too slow trials got all their samples    */
    double device_open_s;         /* from its first trial to the end of the re-measurement                */
    atx_verdict verdict;          /* of the winner; where there is none, of a trial that failed */
    bool interrupted;             /* ended early: Ctrl-C, budget, --max-trials                   */
    const atx_front_point *front; /* of the options' front, by its first figure             */
    size_t front_count;
} atx_result;

/* Called from the devices' threads, one at a time (never concurrently). */
typedef struct atx_tune_events {
    void *context;
    void (*progress)(void *context, const atx_progress *progress);
    void (*result)(void *context, const atx_result *result);
    void (*warning)(void *context, const char *text);
    void (*population)(void *context, const atx_population_loss *loss); /* in the end, with that plan */
} atx_tune_events;
