/* export_json.c - format json: for programs that compile and launch the kernel by themselves. */
#include "export/export.h"

#include "lang/render_orders.h"
#include "lookup/answer.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* In the kernel's order. A buffer's value is its elements, a scalar's what to pass. */
static at_status arguments(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    static const char *const ROLES[] = { [ATX_INPUT] = "input",
                                         [ATX_OUTPUT] = "output",
                                         [ATX_INOUT] = "inout",
                                         [ATX_SCALAR] = "scalar",
                                         [ATX_SCRATCH] = "scratch" };
    at_status status = AT_OK;
    atx_member_name(out, "arguments");
    atx_str_add(out, "[");
    for (int k = 0; k < in->found->t->arg_count && status == AT_OK; k++) {
        const int i = in->found->t->args[k];
        const atx_arg *arg = &in->found->t->op->args[i];
        bool scalar = arg->role == ATX_SCALAR;
        int64_t value = 0;
        atx_dtype type = atx_arg_type(arg, in->problem->type);
        if (arg->expr)
            status = atx_expr_eval(&value, arg->expr, slots, err);
        atx_str_addf(out, "%s{\"name\": \"%s\", \"role\": \"%s\", \"%s\": ", k ? "," : "", arg->name,
                     ROLES[arg->role], scalar ? "value" : "elements");
        if (arg->expr)
            atx_str_addf(out, "%" PRId64, value);
        else
            atx_str_addf(out, "%.17g, \"type\": \"%s\"", arg->real, atx_dtype_name(type));
        atx_str_addf(out, ", \"%s\": %d", scalar ? "bytes" : "element_bytes",
                     scalar ? arg->scalar_bytes : atx_dtype_bytes(type));
        if (!scalar)
            atx_str_addf(out, ", \"align\": %" PRId64, atx_problem_align_of(in->problem, i));
        atx_str_add(out, "}");
    }
    atx_str_add(out, "]");
    return status;
}

/* What is no argument of the kernel. */
static at_status variables(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    at_status status = AT_OK;
    bool any = false;
    atx_member_name(out, "variables");
    atx_str_add(out, "[");
    for (int i = 0; i < in->found->t->op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &in->found->t->op->args[i];
        int64_t elements = 0;
        if (!atx_template_fills(in->found->t, i))
            continue;
        status = atx_expr_eval(&elements, arg->expr, slots, err);
        atx_str_add(out, any ? ",{" : "{");
        atx_member_text(out, "name", arg->name);
        atx_member_text(out, "variable", arg->variable);
        atx_member_int(out, "elements", elements);
        atx_member_int(out, "element_bytes", atx_dtype_bytes(atx_arg_type(arg, in->problem->type)));
        atx_str_add(out, "}");
        any = true;
    }
    atx_str_add(out, "]");
    return status;
}

/* What a compiler must be told besides the source. */
static at_status orders(atx_str *out, const char *rendered, at_error *err)
{
    atx_orders o;
    size_t len;
    at_status status = atx_orders_read(&o, rendered, err);
    if (status != AT_OK)
        return status;
    atx_member_name(out, "options");
    atx_str_add(out, "[");
    for (int i = 0; i < o.option_count; i++) {
        atx_str_add(out, i ? "," : "");
        atx_str_add_json(out, o.options[i]);
    }
    atx_str_add(out, "]");
    atx_member_name(out, "headers");
    atx_str_add(out, "[");
    const char *at = o.headers ? atx_headers_name(&len, o.headers) : NULL, *before = "";
    for (; at; at = atx_headers_name(&len, at + len), before = ",") {
        char *name = atx_text_copy(at + 1, len - 2);
        atx_str_add(out, before);
        atx_str_add_json(out, name ? name : "");
        out->failed |= !name;
        free(name);
    }
    atx_str_add(out, "]");
    atx_orders_clear(&o);
    return AT_OK;
}

at_status atx_export_json(atx_str *out, const atx_export_input *in, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_str rendered = { 0 };
    atx_geometry ignored;
    if (in->found->t->more_count)
        return at_fail(err, AT_ERR_INPUT, "%s launches %d kernels, which this format cannot say; expected cu",
                       in->found->t->name, in->found->t->more_count + 1);
    at_status status = atx_export_render(&rendered, slots, &ignored, in, err);
    atx_str_add(out, "{");
    atx_member_text(out, "schema", "autotune.export/1");
    if (status == AT_OK)
        status = atx_answer_members(out, in->found, in->problem, "", err);
    atx_member_text(out, "kernel", in->found->t->kernel);
    if (status == AT_OK)
        status = arguments(out, in, slots, err);
    if (status == AT_OK)
        status = variables(out, in, slots, err);
    if (status == AT_OK)
        status = orders(out, atx_str_text(&rendered), err);
    atx_member_text(out, "source", atx_str_text(&rendered));
    atx_str_add(out, "}\n");
    atx_str_clear(&rendered);
    return status == AT_OK ? atx_str_status(out, err) : status;
}
