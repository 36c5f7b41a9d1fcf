/* declare_support.h - a small op, and reading declarations from text, for the tests of what builds on them.
 */
#pragma once

#include <criterion/criterion.h>
#include <string.h>

#include "lang/problem.h"

#define MINI_OP_HEAD                                                                                         \
    "/*!autotune\n"                                                                                          \
    "op        mini          # y = x\n"                                                                      \
    "shape     batch=1 rows cols\n"
#define MINI_OP_TAIL                                                                                         \
    "let       count = batch * rows * cols\n"                                                                \
    "require   count > 0     # nothing to do\n"                                                              \
    "arg       y     T[count] output\n"                                                                      \
    "arg       x     T[count] input\n"                                                                       \
    "arg       rows  i64\n"                                                                                  \
    "arg       half  i32 = count / 2\n"                                                                      \
    "reference mini_reference\n"                                                                             \
    "block     256\n"                                                                                        \
    "grid      ceil_div(count, 256)\n"                                                                       \
    "check     exact\n"                                                                                      \
    "traffic   2 * count * sizeof(T)\n"                                                                      \
    "*/\n"                                                                                                   \
    "extern \"C\" __global__ void mini_reference(T *y, const T *x, long long rows, int half) {}\n"

#define MINI_OP MINI_OP_HEAD "type      T = storage\n" MINI_OP_TAIL

/* A template around `lines` of declaration. */
#define MINI_TEMPLATE(lines) "/*!autotune\ntemplate  t  # about t\n" lines "*/\nvoid mini_t() {}\n"

/* One that needs no thought about its launch. */
#define MINI_SPACE(lines) MINI_TEMPLATE(lines "grid 1\nblock 1\n")

static inline atx_op *read_op(const char *source)
{
    atx_op *op = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_op_read(&op, source, strlen(source), "op.cu", &err), AT_OK, "%s", err.text);
    return op;
}

static inline atx_template *read_template(const atx_op *op, const char *source)
{
    atx_template *t = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_template_read(&t, op, source, strlen(source), "t.cu", &err), AT_OK, "%s", err.text);
    return t;
}

static inline atx_limits some_limits(void)
{
    return (atx_limits){
        .cc = 90,
        .sms = 132,
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_shared_bytes = 232448,
        .max_static_shared_bytes = 49152,
        .max_registers_per_block = 65536,
        .max_grid_x = 2147483647,
        .l2_bytes = 52428800,
        .memory_bytes = 150000000000,
    };
}

/* Binds rows x cols of f32 into slots[ATX_MAX_SLOTS]. */
static inline void bind_problem(int64_t *slots, const atx_op *op, int64_t rows, int64_t cols)
{
    atx_limits limits = some_limits();
    atx_problem problem;
    at_error err = { 0 };
    int64_t sizes[2] = { rows, cols };
    cr_assert_eq(atx_problem_init(&problem, op, ATX_F32, sizes, 2, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_problem_bind(slots, &problem, &limits, &err), AT_OK, "%s", err.text);
}
