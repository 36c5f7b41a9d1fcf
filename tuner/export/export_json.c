/* export_json.c - format json: for programs that compile and launch the kernel by themselves. */
#include "export/export.h"

#include "lang/render_orders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void text(at__str *out, const char *name, const char *value)
{
    at__str_addf(out, "  \"%s\": ", name);
    at__str_add_json(out, value);
    at__str_add(out, ",\n");
}

static void real(at__str *out, const char *name, int digits, double value)
{
    at__str_addf(out, "  \"%s\": ", name);
    at__str_add_real(out, digits, value);
    at__str_add(out, ",\n");
}

static void three(at__str *out, const char *name, const int64_t *v)
{
    at__str_addf(out, "  \"%s\": [%" PRId64 ", %" PRId64 ", %" PRId64 "],\n", name, v[0], v[1], v[2]);
}

/* In the kernel's order. A buffer's value is its elements, a scalar's what to pass. */
static at_status arguments(at__str *out, const at__export_input *in, const int64_t *slots, at_error *err)
{
    static const char *const ROLES[] = { [AT__INPUT] = "input",
                                         [AT__OUTPUT] = "output",
                                         [AT__INOUT] = "inout",
                                         [AT__SCALAR] = "scalar",
                                         [AT__SCRATCH] = "scratch" };
    at_status status = AT_OK;
    at__str_add(out, "  \"arguments\": [");
    for (int k = 0; k < in->t->arg_count && status == AT_OK; k++) {
        const int i = in->t->args[k];
        const at__arg *arg = &in->t->op->args[i];
        bool scalar = arg->role == AT__SCALAR;
        int64_t value = 0;
        at__dtype type = at__arg_type(arg, in->problem->type);
        if (arg->expr)
            status = at__expr_eval(&value, arg->expr, slots, err);
        at__str_addf(out, "%s\n    {\"name\": \"%s\", \"role\": \"%s\", \"%s\": ", k ? "," : "", arg->name,
                     ROLES[arg->role], scalar ? "value" : "elements");
        if (arg->expr)
            at__str_addf(out, "%" PRId64, value);
        else
            at__str_addf(out, "%.17g, \"type\": \"%s\"", arg->real, at__dtype_name(type));
        at__str_addf(out, ", \"%s\": %d", scalar ? "bytes" : "element_bytes",
                     scalar ? arg->scalar_bytes : at__dtype_bytes(type));
        if (!scalar)
            at__str_addf(out, ", \"align\": %" PRId64, at__problem_align_of(in->problem, i));
        at__str_add(out, "}");
    }
    at__str_add(out, "\n  ],\n");
    return status;
}

/* What is no argument of the kernel; nothing where there is none of it. */
static at_status variables(at__str *out, const at__export_input *in, const int64_t *slots, at_error *err)
{
    at_status status = AT_OK;
    bool any = false;
    for (int i = 0; i < in->t->op->arg_count && status == AT_OK; i++) {
        const at__arg *arg = &in->t->op->args[i];
        int64_t elements = 0;
        if (!at__template_fills(in->t, i))
            continue;
        status = at__expr_eval(&elements, arg->expr, slots, err);
        at__str_addf(out,
                     "%s\n    {\"name\": \"%s\", \"variable\": \"%s\", \"elements\": %" PRId64
                     ", \"element_bytes\": %d}",
                     any ? "," : "  \"variables\": [", arg->name, arg->variable, elements,
                     at__dtype_bytes(at__arg_type(arg, in->problem->type)));
        any = true;
    }
    at__str_add(out, any ? "\n  ],\n" : "");
    return status;
}

/* Names as in `query --json`. */
static void expected(at__str *out, const at__export_input *in)
{
    text(out, "from_shape", in->answer->shape);
    text(out, "from_device", in->answer->fingerprint.device);
    at__str_add(out, "  \"median_s\": null,\n");
    if (in->expected_s > 0) {
        real(out, "expected_s", 4, in->expected_s);
        real(out, "doubt", 3, in->doubt);
    }
}

static void measured(at__str *out, const at__answer *a)
{
    const at__fingerprint *f = &a->fingerprint;
    text(out, "driver", f->driver);
    text(out, "nvrtc", f->nvrtc);
    text(out, "autotune", f->tool);
    text(out, "measured_at", a->measured_at);
    at__str_addf(out, "  \"cold\": %s,\n", f->cold ? "true" : "false");
    real(out, "median_s", 9, a->winner.timing.median_s);
    real(out, "gb_per_s", 5, at__answer_gb_per_s(a));
    if (a->ops_count > 0)
        real(out, "gflop_per_s", 5, at__gflop_per_s(a->ops_count, a->winner.timing.median_s));
    if (*a->winner.objective)
        text(out, "objective", a->winner.objective);
    if (a->winner.ceiling_s > 0)
        real(out, "share_of_ceiling", 5, at__answer_share(a));
}

/* What a compiler must be told besides the source; nothing where there is none of it. */
static at_status orders(at__str *out, const char *rendered, at_error *err)
{
    at__orders o;
    size_t len;
    at_status status = at__orders_read(&o, rendered, err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < o.option_count; i++) {
        at__str_add(out, i ? ", " : "  \"options\": [");
        at__str_add_json(out, o.options[i]);
    }
    at__str_add(out, o.option_count ? "],\n" : "");
    const char *at = o.headers ? at__headers_name(&len, o.headers) : NULL, *before = "  \"headers\": [";
    for (; at; at = at__headers_name(&len, at + len), before = ", ") {
        char *name = at__text_copy(at + 1, len - 2);
        at__str_add(out, before);
        at__str_add_json(out, name ? name : "");
        out->failed |= !name;
        free(name);
    }
    at__str_add(out, o.headers ? "],\n" : "");
    at__orders_clear(&o);
    return AT_OK;
}

at_status at__export_json(at__str *out, const at__export_input *in, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    const at__winner *w = &in->answer->winner;
    at__str rendered = { 0 }, shape = { 0 };
    at__geometry geometry;
    if (in->t->more_count)
        return at_fail(err, AT_ERR_INPUT, "%s launches %d kernels, which this format cannot say; expected cu",
                       w->template_name, in->t->more_count + 1);
    at_status status = at__export_render(&rendered, slots, &geometry, in, err);
    if (status == AT_OK) {
        at__str_add(out, "{\n");
        text(out, "op", in->problem->op->name);
        at__problem_shape(&shape, in->problem);
        text(out, "shape", at__str_text(&shape));
        text(out, "dtype", at__dtype_name(in->problem->type));
        text(out, "match", in->match ? in->match : "exact");
        if (in->why)
            text(out, "why", in->why);
        text(out, "origin", in->shipped ? AT__SHIPPED : "database");
        text(out, "template", w->template_name);
        text(out, "template_hash", w->template_hash);
        text(out, "config", w->config);
        text(out, "kernel", in->t->kernel);
        three(out, "grid", geometry.grid);
        three(out, "block", geometry.block);
        at__str_addf(out, "  \"shared_bytes\": %" PRId64 ",\n", geometry.shared_bytes);
        status = arguments(out, in, slots, err);
        if (status == AT_OK)
            status = variables(out, in, slots, err);
        text(out, "device", at__export_device(in)->device);
        at__str_addf(out, "  \"cc\": %" PRId64 ",\n", at__export_device(in)->cc);
        if (at__export_is_measured(in))
            measured(out, in->answer);
        else
            expected(out, in);
        if (status == AT_OK)
            status = orders(out, at__str_text(&rendered), err);
        at__str_add(out, "  \"source\": ");
        at__str_add_json(out, at__str_text(&rendered));
        at__str_add(out, "\n}\n");
    }
    out->failed |= shape.failed;
    at__str_clear(&rendered);
    at__str_clear(&shape);
    return status == AT_OK ? at__str_status(out, err) : status;
}
