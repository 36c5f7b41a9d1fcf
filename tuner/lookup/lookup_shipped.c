/*
 * lookup_shipped.c - the winners that come with the program, as entries of a look-up: those of the op and
 * type asked about, on the devices that it is asked for, and others when the search goes on to them.
 *
 * Invariant: entries are the same, in the same order of preference (`order`), whenever and in whatever
 * portions they are read, so that an answer does not depend on what was asked before.
 */
#include "lookup/lookup_parts.h"

#include <stdlib.h>
#include <string.h>

#define BEHIND_ALL ((uint64_t)1 << 63) /* the order of the store's own is below that */

static void keep_row(atx_lookup *l, const atx_op *op, uint32_t row)
{
    atx_shipped_row r;
    atx_shipped_read(&r, row);
    atx_entry e = { .op = op, .shipped = true, .order = BEHIND_ALL + r.rank };
    if (!atx_entry_place(&e, &r.answer))
        return;
    e.other_op = *r.proof && strcmp(op->text.proof_hash, r.proof) != 0;
    e.answer = r.answer;
    l->index.entries[l->index.count++] = e; /* there is room: begin_op */
}

/* Is the group of this op and type, not read yet, and on the device (NULL: any), or on another one? */
static bool is_wanted(const atx_lookup *l, size_t i, const atx_op *op, const char *type_key,
                      const char *device, bool on_device)
{
    const atx_shipped_group *g = &atx_shipped_groups[i];
    return !l->groups_read[i] && strcmp(g->op, op->name) == 0 &&
           (!type_key || strcmp(g->type_key, type_key) == 0) &&
           (!device || strcmp(g->device, device) == 0) == on_device;
}

/* Room for all of the op's at once: what points to entries stays right while a question is answered. */
static at_status begin_op(atx_lookup *l, const atx_op *op, at_error *err)
{
    size_t rows = 0;
    if (!l->groups_read && !(l->groups_read = calloc(atx_shipped_group_count + 1, sizeof *l->groups_read)))
        return atx_no_memory(err);
    for (size_t i = 0; i < atx_shipped_group_count; i++)
        if (!l->groups_read[i] && strcmp(atx_shipped_groups[i].op, op->name) == 0)
            rows += atx_shipped_groups[i].count;
    return atx_index_reserve(&l->index, rows, err);
}

at_status atx_shipped_add(atx_lookup *l, const atx_op *op, const char *type_key, const char *device,
                          bool on_device, at_error *err)
{
    size_t before = l->index.count;
    if (!l->with_shipped)
        return AT_OK;
    at_status status = begin_op(l, op, err);
    for (size_t i = 0; i < atx_shipped_group_count && status == AT_OK; i++) {
        if (!is_wanted(l, i, op, type_key, device, on_device))
            continue;
        for (uint32_t k = 0; k < atx_shipped_groups[i].count; k++)
            keep_row(l, op, atx_shipped_groups[i].first + k);
        l->groups_read[i] = true;
    }
    return status == AT_OK && l->index.count > before ? atx_index_link(&l->index, before, err) : status;
}

/* How many winners of the op (NULL: of all) are on the device, and the rank of the newest. */
static uint32_t count_on(uint32_t *newest, const atx_shipped_group *groups, size_t count, const char *op,
                         const char *device)
{
    uint32_t winners = 0;
    *newest = 0;
    for (const atx_shipped_group *g = groups; g < groups + count; g++) {
        if ((op && strcmp(g->op, op) != 0) || strcmp(g->device, device) != 0)
            continue;
        winners += g->count;
        *newest = g->newest > *newest ? g->newest : *newest;
    }
    return winners;
}

static const char *most_known_device(const atx_shipped_group *groups, size_t count, const char *op)
{
    const char *most = "";
    uint32_t winners = 0, newest = 0, newest_there;
    for (size_t i = 0; i < count; i++) {
        uint32_t there = count_on(&newest_there, groups, count, op, groups[i].device);
        if (there > winners || (there && there == winners && newest_there > newest)) {
            most = groups[i].device;
            winners = there;
            newest = newest_there;
        }
    }
    return most;
}

/* What is there of other ops says nothing, unless there is nothing of this one. */
const char *atx_shipped_device(const atx_shipped_group *groups, size_t count, const char *op,
                               const char *here)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(groups[i].device, here) == 0)
            return groups[i].device;
    const char *device = most_known_device(groups, count, op);
    return *device ? device : most_known_device(groups, count, NULL);
}

/* That of the program is opened when trials of its winners are asked for. */
at_status atx_entry_store(atx_store **out, atx_lookup *l, const atx_entry *e, at_error *err)
{
    at_status status = e->shipped && !l->shipped ? atx_store_open_shipped(&l->shipped, err) : AT_OK;
    *out = e->shipped ? l->shipped : l->store;
    return status;
}
