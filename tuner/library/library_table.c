/*
 * library_table.c - the table of prepared problems: a hash table over the problem, the buffers' alignment and
 * the context. Entries never move, and live until the tuner closes; at_forget only hides them.
 */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of_layout(uint64_t hash, const at_layout *l)
{
    for (int i = 0; i < l->rank; i++)
        hash = mix(mix(mix(hash, (uint64_t)l->extents[i]), (uint64_t)l->strides_in[i]),
                   (uint64_t)l->strides_out[i]);
    return hash;
}

uint64_t atx_asking_hash(const atx_asking *a)
{
    const at_problem *problem = a->problem;
    uint64_t steps = 0;
    for (size_t i = 0; i < sizeof a->steps / sizeof(uint64_t); i++)
        steps += a->steps.words[i] << 5 * i;
    for (int i = 0; i < AT_MAX_ALIGNMENTS; i++) /* small numbers: one round for all */
        steps += (uint64_t)problem->alignments[i] << (i * 3 + 7);
    uint64_t hash =
        mix(mix(a->context, steps), (uint64_t)problem->type << 32 | (unsigned)problem->size_count);
    for (int i = 0; i < problem->size_count; i++)
        hash = mix(hash, (uint64_t)problem->sizes[i]);
    for (int i = 0; i < AT_MAX_PITCHES; i++)
        if (problem->pitches[i])
            hash = mix(hash + (unsigned)i, (uint64_t)problem->pitches[i]);
    for (const char *c = problem->op; *c; c++)
        hash = mix(hash, (unsigned char)*c);
    return a->layout ? hash_of_layout(hash, a->layout) : hash;
}

static bool same_layout(const at_layout *a, const at_layout *b)
{
    size_t bytes = (size_t)a->rank * sizeof *a->extents;
    return a->rank == b->rank && memcmp(a->extents, b->extents, bytes) == 0 &&
           memcmp(a->strides_in, b->strides_in, bytes) == 0 &&
           memcmp(a->strides_out, b->strides_out, bytes) == 0;
}

/* Of an op without sizes: its layout is compared last, when it is known to be one of an op that has such. */
static bool same_problem(const at_problem *a, const at_problem *b)
{
    return a->type == b->type && a->size_count == b->size_count &&
           memcmp(a->sizes, b->sizes, (size_t)a->size_count * sizeof *a->sizes) == 0 &&
           memcmp(a->pitches, b->pitches, sizeof a->pitches) == 0 &&
           memcmp(a->alignments, b->alignments, sizeof a->alignments) == 0 && strcmp(a->op, b->op) == 0 &&
           (a->size_count > 0 || same_layout(&a->layout, &b->layout));
}

atx_prepared *atx_table_find(const atx_table *table, const atx_asking *a)
{
    if (!table->bucket_count)
        return NULL;
    atx_prepared *p = table->buckets[a->hash & (table->bucket_count - 1)];
    while (p &&
           !(!p->replaced && p->hash == a->hash && p->context == a->context &&
             memcmp(&p->steps, &a->steps, sizeof a->steps) == 0 && same_problem(&p->problem, a->problem)))
        p = p->next;
    return p;
}

static void link_entry(atx_table *table, atx_prepared *p)
{
    atx_prepared **bucket = &table->buckets[p->hash & (table->bucket_count - 1)];
    p->next = *bucket;
    *bucket = p;
}

static bool grow_table(atx_table *table)
{
    atx_table more = { .bucket_count = table->bucket_count ? 2 * table->bucket_count : 64,
                       .count = table->count };
    more.buckets = calloc(more.bucket_count, sizeof *more.buckets);
    if (!more.buckets)
        return false;
    for (size_t i = 0; i < table->bucket_count; i++)
        for (atx_prepared *p = table->buckets[i], *next; p; p = next) {
            next = p->next;
            link_entry(&more, p);
        }
    free(table->buckets);
    *table = more;
    return true;
}

at_status atx_table_add(at_tuner *tuner, atx_prepared *p, atx_prepared *old, at_error *err)
{
    pthread_rwlock_wrlock(&tuner->table_lock);
    bool room = tuner->table.count < tuner->table.bucket_count || grow_table(&tuner->table);
    if (room) {
        link_entry(&tuner->table, p);
        tuner->table.count++;
        if (old)
            old->replaced = true;
    }
    pthread_rwlock_unlock(&tuner->table_lock);
    return room ? AT_OK : atx_no_memory(err);
}

/* ---- forgetting, and the end ---- */

/* Of one context, or of all. `table_lock` is held for writing. */
static void hide_entries(atx_table *table, uint64_t context, bool all)
{
    for (size_t i = 0; i < table->bucket_count; i++)
        for (atx_prepared *p = table->buckets[i]; p; p = p->next)
            p->replaced = p->replaced || all || p->context == context;
}

static bool is_loaded(const at_tuner *tuner, const atx_kept_code *code)
{
    const atx_loaded *l = tuner->loaded;
    while (l && l->code != code)
        l = l->next;
    return l != NULL;
}

static void free_unloaded_codes(at_tuner *tuner)
{
    for (atx_kept_code **at = &tuner->codes, *code; (code = *at);) {
        if (is_loaded(tuner, code)) {
            at = &code->next;
            continue;
        }
        *at = code->next;
        atx_str_clear(&code->bytes);
        free(code);
    }
}

/* Of one context, or of all: kernels of a context that is not current, or gone, are left to it. */
static void unload(at_tuner *tuner, atx_gpu *gpu, uint64_t current, bool all)
{
    for (atx_loaded **at = &tuner->loaded, *l; (l = *at);) {
        if (!all && l->context != current) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        atx_gpu_unload(l->context == current ? gpu : NULL, l->module);
        free(l);
    }
    free_unloaded_codes(tuner);
}

at_status at_forget(at_tuner *tuner, at_error *err)
{
    uint64_t context = 0;
    if (!tuner)
        return atx_fail(err, AT_ERR_USAGE, "at_forget: expected a tuner; found NULL");
    atx_gpu *gpu = atomic_load(&tuner->gpu);
    at_status status = gpu ? atx_gpu_current(&context, gpu, err) : AT_OK;
    if (!gpu || status != AT_OK)
        return status; /* nothing was ever loaded, or not here */
    pthread_mutex_lock(&tuner->slow);
    pthread_rwlock_wrlock(&tuner->table_lock);
    hide_entries(&tuner->table, context, false);
    unload(tuner, gpu, context, false);
    pthread_rwlock_unlock(&tuner->table_lock);
    pthread_mutex_unlock(&tuner->slow);
    return AT_OK;
}

at_status at_renew(at_tuner *tuner, at_error *err)
{
    if (!tuner)
        return atx_fail(err, AT_ERR_USAGE, "at_renew: expected a tuner; found NULL");
    pthread_mutex_lock(&tuner->slow);
    at_status status = atx_tuning_see(tuner, err);
    pthread_rwlock_wrlock(&tuner->table_lock);
    hide_entries(&tuner->table, 0, true);
    pthread_rwlock_unlock(&tuner->table_lock);
    pthread_mutex_unlock(&tuner->slow);
    return status;
}

void atx_prepared_close(atx_prepared *p)
{
    atx_later_free(p->later);
    atx_finding_close(p->finding);
    atx_build_clear(&p->build);
    free(p);
}

void atx_library_unload(at_tuner *tuner)
{
    uint64_t context = 0;
    atx_gpu *gpu = atomic_load(&tuner->gpu);
    bool current = gpu && tuner->loaded && atx_gpu_current(&context, gpu, NULL) == AT_OK;
    for (size_t i = 0; i < tuner->table.bucket_count; i++)
        for (atx_prepared *p = tuner->table.buckets[i], *next; p; p = next) {
            next = p->next;
            atx_prepared_close(p);
        }
    free(tuner->table.buckets);
    unload(tuner, current ? gpu : NULL, context, true);
    atx_gpu_close(gpu);
}
