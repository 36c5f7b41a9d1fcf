/*
 * export.h - an answer, measured or expected, in other people's formats. Needs no GPU.
 *
 * A format is a row of the table in export_formats.c and a function, in a file of its own.
 */
#pragma once

#include "lang/problem.h"
#include "lookup/lookup.h"
#include "source/headers.h"

/* The request. All borrowed. */
typedef struct atx_export_input {
    const atx_found *found; /* not none, and with a template, which has the hash of its answer */
    const atx_problem *problem;
    const char *templates; /* folder that the op's files were read from, besides those built in; NULL: none */
    atx_headers *headers;  /* the user's folders; NULL: none           */
    const char *header_list; /* of the template's note (source/headers.h); NULL: not known */
    bool *refused;           /* set where the compiler refuses the source; may be NULL         */
    bool with_main; /* "cu" only: also a main() that checks the kernel against the op's reference and times it
                     */
} atx_export_input;

typedef struct atx_export_format {
    const char *name;                                                            /* of --format */
    const char *about;                                                           /* one line    */
    bool binary;                                                                 /* not for a terminal */
    at_status (*write)(atx_str *out, const atx_export_input *in, at_error *err); /* appends */
} atx_export_format;

/* The device that the kernel is for, as far as it is known. */
atx_fingerprint atx_export_device(const atx_export_input *in);

/* NULL behind the last, or for an unknown name. The first is the default. */
const atx_export_format *atx_export_format_at(int index);
const atx_export_format *atx_export_format_find(const char *name);

/*
 * A CUDA source file that stands alone; pure text. Names that go into identifiers are restricted to letters,
 * digits and '_', and nothing that goes into a comment can end it.
 */
at_status atx_export_cu(atx_str *out, const atx_export_input *in, at_error *err) AT_MUST_CHECK;

/* The kernel compiled for the device that it is for; AT_ERR_DEVICE without NVRTC. */
at_status atx_export_ptx(atx_str *out, const atx_export_input *in, at_error *err) AT_MUST_CHECK;
at_status atx_export_cubin(atx_str *out, const atx_export_input *in, at_error *err) AT_MUST_CHECK;

/* Everything that a program needs to compile and launch the kernel by itself, as one JSON object. */
at_status atx_export_json(atx_str *out, const atx_export_input *in, at_error *err) AT_MUST_CHECK;

/*
 * For formats: the kernel's rendered source, the problem's slots, and the launch. The limits for derived
 * values are those of the device that it is for. The launch is what the template declares for
 * the configuration, whatever the answer says: that may come from anyone. AT_ERR_INPUT: the template has no
 * such configuration, or not for this problem.
 */
at_status atx_export_render(atx_str *rendered, int64_t *slots, atx_geometry *geometry,
                            const atx_export_input *in, at_error *err) AT_MUST_CHECK;
