/*
 * lookup_index.c - the winners of a store, and of the program, in memory, by problem.
 *
 * A best row of the store becomes an entry when a question is about it (lookup_own.c), if this program knows
 * its op and shape: its sizes, and, when it is looked at, its template and configuration where the template
 * is the one that won. A hash table with chains finds those of a problem; a chain holds what goes first in
 * front (the store's own before the program's, cold before warm, then the newest). The program's are read
 * when the store's have no exact answer.
 *
 * Invariant: entries, chains, `newest` and what is remembered of near answers are all of one version of the
 * file. Another version drops all of them at once, so that no pointer into the old ones is left.
 */
#include "lookup/lookup_index.h"

#include "lang/layout.h"
#include "util/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether the file has changed is asked this often at most: it costs a microsecond, an exact answer less. */
#define REFRESH_S 0.1

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
        count = read_numbers(found, op->align_count, &shape);
    }
    if (*shape || (count != 1 && count != op->align_count))
        return false;
    for (int i = 0; i < op->align_count; i++)
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
    int left_out = op->dim_count - count;
    if (count < 0 || left_out < 0 || (left_out > 0 && !op->dims[left_out - 1].optional))
        return false;
    for (int i = 0; i < op->dim_count; i++)
        dims[i] = i < left_out ? op->dims[i].value : sizes[i - left_out];
    for (int i = 0; i < op->pitch_count; i++)
        dims[op->dim_count + i] = dims[op->pitches[i].dim];
    if (*shape == '/') {
        shape++;
        if (read_numbers(dims + op->dim_count, op->pitch_count, &shape) != op->pitch_count)
            return false;
    }
    return read_aligns(dims + op->dim_count + op->pitch_count, op, shape);
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
    if (!e->settled)
        atx_entry_find_template(e, catalog, &e->answer.winner);
    e->settled = true;
}

bool atx_is_of_other_op(atx_store *store, const atx_op *op, const char *op_hash)
{
    char proof_hash[ATX_HASH_TEXT];
    return store && op_hash && op_hash[0] && atx_store_get_space(proof_hash, store, op_hash, NULL) == AT_OK &&
           strcmp(op->proof_hash, proof_hash) != 0;
}

static double traffic_of(const atx_entry *e, const char *type_key)
{
    atx_problem p = { .op = e->op, .type = atx_dtype_of_key(type_key, e->op->storage) };
    memcpy(p.dims, e->dims, sizeof p.dims);
    return atx_traffic_of(&p);
}

bool atx_shape_is_known(int64_t *dims, const atx_op *op, const char *type_key, const char *shape)
{
    return op->layout_count ? read_layout(dims, op, atx_dtype_of_key(type_key, op->storage), shape)
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

void atx_index_clear(atx_lookup *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (!l->entries[i].shipped)
            atx_answer_clear(&l->entries[i].answer);
    for (int i = 0; l->memo && i < ATX_MEMO_COUNT; i++)
        if (l->memo[i]) {
            atx_memo_clear(l->memo[i]);
            free(l->memo[i]);
        }
    free(l->buckets);
    free(l->memo);
    free(l->groups_read);
    free(l->portions);
    atx_index_set_clear(&l->asked);
    atx_foresight_close(l->foresight);
    l->foresight = NULL;
    l->buckets = NULL;
    l->memo = NULL;
    l->groups_read = NULL;
    l->portions = NULL;
    l->newest_known = false;
    l->named.name[0] = '\0';
    l->space_op = NULL;
    l->count = l->bucket_count = l->portion_count = l->portion_cap = 0;
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

static at_status grow_buckets(atx_lookup *l, at_error *err)
{
    l->bucket_count = 16;
    while (l->bucket_count < 2 * l->count)
        l->bucket_count *= 2;
    free(l->buckets);
    l->buckets = malloc(l->bucket_count * sizeof *l->buckets);
    if (!l->buckets)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < l->bucket_count; i++)
        l->buckets[i] = ATX_NO_ENTRY;
    return AT_OK;
}

/* One of the program's answers no more where a valid winner of the store's for the same problem and device
 * has a template that is the present one: see is_known of lookup_shipped.c, where it comes after that. */
static void hide_shipped(atx_lookup *l, atx_entry *own)
{
    for (size_t i = l->buckets[own->hash & (l->bucket_count - 1)]; i != ATX_NO_ENTRY;
         i = l->entries[i].next) {
        atx_entry *e = &l->entries[i];
        if (!e->shipped || e->hash != own->hash ||
            !atx_entry_is_of(e, own->op, own->answer.type_key, own->dims) ||
            strcmp(e->answer.fingerprint.device, own->answer.fingerprint.device) != 0)
            continue;
        atx_entry_settle(own, l->catalog);
        e->hidden = own->t != NULL && !own->answer.invalid;
    }
}

at_status atx_index_link(atx_lookup *l, size_t first, at_error *err)
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
    for (size_t i = first; i < l->count && l->groups_read; i++)
        if (!l->entries[i].shipped)
            hide_shipped(l, &l->entries[i]);
    return AT_OK;
}

bool atx_entry_is_replayed(const atx_entry *e)
{
    return strncmp(e->answer.fingerprint.device, ATX_REPLAY_NAME, sizeof ATX_REPLAY_NAME - 1) == 0;
}

/* That of the program is opened when trials of its winners are asked for. */
at_status atx_entry_store(atx_store **out, atx_lookup *l, const atx_entry *e, at_error *err)
{
    at_status status = e->shipped && !l->shipped ? atx_store_open_shipped(&l->shipped, err) : AT_OK;
    *out = e->shipped ? l->shipped : l->store;
    return status;
}

at_status atx_index_refresh(atx_lookup *l, at_error *err)
{
    int64_t version = 0;
    double now = atx_now_s();
    if (!l->buckets) /* reading them has failed */
        return atx_index_open(l, err);
    if (!l->store || now - l->checked_s < REFRESH_S)
        return AT_OK;
    at_status status = atx_store_data_version(&version, l->store, err);
    if (status == AT_OK && version != l->version)
        return atx_index_open(l, err);
    if (status == AT_OK)
        l->checked_s = now;
    return status;
}

at_status atx_index_open(atx_lookup *l, at_error *err)
{
    atx_index_clear(l);
    at_status status = l->store ? atx_store_data_version(&l->version, l->store, err) : AT_OK;
    if (status == AT_OK)
        status = atx_index_begin(l, err);
    l->checked_s = atx_now_s();
    return status;
}

bool atx_entry_may_answer(const atx_entry *e, const char *device)
{
    return !atx_entry_is_replayed(e) || atx_device_name_is_replay(device);
}

bool atx_entry_is_on(const atx_entry *e, const char *device)
{
    return strcmp(e->answer.fingerprint.device, device) == 0;
}
