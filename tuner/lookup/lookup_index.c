/*
 * lookup_index.c - winners in memory, by problem: those of the store and the bundled ones.
 *
 * An entry has its sizes and, after its first use, its template and configuration if the template is the one
 * that won. A hash table with chains finds those of a problem, in order of preference (the store's before the
 * bundled ones, cold before warm, then the newest).
 *
 * The winners of a problem, for all devices, are read from the store by one statement at its first look-up.
 * The others of its op and type are read if none of them is the answer, since any may be the nearest. The
 * index knows which problems and ranges were read; a row in both is one entry. Bundled winners are read by
 * op, type and device, and for other devices when the search continues to them.
 *
 * Invariant: entries are the same, in the same order of preference (`order`, that of storing), in whatever
 * order and ranges they are read, so that an answer does not depend on earlier look-ups.
 */
#include "lookup/lookup_internal.h"

#include "lang/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

uint64_t atx_problem_hash(const atx_op *op, const char *type_key, const int64_t *dims)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a over words */
    for (const char *p = op->name; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    for (; *type_key; type_key++)
        h = (h ^ (unsigned char)*type_key) * 0x100000001b3u;
    for (int i = 0; i < atx_problem_size_count(op); i++)
        h = ((h ^ (uint64_t)dims[i]) * 0x100000001b3u) ^ (h >> 29);
    return h;
}

bool atx_entry_is_of(const atx_entry *e, const atx_op *op, const char *type_key, const int64_t *dims)
{
    return e->op == op && strcmp(e->answer.type_key, type_key) == 0 &&
           memcmp(e->dims, dims, (size_t)atx_problem_size_count(op) * sizeof *dims) == 0;
}

/* "@4", "@16x4" or nothing. */
static bool read_aligns(int64_t *aligns, const atx_op *op, const char *shape)
{
    int64_t found[ATX_MAX_ALIGNS] = { ATX_FULL_ALIGN };
    int count = 1;
    if (*shape == '@') {
        shape++;
        count = atx_sizes_read(found, op->shape.align_count, &shape);
    }
    if (*shape || (count != 1 && count != op->shape.align_count))
        return false;
    for (int i = 0; i < op->shape.align_count; i++)
        aligns[i] = found[count == 1 ? 0 : i];
    return true;
}

static bool read_layout(int64_t *dims, const atx_op *op, atx_dtype type, const char *shape)
{
    atx_problem problem;
    if (!atx_layout_read_shape(&problem, op, type, shape))
        return false;
    memcpy(dims, problem.dims, sizeof problem.dims);
    return true;
}

/* "8x4096x128", "4096x4096/4160x4352@16x4" as the op's sizes; false: not a shape of this op. */
static bool read_shape(int64_t *dims, const atx_op *op, const char *shape)
{
    int64_t sizes[ATX_MAX_DIMS];
    int count = atx_sizes_read(sizes, ATX_MAX_DIMS, &shape);
    int left_out = op->shape.dim_count - count;
    if (count < 0 || left_out < 0 || (left_out > 0 && !op->shape.dims[left_out - 1].optional))
        return false;
    for (int i = 0; i < op->shape.dim_count; i++)
        dims[i] = i < left_out ? op->shape.dims[i].value : sizes[i - left_out];
    for (int i = 0; i < op->shape.pitch_count; i++)
        dims[op->shape.dim_count + i] = dims[op->shape.pitches[i].dim];
    if (*shape == '/') {
        shape++;
        if (atx_sizes_read(dims + op->shape.dim_count, op->shape.pitch_count, &shape) !=
            op->shape.pitch_count)
            return false;
    }
    return read_aligns(dims + op->shape.dim_count + op->shape.pitch_count, op, shape);
}

void atx_entry_find_template(atx_entry *e, const atx_catalog *catalog, const atx_winner *w)
{
    const atx_template *t = atx_catalog_find_template(catalog, e->op, w->template_name);
    if (t && atx_template_has_hash(t, w->template_hash) &&
        atx_config_parse(&e->config, t, w->config, NULL) == AT_OK)
        e->t = t;
}

void atx_entry_resolve(atx_entry *e, const atx_catalog *catalog)
{
    if (!e->converged)
        atx_entry_find_template(e, catalog, &e->answer.winner);
    e->converged = true;
}

double atx_traffic_of(const atx_problem *p)
{
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS], bytes = 0;
    if (!p->op->goal.traffic || atx_problem_bind(slots, p, &NO_DEVICE, NULL) != AT_OK ||
        atx_expr_eval(&bytes, p->op->goal.traffic, slots, NULL) != AT_OK)
        return INFINITY;
    return (double)bytes / atx_dtype_bytes(p->type);
}

static double traffic_of(const atx_entry *e, const char *type_key)
{
    atx_problem p = { .op = e->op, .type = atx_dtype_of_key(type_key, e->op->storage) };
    memcpy(p.dims, e->dims, sizeof p.dims);
    return atx_traffic_of(&p);
}

bool atx_shape_is_known(int64_t *dims, const atx_op *op, const char *type_key, const char *shape)
{
    return op->shape.layout_count ? read_layout(dims, op, atx_dtype_of_key(type_key, op->storage), shape)
                                  : read_shape(dims, op, shape);
}

static bool atx_entry_place(atx_entry *e, const atx_answer *answer)
{
    if (!atx_shape_is_known(e->dims, e->op, answer->type_key, answer->shape))
        return false;
    e->hash = atx_problem_hash(e->op, answer->type_key, e->dims);
    e->traffic = traffic_of(e, answer->type_key);
    return true;
}

void atx_index_clear(atx_winner_index *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (!l->entries[i].shipped)
            atx_answer_clear(&l->entries[i].answer);
    free(l->buckets);
    l->buckets = NULL;
    l->count = l->bucket_count = 0;
}

static bool atx_index_add(atx_winner_index *l, const atx_entry *e)
{
    if (!atx_grow(&l->entries, &l->cap, l->count, sizeof *l->entries))
        return false;
    l->entries[l->count++] = *e;
    return true;
}

/* Adds behind all others; entries may lie elsewhere then, unless there is room for so many more. */
static at_status atx_index_reserve(atx_winner_index *l, size_t more, at_error *err)
{
    if (l->count + more <= l->cap)
        return AT_OK;
    atx_entry *grown = realloc(l->entries, (l->count + more) * sizeof *grown);
    if (!grown)
        return atx_no_memory(err);
    l->entries = grown;
    l->cap = l->count + more;
    return AT_OK;
}

/* Which of two winners of a problem is asked first: the store's own, cold before warm, then the newest. Of
 * two with the same rank that which came later. */
static bool goes_first(const atx_entry *a, const atx_entry *b)
{
    if (a->shipped != b->shipped)
        return b->shipped;
    if (a->answer.fingerprint.cold != b->answer.fingerprint.cold)
        return a->answer.fingerprint.cold;
    int order = strcmp(a->answer.rank_at, b->answer.rank_at);
    return order ? order > 0 : a->order > b->order;
}

static at_status grow_buckets(atx_winner_index *l, at_error *err)
{
    l->bucket_count = 16;
    while (l->bucket_count < 2 * l->count)
        l->bucket_count *= 2;
    free(l->buckets);
    l->buckets = malloc(l->bucket_count * sizeof *l->buckets);
    if (!l->buckets)
        return atx_no_memory(err);
    for (size_t i = 0; i < l->bucket_count; i++)
        l->buckets[i] = ATX_NO_ENTRY;
    return AT_OK;
}

/* One that came with the program answers no more where a valid winner of the store's for the same problem and
 * device has a template that is the present one. */
static void hide(atx_winner_index *l, atx_entry *shipped, atx_entry *own)
{
    atx_entry_resolve(own, l->catalog);
    shipped->hidden |= own->t != NULL && !own->answer.invalid;
}

static void hide_beside(atx_winner_index *l, atx_entry *e)
{
    for (size_t i = l->buckets[e->hash & (l->bucket_count - 1)]; i != ATX_NO_ENTRY; i = l->entries[i].next) {
        atx_entry *there = &l->entries[i];
        if (there->shipped != e->shipped && there->hash == e->hash &&
            atx_entry_is_of(there, e->op, e->answer.type_key, e->dims) &&
            atx_entry_is_on(there, e->answer.fingerprint.device))
            hide(l, e->shipped ? e : there, e->shipped ? there : e);
    }
}

at_status atx_index_link(atx_winner_index *l, size_t first, at_error *err)
{
    size_t from = first;
    if (!l->buckets || l->bucket_count < 2 * l->count) {
        ATX_TRY(grow_buckets(l, err));
        from = 0;
    }
    for (size_t i = from; i < l->count; i++) {
        size_t *at = &l->buckets[l->entries[i].hash & (l->bucket_count - 1)];
        while (*at != ATX_NO_ENTRY && !goes_first(&l->entries[i], &l->entries[*at]))
            at = &l->entries[*at].next;
        l->entries[i].next = *at;
        *at = i;
    }
    for (size_t i = first; i < l->count; i++)
        hide_beside(l, &l->entries[i]);
    return AT_OK;
}

static bool is_replayed(const atx_entry *e)
{
    return strncmp(e->answer.fingerprint.device, ATX_REPLAY_NAME, sizeof ATX_REPLAY_NAME - 1) == 0;
}

bool atx_entry_may_answer(const atx_entry *e, const char *device)
{
    return !is_replayed(e) || atx_device_name_is_replay(device);
}

bool atx_entry_is_on(const atx_entry *e, const char *device)
{
    return strcmp(e->answer.fingerprint.device, device) == 0;
}

/* ---- the store's own ---- */

/* Two problems of one hash would only be taken for one that was asked: its rows come with the range. */
static int64_t name_of(uint64_t hash)
{
    return (int64_t)(hash & INT64_MAX);
}

bool atx_own_has(const atx_lookup *l, const atx_op *op, const char *type_key)
{
    if (!l->store)
        return true;
    for (size_t i = 0; i < l->range_count; i++) {
        const atx_loaded_range *p = &l->ranges[i];
        if ((!p->op || p->op == op) && (!p->type_key || (type_key && strcmp(p->type_key, type_key) == 0)))
            return true;
    }
    return false;
}

bool atx_is_of_other_op(atx_store *store, const atx_op *op, const char *op_hash)
{
    char proof_hash[ATX_HASH_TEXT];
    return store && op_hash && op_hash[0] && atx_store_get_space(proof_hash, store, op_hash, NULL) == AT_OK &&
           strcmp(op->text.proof_hash, proof_hash) != 0;
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
    ATX_THEN(status, atx_catalog_failure(l->catalog, err));
    ATX_THEN(status, atx_index_link(&l->index, first, err));
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
    ATX_LOCAL(atx_str) shape = { 0 };
    atx_problem_key key;
    size_t first = l->index.count;
    at_status status = atx_problem_key_of(&key, &shape, problem, err);
    ATX_THEN(status, atx_store_each_newest_for(l->store, &key, keep_entry, l, err));
    return take_rows(l, first, status, err);
}

at_status atx_own_add_asked(atx_lookup *l, const atx_question *q, at_error *err)
{
    if (atx_index_set_has(&l->asked, name_of(q->hash)) || atx_own_has(l, q->problem->op, q->type_key))
        return AT_OK;
    ATX_TRY(read_problem(l, q->problem, err));
    if (!atx_index_set_add(&l->asked, name_of(q->hash)))
        return atx_no_memory(err);
    return AT_OK;
}

at_status atx_own_add(atx_lookup *l, const atx_op *op, const char *type_key, at_error *err)
{
    size_t first = l->index.count;
    if (atx_own_has(l, op, type_key))
        return AT_OK;
    if (!atx_grow(&l->ranges, &l->range_cap, l->range_count, sizeof *l->ranges))
        return atx_no_memory(err);
    at_status status =
        atx_store_each_newest_of(l->store, op ? op->name : NULL, op ? type_key : NULL, keep_entry, l, err);
    status = take_rows(l, first, status, err);
    if (status == AT_OK)
        l->ranges[l->range_count++] = (atx_loaded_range){ op, type_key };
    return status;
}

/* ---- the meaning of an empty name ---- */

/* Measured results before replayed ones. */
static bool is_newer(const atx_entry *a, const atx_entry *b)
{
    if (is_replayed(a) != is_replayed(b))
        return is_replayed(b);
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

/* Only devices that this program knows count. */
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
    ATX_TRY(atx_own_add(l, NULL, NULL, err));
    snprintf(l->newest, sizeof l->newest, "%s", newest_device(l));
    l->newest_known = true;
    return AT_OK;
}

/* ---- those that come with the program ---- */

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

/* Winners of other ops count only if there are none of this one. */
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
