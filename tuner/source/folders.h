/* folders.h - folders that the user names in one text: "DIR:DIR", as `--headers` and `--allow` pass them on.
 */
#pragma once

#include "util/str.h"

enum { ATX_MAX_FOLDERS = 16 };

typedef struct atx_folders {
    char *items[ATX_MAX_FOLDERS]; /* absolute */
    int count;
    atx_str text; /* all of them, joined by colons, for another process */
} atx_folders;

/*
 * Reads "DIR:DIR"; NULL, "": none. `what` begins messages: "headers". AT_ERR_USAGE: one that is no folder, or
 * cannot be read. Clear *out either way.
 */
at_status atx_folders_read(atx_folders *out, const char *what, const char *folders,
                           at_error *err) AT_MUST_CHECK;
void atx_folders_clear(atx_folders *folders);

/* Is `path`, an absolute name without links, below this folder? */
bool atx_is_below(const char *path, const char *folder);
