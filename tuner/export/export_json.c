/* export_json.c - format json: for programs that compile and launch the kernel by themselves. */
#include "export/export.h"

#include "lang/render_orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void text(atx_str *out, const char *name, const char *value)
{
    atx_str_addf(out, "  \"%s\": ", name);
    atx_str_add_json(out, value);
    atx_str_add(out, ",\n");
}

static void real(atx_str *out, const char *name, int digits, double value)
{
    atx_str_addf(out, "  \"%s\": ", name);
    atx_str_add_real(out, digits, value);
    atx_str_add(out, ",\n");
}

static void three(atx_str *out, const char *name, const int64_t *v)
{
    atx_str_addf(out, "  \"%s\": [%" PRId64 ", %" PRId64 ", %" PRId64 "],\n", name, v[0], v[1], v[2]);
}

/* In the kernel's order. A buffer's value is its elements, a scalar's what to pass. */
static at_status arguments(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    static const char *const ROLES[] = { [ATX_INPUT] = "input",
                                         [ATX_OUTPUT] = "output",
                                         [ATX_INOUT] = "inout",
                                         [ATX_SCALAR] = "scalar",
                                         [ATX_SCRATCH] = "scratch" };
    at_status status = AT_OK;
    atx_str_add(out, "  \"arguments\": [");
    for (int k = 0; k < in->t->arg_count && status == AT_OK; k++) {
        const int i = in->t->args[k];
        const atx_arg *arg = &in->t->op->args[i];
        bool scalar = arg->role == ATX_SCALAR;
        int64_t value = 0;
        atx_dtype type = atx_arg_type(arg, in->problem->type);
        if (arg->expr)
            status = atx_expr_eval(&value, arg->expr, slots, err);
        atx_str_addf(out, "%s\n    {\"name\": \"%s\", \"role\": \"%s\", \"%s\": ", k ? "," : "", arg->name,
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
    atx_str_add(out, "\n  ],\n");
    return status;
}

/* What is no argument of the kernel; nothing where there is none of it. */
static at_status variables(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    at_status status = AT_OK;
    bool any = false;
    for (int i = 0; i < in->t->op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &in->t->op->args[i];
        int64_t elements = 0;
        if (!atx_template_fills(in->t, i))
            continue;
        status = atx_expr_eval(&elements, arg->expr, slots, err);
        atx_str_addf(out,
                     "%s\n    {\"name\": \"%s\", \"variable\": \"%s\", \"elements\": %" PRId64
                     ", \"element_bytes\": %d}",
                     any ? "," : "  \"variables\": [", arg->name, arg->variable, elements,
                     atx_dtype_bytes(atx_arg_type(arg, in->problem->type)));
        any = true;
    }
    atx_str_add(out, any ? "\n  ],\n" : "");
    return status;
}

/* Names as in `query --json`. */
static void expected(atx_str *out, const atx_export_input *in)
{
    text(out, "from_shape", in->answer->shape);
    text(out, "from_device", in->answer->fingerprint.device);
    atx_str_add(out, "  \"median_s\": null,\n");
    if (in->expected_s > 0) {
        real(out, "expected_s", 4, in->expected_s);
        real(out, "doubt", 3, in->doubt);
    }
}

static void measured(atx_str *out, const atx_answer *a)
{
    const atx_fingerprint *f = &a->fingerprint;
    text(out, "driver", f->driver);
    text(out, "nvrtc", f->nvrtc);
    text(out, "autotune", f->tool);
    text(out, "measured_at", a->measured_at);
    atx_str_addf(out, "  \"cold\": %s,\n", f->cold ? "true" : "false");
    real(out, "median_s", 9, a->winner.timing.median_s);
    real(out, "gb_per_s", 5, atx_answer_gb_per_s(a));
    if (a->ops_count > 0)
        real(out, "gflop_per_s", 5, atx_gflop_per_s(a->ops_count, a->winner.timing.median_s));
    if (*a->winner.objective)
        text(out, "objective", a->winner.objective);
    if (a->winner.ceiling_s > 0)
        real(out, "share_of_ceiling", 5, atx_answer_share(a));
}

/* What a compiler must be told besides the source; nothing where there is none of it. */
static at_status orders(atx_str *out, const char *rendered, at_error *err)
{
    atx_orders o;
    size_t len;
    at_status status = atx_orders_read(&o, rendered, err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < o.option_count; i++) {
        atx_str_add(out, i ? ", " : "  \"options\": [");
        atx_str_add_json(out, o.options[i]);
    }
    atx_str_add(out, o.option_count ? "],\n" : "");
    const char *at = o.headers ? atx_headers_name(&len, o.headers) : NULL, *before = "  \"headers\": [";
    for (; at; at = atx_headers_name(&len, at + len), before = ", ") {
        char *name = atx_text_copy(at + 1, len - 2);
        atx_str_add(out, before);
        atx_str_add_json(out, name ? name : "");
        out->failed |= !name;
        free(name);
    }
    atx_str_add(out, o.headers ? "],\n" : "");
    atx_orders_clear(&o);
    return AT_OK;
}

at_status atx_export_json(atx_str *out, const atx_export_input *in, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    const atx_winner *w = &in->answer->winner;
    atx_str rendered = { 0 }, shape = { 0 };
    atx_geometry geometry;
    if (in->t->more_count)
        return at_fail(err, AT_ERR_INPUT, "%s launches %d kernels, which this format cannot say; expected cu",
                       w->template_name, in->t->more_count + 1);
    at_status status = atx_export_render(&rendered, slots, &geometry, in, err);
    if (status == AT_OK) {
        atx_str_add(out, "{\n");
        text(out, "op", in->problem->op->name);
        atx_problem_shape(&shape, in->problem);
        text(out, "shape", atx_str_text(&shape));
        text(out, "dtype", atx_dtype_name(in->problem->type));
        text(out, "match", in->match ? in->match : "exact");
        if (in->why)
            text(out, "why", in->why);
        text(out, "origin", in->shipped ? ATX_SHIPPED : "database");
        text(out, "template", w->template_name);
        text(out, "template_hash", w->template_hash);
        text(out, "config", w->config);
        text(out, "kernel", in->t->kernel);
        three(out, "grid", geometry.grid);
        three(out, "block", geometry.block);
        atx_str_addf(out, "  \"shared_bytes\": %" PRId64 ",\n", geometry.shared_bytes);
        status = arguments(out, in, slots, err);
        if (status == AT_OK)
            status = variables(out, in, slots, err);
        text(out, "device", atx_export_device(in)->device);
        atx_str_addf(out, "  \"cc\": %" PRId64 ",\n", atx_export_device(in)->cc);
        if (atx_export_is_measured(in))
            measured(out, in->answer);
        else
            expected(out, in);
        if (status == AT_OK)
            status = orders(out, atx_str_text(&rendered), err);
        atx_str_add(out, "  \"source\": ");
        atx_str_add_json(out, atx_str_text(&rendered));
        atx_str_add(out, "\n}\n");
    }
    out->failed |= shape.failed;
    atx_str_clear(&rendered);
    atx_str_clear(&shape);
    return status == AT_OK ? atx_str_status(out, err) : status;
}
