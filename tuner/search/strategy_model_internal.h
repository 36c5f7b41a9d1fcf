/*
 * strategy_model_internal.h - a search by the model, as the files of it see it. Private to strategy_model*.c.
 *
 * From below: strategy_model_pool.c has the candidates, strategy_model_rows.c the trials; strategy_model.c
 * chooses.
 */
#pragma once

#include "search/gain.h"
#include "search/spill_cost.h"
#include "search/strategy.h"
#include "search/surrogate.h"
#include "util/index_set.h"
#include "util/permute.h"

#define ATX_MODEL_ROWS    512  /* trials that the model holds; beyond, the fastest and the newest of them  */
#define ATX_MODEL_SLOTS   1024 /* candidates                                                        */
#define ATX_MODEL_BEST    4    /* configurations whose neighbours are candidates                     */
#define ATX_MODEL_SPILLED 256  /* deferred candidates of which it is known what their spills tell */
#define ATX_MODEL_BLOCK   32   /* so many of them share the memory of which is the least promising  */

/* A trial as the model sees it. */
typedef struct atx_model_row {
    int64_t index;
    double seconds;              /* NAN: not known yet; INFINITY: failed */
    bool elsewhere;              /* of search.elsewhere                    */
    bool costly;                 /* it took the device's process with it */
    bool sure;                   /* to be timed in any case              */
    atx_resources resources;     /* once compiled                        */
    double predicted, deviation; /* of the logarithm of seconds, then    */
} atx_model_row;

typedef struct atx_model {
    atx_search search;
    atx_features *features;
    atx_surrogate *surrogate;
    atx_rng rng;
    atx_permutation order;
    int64_t place, under_way, done, left, pace;
    atx_index_set seen, deferred, pooled;
    atx_gain normal;
    atx_model_row rows[ATX_MODEL_ROWS];
    struct model_slot {
        int64_t slots[ATX_MODEL_SLOTS];                         /* -1: free */
        int slot_count;                                         /* ATX_MODEL_SLOTS, or all there are */
        double error[ATX_MODEL_SLOTS], unsure[ATX_MODEL_SLOTS]; /* what its spills tell; 0 and 1: nothing */
        double mean[ATX_MODEL_SLOTS], deviation[ATX_MODEL_SLOTS],
            gain[ATX_MODEL_SLOTS];      /* gain: expected improvement; of a free slot -INFINITY */
        double chance[ATX_MODEL_SLOTS]; /* of a failure               */
        double right[ATX_MODEL_SLOTS];  /* chance that it does not fail */
        int poorest[ATX_MODEL_SLOTS / ATX_MODEL_BLOCK]; /* of each block; -1: a gain has changed since */
    } slot;
    struct model_spilled {
        int64_t index;
        double error, unsure;
    } spilled[ATX_MODEL_SPILLED]; /* the newest deferred candidates, which may come back to a slot */
    int64_t spilled_count;
    double top_gain; /* expected of the newest proposal           */
    atx_spill_cost spill_cost;
    struct model_fastest {
        int64_t best[ATX_MODEL_BEST]; /* the fastest, the first of all first */
        double best_s[ATX_MODEL_BEST];
        int best_count;
        bool best_changed;
    } fastest;
    int timed, next_training_set;
    bool ended;
    int64_t newest;   /* proposal of the model; -1: none */
    int devices;      /* that measure */
    int calm;         /* proposals in a row before which there was little chance  */
    double chance;    /* of anything better, when it was last asked for */
    int64_t improved; /* trials up to the last that was better */
    struct model_opening {
        int64_t *first; /* to be tried before the model: hints, defaults */
        int first_count, next_first, first_room;
        int random_first;
    } opening;
} atx_model;

/* ---- strategy_model_pool.c ---- */

/* The next of a uniform walk that was not proposed; -1: there is none. */
int64_t atx_model_draw(atx_model *m);

void atx_model_free_slot(atx_model *m, int slot);
void atx_model_put_slot(atx_model *m, int slot, int64_t index);

/* After gains were computed. */
void atx_model_forget_poorest(atx_model *m);

/* A slot that is free, or the least promising one. */
int atx_model_poorest_slot(atx_model *m);

/* Fills free slots, and exchanges some for new candidates and for neighbours of the newest proposal and of
 * the best. */
void atx_model_renew_pool(atx_model *m);

/* ---- strategy_model_rows.c ---- */

/* There must be room. */
void atx_model_add_row(atx_model *m, const atx_model_row *row);
void atx_model_remove_row(atx_model *m, int at); /* later ones move up */
void atx_model_keep_rows(atx_model *m, const bool *keep);

void atx_model_add_elsewhere(atx_model *m); /* what search.elsewhere has, before all others */
void atx_model_set_elsewhere(atx_model *m); /* the times that they would have here          */
void atx_model_drop_elsewhere(atx_model *m);
