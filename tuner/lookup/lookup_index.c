/*
 * lookup_index.c - winners in memory, by problem, wherever they come from (lookup_own.c, lookup_shipped.c).
 *
 * An entry has its sizes and, when it is looked at, its template and configuration where the template is the
 * one that won. A hash table with chains finds those of a problem; a chain holds what goes first in front
 * (the store's own before the program's, cold before warm, then the newest).
 */
#include "lookup/lookup_index.h"

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

/* "4096x4160": numbers joined by 'x', at most `max`. Returns how many, -1: none or too many; *text moves on.
 */
static int read_numbers(int64_t *out, int max, const char **text)
{
    int count = 0;
    while (count < max) {
        char *end;
        out[count++] = strtoll(*text, &end, 10);
        if (end == *text)
            return -1;
        *text = end;
        if (*end != 'x')
            return count;
        ++*text;
    }
    return -1;
}

/* "@4", "@16x4" or nothing. */
static bool read_aligns(int64_t *aligns, const atx_op *op, const char *shape)
{
    int64_t found[ATX_MAX_ALIGNS] = { ATX_FULL_ALIGN };
    int count = 1;
    if (*shape == '@') {
        shape++;
        count = read_numbers(found, op->shape.align_count, &shape);
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
    int count = read_numbers(sizes, ATX_MAX_DIMS, &shape);
    int left_out = op->shape.dim_count - count;
    if (count < 0 || left_out < 0 || (left_out > 0 && !op->shape.dims[left_out - 1].optional))
        return false;
    for (int i = 0; i < op->shape.dim_count; i++)
        dims[i] = i < left_out ? op->shape.dims[i].value : sizes[i - left_out];
    for (int i = 0; i < op->shape.pitch_count; i++)
        dims[op->shape.dim_count + i] = dims[op->shape.pitches[i].dim];
    if (*shape == '/') {
        shape++;
        if (read_numbers(dims + op->shape.dim_count, op->shape.pitch_count, &shape) != op->shape.pitch_count)
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

void atx_entry_settle(atx_entry *e, const atx_catalog *catalog)
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

bool atx_entry_place(atx_entry *e, const atx_answer *answer)
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

bool atx_index_add(atx_winner_index *l, const atx_entry *e)
{
    if (!atx_grow(&l->entries, &l->cap, l->count, sizeof *l->entries))
        return false;
    l->entries[l->count++] = *e;
    return true;
}

at_status atx_index_reserve(atx_winner_index *l, size_t more, at_error *err)
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
    atx_entry_settle(own, l->catalog);
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
        at_status status = grow_buckets(l, err);
        if (status != AT_OK)
            return status;
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

bool atx_entry_is_replayed(const atx_entry *e)
{
    return strncmp(e->answer.fingerprint.device, ATX_REPLAY_NAME, sizeof ATX_REPLAY_NAME - 1) == 0;
}

bool atx_entry_may_answer(const atx_entry *e, const char *device)
{
    return !atx_entry_is_replayed(e) || atx_device_name_is_replay(device);
}

bool atx_entry_is_on(const atx_entry *e, const char *device)
{
    return strcmp(e->answer.fingerprint.device, device) == 0;
}
