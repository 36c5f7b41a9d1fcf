/*
 * lookup_internal.h - definitions shared by the files of a look-up. Private to lookup*.c.
 *
 * From below: lookup_index.c has winners in memory; lookup_fits.c checks whether a configuration is valid for
 * a problem on a device, and gives the reason; lookup_near.c, by the distances of lookup_distance.c, and
 * lookup_predict.c search; lookup.c decides.
 */
#pragma once

#include "lang/gpu_model.h"
#include "lookup/lookup.h"
#include "util/index_set.h"

#define ATX_NO_ENTRY ((size_t)-1)

typedef enum atx_validity { ATX_UNCHECKED, ATX_VALID, ATX_OUTDATED } atx_validity;

/* A winner. `t`, once it is resolved, is NULL when its template is not in the catalog, or has another hash
 * there. */
typedef struct atx_entry {
    atx_answer answer; /* among the index' entries those of shipped ones are borrowed; else its own */
    bool shipped;      /* it came with the program */
    bool hidden;       /* it did, and the store has an answer for just this */
    bool converged;    /* its template was looked for */
    uint64_t order;    /* of two that are as good the lower goes first */
    const atx_op *op;
    const atx_template *t;
    bool other_op; /* the op's own file was changed since */
    atx_config config;
    int64_t dims[ATX_MAX_SIZES];
    double traffic; /* atx_traffic_of its problem */
    uint64_t hash;
    size_t next;        /* in its bucket */
    bool damaged;       /* its figures cannot have been measured: it is invalid */
    bool failure_known; /* of one that came with the program: the store was asked for answer.invalid */
    /* Whether it still answers its own problem, and the geometry there; found out when first asked for. */
    atx_validity validity;
    atx_geometry geometry;
} atx_entry;

typedef struct atx_winner_index {
    const atx_catalog *catalog;
    atx_entry *entries;
    size_t count, cap;
    size_t *buckets, bucket_count; /* NULL: nothing was linked since it was cleared */
} atx_winner_index;

/* A look-up, as both files need it. */
typedef struct atx_question {
    const atx_problem *problem;
    const char *type_key;
    char device[ATX_DEVICE_NAME]; /* its name in full; "": any that the program knows */
    int64_t cc, sms;              /* 0: unknown                                       */
    uint64_t hash;
    atx_entry *outdated; /* the problem's own winner, which cannot be used any more; or NULL */
} atx_question;

/* Predictions of models (lookup_predict.c). */
typedef struct atx_prediction {
    atx_entry entry; /* its answer belongs to the caller */
    atx_geometry geometry;
    double expected_s, expected_loss;
    bool shipped, own; /* own: the model learned on the device that is asked for */
    char why[640];
    char broken[256]; /* also when nothing is expected */
} atx_prediction;

typedef struct atx_predictors atx_predictors;

/* Winners of the store that are all among the entries. */
typedef struct atx_loaded_range {
    const atx_op *op;     /* NULL: of all ops   */
    const char *type_key; /* NULL: of all types */
} atx_loaded_range;

/* An answer that took a search; forgotten when the store changes, or when another takes its place. */
typedef struct atx_cached {
    const atx_op *op; /* NULL: free */
    atx_dtype type;
    uint64_t hash;
    int64_t dims[ATX_MAX_SIZES], cc, sms;
    char device[128];
    size_t entry;         /* ATX_NO_ENTRY: none */
    atx_entry *runner_up; /* in its place; NULL: none */
    size_t excluded;      /* when it was found, so many exclusions were known */
    atx_found found;      /* except the place of its entry */
    char why[1200];
} atx_cached;

struct atx_lookup {
    atx_store *store;    /* NULL: none                                       */
    atx_store *shipped;  /* what came with the program; NULL: not opened yet */
    bool no_environment; /* its variables leave nothing out */
    bool with_shipped;   /* it may answer                                    */
    bool *groups_read;   /* which of atx_shipped_groups are among the entries; NULL: none */
    const atx_catalog *catalog;
    const atx_exclusions *exclusions; /* NULL: none */
    atx_winner_index index;
    atx_loaded_range *ranges;
    size_t range_count, range_cap;
    atx_index_set asked; /* problems (atx_problem_hash) whose winners of the store's are among the entries */
    atx_cached **cached; /* ATX_CACHED_COUNT places, by hash; made when they are needed */
    atx_predictors *predictors; /* models; NULL: not read yet */
    atx_target named, meant;    /* atx_lookup_meant: its last question and the answer; "": none     */
    char newest[128];           /* the device of the store's newest winner, meant by an empty name */
    bool newest_known;          /* it was looked for; else `newest` says nothing                          */
    char here[128];            /* where it has none, of the program's winners those of this model go before */
    char space[ATX_HASH_TEXT]; /* last argument of atx_is_of_other_op, and its result */
    const atx_op *space_op;
    bool space_is_other;
    int64_t version;
    double checked_s;
    bool out_of_memory;
    bool exact; /* atx_lookup_restrict */
    atx_outdated_use outdated;
    atx_template *measured; /* that of an out-of-date winner, as it was; NULL: none was read */
    at_error outdated_why;  /* of the last one that was answered */
};
#define ATX_CACHED_COUNT 1024 /* a power of two */

/* ---- lookup_index.c ---- */

void atx_index_clear(atx_winner_index *index); /* room stays */

/* Brings the entries from `first` on into their chains, and hides what the store's own replace. */
at_status atx_index_link(atx_winner_index *index, size_t first, at_error *err) AT_MUST_CHECK;

/* The sizes of an answer's problem, its hash, its traffic. false: this program does not know such a shape. */
bool atx_shape_is_known(int64_t *dims, const atx_op *op, const char *type_key, const char *shape);

uint64_t atx_problem_hash(const atx_op *op, const char *type_key, const int64_t *dims);
bool atx_entry_is_of(const atx_entry *entry, const atx_op *op, const char *type_key, const int64_t *dims);

/* Its template and configuration, when the template is the one that won; else its `t` stays NULL. A template
 * is read for that: of the entries that are looked at, when they are. */
void atx_entry_find_template(atx_entry *entry, const atx_catalog *catalog, const atx_winner *winner);
void atx_entry_resolve(atx_entry *entry, const atx_catalog *catalog);

/* A replayed winner answers only look-ups for a replay; others get measured ones. */
bool atx_entry_may_answer(const atx_entry *entry, const char *device);

/* Is the winner's device the one of this name? */
bool atx_entry_is_on(const atx_entry *entry, const char *device);

/* Elements that must be moved, INFINITY where the op does not tell: bytes of `traffic` over sizeof(T). */
double atx_traffic_of(const atx_problem *problem);

/*
 * Adds them, if they are not there yet: the first few, by which a file that cannot be read is known; those of
 * a question's problem; all of an op (NULL: of all) and type (NULL: of all). Entries may lie elsewhere then.
 * After a failure all of it is to be dropped: half of them would answer for all.
 */
at_status atx_own_begin(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;
at_status atx_own_add_asked(atx_lookup *lookup, const atx_question *question, at_error *err) AT_MUST_CHECK;
at_status atx_own_add(atx_lookup *lookup, const atx_op *op, const char *type_key,
                      at_error *err) AT_MUST_CHECK;
bool atx_own_has(const atx_lookup *lookup, const atx_op *op, const char *type_key); /* are all there? */
at_status atx_own_find_newest(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;     /* sets `newest` */

/* Adds those of the op and type (NULL: of all), on the device of this name (NULL: on all), or on all others,
 * unless they are there or not wanted. While one op is asked about, entries stay where they are. */
at_status atx_shipped_add(atx_lookup *lookup, const atx_op *op, const char *type_key, const char *device,
                          bool on_device, at_error *err) AT_MUST_CHECK;

/* The device of theirs that is meant where none is named: this machine's, else that with the most winners of
 * the op, of as many that with the newest of them. "": there is none. */
const char *atx_shipped_device(const atx_shipped_group *groups, size_t count, const char *op,
                               const char *here);

/* Where the entry's trials are. */
at_status atx_entry_store(atx_store **out, atx_lookup *lookup, const atx_entry *entry,
                          at_error *err) AT_MUST_CHECK;

/* ---- lookup_fits.c ---- */

/* Limits of a device of which cc and sms are known (0: not), else those of another one. */
void atx_limits_on(atx_limits *out, const atx_fingerprint *known, int64_t cc, int64_t sms);

/*
 * Whether the winner's configuration satisfies its template's requirements for this problem; its geometry
 * there. cc and sms are those of the device to run on; 0: those of the winner's own. When it does not, *err
 * says what it breaks.
 */
at_status atx_entry_fits(atx_geometry *geometry, const atx_entry *entry, const atx_problem *problem,
                         int64_t cc, int64_t sms, at_error *err) AT_MUST_CHECK;

/*
 * Whether an entry whose requirements hold may be used. AT_ERR_NOT_FOUND: a later measurement shows that it
 * fails, on its own problem or on the question's, or it is excluded; *why (may be NULL) says which.
 * AT_ERR_STORE.
 */
at_status atx_entry_usable(atx_str *why, atx_lookup *lookup, atx_entry *entry, const atx_question *question,
                           at_error *err) AT_MUST_CHECK;

/*
 * The distance of two problems of an op, 0 or more: 1 is a factor of two in one dimension. Elements there
 * count as if they were of this problem's type. `traffic` is this problem's.
 */
double atx_shape_distance(const atx_entry *there, const atx_problem *problem, double traffic);

/* The distance between the entry's device and that of the look-up, by their known figures. */
double atx_device_distance(const atx_entry *entry, const atx_gpu_model *device);

/* Entries by their distance; of two that are as far the lower order goes first. */
typedef struct atx_ranked {
    size_t entry;
    double distance;
    uint64_t order;
} atx_ranked;
void atx_rank(atx_ranked *list, size_t count);

/*
 * The configuration expected to be the fastest for a problem without a winner. `near` is the near winner that
 * would answer, `reach` away (NULL: none). AT_ERR_NOT_FOUND: no model knows better; expected_s is set where
 * it agrees.
 */
at_status atx_lookup_predict(atx_prediction *out, atx_lookup *lookup, const atx_question *question,
                             const atx_entry *near, double reach, at_error *err) AT_MUST_CHECK;
void atx_predictors_close(atx_predictors *predictors);

/* ---- lookup_device.c ---- */

/* The driver's folder; it has one for each GPU, with a file `information`. */
#define ATX_INSTALLED_FOLDER "/proc/driver/nvidia/gpus"

/* The model that all GPUs of the machine are ("NVIDIA H200"); empty where there is none, or more than one. */
void atx_installed_model(char *name, size_t size, const char *folder);

/* Makes *found, the exact answer that question.outdated would be, one of the stored row, or, as_measured, of
 * its template's text. AT_ERR_NOT_FOUND: that text is not there, or not valid. */
at_status atx_lookup_outdated(atx_found *out, atx_lookup *l, const atx_question *q, bool as_measured,
                              at_error *err) AT_MUST_CHECK;

/* ---- lookup_near.c ---- */

/* The result of a search through the winners of the device, or of all others. */
typedef struct atx_near_found {
    size_t count;         /* winners of the op and element type there      */
    size_t closest;       /* ATX_NO_ENTRY when there are none              */
    size_t entry;         /* the closest that fits, or ATX_NO_ENTRY        */
    atx_entry *runner_up; /* of a closer one, which does not; NULL: none   */
    bool own;             /* of the problem that is asked for              */
    double reach;         /* its distance, with additional costs           */
    atx_str tried;        /* of the problem that is asked for, where its winner is out of date */
    atx_geometry geometry;
} atx_near_found;

at_status atx_near_search(atx_near_found *out, atx_lookup *lookup, const atx_question *question,
                          bool on_device, at_error *err) AT_MUST_CHECK;
void atx_near_drop(atx_near_found *near); /* its runner-up */
const atx_entry *atx_near_entry(const atx_near_found *near,
                                const atx_lookup *lookup); /* NULL: nothing fits */

/* Why the answer is not exact: the candidates on the device, and on others. */
void atx_lookup_reason(atx_str *out, atx_lookup *lookup, const atx_question *question, atx_match match,
                       const atx_near_found *here, const atx_near_found *there);
