/*
 * temporary.h - temporary files of tests. Each test program has a folder of its own, $TMPDIR of it and of
 * what it starts, and removes it with all that is in it when it ends.
 */
#pragma once

#include <stddef.h>

/* out[0..size), for mkstemp or mkdtemp: a name that begins with `name`, in that folder. Ends the process
 * where it does not fit. */
char *temporary_path(char *out, size_t size, const char *name);

#define TEMPORARY(array, name) temporary_path(array, sizeof(array), name)
