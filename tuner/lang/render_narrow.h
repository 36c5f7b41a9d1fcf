/* render_narrow.h - the text of a kernel for sizes of 32 bits and dense buffers. Private to render.c. */
#pragma once

#include "declare/declare.h"
#include "util/str.h"

/* Appends the text, where kernels take their scalars as AUTOTUNE_ARG(name). */
void atx_render_narrow(atx_str *out, const atx_op *op, const char *text);
