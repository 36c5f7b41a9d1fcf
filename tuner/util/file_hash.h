/*
 * file_hash.h - the hash of a file's contents, for files of any size.
 *
 * Hashing takes about 4 s a gigabyte. So that of a large file is written down, with its device, inode, size
 * and times, in $XDG_CACHE_HOME/autotune/contents (else ~/.cache/...), and the file is read again only when
 * one of these changes. A file that changed within the last two seconds is not written down: a second change
 * may have the same time. Where the list cannot be read or written every process reads the file once.
 */
#pragma once

#include "util/sha256.h"

#include "util/fail.h"
#include <sys/stat.h>

/* *info is of the file whose contents were hashed. AT_ERR_INPUT: no regular file, it cannot be read, or it
 * changed meanwhile. */
at_status atx_file_hash(char hash[ATX_HASH_TEXT], struct stat *info, const char *path,
                        at_error *err) AT_MUST_CHECK;
