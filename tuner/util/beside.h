/*
 * beside.h - a new file that will replace another: made beside it, in the same folder, so that a rename
 * replaces it as a whole.
 *
 * A process that is killed leaves its file behind. The maker of a file holds a lock on it (flock) as long as
 * it is open; the next maker for the same path removes files that no process holds any more, and files named
 * after them, "NAME-...". A file system without locks keeps them all.
 */
#pragma once

#include "util/str.h"
#include <sys/types.h>

/*
 * Makes an empty file with a unique name, PATH.autotune-PROCESS-N.new, and opens it for writing: keep it
 * open until it has its place. The umask holds. Below zero: errno tells why. Replaces *name.
 */
int atx_make_beside(atx_str *name, const char *path, mode_t mode);

/* Removes files that killed processes left for this path; atx_make_beside does, too. */
void atx_clean_beside(const char *path);

/* Brings the name of a file to the disk. Not every file system can: no error. */
void atx_sync_name(const char *path);
