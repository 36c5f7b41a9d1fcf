/*
 * bench_contents.c - the contents of a bench's buffers, before a kernel and after it. Each set and buffer has
 * a random stream of its own, so the contents of an input are generated again when they are compared, and not
 * stored.
 *
 * An output that must be equal bit for bit begins as the complement of the right answer; an output with a
 * tolerance begins with numbers outside every tolerance.
 */
#include "runner/bench_internal.h"

#include "declare/data.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS(...) (const uint64_t[]){ __VA_ARGS__ }, (int)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* The words of an atx_filling; offsets that a buffer goes with are those of its own set. Before a
 * re-measurement numbers are the same in every run with one seed. */
#define FILLING(b, n, buffer, seed)                                                                          \
    (n).filling.a, (n).filling.b, (n).filling.rows, (n).filling.total, (n).filling.variance,                 \
        (seed) + (uint64_t)(int64_t)(buffer)->goes_with, (b)->moved ? (b)->lock : 0

/* Parts of an output that a reference leaves unwritten are equal in all sets. */
static uint64_t contents_seed(const atx_bench *b, int set, int buffer)
{
    const bool left = b->setup.gaps && b->setup.buffers[buffer].role == ATX_OUTPUT;
    return b->seed * 0x100000001b3u + (uint64_t)(left ? 0 : set) * ATX_MAX_ARGS + (uint64_t)buffer;
}

/* ---- before ---- */

at_status atx_contents_bits(atx_bench *b, atx_ptr to, int64_t bytes, uint64_t seed, at_error *err)
{
    return atx_bench_run_check(b, ATX_FILL, bytes, WORDS(to, (uint64_t)bytes, seed, b->lock), err);
}

at_status atx_contents_flip(atx_bench *b, atx_ptr to, atx_ptr from, int64_t bytes, atx_flip flip,
                            at_error *err)
{
    return atx_bench_run_check(b, ATX_POISON, bytes,
                               WORDS(to, from, (uint64_t)bytes, flip.key, flip.lock, flip.how, flip.leave),
                               err);
}

at_status atx_contents_fill(atx_bench *b, int set, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    atx_ptr to = atx_bench_buffer(b, set, i);
    const uint64_t seed = contents_seed(b, set, i);
    if (buffer->zero)
        return atx_gpu_zero(b->gpu, to, buffer->bytes, err);
    if (b->kept[i])
        return atx_gpu_copy(b->gpu, to, b->kept[i], buffer->bytes, err);
    if (buffer->how == ATX_BITS && !buffer->column_count)
        return atx_contents_bits(b, to, buffer->bytes, seed, err);
    at_status status = buffer->column_count ? atx_gpu_zero(b->gpu, to, buffer->bytes, err) : AT_OK;
    for (int k = 0; k < atx_column_count(buffer) && status == AT_OK; k++) {
        const atx_numbers n = atx_column_at(buffer, k);
        status = atx_bench_run_check(
            b, ATX_GENERATE, n.count * 16,
            WORDS(to, (uint64_t)n.count, atx_column_seed(seed, k), n.how, FILLING(b, n, buffer, seed)), err);
    }
    return status;
}

enum { CHUNK = 1 << 22 }; /* bytes of a file that are in memory at a time */

at_status atx_contents_load(atx_bench *b, atx_ptr to, const atx_data_file *from, int64_t bytes, at_error *err)
{
    at_status status = AT_OK;
    ATX_FREED char *chunk = malloc(CHUNK);
    FILE *file = NULL;
    if (!chunk)
        status = atx_no_memory(err);
    else if ((status = atx_regular_open(&file, NULL, from->path, err)) == AT_OK &&
             fseeko(file, from->at, SEEK_SET) != 0)
        status = atx_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
    for (int64_t at = 0; at < bytes && status == AT_OK; at += CHUNK) {
        size_t some = bytes - at < CHUNK ? (size_t)(bytes - at) : CHUNK;
        size_t got = fread(chunk, 1, some, file);
        if (ferror(file))
            status = atx_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
        else if (got != some)
            status = atx_fail(err, AT_ERR_INPUT, "%s: found its end after %lld bytes of data; expected %lld",
                              from->path, (long long)at + (long long)got, (long long)bytes);
        else
            status = atx_gpu_write(b->gpu, to + (uint64_t)at, chunk, (int64_t)some, err);
    }
    if (file)
        fclose(file);
    return status;
}

/* The seeds of the zones before and behind a buffer, which are the same in all sets. */
enum { BEFORE = 1, BEHIND = 2 };

static uint64_t guard_seed(const atx_bench *b, int which)
{
    return b->seed + (uint64_t)which;
}

static at_status fill_guard(atx_bench *b, atx_ptr zone, int which, int sets, at_error *err)
{
    return atx_bench_run_check(
        b, ATX_GUARD_FILL, (int64_t)ATX_GUARD_BYTES * sets,
        WORDS(zone, ATX_GUARD_BYTES, guard_seed(b, which), (uint64_t)b->layout.set_bytes, (uint64_t)sets),
        err);
}

at_status atx_contents_fill_guards(atx_bench *b, int i, at_error *err)
{
    atx_ptr at = atx_bench_buffer(b, 0, i);
    ATX_TRY(fill_guard(b, at - ATX_GUARD_BYTES, BEFORE, b->sets, err));
    return fill_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, BEHIND, b->sets, err);
}

static bool is_copied(const atx_bench *b, int i, bool is_copy)
{
    return is_copy && i == b->first_out;
}

/* Numbers within a tolerance, or of structs; a copy is exact, and so is what the reference leaves as it was.
 */
static bool is_by_number(const atx_bench *b, int i, bool is_copy)
{
    return atx_is_by_number(&b->setup.buffers[i]) && !is_copied(b, i, is_copy);
}

/* Where this buffer is of the launch that is checked. */
static atx_ptr place_of(const atx_bench *b, const atx_checked *c, int i)
{
    return atx_bench_place(b, atx_bench_set_of(b, c->sets, i), i, c->is_copy);
}

static atx_ptr copied_from(const atx_bench *b, const atx_checked *c)
{
    return atx_bench_place(b, c->sets.in, b->first_in, true);
}

/* From an answer (NULL: one without a mask) to what is wrong in each byte; after a move, in pieces. */
static atx_flip poisoned(atx_bench *b, const atx_known_answer *a)
{
    return (atx_flip){ .key = a ? a->key : 0,
                       .lock = a ? a->lock : 0,
                       .how = atx_bench_secret(b) | 2, /* neither of the two that have a name */
                       .leave = b->moved ? atx_bench_secret(b) : 0 };
}

/* Numbers that no tolerance reaches, and between those of structs nothing that is right. */
static at_status put_away(atx_bench *b, const atx_buffer *buffer, atx_ptr to, const atx_known_answer *a,
                          atx_ptr expected, at_error *err)
{
    ATX_TRY(buffer->column_count ? atx_contents_flip(b, to, expected, buffer->bytes, poisoned(b, a), err)
                                 : AT_OK);
    for (int k = 0; k < atx_column_count(buffer); k++) {
        const atx_numbers n = atx_column_at(buffer, k);
        ATX_TRY(atx_bench_run_check(
            b, ATX_AWAY, n.count * 16,
            WORDS(to, expected, (uint64_t)n.count, atx_column_rule(n.how, 0), a->key, a->lock), err));
    }
    return AT_OK;
}

static at_status poison_output(atx_bench *b, const atx_checked *c, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    const atx_known_answer *a = c->answer;
    const atx_ptr to = place_of(b, c, i);
    if (is_copied(b, i, c->is_copy))
        return atx_contents_flip(b, to, copied_from(b, c), b->setup.copy_bytes, poisoned(b, NULL), err);
    if (buffer->zero)
        return atx_gpu_zero(b->gpu, to, buffer->bytes, err);
    if (!a || !a->expected[i])
        return atx_contents_bits(b, to, buffer->bytes, atx_bench_secret(b), err);
    if (a->inverse[i])
        return atx_contents_flip(b, to, a->inverse[i], buffer->bytes,
                                 (atx_flip){ a->key, a->lock, ATX_COMPLEMENT, 0 }, err);
    if (is_by_number(b, i, c->is_copy))
        return put_away(b, buffer, to, a, a->expected[i], err);
    return atx_contents_flip(b, to, a->expected[i], buffer->bytes, poisoned(b, a), err);
}

at_status atx_contents_poison(atx_bench *b, const atx_checked *c, at_error *err)
{
    at_status status = atx_gpu_zero(b->gpu, b->found, ATX_FOUND_WORDS * 8, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        const int set = atx_bench_set_of(b, c->sets, i);
        if (atx_role_is_output(buffer->role) && b->layout.skew[i]) /* copies write there */
            status = fill_guard(b, atx_bench_buffer(b, set, i) - ATX_GUARD_BYTES, BEFORE, 1, err);
        if (status == AT_OK && buffer->role == ATX_OUTPUT)
            status = poison_output(b, c, i, err);
        else if (status == AT_OK && buffer->role != ATX_INPUT)
            status = atx_contents_fill(b, set, i, err);
    }
    return status;
}

/* ---- after ---- */

static at_status compare_guard(atx_bench *b, atx_ptr zone, uint64_t bytes, int which, atx_ptr found,
                               at_error *err)
{
    return atx_bench_run_check(b, ATX_GUARD, ATX_GUARD_BYTES, WORDS(zone, bytes, guard_seed(b, which), found),
                               err);
}

/* Everything around buffer `i`; to a copy of a buffer that is not aligned the last of the zone before it
 * belongs, and of what was not prepared copies may have written it. */
static at_status compare_guards(atx_bench *b, const atx_checked *c, int i, at_error *err)
{
    const atx_ptr found = atx_bench_found(b, i), at = atx_bench_buffer(b, atx_bench_set_of(b, c->sets, i), i);
    bool written = atx_role_is_output(b->setup.buffers[i].role) && (c->is_copy || c->timed);
    uint64_t before = ATX_GUARD_BYTES - (uint64_t)(written ? b->layout.skew[i] : 0);
    ATX_TRY(compare_guard(b, at - ATX_GUARD_BYTES, before, BEFORE, found + 16, err));
    return compare_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, ATX_GUARD_BYTES, BEHIND, found + 32,
                         err);
}

static at_status compare_input(atx_bench *b, const atx_checked *c, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    const atx_ptr got = atx_bench_buffer(b, c->sets.in, i), found = atx_bench_found(b, i);
    const uint64_t seed = contents_seed(b, c->sets.in, i);
    if (b->kept[i])
        return atx_bench_run_check(b, ATX_EQUAL, buffer->bytes,
                                   WORDS(got, b->kept[i], (uint64_t)buffer->bytes, found, 0, 0), err);
    if (buffer->how == ATX_BITS && !buffer->column_count)
        return atx_bench_run_check(b, ATX_RANDOM, buffer->bytes,
                                   WORDS(got, (uint64_t)buffer->bytes, seed, found, b->lock), err);
    for (int k = 0; k < atx_column_count(buffer); k++) {
        const atx_numbers n = atx_column_at(buffer, k);
        ATX_TRY(atx_bench_run_check(b, ATX_GENERATED, n.count * 16,
                                    WORDS(got, (uint64_t)n.count, atx_column_seed(seed, k), n.how,
                                          FILLING(b, n, buffer, seed), found),
                                    err));
    }
    return AT_OK;
}

void atx_contents_comparison(uint64_t values[ATX_CHECK_PARAMS], const atx_bench *b, const atx_checked *c,
                             int i, int column, atx_ptr found)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    const atx_numbers n = atx_column_at(buffer, column);
    const uint64_t all[ATX_CHECK_PARAMS] = { place_of(b, c, i),
                                             c->answer->expected[i],
                                             (uint64_t)n.count,
                                             atx_column_rule(n.how, buffer->check.rule),
                                             atx_bits_of_double(buffer->check.relative),
                                             atx_bits_of_double(buffer->check.absolute),
                                             found,
                                             c->answer->key,
                                             c->answer->lock };
    memcpy(values, all, sizeof all);
}

static at_status compare_output(atx_bench *b, const atx_checked *c, int i, at_error *err)
{
    const atx_ptr found = atx_bench_found(b, i), got = place_of(b, c, i);
    const int64_t bytes = b->setup.buffers[i].bytes;
    uint64_t values[ATX_CHECK_PARAMS];
    if (is_copied(b, i, c->is_copy))
        return atx_bench_run_check(b, ATX_EQUAL, bytes,
                                   WORDS(got, copied_from(b, c), (uint64_t)b->setup.copy_bytes, found, 0, 0),
                                   err);
    if (!c->answer)
        return AT_OK;
    if (b->setup.buffers[i].check.rule == ATX_BY)
        return atx_validator_ask(b, c, i, err);
    if (!is_by_number(b, i, c->is_copy))
        return atx_bench_run_check(
            b, ATX_EQUAL, bytes,
            WORDS(got, c->answer->expected[i], (uint64_t)bytes, found, c->answer->key, c->answer->lock), err);
    for (int k = 0; k < atx_column_count(&b->setup.buffers[i]); k++) {
        atx_contents_comparison(values, b, c, i, k, found);
        ATX_TRY(atx_bench_run_check(b, ATX_CLOSE, (int64_t)values[2] * 16, values, ATX_CHECK_PARAMS, err));
    }
    return AT_OK;
}

at_status atx_contents_compare(atx_bench *b, const atx_checked *c, bool thorough, at_error *err)
{
    for (int i = 0; i < b->setup.buffer_count; i++) {
        if (b->setup.buffers[i].role == ATX_INPUT && thorough)
            ATX_TRY(compare_input(b, c, i, err));
        else if (atx_role_is_output(b->setup.buffers[i].role))
            ATX_TRY(compare_output(b, c, i, err));
        if (thorough)
            ATX_TRY(compare_guards(b, c, i, err));
    }
    return AT_OK;
}
