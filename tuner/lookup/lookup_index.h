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

#define AT__NO_ENTRY ((size_t)-1)

typedef enum at__standing { AT__UNCHECKED, AT__STANDS, AT__OUTDATED } at__standing;

/* A winner. `t`, once it is settled, is NULL when its template is not in the catalog, or has another hash
 * there. */
typedef struct at__entry {
    at__answer answer; /* among the index' entries those of shipped ones are borrowed; else its own */
    bool shipped;      /* it came with the program */
    bool hidden;       /* it did, and the store has an answer for just this */
    bool settled;      /* its template was looked for */
    uint64_t order;    /* of two that are as good the lower goes first */
    const at__op *op;
    const at__template *t;
    bool other_op; /* the op's own file was changed since */
    at__config config;
    int64_t dims[AT__MAX_SIZES];
    double traffic; /* at__traffic_of its problem */
    uint64_t hash;
    size_t next;        /* in its bucket */
    bool failure_known; /* of one that came with the program: the store was asked for answer.invalid */
    /* Whether it still answers its own problem, and the geometry there; found out when first asked for. */
    at__standing standing;
    at__geometry geometry;
} at__entry;

/* What is asked, as both files need it. */
typedef struct at__question {
    const at__problem *problem;
    const char *type_key;
    const char *device; /* its name in full; "": any that the program knows */
    int64_t cc, sms;    /* 0: unknown                                       */
    uint64_t hash;
    at__entry *outdated; /* the problem's own winner, which cannot be used any more; or NULL */
} at__question;

/* What a model expects (lookup_predict.c). */
typedef struct at__prediction {
    at__entry entry; /* its answer belongs to who asked */
    at__geometry geometry;
    double expected_s, doubt;
    bool shipped, own; /* own: the model learned on the device that is asked for */
    char why[640];
    char broken[256]; /* also when nothing is expected */
} at__prediction;

typedef struct at__foresight at__foresight;

/* Winners of the store that are all among the entries. */
typedef struct at__portion {
    const at__op *op;     /* NULL: of all ops   */
    const char *type_key; /* NULL: of all types */
} at__portion;

/* An answer that took a search; forgotten when the store changes, or when another takes its place. */
typedef struct at__memo {
    const at__op *op; /* NULL: free */
    at__dtype type;
    uint64_t hash;
    int64_t dims[AT__MAX_SIZES], cc, sms;
    char device[128];
    at__match match;
    size_t entry;             /* AT__NO_ENTRY: none */
    at__entry *runner_up;     /* in its place; NULL: none */
    size_t excluded;          /* when it was found, so many exclusions were known */
    bool own;                 /* it is the problem's own  */
    bool refused;             /* there are winners, none of which answers */
    bool by_model;            /* runner_up is what a model expects */
    double expected_s, doubt; /* of that, or of a near one         */
    at__geometry geometry;
    char why[1200];
} at__memo;

struct at__lookup {
    at__store *store;   /* NULL: none                                       */
    at__store *shipped; /* what came with the program; NULL: not opened yet */
    bool with_shipped;  /* it may answer                                    */
    bool *groups_read;  /* which of at__shipped_groups are among the entries; NULL: none */
    const at__catalog *catalog;
    const at__exclusions *exclusions; /* NULL: none */
    at__entry *entries;
    size_t count, cap;
    at__portion *portions;
    size_t portion_count, portion_cap;
    at__index_set asked; /* problems (at__problem_hash) whose winners of the store's are among the entries */
    size_t *buckets, bucket_count;
    at__memo **memo;           /* AT__MEMO_COUNT places, by hash; made when they are needed */
    at__foresight *foresight;  /* models; NULL: not read yet */
    at__target named, meant;   /* at__lookup_meant: its last question and the answer; "": none     */
    char newest[128];          /* the device of the store's newest winner: what an empty name stands for */
    bool newest_known;         /* it was looked for; else `newest` says nothing                          */
    char here[128];            /* where it has none, of the program's winners those of this model go before */
    char space[AT__HASH_TEXT]; /* what was last asked in at__is_of_other_op, and the answer */
    const at__op *space_op;
    bool space_is_other;
    int64_t version;
    double checked_s;
    bool out_of_memory;
};
#define AT__MEMO_COUNT 1024 /* a power of two */

/* Begins; begins anew when the file has changed since; forgets all entries. */
at_status at__index_open(at__lookup *lookup, at_error *err) AT_MUST_CHECK;
at_status at__index_refresh(at__lookup *lookup, at_error *err) AT_MUST_CHECK;
void at__index_clear(at__lookup *lookup);

/*
 * The store's winners, if they are not there yet (lookup_own.c): the first few, by which a file that cannot
 * be read is known; those of a question's problem; all of an op (NULL: of all) and type (NULL: of all).
 * Entries may lie elsewhere then. A failure leaves none.
 */
at_status at__index_begin(at__lookup *lookup, at_error *err) AT_MUST_CHECK;
at_status at__index_add_asked(at__lookup *lookup, const at__question *question, at_error *err) AT_MUST_CHECK;
at_status at__index_add_own(at__lookup *lookup, const at__op *op, const char *type_key,
                            at_error *err) AT_MUST_CHECK;

bool at__index_has_own(const at__lookup *lookup, const at__op *op, const char *type_key); /* are all there? */

/* Sets `newest`. */
at_status at__index_find_newest(at__lookup *lookup, at_error *err) AT_MUST_CHECK;

/* Adds the winners of the op and type (NULL: of all) that came with the program, on the device of this name
 * (NULL: on all), or on all others, unless they are there or not wanted (lookup_shipped.c). While one op
 * is asked about, entries stay where they are. */
at_status at__index_add_shipped(at__lookup *lookup, const at__op *op, const char *type_key,
                                const char *device, bool on_device, at_error *err) AT_MUST_CHECK;

/* The device of theirs that is meant where none is named: this machine's, else that with the most winners of
 * the op, of as many that with the newest of them. "": there is none. */
const char *at__shipped_device(const at__shipped_group *groups, size_t count, const char *op,
                               const char *here);

/* Brings the entries from `first` on into their chains. */
at_status at__index_link(at__lookup *lookup, size_t first, at_error *err) AT_MUST_CHECK;

/* Where the entry's trials are. */
at_status at__entry_store(at__store **out, at__lookup *lookup, const at__entry *entry,
                          at_error *err) AT_MUST_CHECK;

/* The sizes of an answer's problem, its hash, its traffic. false: this program does not know such a shape, or
 * the figures are none that anybody has measured. */
bool at__entry_place(at__entry *entry, const at__answer *answer);
bool at__shape_is_known(int64_t *dims, const at__op *op, const char *type_key, const char *shape);

uint64_t at__problem_hash(const at__op *op, const char *type_key, const int64_t *dims);
bool at__entry_is_of(const at__entry *entry, const at__op *op, const char *type_key, const int64_t *dims);

/* Its template and configuration, when the template is the one that won; else its `t` stays NULL. A template
 * is read for that: of the entries that are looked at, when they are. */
void at__entry_find_template(at__entry *entry, const at__catalog *catalog, const at__winner *winner);
void at__entry_settle(at__entry *entry, const at__catalog *catalog);

/* A replayed winner answers only who asks for a replay: others get what was measured. */
bool at__entry_may_answer(const at__entry *entry, const char *device);
bool at__entry_is_replayed(const at__entry *entry);

/* Is the winner's device the one of this name? */
bool at__entry_is_on(const at__entry *entry, const char *device);

/* Limits of a device of which cc and sms are known (0: not), else those of another one. */
void at__limits_on(at__limits *out, const at__fingerprint *known, int64_t cc, int64_t sms);

/*
 * Whether the winner's configuration satisfies its template's requirements for this problem; its geometry
 * there. cc and sms are those of the device to run on; 0: those of the winner's own. When it does not, *err
 * says what it breaks.
 */
at_status at__entry_fits(at__geometry *geometry, const at__entry *entry, const at__problem *problem,
                         int64_t cc, int64_t sms, at_error *err) AT_MUST_CHECK;

/*
 * Whether something is known against an entry whose requirements hold: what was measured later shows that it
 * fails, on its own problem or on the question's, or it is excluded. AT_ERR_NOT_FOUND, and *why (NULL: nobody
 * asks) says it. AT_OK: nothing is. AT_ERR_STORE.
 */
at_status at__entry_usable(at__str *why, at__lookup *lookup, at__entry *entry, const at__question *question,
                           at_error *err) AT_MUST_CHECK;

/* The same, and where its template is another one because its headers are, or are missing, *err says which.
 */
at_status at__entry_refusal(const at__entry *entry, at__store *store, const at__catalog *catalog,
                            const at__problem *problem, int64_t cc, int64_t sms, at_error *err) AT_MUST_CHECK;

/*
 * The distance of two problems of an op, 0 or more: 1 is a factor of two in one dimension. Elements there
 * count as if they were of this problem's type. `traffic` is this problem's.
 */
double at__shape_distance(const at__entry *there, const at__problem *problem, double traffic);

/* What it adds that the entry is of another device, by what is known of both. */
double at__device_distance(const at__entry *entry, const at__gpu_model *device);

/* Elements that must be moved, INFINITY where the op does not tell: bytes of `traffic` over sizeof(T). */
double at__traffic_of(const at__problem *problem);

/* A unit of distance between problems is worth 0.7 % of the time: twice the time costs so many. */
#define AT__SLOWER_COST 100.0

/*
 * What it costs, in units of distance, that more threads share an element of this problem than of the one
 * that the entry is of: they stand idle beside edges. `here` is the launch that at__entry_fits found.
 */
double at__entry_idle_cost(const at__entry *entry, const at__geometry *here, const at__problem *problem);

/* A trial that takes its problem's winner's place. */
typedef struct at__runner_up {
    at__entry entry;       /* its answer belongs to who asked */
    at__geometry geometry; /* on the problem that was asked about */
    double cost;           /* in units of distance: to be slower than the winner, and to have idle threads */
} at__runner_up;

/*
 * The trial of a winner's problem, on its device model and cold or warm as it was, that fits the question's
 * problem (the same, or another) and promises most. AT_ERR_NOT_FOUND: none fits.
 */
at_status at__lookup_runner_up(at__runner_up *out, at__lookup *lookup, const at__entry *winner,
                               const at__question *question, at_error *err) AT_MUST_CHECK;

/* What was tried of a winner's problem on its device model, with any outcome, as lines of a text; and whether
 * the configuration of another entry, with its template as it was there, is among them. */
at_status at__lookup_list_tried(at__str *out, at__lookup *lookup, const at__entry *winner,
                                at_error *err) AT_MUST_CHECK;
bool at__lookup_was_tried(const at__str *tried, const at__entry *entry);

/*
 * What is expected to be the fastest for a problem without a winner. `near` is the near winner that would
 * answer, `reach` away (NULL: none). AT_ERR_NOT_FOUND: no model knows better; expected_s is set where it
 * agrees.
 */
at_status at__lookup_predict(at__prediction *out, at__lookup *lookup, const at__question *question,
                             const at__entry *near, double reach, at_error *err) AT_MUST_CHECK;
void at__foresight_close(at__foresight *foresight);

void at__memo_clear(at__memo *memo);

/* The answer when there is no exact one. */
at_status at__lookup_near(at__found *out, at__lookup *lookup, const at__question *question,
                          at_error *err) AT_MUST_CHECK;

#endif
