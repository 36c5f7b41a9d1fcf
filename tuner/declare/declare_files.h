/* declare_files.h - the arrays in files that an op names: a note of their contents, and their places. */
#pragma once

#include "declare/declare.h"
#include "source/allowed.h"
#include "util/str.h"

/*
 * Reads the files of an op whose declaration was read from a folder: appends the note of each, a line, and
 * fills op->files. AT_ERR_INPUT, with the place: one that may not be read (allowed.h), is no regular file, or
 * cannot be read.
 */
at_status atx_op_note_files(atx_str *notes, atx_op *op, const atx_allowed *allowed,
                            at_error *err) AT_MUST_CHECK;

/* Where it is; replaces *path. AT_ERR_INPUT: the op came without its files (as from a recording), or the file
 * has other contents than the noted ones. */
at_status atx_op_find_file(atx_str *path, const atx_op *op, const char *name, at_error *err) AT_MUST_CHECK;
