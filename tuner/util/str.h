/*
 * str.h - a growing text or byte buffer.
 *
 * Invariant: data is NULL only while cap is 0; otherwise data[len] is '\0'.
 * A failed allocation or a length beyond ATX_STR_MAX sets `failed`; later
 * appends do nothing, so a sequence is checked once, at its end.
 */
#pragma once

#include "util/fail.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ATX_STR_MAX ((size_t)1 << 30)

typedef struct atx_str {
    char *data;
    size_t len;
    size_t cap;
    bool failed;
} atx_str;

void atx_str_add(atx_str *s, const char *text);
void atx_str_add_bytes(atx_str *s, const void *bytes, size_t count);
void atx_str_addf(atx_str *s, const char *format, ...) AT_PRINTF(2, 3);
void atx_str_addv(atx_str *s, const char *format, va_list args);
void atx_str_add_int(atx_str *s, int64_t value); /* as %lld, in a fraction of its time */
/* For JSON: %.*g; null when it is not finite, which JSON has no number for. */
void atx_str_add_real(atx_str *s, int digits, double value);
void atx_str_add_json(atx_str *s, const char *text); /* quoted and escaped; NULL becomes null */
void atx_str_add_word(atx_str *s, const char *text); /* as one word of a shell: quoted where it must be */
void atx_str_reset(atx_str *s);                      /* length 0, memory kept, failed cleared */
void atx_str_clear(atx_str *s);                      /* frees and zeroes; harmless on a zeroed one */

/* The text, never NULL ("" while empty). Borrowed: valid until the next append. */
const char *atx_str_text(const atx_str *s);

/* AT_ERR_MEMORY when any append failed. */
at_status atx_str_status(const atx_str *s, at_error *err);

/* Text of others, as a terminal may get it (util/printable.h). */
void atx_str_add_printable(atx_str *s, const char *text);

/* What errno says of a file that cannot be opened or read: AT_ERR_INPUT with its name, or AT_ERR_CANCELLED
 * when a signal ended the wait for a pipe. Returns that. */
at_status atx_read_failed(const char *path, int error, at_error *err);

/* Reads a whole file that the user named, also a pipe, and /dev/stdin from its descriptor; refuses more than
 * `limit` bytes. The text keeps its NUL bytes, if any. Other files: util/regular.h. */
at_status atx_str_read_file(atx_str *out, const char *path, size_t limit, at_error *err);

/* The same of an open file, which is closed; `path` is for messages. */
at_status atx_str_read_stream(atx_str *out, FILE *file, const char *path, size_t limit, at_error *err);

/* malloc'ed copy of the first `count` bytes, terminated; NULL when out of memory. */
char *atx_text_copy(const char *text, size_t count);

/*
 * Makes room for one more element in a growing array: *data has `count` used and *cap allocated elements
 * of `size` bytes. false (and nothing changed) when out of memory.
 */
bool atx_grow(void *data_pointer, size_t *cap, size_t count, size_t size);
