/*
 * export_main.c - a main() behind an exported kernel: the reference, tables of the buffers, and from the
 * export_*.cu files what fills and compares them. Where numbers count and not bits, declare/data.h comes
 * along, so that inputs are of the op's distributions and its tolerances hold.
 */
#include "export/export_internal.h"

#include "cut/cut.h"
#include "declare/data.h"
#include "lang/catalog.h"
#include "lang/launches.h"
#include "lang/render.h"

#include <inttypes.h>

/* Rows of atx_embedded_export, as templates/embed.cmake orders them. */
typedef enum atx_export_part { HEAD, BITS, NUMBERS, MAIN, DATA } atx_export_part;

/* The reference kernel and the code that it needs, if that is not there yet. */
static at_status add_reference(atx_str *out, const atx_launcher *l, at_error *err)
{
    ATX_LOCAL(atx_str) rendered = { 0 }, text = { 0 };
    at_status status = atx_render_reference(&rendered, l->problem, err);
    const atx_cutting cutting = { .rendered = atx_str_text(&rendered),
                                  .kernel = l->op->expected.reference,
                                  .name = l->op->expected.reference,
                                  .before = atx_str_text(out) };
    ATX_THEN(status, atx_cut(&text, &cutting, err));
    atx_str_add_bytes(out, atx_str_text(&text), text.len);
    return status;
}

static at_status add_buffer_table(atx_str *out, const atx_launcher *l, at_error *err)
{
    at_status status = AT_OK;
    atx_str_add(out, "\nstatic const struct {\n    const char *name;\n    size_t bytes, align;\n    bool "
                     "input, output, variable;\n"
                     "} autotune_buffers[] = {\n");
    for (int i = 0; i < l->op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &l->op->args[i];
        int64_t elements = 0;
        if (arg->role == ATX_SCALAR)
            continue;
        status = atx_expr_eval(&elements, arg->expr, l->slots, err);
        atx_str_addf(out, "    { \"%s\", %" PRId64 "ull, %" PRId64 ", %s, %s, %s },\n", arg->name,
                     elements * atx_dtype_bytes(atx_arg_type(arg, l->problem->type)),
                     atx_problem_align_of(l->problem, i),
                     arg->role == ATX_INPUT || arg->role == ATX_INOUT ? "true" : "false",
                     atx_role_is_output(arg->role) ? "true" : "false",
                     atx_template_fills(l->t, i) ? "true" : "false");
    }
    atx_str_add(out, "};\n");
    return status;
}

/* Whether buffers are bits, compared bit for bit: then nothing need be known of numbers. */
static bool is_of_bits(const atx_op *op)
{
    bool bits = true;
    for (int i = 0; i < op->arg_count; i++) {
        const atx_arg *arg = &op->args[i];
        bits = bits && arg->input.how == ATX_BITS && !arg->zero && arg->check.rule == ATX_EXACT;
    }
    return bits;
}

/* One row: the contents of a buffer, and when they are right. */
static at_status add_contents(atx_str *out, const atx_launcher *l, const atx_arg *arg, at_error *err)
{
    atx_dtype type = atx_arg_type(arg, l->problem->type);
    int number = atx_dtype_number(type, atx_arg_is_storage(l->op, arg));
    int64_t elements = 0;
    atx_filling f = { 0 };
    at_status status = atx_expr_eval(&elements, arg->expr, l->slots, err);
    const atx_held held = { l->op, arg, number, elements * atx_dtype_bytes(type) / atx_number_bytes(number) };
    ATX_THEN(status, atx_input_numbers(&f, &held, l->slots, err));
    atx_str_addf(
        out,
        "    { %d, %d, %d, %s, { %lluull, %lluull, %lluull, %lluull, %lluull, 0, 0 }, %d, %.17e, %.17e "
        "}, // %s\n",
        number, arg->input.how, arg->check.rule, arg->zero ? "true" : "false", f.a, f.b, f.rows, f.total,
        f.variance, arg->input.of[0] ? atx_arg_buffer(l->op, arg->input.of_arg) : 0, arg->check.relative,
        arg->check.absolute, arg->name);
    return status;
}

static void add_part(atx_str *out, atx_export_part part)
{
    atx_str_add_bytes(out, atx_embedded_export[part].data, atx_embedded_export[part].len);
}

/* How buffers are filled and compared. */
static at_status add_checks(atx_str *out, const atx_launcher *l, at_error *err)
{
    at_status status = AT_OK;
    if (is_of_bits(l->op)) {
        add_part(out, BITS);
        return AT_OK;
    }
    add_part(out, DATA);
    atx_str_add(
        out, "\nstruct autotune_contents {\n    int number, how, rule;\n    bool zero;\n    atx_filling "
             "filling;\n    int of; /* the offsets that it goes with */\n    double relative, absolute;\n};\n"
             "static const autotune_contents autotune_data[] = {\n");
    for (int i = 0; i < l->op->arg_count && status == AT_OK; i++)
        if (l->op->args[i].role != ATX_SCALAR)
            status = add_contents(out, l, &l->op->args[i], err);
    atx_str_add(out, "};\n\n");
    add_part(out, NUMBERS);
    return status;
}

static bool needs_files(const atx_op *op)
{
    bool any = op->expected.answer != NULL;
    for (int i = 0; i < op->arg_count; i++)
        any = any || op->args[i].input.file;
    return any;
}

/* The stored time, for comparison with the benchmark's. */
static at_status add_known(atx_str *out, const atx_launcher *l, const atx_export_input *in, at_error *err)
{
    bool measured = in->found->own;
    int64_t traffic = in->found->answer->traffic_bytes;
    at_status status = AT_OK;
    if (!measured && (traffic = 0, l->op->goal.traffic))
        status = atx_expr_eval(&traffic, l->op->goal.traffic, l->slots, err);
    atx_str_addf(out,
                 "static const double autotune_stored_us = %.4f, autotune_traffic_bytes = %" PRId64 ".0;\n"
                 "static const char autotune_stored[] = \"%s\"; /* which it is; 0: nothing is */\n"
                 "static const bool autotune_cold = %s;\n\n",
                 1e6 * (measured ? in->found->answer->winner.timing.median_s : in->found->expected_s),
                 traffic, measured ? "stored" : "expected",
                 in->found->answer->fingerprint.cold ? "true" : "false");
    return status;
}

/* The definitions in front of export_main.cu. */
at_status atx_export_main(atx_str *out, const atx_launcher *l, const atx_export_input *in, at_error *err)
{
    if (needs_files(l->op))
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: found data in files, which an exported self-test would have to bring along; expected "
            "an export without --main",
            l->op->text.file);
    if (l->op->expected.trusted[0])
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: found a reference that is a template's, beside which an exported kernel cannot stand in "
            "one file; expected an export without --main",
            l->op->text.file);
    if (l->op->scope.struct_count)
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: found structs, whose fields an exported self-test does not fill; expected an export "
            "without --main",
            l->op->text.file);
    const char *validators[ATX_MAX_STEPS];
    if (atx_op_validators(validators, l->op) > 0)
        return atx_fail(err, AT_ERR_INPUT,
                        "%s: found outputs that a kernel validates, which an exported self-test cannot; "
                        "expected an export without --main",
                        l->op->text.file);
    at_status status = AT_OK;
    atx_str_add(out, "\n/* ---- self-test and benchmark ---- */\n\n");
    if ((status = add_reference(out, l, err)) != AT_OK)
        return status;
    status = add_buffer_table(out, l, err);
    ATX_THEN(status, add_known(out, l, in, err));
    atx_str_addf(
        out,
        "/* `fill`: variables of the kernel too. */\n"
        "static cudaError_t autotune_launch(void *const *buffers, cudaStream_t stream, bool fill = true)\n"
        "{\n    (void)fill;\n    return %s(",
        l->name);
    for (int i = 0, n = 0; i < l->op->arg_count; i++)
        if (l->op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "(%s%s *)%sbuffers[%d]%s, ", atx_export_qualifier(&l->op->args[i]),
                         atx_export_element(&l->op->args[i]), atx_template_fills(l->t, i) ? "(fill ? " : "",
                         n++, atx_template_fills(l->t, i) ? " : nullptr)" : "");
    atx_str_add(out, "stream);\n}\n\nstatic void autotune_reference(void *const *buffers)\n{\n");
    ATX_THEN(status, atx_export_loop_launches(out, l, true, err));
    atx_str_add(out, "}\n\n");
    add_part(out, HEAD);
    ATX_THEN(status, add_checks(out, l, err));
    add_part(out, MAIN);
    return status;
}
