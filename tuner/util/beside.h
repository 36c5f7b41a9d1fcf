/*
 * beside.h - a new file that is to take the place of another: made beside it, in the same folder, so that a
 * rename puts it there as a whole.
 */
#ifndef AUTOTUNE_BESIDE_H
#define AUTOTUNE_BESIDE_H

#include "util/str.h"
#include <sys/types.h>

/* Makes an empty file that nobody else has, with a name that begins as `path`, and opens it for writing. The
 * umask holds. Below zero: errno tells why. Replaces *name. */
int at__make_beside(at__str *name, const char *path, mode_t mode);

/* Brings the name of a file to the disk. Not every file system can: no error. */
void at__sync_name(const char *path);

#endif
