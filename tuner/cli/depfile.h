/* depfile.h - the files of --templates that an exported kernel depends on, as make and Ninja read them. */
#pragma once

#include "lang/catalog.h"

/*
 * Writes "OUTPUT: FILE FILE..." to `path`: the program, and all that the op and each of its templates were
 * read from, with the code that they include and the arrays that the op names; any of the templates may be
 * the next winner. Built-in texts have no files. Names are absolute. Errors: AT_ERR_MEMORY, and
 * those of atx_out_write_all.
 */
at_status atx_depfile_write(const char *path, const char *output, const atx_catalog *catalog,
                            const atx_op *op, at_error *err) AT_MUST_CHECK;
