/*
 * str.c - memory doubles, so that n bytes cost O(n) copies. `failed` sticks: once it is set nothing is
 * appended, and the text is what was there before the append that failed. JSON is written as UTF-8 whatever
 * comes: a byte that belongs to no character becomes U+FFFD.
 */
#include "util/str.h"

#include "util/number.h"
#include "util/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reserve(at__str *s, size_t extra)
{
    if (s->failed)
        return false;
    if (extra > AT__STR_MAX || s->len + extra + 1 > AT__STR_MAX) {
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

void at__str_add_bytes(at__str *s, const void *bytes, size_t count)
{
    if (!reserve(s, count))
        return;
    if (count)
        memcpy(s->data + s->len, bytes, count);
    s->len += count;
    s->data[s->len] = '\0';
}

void at__str_add(at__str *s, const char *text)
{
    at__str_add_bytes(s, text, strlen(text));
}

void at__str_addv(at__str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = s->failed ? 0 : s->cap - s->len; /* mostly there is enough: formatted once then */
    int need = at__format(room ? s->data + s->len : NULL, room, format, args);
    bool fits = need >= 0 && (size_t)need < room;
    if (need >= 0 && !fits && reserve(s, (size_t)need)) {
        at__format(s->data + s->len, (size_t)need + 1, format, again);
        fits = true;
    }
    if (fits)
        s->len += (size_t)need;
    else if (room)
        s->data[s->len] = '\0';
    s->failed = s->failed || !fits;
    va_end(again);
}

void at__str_addf(at__str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at__str_addv(s, format, args);
    va_end(args);
}

void at__str_add_int(at__str *s, int64_t value)
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
    at__str_add_bytes(s, digits + at, sizeof digits - at);
}

void at__str_add_real(at__str *s, int digits, double value)
{
    if (isfinite(value))
        at__str_addf(s, "%.*g", digits, value);
    else
        at__str_add(s, "null");
}

/* What a terminal would take for a command is escaped, too: JSON may be shown on one. */
static size_t add_character(at__str *s, const char *p)
{
    uint32_t character = 0;
    size_t length = at__utf8_read(&character, p);
    if (!length)
        at__str_add(s, "\\ufffd");
    else if (at__is_control(character))
        at__str_addf(s, "\\u%04x", (unsigned)character);
    else
        at__str_add_bytes(s, p, length);
    return length ? length : 1;
}

void at__str_add_word(at__str *s, const char *text)
{
    static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:@%,";
    if (*text && strspn(text, PLAIN) == strlen(text)) {
        at__str_add(s, text);
        return;
    }
    at__str_add(s, "'");
    for (; *text; text++)
        if (*text == '\'')
            at__str_add(s, "'\\''");
        else
            at__str_add_bytes(s, text, 1);
    at__str_add(s, "'");
}

/* A byte that is no UTF-8 becomes the replacement character: JSON has no other text. */
void at__str_add_json(at__str *s, const char *text)
{
    if (!text) {
        at__str_add(s, "null");
        return;
    }
    at__str_add(s, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            at__str_addf(s, "\\%c", *p);
        else if (*p == '\n')
            at__str_add(s, "\\n");
        else if (*p >= 0x20 && *p < 0x7f)
            at__str_add_bytes(s, p, 1);
        else
            p += add_character(s, (const char *)p) - 1;
    }
    at__str_add(s, "\"");
}

void at__str_reset(at__str *s)
{
    s->len = 0;
    s->failed = false;
    if (s->data)
        s->data[0] = '\0';
}

void at__str_clear(at__str *s)
{
    free(s->data);
    *s = (at__str){ 0 };
}

const char *at__str_text(const at__str *s)
{
    return s->data ? s->data : "";
}

at_status at__str_status(const at__str *s, at_error *err)
{
    return s->failed ? at_fail(err, AT_ERR_MEMORY, "out of memory while building a text") : AT_OK;
}

at_status at__read_failed(const char *path, int error, at_error *err)
{
    return error == EINTR ? at_fail(err, AT_ERR_CANCELLED, "interrupted")
                          : at_fail(err, AT_ERR_INPUT, "%s: %s", path, strerror(error));
}

/* Stdin by its descriptor: its name cannot be opened where it is a socket, as ssh makes it, or somebody
 * else's terminal. */
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

at_status at__str_read_stream(at__str *out, FILE *file, const char *path, size_t limit, at_error *err)
{
    at_status status = AT_OK;
    at__str text = { 0 };
    char chunk[16384];

    for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) {
        at__str_add_bytes(&text, chunk, got);
        if (text.len > limit) {
            status = at_fail(err, AT_ERR_INPUT, "%s: larger than %zu bytes", path, limit);
            goto done;
        }
    }
    if (ferror(file)) {
        status = at__read_failed(path, errno, err);
        goto done;
    }
    if ((status = at__str_status(&text, err)) != AT_OK)
        goto done;
    at__str_clear(out);
    *out = text;
    text = (at__str){ 0 };
done:
    at__str_clear(&text);
    fclose(file);
    return status;
}

at_status at__str_read_file(at__str *out, const char *path, size_t limit, at_error *err)
{
    FILE *file = open_to_read(path);
    return file ? at__str_read_stream(out, file, path, limit, err) : at__read_failed(path, errno, err);
}

char *at__text_copy(const char *text, size_t count)
{
    char *copy = malloc(count + 1);
    if (copy) {
        if (count)
            memcpy(copy, text, count);
        copy[count] = '\0';
    }
    return copy;
}

bool at__grow(void *data_pointer, size_t *cap, size_t count, size_t size)
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
