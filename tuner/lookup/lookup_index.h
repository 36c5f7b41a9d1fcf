/*
 * lookup_index.h - what the files of a look-up share: winners in memory. Private to lookup*.c.
 *
 * lookup.c takes a question, lookup_device.c reads which device it is about, lookup_usable.c knows what has
 * failed, lookup_index.c keeps the winners, those of the store with lookup_own.c, those of the program with
 * lookup_shipped.c, lookup_near.c searches them where none is of the problem, by the distances of
 * lookup_distance.c and the trials of lookup_runner_up.c.
 */
#ifndef AUTOTUNE_LOOKUP_INDEX_H
#define AUTOTUNE_LOOKUP_INDEX_H

#include "lang/gpu_model.h"
#include "lookup/lookup.h"
#include "util/index_set.h"

#define ATX_NO_ENTRY ((size_t)-1)

typedef enum atx_standing { ATX_UNCHECKED, ATX_STANDS, ATX_OUTDATED } atx_standing;

/* A winner. `t`, once it is settled, is NULL when its template is not in the catalog, or has another hash
 * there. */
typedef struct atx_entry {
    atx_answer answer; /* among the index' entries those of shipped ones are borrowed; else its own */
    bool shipped;      /* it came with the program */
    bool hidden;       /* it did, and the store has an answer for just this */
    bool settled;      /* its template was looked for */
    uint64_t order;    /* of two that are as good the lower goes first */
    const atx_op *op;
    const atx_template *t;
    bool other_op; /* the op's own file was changed since */
    atx_config config;
    int64_t dims[ATX_MAX_SIZES];
    double traffic; /* atx_traffic_of its problem */
    uint64_t hash;
    size_t next;        /* in its bucket */
    bool damaged;       /* its figures are none that anybody can have measured: it is invalid */
    bool failure_known; /* of one that came with the program: the store was asked for answer.invalid */
    /* Whether it still answers its own problem, and the geometry there; found out when first asked for. */
    atx_standing standing;
    atx_geometry geometry;
} atx_entry;

/* What is asked, as both files need it. */
typedef struct atx_question {
    const atx_problem *problem;
    const char *type_key;
    char device[ATX_DEVICE_NAME]; /* its name in full; "": any that the program knows */
    int64_t cc, sms;              /* 0: unknown                                       */
    uint64_t hash;
    atx_entry *outdated; /* the problem's own winner, which cannot be used any more; or NULL */
} atx_question;

/* What a model expects (lookup_predict.c). */
typedef struct atx_prediction {
    atx_entry entry; /* its answer belongs to who asked */
    atx_geometry geometry;
    double expected_s, doubt;
    bool shipped, own; /* own: the model learned on the device that is asked for */
    char why[640];
    char broken[256]; /* also when nothing is expected */
} atx_prediction;

typedef struct atx_foresight atx_foresight;

/* Winners of the store that are all among the entries. */
typedef struct atx_portion {
    const atx_op *op;     /* NULL: of all ops   */
    const char *type_key; /* NULL: of all types */
} atx_portion;

/* An answer that took a search; forgotten when the store changes, or when another takes its place. */
typedef struct atx_memo {
    const atx_op *op; /* NULL: free */
    atx_dtype type;
    uint64_t hash;
    int64_t dims[ATX_MAX_SIZES], cc, sms;
    char device[128];
    atx_match match;
    size_t entry;             /* ATX_NO_ENTRY: none */
    atx_entry *runner_up;     /* in its place; NULL: none */
    size_t excluded;          /* when it was found, so many exclusions were known */
    bool own;                 /* it is the problem's own  */
    bool refused;             /* there are winners, none of which answers */
    bool by_model;            /* runner_up is what a model expects */
    double expected_s, doubt; /* of that, or of a near one         */
    atx_geometry geometry;
    char why[1200];
} atx_memo;

struct atx_lookup {
    atx_store *store;   /* NULL: none                                       */
    atx_store *shipped; /* what came with the program; NULL: not opened yet */
    bool with_shipped;  /* it may answer                                    */
    bool *groups_read;  /* which of atx_shipped_groups are among the entries; NULL: none */
    const atx_catalog *catalog;
    const atx_exclusions *exclusions; /* NULL: none */
    atx_entry *entries;
    size_t count, cap;
    atx_portion *portions;
    size_t portion_count, portion_cap;
    atx_index_set asked; /* problems (atx_problem_hash) whose winners of the store's are among the entries */
    size_t *buckets, bucket_count;
    atx_memo **memo;           /* ATX_MEMO_COUNT places, by hash; made when they are needed */
    atx_foresight *foresight;  /* models; NULL: not read yet */
    atx_target named, meant;   /* atx_lookup_meant: its last question and the answer; "": none     */
    char newest[128];          /* the device of the store's newest winner: what an empty name stands for */
    bool newest_known;         /* it was looked for; else `newest` says nothing                          */
    char here[128];            /* where it has none, of the program's winners those of this model go before */
    char space[ATX_HASH_TEXT]; /* what was last asked in atx_is_of_other_op, and the answer */
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
#define ATX_MEMO_COUNT 1024 /* a power of two */

/* Begins; begins anew when the file has changed since; forgets all entries. */
at_status atx_index_open(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;
at_status atx_index_refresh(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;
void atx_index_clear(atx_lookup *lookup);

/*
 * The store's winners, if they are not there yet (lookup_own.c): the first few, by which a file that cannot
 * be read is known; those of a question's problem; all of an op (NULL: of all) and type (NULL: of all).
 * Entries may lie elsewhere then. A failure leaves none.
 */
at_status atx_index_begin(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;
at_status atx_index_add_asked(atx_lookup *lookup, const atx_question *question, at_error *err) AT_MUST_CHECK;
at_status atx_index_add_own(atx_lookup *lookup, const atx_op *op, const char *type_key,
                            at_error *err) AT_MUST_CHECK;

bool atx_index_has_own(const atx_lookup *lookup, const atx_op *op, const char *type_key); /* are all there? */

/* Sets `newest`. */
at_status atx_index_find_newest(atx_lookup *lookup, at_error *err) AT_MUST_CHECK;

/* Adds the winners of the op and type (NULL: of all) that came with the program, on the device of this name
 * (NULL: on all), or on all others, unless they are there or not wanted (lookup_shipped.c). While one op
 * is asked about, entries stay where they are. */
at_status atx_index_add_shipped(atx_lookup *lookup, const atx_op *op, const char *type_key,
                                const char *device, bool on_device, at_error *err) AT_MUST_CHECK;

/* The device of theirs that is meant where none is named: this machine's, else that with the most winners of
 * the op, of as many that with the newest of them. "": there is none. */
const char *atx_shipped_device(const atx_shipped_group *groups, size_t count, const char *op,
                               const char *here);

/* Brings the entries from `first` on into their chains. */
at_status atx_index_link(atx_lookup *lookup, size_t first, at_error *err) AT_MUST_CHECK;

/* Where the entry's trials are. */
at_status atx_entry_store(atx_store **out, atx_lookup *lookup, const atx_entry *entry,
                          at_error *err) AT_MUST_CHECK;

/* The sizes of an answer's problem, its hash, its traffic. false: this program does not know such a shape. */
bool atx_entry_place(atx_entry *entry, const atx_answer *answer);
bool atx_shape_is_known(int64_t *dims, const atx_op *op, const char *type_key, const char *shape);

uint64_t atx_problem_hash(const atx_op *op, const char *type_key, const int64_t *dims);
bool atx_entry_is_of(const atx_entry *entry, const atx_op *op, const char *type_key, const int64_t *dims);

/* Its template and configuration, when the template is the one that won; else its `t` stays NULL. A template
 * is read for that: of the entries that are looked at, when they are. */
void atx_entry_find_template(atx_entry *entry, const atx_catalog *catalog, const atx_winner *winner);
void atx_entry_settle(atx_entry *entry, const atx_catalog *catalog);

/* A replayed winner answers only who asks for a replay: others get what was measured. */
bool atx_entry_may_answer(const atx_entry *entry, const char *device);
bool atx_entry_is_replayed(const atx_entry *entry);

/* Is the winner's device the one of this name? */
bool atx_entry_is_on(const atx_entry *entry, const char *device);

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
 * Whether something is known against an entry whose requirements hold: what was measured later shows that it
 * fails, on its own problem or on the question's, or it is excluded. AT_ERR_NOT_FOUND, and *why (NULL: nobody
 * asks) says it. AT_OK: nothing is. AT_ERR_STORE.
 */
at_status atx_entry_usable(atx_str *why, atx_lookup *lookup, atx_entry *entry, const atx_question *question,
                           at_error *err) AT_MUST_CHECK;

/* The same, and where its template is another one because its headers are, or are missing, *err says which.
 */
at_status atx_entry_refusal(const atx_entry *entry, atx_store *store, const atx_catalog *catalog,
                            const atx_problem *problem, int64_t cc, int64_t sms, at_error *err) AT_MUST_CHECK;

/*
 * The distance of two problems of an op, 0 or more: 1 is a factor of two in one dimension. Elements there
 * count as if they were of this problem's type. `traffic` is this problem's.
 */
double atx_shape_distance(const atx_entry *there, const atx_problem *problem, double traffic);

/* What it adds that the entry is of another device, by what is known of both. */
double atx_device_distance(const atx_entry *entry, const atx_gpu_model *device);

/* Elements that must be moved, INFINITY where the op does not tell: bytes of `traffic` over sizeof(T). */
double atx_traffic_of(const atx_problem *problem);

/* A unit of distance between problems is worth 0.7 % of the time: twice the time costs so many. */
#define ATX_SLOWER_COST 100.0

/*
 * What it costs, in units of distance, that more threads share an element of this problem than of the one
 * that the entry is of: they stand idle beside edges. `here` is the launch that atx_entry_fits found.
 */
double atx_entry_idle_cost(const atx_entry *entry, const atx_geometry *here, const atx_problem *problem);

/* A trial that takes its problem's winner's place. */
typedef struct atx_runner_up {
    atx_entry entry;       /* its answer belongs to who asked */
    atx_geometry geometry; /* on the problem that was asked about */
    double cost;           /* in units of distance: to be slower than the winner, and to have idle threads */
} atx_runner_up;

/*
 * The trial of a winner's problem, on its device model and cold or warm as it was, that fits the question's
 * problem (the same, or another) and promises most. AT_ERR_NOT_FOUND: none fits.
 */
at_status atx_lookup_runner_up(atx_runner_up *out, atx_lookup *lookup, const atx_entry *winner,
                               const atx_question *question, at_error *err) AT_MUST_CHECK;

/* What was tried of a winner's problem on its device model, with any outcome, as lines of a text; and whether
 * the configuration of another entry, with its template as it was there, is among them. */
at_status atx_lookup_list_tried(atx_str *out, atx_lookup *lookup, const atx_entry *winner,
                                at_error *err) AT_MUST_CHECK;
bool atx_lookup_was_tried(const atx_str *tried, const atx_entry *entry);

/*
 * What is expected to be the fastest for a problem without a winner. `near` is the near winner that would
 * answer, `reach` away (NULL: none). AT_ERR_NOT_FOUND: no model knows better; expected_s is set where it
 * agrees.
 */
at_status atx_lookup_predict(atx_prediction *out, atx_lookup *lookup, const atx_question *question,
                             const atx_entry *near, double reach, at_error *err) AT_MUST_CHECK;
void atx_foresight_close(atx_foresight *foresight);

void atx_memo_clear(atx_memo *memo);

/* The answer for a problem that has this winner. */
void atx_found_take_exact(atx_found *out, const atx_entry *entry, const atx_question *question);

/* May question.outdated answer, and that answer: the stored row, or as_measured with its template's text.
 * AT_ERR_NOT_FOUND: that text is not there, or not valid. */
bool atx_outdated_may_answer(const atx_question *question);
at_status atx_lookup_outdated(atx_found *out, atx_lookup *lookup, const atx_question *question,
                              bool as_measured, at_error *err) AT_MUST_CHECK;

/* The answer when there is no exact one. */
at_status atx_lookup_near(atx_found *out, atx_lookup *lookup, const atx_question *question,
                          at_error *err) AT_MUST_CHECK;

#endif
