/*
 * export_internal.h - the parts of an exported CUDA file. Private to export*.c.
 */
#pragma once

#include "export/export.h"

typedef struct atx_launcher {
    const atx_op *op;
    const atx_template *t;
    const atx_problem *problem;
    const int64_t *slots;
    const atx_geometry *geometry;
    const char *name,
        *kernel; /* the exported function, and its kernel: their own names, for linking several */
} atx_launcher;

/* "float", "T": the type of a buffer's elements in the file; and "const " before it if it is only read. */
const char *atx_export_element(const atx_arg *arg);
const char *atx_export_qualifier(const atx_arg *arg);

/* The arguments of a kernel that is defined already: `count` of the op's, and the template's own. */
typedef struct atx_passed {
    const char *kernel;
    const int *args; /* their indices; NULL: the first so many */
    int count;
    bool numbered; /* buffers as buffers[i], cast, on the default stream; else by their names */
} atx_passed;

/* One launch, with its kernel's arguments. `has_status`: the function has a variable `status`. */
at_status atx_export_launch(atx_str *out, const atx_launcher *l, const atx_passed *passed,
                            const atx_geometry *g, bool *has_status, at_error *err) AT_MUST_CHECK;

/* export_loops.c: all launches of a template with loops, or of such a reference. */
at_status atx_export_loop_launches(atx_str *out, const atx_launcher *l, bool of_reference,
                                   at_error *err) AT_MUST_CHECK;

/* Structs that launches take by value, as bytes under the names of their arguments. */
at_status atx_export_structs(atx_str *out, const atx_launcher *l, at_error *err) AT_MUST_CHECK;

at_status atx_export_main(atx_str *out, const atx_launcher *l, const atx_export_input *in,
                          at_error *err) AT_MUST_CHECK;

/* The comment at the head of a file; one line of it. */
void atx_export_about(atx_str *out, const atx_export_input *in, const char *title);
void atx_export_comment(atx_str *out, const char *label, const char *text);

/* The same of a sentence, in as many lines as it needs. */
void atx_export_sentence(atx_str *out, const char *label, const char *text);
