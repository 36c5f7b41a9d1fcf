/*
 * out_file.h - the destination of a command's output, by the name that its user gave.
 *
 *   - or NULL             stdout; so are /dev/stdout and the file that stdout is
 *   a file, or a new name written beside it and renamed once all of it is on the disk, with the permissions
 *                         of the file that it replaces; after any failure the old file stays
 *   a link                its target, which need not exist; the link stays one
 *   a pipe, a terminal    written directly
 *   /dev/fd/N             that descriptor
 *
 * One thread uses a handle.
 */
#pragma once

#include "util/fail.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct atx_out_file atx_out_file;

/* `path` is borrowed. AT_ERR_USAGE: an empty name, a folder, a disk. AT_ERR_SYSTEM: it cannot be written. */
at_status atx_out_open(atx_out_file **out, const char *path, at_error *err) AT_MUST_CHECK;

/* Could it be written, as far as can be seen without? Nothing is there that was not before. Errors as above.
 */
at_status atx_out_check(const char *path, at_error *err) AT_MUST_CHECK;

/* false: it could not be written, and nothing more will be; atx_out_commit says why. */
bool atx_out_write(atx_out_file *file, const void *bytes, size_t count);

/*
 * Puts it in its place and closes the handle, on failure too. AT_ERR_SYSTEM: something could not be written
 * (a full disk); a file is then as it was. Errors of stdout show only when the program ends: main checks.
 */
at_status atx_out_commit(atx_out_file *file, at_error *err) AT_MUST_CHECK;

/* Closes the handle; a file is as it was. Harmless on NULL. */
void atx_out_discard(atx_out_file *file);

/* Opens, writes and commits a whole text. Errors as above. */
at_status atx_out_write_all(const char *path, const void *bytes, size_t count, at_error *err) AT_MUST_CHECK;

/*
 * The same of a file, if nothing has its name: a file that is there, or comes there meanwhile, stays.
 * AT_ERR_INPUT: something has it.
 */
at_status atx_out_write_new(const char *path, const void *bytes, size_t count, at_error *err) AT_MUST_CHECK;

/* Appends to a file, made when it is missing, in one piece. AT_ERR_SYSTEM. */
at_status atx_out_append(const char *path, const char *text, size_t len, at_error *err) AT_MUST_CHECK;
