/*
 * str.h - a growing text or byte buffer.
 *
 * Invariant: data is NULL only while cap is 0; otherwise data[len] is '\0'.
 * A failed allocation or a length beyond AT__STR_MAX sets `failed`; later
 * appends do nothing, so a sequence is checked once, at its end.
 */
#ifndef AUTOTUNE_UTIL_STR_H
#define AUTOTUNE_UTIL_STR_H

#include <autotune/status.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AT__STR_MAX ((size_t)1 << 30)

typedef struct at__str {
    char *data;
    size_t len;
    size_t cap;
    bool failed;
} at__str;

void at__str_add(at__str *s, const char *text);
void at__str_add_bytes(at__str *s, const void *bytes, size_t count);
void at__str_addf(at__str *s, const char *format, ...) AT_PRINTF(2, 3);
void at__str_addv(at__str *s, const char *format, va_list args);
void at__str_add_int(at__str *s, int64_t value); /* as %lld, in a fraction of its time */
/* For JSON: %.*g; null when it is not finite, which JSON has no number for. */
void at__str_add_real(at__str *s, int digits, double value);
void at__str_add_json(at__str *s, const char *text); /* quoted and escaped; NULL becomes null */
void at__str_add_word(at__str *s, const char *text); /* as one word of a shell: quoted where it must be */
void at__str_reset(at__str *s);                      /* length 0, memory kept, failed cleared */
void at__str_clear(at__str *s);                      /* frees and zeroes; harmless on a zeroed one */

/* The text, never NULL ("" while empty). Borrowed: valid until the next append. */
const char *at__str_text(const at__str *s);

/* AT_ERR_MEMORY when any append failed. */
at_status at__str_status(const at__str *s, at_error *err);

/* What errno says of a file that cannot be opened or read: AT_ERR_INPUT with its name, or AT_ERR_CANCELLED
 * when a signal ended the wait for a pipe. Returns that. */
at_status at__read_failed(const char *path, int error, at_error *err);

/* Reads a whole file that the user named, also a pipe, and /dev/stdin from its descriptor; refuses more than
 * `limit` bytes. The text keeps its NUL bytes, if any. Other files: util/regular.h. */
at_status at__str_read_file(at__str *out, const char *path, size_t limit, at_error *err);

/* The same of an open file, which is closed; `path` is for messages. */
at_status at__str_read_stream(at__str *out, FILE *file, const char *path, size_t limit, at_error *err);

/* malloc'ed copy of the first `count` bytes, terminated; NULL when out of memory. */
char *at__text_copy(const char *text, size_t count);

/*
 * Makes room for one more element in a growing array: *data has `count` used and *cap allocated elements
 * of `size` bytes. false (and nothing changed) when out of memory.
 */
bool at__grow(void *data_pointer, size_t *cap, size_t count, size_t size);

#endif
