/*
 * regular.h - opening a file that must be a regular one: a template, a header, an array, a model.
 *
 * Opening a pipe waits for its other end, and a device may never end. Files that a declaration names, or that
 * are found by their place, are opened here: anything but a regular file is refused at once. A file that the
 * user names on a command line may be a pipe (`--shapes <(...)`) and is read by atx_str_read_file.
 */
#pragma once

#include "util/str.h"

#include <stdio.h>
#include <sys/stat.h>

/* "a folder", "a pipe", "a socket", "a device" */
const char *atx_file_kind(mode_t mode);

/* Nothing was written to the file between the two, nor did another take its place. */
bool atx_same_contents(const struct stat *a, const struct stat *b);

/* Opens for reading; never waits. *info (may be NULL) is of the opened file. AT_ERR_INPUT names the file and
 * its kind, or the system's reason; the caller closes *out. */
at_status atx_regular_open(FILE **out, struct stat *info, const char *path, at_error *err) AT_MUST_CHECK;

/* Reads a whole file; refuses more than `limit` bytes. */
at_status atx_regular_read(atx_str *out, const char *path, size_t limit, at_error *err) AT_MUST_CHECK;
