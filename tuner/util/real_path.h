/*
 * real_path.h - which file a name leads to, also when it is not there yet. Opens nothing: closing a database
 * by hand would drop the locks that this process has on it.
 */
#pragma once

#include "util/str.h"

/*
 * The absolute name without links of the file, or of the file that would be made under this name: links that
 * lead nowhere are followed, folders may be missing. Replaces *out. AT_ERR_SYSTEM: a loop of links, no right
 * to look.
 */
at_status atx_real_path(atx_str *out, const char *path, at_error *err) AT_MUST_CHECK;

/* A relative name becomes one that leads to the file from every folder. It stays as it is where the folder
 * that the process is in is gone; "" and what has failed stay, too. */
void atx_path_from_here(atx_str *path);

/* Is it one file? By device and inode (hard links), or, where one is not there, by their real names. */
bool atx_same_file(const char *a, const char *b);
