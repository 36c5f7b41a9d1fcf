/*
 * lookup_own.c - the store's own winners, as entries of a look-up, when a question is about them.
 *
 * A problem's are read by one statement when it is first asked about, those of all devices. The others of its
 * op and type come when none of them is the answer, since any may be the nearest. What is read, and when, is
 * known by problem and by portion; a row that both bring is one entry.
 *
 * Invariant: entries are the same, in the same order of preference (`order`, that of storing), whenever and
 * in whatever portions they are read, so that an answer does not depend on what was asked before.
 */
#include "lookup/lookup_parts.h"

#include <stdio.h>
#include <string.h>

/* Two problems of one hash would only be taken for one that was asked: its rows come with the portion. */
static int64_t name_of(uint64_t hash)
{
    return (int64_t)(hash & INT64_MAX);
}

bool atx_own_has(const atx_lookup *l, const atx_op *op, const char *type_key)
{
    if (!l->store)
        return true;
    for (size_t i = 0; i < l->portion_count; i++) {
        const atx_portion *p = &l->portions[i];
        if ((!p->op || p->op == op) && (!p->type_key || (type_key && strcmp(p->type_key, type_key) == 0)))
            return true;
    }
    return false;
}

/* Was the op's text another one when the winner was found? Most were found in one space. */
static bool is_of_other_op(atx_lookup *l, const atx_entry *e, const char *op_hash)
{
    if (!op_hash)
        return false;
    if (l->space_op != e->op || strcmp(l->space, op_hash) != 0) {
        l->space_op = e->op;
        snprintf(l->space, sizeof l->space, "%s", op_hash);
        l->space_is_other = atx_is_of_other_op(l->store, e->op, op_hash);
    }
    return l->space_is_other;
}

static bool is_there(const atx_lookup *l, const atx_entry *e, int64_t id)
{
    const atx_winner_index *x = &l->index;
    size_t i = x->buckets ? x->buckets[e->hash & (x->bucket_count - 1)] : ATX_NO_ENTRY;
    while (i != ATX_NO_ENTRY && (x->entries[i].shipped || x->entries[i].answer.id != id))
        i = x->entries[i].next;
    return i != ATX_NO_ENTRY;
}

static bool keep_entry(void *context, atx_answer *answer)
{
    atx_lookup *l = context;
    atx_entry e = { .op = atx_catalog_find_op(l->catalog, answer->op), .order = (uint64_t)answer->id };
    e.order &= INT64_MAX; /* a file may have any number there */
    if (!e.op || !atx_entry_place(&e, answer) || is_there(l, &e, answer->id))
        return true;
    e.other_op = is_of_other_op(l, &e, answer->winner.op_hash);
    e.answer = *answer;
    e.damaged = atx_winner_check(&answer->winner, NULL) != AT_OK;
    e.answer.invalid |= e.damaged;
    l->out_of_memory = !atx_index_add(&l->index, &e);
    if (!l->out_of_memory)
        *answer = (atx_answer){ 0 };
    return !l->out_of_memory;
}

/* What was read, from `first` on. Half of it would answer for all: on failure the look-up forgets everything.
 */
static at_status take_rows(atx_lookup *l, size_t first, at_status status, at_error *err)
{
    if (status == AT_OK && l->out_of_memory)
        status = atx_no_memory(err);
    if (status == AT_OK)
        status = atx_catalog_failure(l->catalog, err);
    if (status == AT_OK)
        status = atx_index_link(&l->index, first, err);
    l->out_of_memory = false;
    return status;
}

at_status atx_own_begin(atx_lookup *l, at_error *err)
{
    at_status status = l->store ? atx_store_each_newest_last(l->store, keep_entry, l, err) : AT_OK;
    return take_rows(l, 0, status, err);
}

static at_status read_problem(atx_lookup *l, const atx_problem *problem, at_error *err)
{
    atx_str shape = { 0 };
    atx_problem_key key;
    size_t first = l->index.count;
    at_status status = atx_problem_key_of(&key, &shape, problem, err);
    if (status == AT_OK)
        status = atx_store_each_newest_for(l->store, &key, keep_entry, l, err);
    atx_str_clear(&shape);
    return take_rows(l, first, status, err);
}

at_status atx_own_add_asked(atx_lookup *l, const atx_question *q, at_error *err)
{
    if (atx_index_set_has(&l->asked, name_of(q->hash)) || atx_own_has(l, q->problem->op, q->type_key))
        return AT_OK;
    at_status status = read_problem(l, q->problem, err);
    if (status == AT_OK && !atx_index_set_add(&l->asked, name_of(q->hash)))
        status = atx_no_memory(err);
    return status;
}

at_status atx_own_add(atx_lookup *l, const atx_op *op, const char *type_key, at_error *err)
{
    size_t first = l->index.count;
    if (atx_own_has(l, op, type_key))
        return AT_OK;
    if (!atx_grow(&l->portions, &l->portion_cap, l->portion_count, sizeof *l->portions))
        return atx_no_memory(err);
    at_status status =
        atx_store_each_newest_of(l->store, op ? op->name : NULL, op ? type_key : NULL, keep_entry, l, err);
    status = take_rows(l, first, status, err);
    if (status == AT_OK)
        l->portions[l->portion_count++] = (atx_portion){ op, type_key };
    return status;
}

/* ---- what an empty name stands for ---- */

/* What was measured before what was replayed. */
static bool is_newer(const atx_entry *a, const atx_entry *b)
{
    if (atx_entry_is_replayed(a) != atx_entry_is_replayed(b))
        return atx_entry_is_replayed(b);
    int order = strcmp(a->answer.rank_at, b->answer.rank_at);
    return order ? order > 0 : a->order > b->order;
}

static const char *newest_device(const atx_lookup *l)
{
    const atx_entry *newest = NULL;
    for (size_t i = 0; i < l->index.count; i++) {
        const atx_entry *e = &l->index.entries[i];
        if (!e->shipped && (!newest || is_newer(e, newest)))
            newest = e;
    }
    return newest ? newest->answer.fingerprint.device : "";
}

/* Only what this program knows counts. */
static void take_device(void *context, const char *device, const atx_problem_key *tuned)
{
    atx_lookup *l = context;
    int64_t dims[ATX_MAX_SIZES];
    const atx_op *op = atx_catalog_find_op(l->catalog, tuned->op);
    l->newest_known = op && atx_shape_is_known(dims, op, tuned->type_key, tuned->shape);
    if (l->newest_known)
        snprintf(l->newest, sizeof l->newest, "%s", device);
}

at_status atx_own_find_newest(atx_lookup *l, at_error *err)
{
    if (!l->store || l->newest_known)
        return AT_OK;
    at_status status = atx_store_newest_device(l->store, take_device, l, err);
    if (status != AT_OK || l->newest_known)
        return status;
    status = atx_own_add(l, NULL, NULL, err);
    if (status != AT_OK)
        return status;
    snprintf(l->newest, sizeof l->newest, "%s", newest_device(l));
    l->newest_known = true;
    return AT_OK;
}
