/*
 * bench_contents.c - what the buffers of a bench hold, before a kernel and after it. Each set and buffer has
 * a stream of its own, so what an input held is generated again wherever it is looked at, and kept nowhere.
 *
 * An output that must be equal bit for bit begins as the complement of the right answer; one with a tolerance
 * as numbers that no tolerance reaches.
 */
#include "runner/bench_parts.h"

#include "declare/data.h"
#include "util/regular.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS(...) (const uint64_t[]){ __VA_ARGS__ }, (int)(sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

uint64_t atx_contents_seed(const atx_bench *b, uint64_t set, int buffer)
{
    return b->setup.seed * 0x100000001b3u + set * ATX_MAX_ARGS + (uint64_t)buffer;
}

int64_t atx_contents_numbers(const atx_buffer *buffer)
{
    return buffer->bytes / (buffer->number ? atx_number_bytes(buffer->number) : 1);
}

/* A number's kind, with the distribution or the rule from bit 8 on. */
static uint64_t kind(const atx_buffer *buffer, int how)
{
    return (uint64_t)(buffer->number ? buffer->number : ATX_UNSIGNED * 16 + 1) | (uint64_t)how << 8;
}

/* ---- before ---- */

at_status atx_contents_bits(atx_bench *b, atx_ptr to, int64_t bytes, uint64_t seed, at_error *err)
{
    return atx_bench_check(b, ATX_FILL, bytes, WORDS(to, (uint64_t)bytes, seed), err);
}

at_status atx_contents_complement(atx_bench *b, atx_ptr to, atx_ptr of, int64_t bytes, at_error *err)
{
    return atx_bench_check(b, ATX_POISON, bytes, WORDS(to, of, (uint64_t)bytes), err);
}

at_status atx_contents_fill(atx_bench *b, uint64_t set, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    atx_ptr to = atx_bench_buffer(b, set, i);
    uint64_t seed = atx_contents_seed(b, set, i), numbers = (uint64_t)atx_contents_numbers(buffer);
    if (buffer->zero)
        return atx_gpu_zero(b->gpu, to, buffer->bytes, err);
    if (b->kept[i])
        return atx_gpu_copy(b->gpu, to, b->kept[i], buffer->bytes, err);
    if (buffer->how == ATX_BITS)
        return atx_contents_bits(b, to, buffer->bytes, seed, err);
    return atx_bench_check(b, ATX_GENERATE, (int64_t)numbers * 16,
                           WORDS(to, numbers, seed, kind(buffer, buffer->how), buffer->a, buffer->b), err);
}

enum { CHUNK = 1 << 22 }; /* bytes of a file that are in memory at a time */

at_status atx_contents_load(atx_bench *b, atx_ptr to, const atx_data_file *from, int64_t bytes, at_error *err)
{
    at_status status = AT_OK;
    char *chunk = malloc(CHUNK);
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
    free(chunk);
    return status;
}

static at_status fill_guard(atx_bench *b, atx_ptr zone, uint64_t seed, at_error *err)
{
    return atx_bench_check(b, ATX_GUARD_FILL, ATX_GUARD_BYTES, WORDS(zone, ATX_GUARD_BYTES, seed), err);
}

at_status atx_contents_fill_guards(atx_bench *b, int i, at_error *err)
{
    atx_ptr at = atx_bench_buffer(b, 0, i);
    at_status status = fill_guard(b, at - ATX_GUARD_BYTES, 1, err);
    return status == AT_OK ? fill_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, 2, err) : status;
}

static bool is_copied(const atx_bench *b, int i, bool is_copy)
{
    return is_copy && i == b->first_out;
}

/* What output `i` must become: the reference's, or for a copy the input's. */
static atx_ptr expected_of(const atx_bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? atx_bench_place(b, 0, b->first_in, true) : b->expected[i];
}

/* How much of it. */
static int64_t expected_length(const atx_bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? b->setup.copy_bytes : b->setup.buffers[i].bytes;
}

/* Numbers within a tolerance; a copy is exact, and so is what the reference leaves as it was. */
static bool is_tolerant(const atx_bench *b, int i, bool is_copy)
{
    int rule = b->setup.buffers[i].check.rule;
    return rule != ATX_EXACT && rule != ATX_BY && !is_copied(b, i, is_copy);
}

static at_status poison_output(atx_bench *b, int i, bool is_copy, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    atx_ptr to = atx_bench_place(b, 0, i, is_copy), expected = expected_of(b, i, is_copy);
    uint64_t numbers = (uint64_t)atx_contents_numbers(buffer);
    if (is_copied(b, i, is_copy))
        return atx_contents_complement(b, to, expected, b->setup.copy_bytes, err);
    if (buffer->zero)
        return atx_gpu_zero(b->gpu, to, buffer->bytes, err);
    if (b->inverse[i])
        return atx_contents_complement(b, to, b->inverse[i], buffer->bytes, err);
    if (is_tolerant(b, i, is_copy))
        return atx_bench_check(b, ATX_AWAY, (int64_t)numbers * 16,
                               WORDS(to, expected, numbers, kind(buffer, 0)), err);
    return atx_contents_complement(b, to, expected, buffer->bytes, err);
}

at_status atx_contents_poison(atx_bench *b, bool is_copy, at_error *err)
{
    at_status status = atx_gpu_zero(b->gpu, b->found, ATX_FOUND_WORDS * 8, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const atx_buffer *buffer = &b->setup.buffers[i];
        if (atx_role_is_output(buffer->role) && b->layout.skew[i]) /* copies write there */
            status = fill_guard(b, atx_bench_buffer(b, 0, i) - ATX_GUARD_BYTES, 1, err);
        if (status == AT_OK && buffer->role == ATX_OUTPUT)
            status = poison_output(b, i, is_copy, err);
        else if (status == AT_OK && buffer->role != ATX_INPUT)
            status = atx_contents_fill(b, 0, i, err);
    }
    return status;
}

/* ---- after ---- */

static at_status compare_guard(atx_bench *b, atx_ptr zone, uint64_t bytes, uint64_t seed, atx_ptr found,
                               at_error *err)
{
    return atx_bench_check(b, ATX_GUARD, ATX_GUARD_BYTES, WORDS(zone, bytes, seed, found), err);
}

/* Everything around buffer `i`; to a copy of a buffer that is not aligned the last of the zone before it
 * belongs. */
static at_status compare_guards(atx_bench *b, int i, bool is_copy, at_error *err)
{
    atx_ptr found = atx_bench_found(b, i), at = atx_bench_buffer(b, 0, i);
    bool written = atx_role_is_output(b->setup.buffers[i].role);
    uint64_t before = ATX_GUARD_BYTES - (uint64_t)(is_copy && written ? b->layout.skew[i] : 0);
    at_status status = compare_guard(b, at - ATX_GUARD_BYTES, before, 1, found + 16, err);
    if (status == AT_OK)
        status =
            compare_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, ATX_GUARD_BYTES, 2, found + 32, err);
    return status;
}

static at_status compare_input(atx_bench *b, int i, at_error *err)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    atx_ptr got = atx_bench_buffer(b, 0, i), found = atx_bench_found(b, i);
    uint64_t seed = atx_contents_seed(b, 0, i), numbers = (uint64_t)atx_contents_numbers(buffer);
    if (b->kept[i])
        return atx_bench_check(b, ATX_EQUAL, buffer->bytes,
                               WORDS(got, b->kept[i], (uint64_t)buffer->bytes, found), err);
    if (buffer->how == ATX_BITS)
        return atx_bench_check(b, ATX_RANDOM, buffer->bytes, WORDS(got, (uint64_t)buffer->bytes, seed, found),
                               err);
    return atx_bench_check(b, ATX_GENERATED, (int64_t)numbers * 16,
                           WORDS(got, numbers, seed, kind(buffer, buffer->how), buffer->a, buffer->b, found),
                           err);
}

void atx_contents_comparison(uint64_t values[ATX_CHECK_PARAMS], const atx_bench *b, int i, atx_ptr found)
{
    const atx_buffer *buffer = &b->setup.buffers[i];
    values[0] = atx_bench_buffer(b, 0, i);
    values[1] = b->expected[i];
    values[2] = (uint64_t)atx_contents_numbers(buffer);
    values[3] = kind(buffer, buffer->check.rule);
    values[4] = atx_bits_of_double(buffer->check.relative);
    values[5] = atx_bits_of_double(buffer->check.absolute);
    values[6] = found;
}

static at_status compare_output(atx_bench *b, int i, bool is_copy, at_error *err)
{
    atx_ptr found = atx_bench_found(b, i);
    int64_t length = expected_length(b, i, is_copy);
    uint64_t values[ATX_CHECK_PARAMS];
    if (b->setup.buffers[i].check.rule == ATX_BY && !is_copied(b, i, is_copy))
        return atx_validator_ask(b, i, err);
    if (!is_tolerant(b, i, is_copy))
        return atx_bench_check(
            b, ATX_EQUAL, b->setup.buffers[i].bytes,
            WORDS(atx_bench_place(b, 0, i, is_copy), expected_of(b, i, is_copy), (uint64_t)length, found),
            err);
    atx_contents_comparison(values, b, i, found);
    return atx_bench_check(b, ATX_CLOSE, (int64_t)values[2] * 16, values, ATX_CHECK_PARAMS, err);
}

at_status atx_contents_compare(atx_bench *b, bool is_copy, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        if (b->setup.buffers[i].role == ATX_INPUT)
            status = compare_input(b, i, err);
        else if (atx_role_is_output(b->setup.buffers[i].role))
            status = compare_output(b, i, is_copy, err);
        if (status == AT_OK)
            status = compare_guards(b, i, is_copy, err);
    }
    return status;
}
