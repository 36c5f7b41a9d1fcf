/*
 * text_file.h - reading a text line by line, gzip'ed or not, from a file or stdin.
 *
 * One thread uses a handle.
 */
#pragma once

#include "util/str.h"

typedef struct atx_text_file atx_text_file;

/* "-" is stdin. AT_ERR_CANCELLED, here and below: a signal came while a pipe was waited for. AT_ERR_INPUT
 * names a file that cannot be read. `path` is borrowed until the handle closes. */
at_status atx_text_file_open(atx_text_file **out, const char *path, at_error *err) AT_MUST_CHECK;
void atx_text_file_close(atx_text_file *file); /* harmless on NULL */
ATX_CLOSES(atx_text_file)

/*
 * The next line without its '\n', in `line`, which it replaces; *got is false at the end of the file. *whole
 * is false when the last line has no '\n'. NUL bytes stay: compare line->len with strlen().
 * AT_ERR_INPUT: damaged or cut off compression, a file that cannot be read, a line of more than `limit`
 * bytes.
 */
at_status atx_text_file_line(atx_text_file *file, atx_str *line, size_t limit, bool *got, bool *whole,
                             at_error *err) AT_MUST_CHECK;

/* All that is left; refuses more than `limit` bytes, decompressed, and reads little more than that. */
at_status atx_text_file_all(atx_text_file *file, atx_str *text, size_t limit, at_error *err) AT_MUST_CHECK;

/* The first up to `size` bytes of a regular file, decompressed, and how many there are; 0 for one that cannot
 * be read, and for a pipe, which would wait, and lose them. */
size_t atx_text_file_peek(void *out, size_t size, const char *path);
