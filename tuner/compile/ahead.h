/*
 * ahead.h - CUDA's large headers (CUB, libcu++, cooperative groups) and the user's (source/headers.h) are
 * compiled once a worker, not once a kernel: NVRTC's precompiled headers (12.8 and newer).
 *
 * NVRTC requires the #include lines at the beginning of a text, but a rendered text begins with constants. So
 * the compiled text gets a copy of those lines in front; the rendered text and its hash do not change.
 */
#pragma once

#include "source/headers.h"
#include "util/str.h"

/*
 * Appends the lines "#include <...>" of large headers that the text itself begins with, behind its constants.
 * Nothing where it has none, or defines before them what headers may ask for. `noted_bytes`: how much it
 * reaches in the user's `headers` (NULL: not known), which are large by that.
 */
void atx_ahead_lines(atx_str *out, const char *rendered, const atx_headers *headers, size_t noted_bytes);

/* May a text have such lines? Asked before the headers are known. */
bool atx_ahead_wanted(const char *rendered);

/* A private folder for headers that workers compile ahead, with a folder in it for each. */
typedef struct atx_ahead {
    atx_str path; /* "": none           */
    int lock;     /* held while it is in use */
} atx_ahead;

/*
 * Makes one for so many workers, of which each has some 200 MB, below $TMPDIR, else /tmp; there is none where
 * it cannot be made, or the disk has less than twice the room. First it removes those whose owners were
 * killed.
 */
void atx_ahead_open(atx_ahead *out, int workers);
void atx_ahead_close(atx_ahead *ahead); /* with all that is in it; harmless on a zeroed one */

/* A worker's own, by its process number. */
void atx_ahead_own_make(atx_str *out, const char *folder, long process); /* left empty: it cannot be made */
void atx_ahead_own_remove(const atx_ahead *ahead, long process);
