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

uint64_t at__contents_seed(const at__bench *b, uint64_t set, int buffer)
{
    return b->setup.seed * 0x100000001b3u + set * AT__MAX_ARGS + (uint64_t)buffer;
}

int64_t at__contents_numbers(const at__buffer *buffer)
{
    return buffer->bytes / (buffer->number ? at__number_bytes(buffer->number) : 1);
}

/* A number's kind, with the distribution or the rule from bit 8 on. */
static uint64_t kind(const at__buffer *buffer, int how)
{
    return (uint64_t)(buffer->number ? buffer->number : AT__UNSIGNED * 16 + 1) | (uint64_t)how << 8;
}

/* ---- before ---- */

at_status at__contents_bits(at__bench *b, at__ptr to, int64_t bytes, uint64_t seed, at_error *err)
{
    return at__bench_check(b, AT__FILL, bytes, WORDS(to, (uint64_t)bytes, seed), err);
}

at_status at__contents_complement(at__bench *b, at__ptr to, at__ptr of, int64_t bytes, at_error *err)
{
    return at__bench_check(b, AT__POISON, bytes, WORDS(to, of, (uint64_t)bytes), err);
}

at_status at__contents_fill(at__bench *b, uint64_t set, int i, at_error *err)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    at__ptr to = at__bench_buffer(b, set, i);
    uint64_t seed = at__contents_seed(b, set, i), numbers = (uint64_t)at__contents_numbers(buffer);
    if (buffer->zero)
        return at__gpu_zero(b->gpu, to, buffer->bytes, err);
    if (b->kept[i])
        return at__gpu_copy(b->gpu, to, b->kept[i], buffer->bytes, err);
    if (buffer->how == AT__BITS)
        return at__contents_bits(b, to, buffer->bytes, seed, err);
    return at__bench_check(b, AT__GENERATE, (int64_t)numbers * 16,
                           WORDS(to, numbers, seed, kind(buffer, buffer->how), buffer->a, buffer->b), err);
}

enum { CHUNK = 1 << 22 }; /* bytes of a file that are in memory at a time */

at_status at__contents_load(at__bench *b, at__ptr to, const at__data_file *from, int64_t bytes, at_error *err)
{
    at_status status = AT_OK;
    char *chunk = malloc(CHUNK);
    FILE *file = NULL;
    if (!chunk)
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    else if ((status = at__regular_open(&file, NULL, from->path, err)) == AT_OK &&
             fseeko(file, from->at, SEEK_SET) != 0)
        status = at_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
    for (int64_t at = 0; at < bytes && status == AT_OK; at += CHUNK) {
        size_t some = bytes - at < CHUNK ? (size_t)(bytes - at) : CHUNK;
        size_t got = fread(chunk, 1, some, file);
        if (ferror(file))
            status = at_fail(err, AT_ERR_INPUT, "%s: %s", from->path, strerror(errno));
        else if (got != some)
            status = at_fail(err, AT_ERR_INPUT, "%s: found its end after %lld bytes of data; expected %lld",
                             from->path, (long long)at + (long long)got, (long long)bytes);
        else
            status = at__gpu_write(b->gpu, to + (uint64_t)at, chunk, (int64_t)some, err);
    }
    if (file)
        fclose(file);
    free(chunk);
    return status;
}

static at_status fill_guard(at__bench *b, at__ptr zone, uint64_t seed, at_error *err)
{
    return at__bench_check(b, AT__GUARD_FILL, AT__GUARD_BYTES, WORDS(zone, AT__GUARD_BYTES, seed), err);
}

at_status at__contents_fill_guards(at__bench *b, int i, at_error *err)
{
    at__ptr at = at__bench_buffer(b, 0, i);
    at_status status = fill_guard(b, at - AT__GUARD_BYTES, 1, err);
    return status == AT_OK ? fill_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, 2, err) : status;
}

static bool is_copied(const at__bench *b, int i, bool is_copy)
{
    return is_copy && i == b->first_out;
}

/* What output `i` must become: the reference's, or for a copy the input's. */
static at__ptr expected_of(const at__bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? at__bench_place(b, 0, b->first_in, true) : b->expected[i];
}

/* How much of it. */
static int64_t expected_length(const at__bench *b, int i, bool is_copy)
{
    return is_copied(b, i, is_copy) ? b->setup.copy_bytes : b->setup.buffers[i].bytes;
}

/* Numbers within a tolerance; a copy is exact, and so is what the reference leaves as it was. */
static bool is_tolerant(const at__bench *b, int i, bool is_copy)
{
    int rule = b->setup.buffers[i].check.rule;
    return rule != AT__EXACT && rule != AT__BY && !is_copied(b, i, is_copy);
}

static at_status poison_output(at__bench *b, int i, bool is_copy, at_error *err)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    at__ptr to = at__bench_place(b, 0, i, is_copy), expected = expected_of(b, i, is_copy);
    uint64_t numbers = (uint64_t)at__contents_numbers(buffer);
    if (is_copied(b, i, is_copy))
        return at__contents_complement(b, to, expected, b->setup.copy_bytes, err);
    if (buffer->zero)
        return at__gpu_zero(b->gpu, to, buffer->bytes, err);
    if (b->inverse[i])
        return at__contents_complement(b, to, b->inverse[i], buffer->bytes, err);
    if (is_tolerant(b, i, is_copy))
        return at__bench_check(b, AT__AWAY, (int64_t)numbers * 16,
                               WORDS(to, expected, numbers, kind(buffer, 0)), err);
    return at__contents_complement(b, to, expected, buffer->bytes, err);
}

at_status at__contents_poison(at__bench *b, bool is_copy, at_error *err)
{
    at_status status = at__gpu_zero(b->gpu, b->found, AT__FOUND_WORDS * 8, err);
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        const at__buffer *buffer = &b->setup.buffers[i];
        if (at__role_is_output(buffer->role) && b->layout.skew[i]) /* copies write there */
            status = fill_guard(b, at__bench_buffer(b, 0, i) - AT__GUARD_BYTES, 1, err);
        if (status == AT_OK && buffer->role == AT__OUTPUT)
            status = poison_output(b, i, is_copy, err);
        else if (status == AT_OK && buffer->role != AT__INPUT)
            status = at__contents_fill(b, 0, i, err);
    }
    return status;
}

/* ---- after ---- */

static at_status compare_guard(at__bench *b, at__ptr zone, uint64_t bytes, uint64_t seed, at__ptr found,
                               at_error *err)
{
    return at__bench_check(b, AT__GUARD, AT__GUARD_BYTES, WORDS(zone, bytes, seed, found), err);
}

/* Everything around buffer `i`; to a copy of a buffer that is not aligned the last of the zone before it
 * belongs. */
static at_status compare_guards(at__bench *b, int i, bool is_copy, at_error *err)
{
    at__ptr found = at__bench_found(b, i), at = at__bench_buffer(b, 0, i);
    bool written = at__role_is_output(b->setup.buffers[i].role);
    uint64_t before = AT__GUARD_BYTES - (uint64_t)(is_copy && written ? b->layout.skew[i] : 0);
    at_status status = compare_guard(b, at - AT__GUARD_BYTES, before, 1, found + 16, err);
    if (status == AT_OK)
        status =
            compare_guard(b, at + (uint64_t)b->setup.buffers[i].bytes, AT__GUARD_BYTES, 2, found + 32, err);
    return status;
}

static at_status compare_input(at__bench *b, int i, at_error *err)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    at__ptr got = at__bench_buffer(b, 0, i), found = at__bench_found(b, i);
    uint64_t seed = at__contents_seed(b, 0, i), numbers = (uint64_t)at__contents_numbers(buffer);
    if (b->kept[i])
        return at__bench_check(b, AT__EQUAL, buffer->bytes,
                               WORDS(got, b->kept[i], (uint64_t)buffer->bytes, found), err);
    if (buffer->how == AT__BITS)
        return at__bench_check(b, AT__RANDOM, buffer->bytes, WORDS(got, (uint64_t)buffer->bytes, seed, found),
                               err);
    return at__bench_check(b, AT__GENERATED, (int64_t)numbers * 16,
                           WORDS(got, numbers, seed, kind(buffer, buffer->how), buffer->a, buffer->b, found),
                           err);
}

void at__contents_comparison(uint64_t values[AT__CHECK_PARAMS], const at__bench *b, int i, at__ptr found)
{
    const at__buffer *buffer = &b->setup.buffers[i];
    values[0] = at__bench_buffer(b, 0, i);
    values[1] = b->expected[i];
    values[2] = (uint64_t)at__contents_numbers(buffer);
    values[3] = kind(buffer, buffer->check.rule);
    values[4] = at__bits_of_double(buffer->check.relative);
    values[5] = at__bits_of_double(buffer->check.absolute);
    values[6] = found;
}

static at_status compare_output(at__bench *b, int i, bool is_copy, at_error *err)
{
    at__ptr found = at__bench_found(b, i);
    int64_t length = expected_length(b, i, is_copy);
    uint64_t values[AT__CHECK_PARAMS];
    if (b->setup.buffers[i].check.rule == AT__BY && !is_copied(b, i, is_copy))
        return at__referee_ask(b, i, err);
    if (!is_tolerant(b, i, is_copy))
        return at__bench_check(
            b, AT__EQUAL, b->setup.buffers[i].bytes,
            WORDS(at__bench_place(b, 0, i, is_copy), expected_of(b, i, is_copy), (uint64_t)length, found),
            err);
    at__contents_comparison(values, b, i, found);
    return at__bench_check(b, AT__CLOSE, (int64_t)values[2] * 16, values, AT__CHECK_PARAMS, err);
}

at_status at__contents_compare(at__bench *b, bool is_copy, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < b->setup.buffer_count && status == AT_OK; i++) {
        if (b->setup.buffers[i].role == AT__INPUT)
            status = compare_input(b, i, err);
        else if (at__role_is_output(b->setup.buffers[i].role))
            status = compare_output(b, i, is_copy, err);
        if (status == AT_OK)
            status = compare_guards(b, i, is_copy, err);
    }
    return status;
}
