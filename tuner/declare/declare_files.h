/* declare_files.h - the arrays that an op names, in files: a note of what they hold, and where they are. */
#ifndef AUTOTUNE_DECLARE_FILES_H
#define AUTOTUNE_DECLARE_FILES_H

#include "declare/declare.h"
#include "source/allowed.h"
#include "util/str.h"

/*
 * Reads the files of an op whose declaration was read from a folder: appends the note of each, a line, and
 * fills op->files. AT_ERR_INPUT, with the place: one that may not be read (allowed.h), is no regular file, or
 * cannot be read.
 */
at_status at__op_note_files(at__str *notes, at__op *op, const at__allowed *allowed,
                            at_error *err) AT_MUST_CHECK;

/* Where it is; replaces *path. AT_ERR_INPUT: the op came without its files (as from a recording), or the file
 * holds something else than what was noted. */
at_status at__op_find_file(at__str *path, const at__op *op, const char *name, at_error *err) AT_MUST_CHECK;

#endif
