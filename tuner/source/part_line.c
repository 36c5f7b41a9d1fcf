/*
 * part_line.c - a line is read where it stands; the length that it gives must fit behind it.
 */
#include "source/part_line.h"

#include <stdio.h>
#include <string.h>

static const char PART[] = ATX_PART_COMMON;
static const char PIECE[] = ATX_PART_SOURCE;
static const char NOTE[] = ATX_PART_HEADERS;
static const char DATA[] = ATX_PART_DATA;

static bool begins(const char *at, const char *stop, const char *word)
{
    size_t len = strlen(word);
    return stop && (size_t)(stop - at) > len && memcmp(at, word, len) == 0;
}

/* "//!autotune source LENGTH LINE PATH" */
static bool read_piece_line(atx_part_line *out, const char *at, const char *stop)
{
    char line[ATX_MAX_PART_PATH + 64];
    unsigned long len;
    int number, used = -1;
    if ((size_t)(stop - at) >= sizeof line)
        return false;
    size_t n = (size_t)(stop - at) - (sizeof PIECE - 1);
    memcpy(line, at + sizeof PIECE - 1, n);
    line[n] = '\0';
    if (sscanf(line, "%9lu %9d %n", &len, &number, &used) != 2 || used < 0 || number < 1 || !line[used] ||
        strlen(line) != n || n - (size_t)used >= sizeof out->name)
        return false;
    strcpy(out->name, line + used);
    out->line = number;
    out->text = stop + 1;
    out->len = len;
    return true;
}

bool atx_part_line_read(atx_part_line *out, const char *at, const char *end)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    char line[128];
    unsigned long len;
    int used = -1;
    const bool data = begins(at, stop, DATA);
    if (data || begins(at, stop, NOTE)) {
        *out = (atx_part_line){ .line = data ? ATX_DATA_LINE : ATX_HEADERS_LINE, .text = stop + 1 };
        return true;
    }
    if (begins(at, stop, PIECE))
        return read_piece_line(out, at, stop) && out->len <= (size_t)(end - out->text);
    if (!begins(at, stop, PART) || (size_t)(stop - at) >= sizeof line)
        return false;
    out->line = 0;
    size_t n = (size_t)(stop - at) - (sizeof PART - 1);
    memcpy(line, at + sizeof PART - 1, n);
    line[n] = '\0';
    if (sscanf(line, "%63[a-z0-9_] %9lu%n", out->name, &len, &used) != 2 || (size_t)used != n)
        return false;
    out->text = stop + 1;
    out->len = len;
    return len <= (size_t)(end - out->text);
}
