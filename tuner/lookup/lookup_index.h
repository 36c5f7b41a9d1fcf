/*
 * lookup_index.h - winners in memory, by problem: what all searches of a look-up are about. It knows neither
 * store nor question: lookup_own.c and lookup_shipped.c fill it. Private to lookup*.c.
 */
#ifndef AUTOTUNE_LOOKUP_INDEX_H
#define AUTOTUNE_LOOKUP_INDEX_H

#include "lang/catalog.h"
#include "lang/problem.h"
#include "db/store.h"

#define ATX_NO_ENTRY ((size_t)-1)

typedef enum atx_validity { ATX_UNCHECKED, ATX_VALID, ATX_OUTDATED } atx_validity;

/* A winner. `t`, once it is settled, is NULL when its template is not in the catalog, or has another hash
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
    bool damaged;       /* its figures are none that anybody can have measured: it is invalid */
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

void atx_index_clear(atx_winner_index *index); /* room stays */

/* Adds behind all others; entries may lie elsewhere then, unless there is room for so many more. */
bool atx_index_add(atx_winner_index *index, const atx_entry *entry);
at_status atx_index_reserve(atx_winner_index *index, size_t more, at_error *err) AT_MUST_CHECK;

/* Brings the entries from `first` on into their chains, and hides what the store's own replace. */
at_status atx_index_link(atx_winner_index *index, size_t first, at_error *err) AT_MUST_CHECK;

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

/* Elements that must be moved, INFINITY where the op does not tell: bytes of `traffic` over sizeof(T). */
double atx_traffic_of(const atx_problem *problem);

#endif
