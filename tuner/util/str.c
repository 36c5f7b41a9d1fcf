/*
 * str.c - memory doubles, so that n bytes cost O(n) copies. `failed` stays set: from then on nothing is
 * appended, and the text is that before the append that failed. JSON is always written as UTF-8: a byte that
 * belongs to no character becomes U+FFFD.
 */
#include "util/str.h"

#include "util/number.h"
#include "util/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reserve(atx_str *s, size_t extra)
{
    if (s->failed)
        return false;
    if (extra > ATX_STR_MAX || s->len + extra + 1 > ATX_STR_MAX) {
        s->failed = true;
        return false;
    }
    if (s->len + extra + 1 > s->cap) {
        size_t cap = s->cap ? s->cap : 64;
        while (cap < s->len + extra + 1)
            cap *= 2;
        char *data = realloc(s->data, cap);
        if (!data) {
            s->failed = true;
            return false;
        }
        s->data = data;
        s->cap = cap;
    }
    return true;
}

void atx_str_add_bytes(atx_str *s, const void *bytes, size_t count)
{
    if (!reserve(s, count))
        return;
    if (count)
        memcpy(s->data + s->len, bytes, count);
    s->len += count;
    s->data[s->len] = '\0';
}

void atx_str_add(atx_str *s, const char *text)
{
    atx_str_add_bytes(s, text, strlen(text));
}

void atx_str_addv(atx_str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = s->failed ? 0 : s->cap - s->len; /* mostly there is enough: formatted once then */
    int need = atx_vformat(room ? s->data + s->len : NULL, room, format, args);
    bool fits = need >= 0 && (size_t)need < room;
    if (need >= 0 && !fits && reserve(s, (size_t)need)) {
        atx_vformat(s->data + s->len, (size_t)need + 1, format, again);
        fits = true;
    }
    if (fits)
        s->len += (size_t)need;
    else if (room)
        s->data[s->len] = '\0';
    s->failed = s->failed || !fits;
    va_end(again);
}

void atx_str_addf(atx_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    atx_str_addv(s, format, args);
    va_end(args);
}

void atx_str_add_int(atx_str *s, int64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        digits[--at] = '-';
    atx_str_add_bytes(s, digits + at, sizeof digits - at);
}

void atx_str_add_real(atx_str *s, int digits, double value)
{
    if (isfinite(value))
        atx_str_addf(s, "%.*g", digits, value);
    else
        atx_str_add(s, "null");
}

/* Control characters of terminals are escaped, too: JSON may be shown on one. */
static size_t add_character(atx_str *s, const char *p)
{
    uint32_t character = 0;
    size_t length = atx_utf8_read(&character, p);
    if (!length)
        atx_str_add(s, "\\ufffd");
    else if (atx_is_control(character))
        atx_str_addf(s, "\\u%04x", (unsigned)character);
    else
        atx_str_add_bytes(s, p, length);
    return length ? length : 1;
}

void atx_str_add_word(atx_str *s, const char *text)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:@%,";
    if (*text && strspn(text, PLAIN) == strlen(text)) {
        atx_str_add(s, text);
        return;
    }
    atx_str_add(s, "'");
    for (; *text; text++)
        if (*text == '\'')
            atx_str_add(s, "'\\''");
        else
            atx_str_add_bytes(s, text, 1);
    atx_str_add(s, "'");
}

/* As it is in JSON, whatever stands beside it. */
static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* A byte that is no UTF-8 becomes the replacement character: JSON has no other text. */
void atx_str_add_json(atx_str *s, const char *text)
{
    if (!text) {
        atx_str_add(s, "null");
        return;
    }
    atx_str_add(s, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') {
            atx_str_addf(s, "\\%c", *p);
        } else if (*p == '\n') {
            atx_str_add(s, "\\n");
        } else if (!is_plain(*p)) {
            p += add_character(s, (const char *)p) - 1;
        } else {
            const unsigned char *begin = p;
            while (is_plain(p[1]))
                p++;
            atx_str_add_bytes(s, begin, (size_t)(p - begin) + 1);
        }
    }
    atx_str_add(s, "\"");
}

void atx_str_reset(atx_str *s)
{
    s->len = 0;
    s->failed = false;
    if (s->data)
        s->data[0] = '\0';
}

void atx_str_clear(atx_str *s)
{
    free(s->data);
    *s = (atx_str){ 0 };
}

const char *atx_str_text(const atx_str *s)
{
    return s->data ? s->data : "";
}

void atx_str_add_printable(atx_str *s, const char *text)
{
    char piece[ATX_PRINTABLE_BYTES];
    while (*text) {
        text += atx_printable_next(piece, text);
        atx_str_add(s, piece);
    }
}

at_status atx_str_status(const atx_str *s, at_error *err)
{
    return s->failed ? atx_fail(err, AT_ERR_MEMORY, "out of memory while building a text") : AT_OK;
}

at_status atx_read_failed(const char *path, int error, at_error *err)
{
    return error == EINTR ? atx_fail(err, AT_ERR_CANCELLED, "interrupted")
                          : atx_fail(err, AT_ERR_INPUT, "%s: %s", path, strerror(error));
}

/* Stdin by its descriptor: its name cannot be opened where it is a socket, as ssh makes it, or the terminal
 * of another user. */
static FILE *open_to_read(const char *path)
{
    if (strcmp(path, "/dev/stdin") != 0)
        return fopen(path, "rbe");
    int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!file && fd >= 0) {
        close(fd);
        errno = errno == EINVAL ? EBADF : errno; /* open for writing alone: stands for one that was closed */
    }
    return file;
}

at_status atx_str_read_stream(atx_str *out, FILE *file, const char *path, size_t limit, at_error *err)
{
    at_status status = AT_OK;
    atx_str text = { 0 };
    char chunk[16384];

    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        atx_str_add_bytes(&text, chunk, got);
        if (text.len > limit) {
            status = atx_fail(err, AT_ERR_INPUT, "%s: larger than %zu bytes", path, limit);
            goto done;
        }
    }
    if (ferror(file)) {
        status = atx_read_failed(path, errno, err);
        goto done;
    }
    if ((status = atx_str_status(&text, err)) != AT_OK)
        goto done;
    atx_str_clear(out);
    *out = text;
    text = (atx_str){ 0 };
done:
    atx_str_clear(&text);
    fclose(file);
    return status;
}

at_status atx_str_read_file(atx_str *out, const char *path, size_t limit, at_error *err)
{
    FILE *file = open_to_read(path);
    return file ? atx_str_read_stream(out, file, path, limit, err) : atx_read_failed(path, errno, err);
}

char *atx_text_copy(const char *text, size_t count)
{
    char *copy = malloc(count + 1);
    if (copy) {
        if (count)
            memcpy(copy, text, count);
        copy[count] = '\0';
    }
    return copy;
}

bool atx_grow(void *data_pointer, size_t *cap, size_t count, size_t size)
{
    void **data = data_pointer;
    if (count < *cap)
        return true;
    size_t wanted = *cap ? *cap * 2 : 8;
    if (wanted > SIZE_MAX / size)
        return false;
    void *grown = realloc(*data, wanted * size);
    if (!grown)
        return false;
    *data = grown;
    *cap = wanted;
    return true;
}
