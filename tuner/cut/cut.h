/*
 * cut.h - from a rendered source to what its kernel needs, for a file that people read.
 *
 * It leaves out what only the renderer and the tuner need (#line, declarations, the section for editors) and
 * every definition that the kernel does not reach by name. The rest compiles to the same machine code. A pure
 * function of the text.
 */
#pragma once

#include "util/str.h"

typedef struct atx_cutting {
    const char *rendered; /* as atx_render or atx_render_reference make it */
    const char *kernel;   /* its name there                        */
    const char *name;     /* and in what is made                   */
    const char *before;   /* definitions that stand in this text already are left out; NULL: none */
} atx_cutting;

/*
 * Appends. A text that cannot be taken apart with certainty (a bracket or string that does not close) comes
 * as it is, with the kernel renamed. AT_ERR_MEMORY.
 */
at_status atx_cut(atx_str *out, const atx_cutting *cutting, at_error *err) AT_MUST_CHECK;

/*
 * Appends the type of a pointer that a kernel takes, as its definition in the text has it: "const float2 *".
 * Nothing when the text has no such kernel or parameter, or that is no pointer.
 */
void atx_cut_parameter(atx_str *out, const char *text, const char *kernel, int index);

/* The same of one that is passed by value: "View", "const ns::View". */
void atx_cut_value(atx_str *out, const char *text, const char *kernel, int index);
