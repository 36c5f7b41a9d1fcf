/*
 * device_view.h - the parts of a CUDA file that some kernels need, without the host's: the same text, with
 * all else blanked. Lines and columns keep their places, and the file is not touched.
 *
 * Kept: the kernels, and the declarations that they reach by name, one from the next: functions with
 * __device__ or constexpr (also by a macro), types, aliases, constants, variables of the device, operators,
 * macros; every line of a conditional, whatever becomes of the text between. Removed: main, launches,
 * prototypes of kernels, functions and variables of the host. Functions of the host inside a kept class are
 * removed as well.
 *
 * A remaining #include (declare_gather.c replaces those of the file's own headers) is kept if it is one of
 * CUDA's headers for the device, and anything of it is reached, or one in the user's folders. Any other
 * becomes a comment of the same length, "//lacks <name>" (ATX_LACKS), which atx_device_lacks finds.
 *
 * Time: linear in the text. Threads: any number at a time.
 */
#pragma once

#include "source/headers.h"
#include "util/str.h"

typedef struct atx_device_request {
    const char *roots; /* a text, each word of which is reached: kernels, what else names them */
    const char
        *replaced; /* a text of words: macros and constants of these names are defined elsewhere, and go */
    size_t given;  /* so many characters at the start of the text come with the program: what NVRTC does not
                      see of them stays */
    const atx_headers *headers; /* the user's folders; NULL: none */
} atx_device_request;

/* Blanks `text` in place, of `len` characters, terminated. AT_ERR_MEMORY. */
at_status atx_device_view(char *text, size_t len, const atx_device_request *request,
                          at_error *err) AT_MUST_CHECK;

/* Blanks a text that comes with the program where nothing but guards, conditions and empty namespaces is left
 * of it. */
void atx_device_blank_empty(char *text, size_t len);

#define ATX_LACKS "//lacks "

/* The next header that a view lacks, from *at on, as it is spelled, with its quotes or angles: *len
 * characters; NULL: there is no more. Those that every host has (<vector>) are not told. */
const char *atx_device_lacks(size_t *len, const char **at);
