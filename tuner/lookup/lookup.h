/*
 * lookup.h - the best stored answer for a problem, and how well it matches.
 *
 * In this order: the winner of exactly this problem on this device model (exact); the winner of another shape
 * on this model whose configuration satisfies the template's requirements for this shape too (near), or, if
 * the nearest winner does not and the store has its problem's trials, the best of these that does (a
 * runner-up: fast there, and without idle threads here); a winner of another device model, found in the same
 * way (other_device); nothing, with the reason (none).
 *
 * A winner is out of date if its template is not in the catalog with the hash that it had, its op has changed
 * (another check or reference makes it unproven), its requirements no longer hold, its configuration was
 * found wrong later, or it does not work on the target (exclusions.h). Its problem is then its own nearest
 * neighbour, so that its own runner-up answers, as a near match, unless that is so much slower that a near
 * winner is expected to be faster.
 *
 * Between exact and near comes the configuration that a model of all trials expects to be the fastest
 * (predicted), if a model knows the op and nothing near is expected to be as fast: lookup_predict.c,
 * model/model.h. A model that has not learned this device model gives a configuration and no time:
 * other_device.
 *
 * An atx_lookup holds winners of one store in memory: those of each problem that was looked up, and all of an
 * op and element type once a problem has no winner of its own. It reads them again when another connection
 * has changed the file. Opening takes the same time whatever is stored. It borrows the store and the catalog.
 * One thread uses it at a time; it never writes.
 *
 * The bundled winners (atx_lookup_add_shipped) come second: first an exact winner of the store, then an exact
 * bundled one, then the nearest of both, by one distance. Bundled winners of an op are read at its first
 * look-up.
 */
#pragma once

#include "lang/catalog.h"
#include "lang/problem.h"
#include "lookup/exclusions.h"
#include "db/store.h"

typedef enum atx_match {
    ATX_MATCH_EXACT,
    ATX_MATCH_NEAR,
    ATX_MATCH_OTHER_DEVICE,
    ATX_MATCH_NONE,
    ATX_MATCH_PREDICTED
} atx_match;
const char *atx_match_name(atx_match match); /* "exact", "near", "other_device", "none", "predicted" */

/* A database's own model is beside it, its name and this. */
#define ATX_MODEL_SUFFIX "-model"

/* The device that is asked for. An empty name: the model with the newest winners; where only the program has
 * some, the model of this machine's GPUs (lookup_device.c), or else that with the most winners of the op. */
typedef struct atx_target {
    char name[ATX_DEVICE_NAME]; /* "NVIDIA H200", or words of it (lang/device_name.h), but no index */
    int64_t cc, sms;            /* 0: unknown, taken from the store                                 */
    bool full;                  /* the name is one in full, as the driver gives it: nothing else is meant */
} atx_target;

/*
 * Which device is meant: one that something is known of, by its name or words of it; any that has a compute
 * capability; one whose figures are published (lang/gpu_model.h), by its name in full: nothing was tuned
 * there. AT_ERR_USAGE lists the names. `store` may be NULL. An empty name stays one.
 */
at_status atx_lookup_device(atx_target *out, const atx_target *asked, atx_store *store, bool with_shipped,
                            at_error *err) AT_MUST_CHECK;

/* An answer. Strings and pointers are borrowed: valid until the next look-up, or close. */
typedef struct atx_found {
    atx_match match;
    const char *why;       /* why it is not exact, or why there is none: a sentence */
    const atx_template *t; /* of the catalog; NULL when none                        */
    atx_config config;
    atx_geometry geometry;    /* of the problem that was asked for                     */
    const atx_answer *answer; /* the stored row that the configuration comes from      */
    const char *device;       /* that it is for; "": not known                         */
    int64_t cc, sms;          /* of that, as far as they are known; 0: not             */
    bool refused;             /* none, and there are winners: why says why the nearest is no answer */
    bool runner_up;           /* it is no winner's but that of the best trial that fits */
    bool shipped;             /* answer came with the program             */
    const char *outdated; /* exact, but not valid any more: why; geometry is the stored one. NULL: valid */
    bool own;             /* exact, or of this very problem: answer has the times of it here */
    bool by_model;        /* a model chose it, and nothing was measured: predicted, or other_device where
                             the model learned there; answer has no times then */
    double expected_s;    /* prediction of a model that has learned the device; 0: none   */
    double expected_loss; /* how much slower than tuned that may be, 0.05: 5 %, in the mean */
} atx_found;

typedef struct atx_lookup atx_lookup;

/* atx_lookup_device for its store. */
at_status atx_lookup_meant(atx_target *out, atx_lookup *lookup, const atx_target *asked,
                           at_error *err) AT_MUST_CHECK;

/* store NULL: nothing is known of one. AT_ERR_STORE: a table of it cannot be read; where it is only a part,
 * the question about that fails so. */
at_status atx_lookup_open(atx_lookup **out, atx_store *store, const atx_catalog *catalog,
                          at_error *err) AT_MUST_CHECK;
void atx_lookup_add_shipped(atx_lookup *lookup); /* unless the environment leaves them out */

/* From now on no variable of the environment leaves anything out; before atx_lookup_add_shipped. */
void atx_lookup_no_environment(atx_lookup *lookup);

void atx_lookup_exclude(atx_lookup *lookup, const atx_exclusions *exclusions); /* borrows them; NULL: none */
void atx_lookup_close(atx_lookup *lookup);

/* When the store's own winner of a problem answers although it is out of date. */
typedef enum atx_outdated_use {
    ATX_OUTDATED_NEVER,
    ATX_OUTDATED_LAST, /* where nothing else answers; as a row of the store, without a template (t NULL) */
    ATX_OUTDATED_FIRST /* before what is near, with its template's text as it was measured, if the store has
                          it */
} atx_outdated_use;

/* Restricts later answers. exact: only winners that were measured for the very problem. */
void atx_lookup_restrict(atx_lookup *lookup, bool exact, atx_outdated_use outdated);

/* The next question asks whether the file has changed, however short a time ago that was asked. */
void atx_lookup_look_again(atx_lookup *lookup);

/* AT_OK also for none. The op must be of the lookup's catalog. Exact answers cost well under 2 microseconds;
 * near ones are remembered. */
at_status atx_lookup_find(atx_found *out, atx_lookup *lookup, const atx_problem *problem,
                          const atx_target *target, at_error *err) AT_MUST_CHECK;

/* Whether nothing is known against a configuration for this problem on the device of `target`, which is
 * named: AT_ERR_NOT_FOUND, it is excluded or was found wrong there. */
at_status atx_lookup_usable(atx_lookup *lookup, const atx_problem *problem, const atx_target *target,
                            const atx_template *t, const atx_config *config, at_error *err) AT_MUST_CHECK;

/* Whether a stored winner of this problem is not out of date; when it is, AT_ERR_NOT_FOUND and *err says why.
 * *geometry is its launch as the template declares it: what is stored may come from anyone. */
at_status atx_lookup_check_winner(atx_geometry *geometry, const atx_answer *winner, atx_store *store,
                                  const atx_catalog *catalog, const atx_problem *problem,
                                  at_error *err) AT_MUST_CHECK;

/*
 * Where a stored template is another one now because of what it includes from folders of the user's
 * (source/headers.h), or of what the op's files hold (declare/declare_files.h), or is not there:
 * AT_ERR_INPUT, and *err says which file is missing or has changed. AT_OK: nothing of that is known.
 */
at_status atx_lookup_check_headers(atx_store *store, const atx_catalog *catalog, const atx_op *op,
                                   const char *template_name, const char *template_hash,
                                   at_error *err) AT_MUST_CHECK;

/* Was a winner with this op_hash found with another text of the op than this one? Unknown: no. */
bool atx_is_of_other_op(atx_store *store, const atx_op *op, const char *op_hash);

/* A configuration that won elsewhere. Pointers are borrowed: valid until the next look-up, or close. */
typedef struct atx_hint {
    const atx_template *t;
    atx_config config;
    const atx_answer *answer; /* where it won; NULL: nowhere, a model expects it to */
} atx_hint;

/*
 * Up to `max` different configurations that won for other problems, or for this one under other conditions,
 * and that its requirements allow: those of near shapes first, then of other element sizes and other devices.
 */
at_status atx_lookup_hints(atx_hint *out, int *count, int max, atx_lookup *lookup, const atx_problem *problem,
                           const atx_target *target, at_error *err) AT_MUST_CHECK;

/* A configuration that was timed for another problem or on another device. */
typedef struct atx_elsewhere_trial {
    const atx_template *t;
    atx_config config;
    double seconds;
} atx_elsewhere_trial;

/*
 * Up to `max` trials that the store has of the problem and device where a hint won, as the present templates
 * read them, older versions of these included: the fastest half of `max`, and an even choice of the others.
 */
at_status atx_lookup_trials(atx_elsewhere_trial *out, int *count, int max, atx_lookup *lookup,
                            const atx_hint *hint, at_error *err) AT_MUST_CHECK;

#define ATX_MAX_ELSEWHERE 96
#define ATX_MAX_EXPECTED  3

/*
 * Up to `max` configurations, and ATX_MAX_EXPECTED, that a model expects to be the fastest, the best first:
 * the store's own or that which comes with the program, learned on this device or another. *count is 0 where
 * none can be asked (there is none, it is damaged, knows nothing of the op or its templates as they are, is
 * not wanted): no failure.
 */
at_status atx_lookup_expected(atx_hint *out, int *count, int max, atx_lookup *lookup,
                              const atx_problem *problem, const atx_target *target,
                              at_error *err) AT_MUST_CHECK;
