/* export_arguments.c - a launch as it stands in a file, and what its kernel is passed. */
#include "export/export_parts.h"

#include "cut/cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *atx_export_element(const atx_arg *arg)
{
    return arg->own_type ? atx_dtype_cuda(arg->type, false) : "T";
}

const char *atx_export_qualifier(const atx_arg *arg)
{
    return arg->role == ATX_INPUT ? "const " : "";
}

/* Where the kernel's own parameter is another pointer than the op's argument: the cast that makes it one. */
static at_status add_cast(atx_str *out, const atx_arg *arg, const char *text, const char *kernel, int index,
                          at_error *err)
{
    atx_str type = { 0 };
    char plain[80], other[80];
    const char *element = atx_export_element(arg);
    snprintf(plain, sizeof plain, "%s *", element);
    snprintf(other, sizeof other, "const %s *", element);
    atx_cut_parameter(&type, text, kernel, index);
    const char *found = atx_str_text(&type);
    bool same =
        !found[0] || strcmp(found, other) == 0 || (arg->role != ATX_INPUT && strcmp(found, plain) == 0);
    if (!same)
        atx_str_addf(out, "(%s)", found);
    at_status status = atx_str_status(&type, err);
    atx_str_clear(&type);
    return status;
}

static at_status add_scalar(atx_str *out, const atx_launcher *l, const atx_arg *arg, at_error *err)
{
    int64_t value = 0;
    if (!arg->expr) {
        atx_str_addf(out, "(%s)%.17e", atx_dtype_cuda(arg->type, false), arg->real);
        return AT_OK;
    }
    at_status status = atx_expr_eval(&value, arg->expr, l->slots, err);
    atx_str_addf(out, arg->scalar_bytes == 8 ? "%" PRId64 "LL" : "%" PRId64, value);
    return status;
}

/* "out", "4096LL". `text`: what defines the kernel; `position`: of its parameters. */
static at_status add_argument(atx_str *out, const atx_launcher *l, const atx_passed *p, const char *text,
                              int position, at_error *err)
{
    const int index = p->args ? p->args[position] : position;
    const atx_arg *arg = &l->op->args[index];
    int buffer = 0;
    if (arg->role == ATX_SCALAR)
        return add_scalar(out, l, arg, err);
    /* Types within a kernel template are its own. */
    at_status status = strchr(p->kernel, '<') ? AT_OK : add_cast(out, arg, text, p->kernel, position, err);
    for (int i = 0; i < index; i++)
        buffer += l->op->args[i].role != ATX_SCALAR;
    if (p->numbered)
        atx_str_addf(out, "(%s%s *)buffers[%d]", atx_export_qualifier(arg), atx_export_element(arg), buffer);
    else
        atx_str_add(out, arg->name);
    return status;
}

at_status atx_export_arguments(atx_str *out, const atx_launcher *l, const atx_passed *p, at_error *err)
{
    at_status status = AT_OK;
    char *text = atx_text_copy(atx_str_text(out), out->len); /* it grows below */
    if (!text)
        return atx_no_memory(err);
    for (int i = 0; i < p->count && status == AT_OK; i++) {
        atx_str_add(out, i ? ", " : "");
        status = add_argument(out, l, p, text, i, err);
    }
    free(text);
    return status;
}

at_status atx_export_launch(atx_str *out, const atx_launcher *l, const atx_passed *p, const atx_geometry *g,
                            bool *has_status, at_error *err)
{
    if (g->shared_bytes > 0 && !p->numbered)
        atx_str_addf(out,
                     "    %sstatus = cudaFuncSetAttribute(%s, "
                     "cudaFuncAttributeMaxDynamicSharedMemorySize, %" PRId64
                     ");\n    if (status != cudaSuccess)\n        return status;\n",
                     *has_status ? "" : "cudaError_t ", p->kernel, g->shared_bytes);
    *has_status = *has_status || (g->shared_bytes > 0 && !p->numbered);
    atx_str_addf(out,
                 "    %s<<<dim3(%" PRId64 ", %" PRId64 ", %" PRId64 "), dim3(%" PRId64 ", %" PRId64
                 ", %" PRId64 "), %" PRId64 "%s>>>(",
                 p->kernel, g->grid[0], g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2],
                 g->shared_bytes, p->numbered ? "" : ", stream");
    at_status status = atx_export_arguments(out, l, p, err);
    atx_str_add(out, ");\n");
    return status;
}
