/*
 * allowed.h - the files that a folder of templates may have read.
 *
 * The files that a declaration names (`source`, `include`, `input file`, `reference file`, an #include) are
 * copied into messages, the database, dumps and exported files. A foreign folder must not copy its
 * reader's files there. So the real name of a file, with links and ".." followed, must lie in
 *
 *   - the folder of templates itself,
 *   - the working directory, but not behind a name that begins with a dot; the working directory does not
 *     count if it is the home directory, or one above it,
 *   - a folder that the user named with --headers or --allow.
 *
 * Threads: any number may call at a time.
 */
#pragma once

#include "source/headers.h"

#define ATX_ALLOW_ENV "AUTOTUNE_ALLOW"

typedef struct atx_allowed atx_allowed;

/*
 * `root`: the folder of templates. `folders`: those of --allow, "DIR:DIR"; NULL, "": none. `headers` (NULL:
 * none) is borrowed. AT_ERR_USAGE: one of `folders` is no folder, or cannot be read.
 */
at_status atx_allowed_open(atx_allowed **out, const char *root, const char *folders,
                           const atx_headers *headers, at_error *err) AT_MUST_CHECK;
void atx_allowed_close(atx_allowed *allowed); /* NULL is allowed */
ATX_CLOSES(atx_allowed)

/*
 * The one place that decides. AT_ERR_INPUT names the file, and the option that would allow it. A file that is
 * not there is no harm: reading it says why it cannot be.
 */
at_status atx_allowed_check(const atx_allowed *allowed, const char *path, at_error *err) AT_MUST_CHECK;
