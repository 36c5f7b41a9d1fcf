/*
 * find_headers.h - finds the headers of a foreign file, to draft its `include` lines.
 *
 * A header is searched beside the including file, then in the folder of the first one and those above it, up
 * to the repository's root (which has a .git) or five of them, and there in include/, inc/, src/, common/ and
 * Common/ as well. Headers of CUDA, of C and C++ and of systems (device_headers.h) are not searched. Threads:
 * any number.
 */
#pragma once

#include "source/headers.h"
#include "util/str.h"

enum { ATX_MAX_FOUND_FOLDERS = 8 };

typedef struct atx_found_headers {
    /* In the order in which they are needed; relative to the file's own folder, which is not among them:
     * "../common". */
    char *folders[ATX_MAX_FOUND_FOLDERS];
    int count;
    atx_str missing; /* what was found nowhere, as it is spelled: "\"a.h\"\n<lib/b.h>\n" */
} atx_found_headers;

/* Of a file and all that it includes. What is in `headers` (NULL: none), the user's folders, is left to them.
 * AT_ERR_INPUT: the file itself cannot be read. Clear *out either way. */
at_status atx_find_headers(atx_found_headers *out, const char *path, const atx_headers *headers,
                           at_error *err) AT_MUST_CHECK;
void atx_found_headers_clear(atx_found_headers *found);

/*
 * The .cu file that includes this one, a part of a program without launches of its own: what its kernels use
 * is often declared there alone. The first by name in the same folder, then in the one above, where that is
 * of the same repository, or below the working directory; *out stays empty: there is none. For `adopt FILE`,
 * which can draft that file's kernel instead.
 */
at_status atx_find_includer(atx_str *out, const char *path, at_error *err) AT_MUST_CHECK;

/* The first file by name in the same folder, then in the one above as for an includer, that launches the
 * kernel with as many arguments as it has, or less those with a default, and has none of that name itself;
 * *out stays empty: there is none. */
at_status atx_find_launcher(atx_str *out, const char *path, const char *kernel, at_error *err) AT_MUST_CHECK;
