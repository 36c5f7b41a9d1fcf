/* folders.h - folders that the user names in one text: "DIR:DIR", as `--headers` and `--allow` pass them on.
 */
#ifndef AUTOTUNE_FOLDERS_H
#define AUTOTUNE_FOLDERS_H

#include "util/str.h"

enum { AT__MAX_FOLDERS = 16 };

typedef struct at__folders {
    char *items[AT__MAX_FOLDERS]; /* absolute */
    int count;
    at__str text; /* all of them, joined by colons: what another process is told */
} at__folders;

/*
 * Reads "DIR:DIR"; NULL, "": none. `what` begins messages: "headers". AT_ERR_USAGE: one that is no folder, or
 * cannot be read. Clear *out either way.
 */
at_status at__folders_read(at__folders *out, const char *what, const char *folders,
                           at_error *err) AT_MUST_CHECK;
void at__folders_clear(at__folders *folders);

/* Is `path`, an absolute name without links, below this folder? */
bool at__is_below(const char *path, const char *folder);

#endif
