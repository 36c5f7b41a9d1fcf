/* checked.h - `autotune check`: the table of compile results. */
#pragma once

#include "cli/commands.h"
#include "compile/compile_check.h"

const char *atx_checked_name(const atx_compile_check_row *row);

/* A line for each row that has kernels; sorts their registers. As text also how many failed, and how fast. */
void atx_checked_print(atx_compile_check *check, atx_format format, int64_t failed, double seconds,
                       const char *nvrtc_version);
