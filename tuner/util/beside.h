/*
 * beside.h - a new file that is to take the place of another: made beside it, in the same folder, so that a
 * rename puts it there as a whole.
 *
 * A process that is killed leaves its file behind. Whoever makes one holds a lock on it (flock) for as long
 * as it is open; the next that makes one for the same path removes those that no process holds any more, and
 * what is named after them, "NAME-...". A file system without locks keeps them all.
 */
#ifndef AUTOTUNE_BESIDE_H
#define AUTOTUNE_BESIDE_H

#include "util/str.h"
#include <sys/types.h>

/*
 * Makes an empty file with a unique name, PATH.autotune-PROCESS-N.new, and opens it for writing: keep it
 * open until it has its place. The umask holds. Below zero: errno tells why. Replaces *name.
 */
int atx_make_beside(atx_str *name, const char *path, mode_t mode);

/* Removes what killed processes left behind for this path; atx_make_beside does, too. */
void atx_clean_beside(const char *path);

/* Brings the name of a file to the disk. Not every file system can: no error. */
void atx_sync_name(const char *path);

#endif
