/* export_json.c - format json: for programs that compile and launch the kernels by themselves. */
#include "export/export.h"

#include "compile/sequence.h"
#include "lang/launches.h"
#include "lang/render_pragmas.h"
#include "lang/tensor_map.h"
#include "lookup/answer.h"
#include "util/rows.h"

#include <inttypes.h>
#include <stdlib.h>

static void sizes(atx_str *out, const char *name, const uint64_t *values, int count)
{
    atx_member_name(out, name);
    for (int i = 0; i < count; i++)
        atx_str_addf(out, "%c%" PRIu64, i ? ',' : '[', values[i]);
    atx_str_add(out, count ? "]" : "[]");
}

static void sizes_32(atx_str *out, const char *name, const uint32_t *values, int count)
{
    uint64_t wide[ATX_MAX_TENSOR_DIMS];
    for (int i = 0; i < count; i++)
        wide[i] = values[i];
    sizes(out, name, wide, count);
}

/* As cuTensorMapEncodeTiled takes it, with the buffer's address. */
static at_status tensor_map(atx_str *out, const atx_template *t, const atx_arg *arg, const int64_t *slots,
                            at_error *err)
{
    atx_tensor_layout l;
    ATX_TRY(atx_tensor_layout_of(&l, t, arg->map - 1, slots, err));
    atx_str_add(out, "{");
    atx_member_text(out, "name", arg->name);
    atx_member_text(out, "role", "tensor map");
    atx_member_int(out, "bytes", ATX_TENSOR_MAP_BYTES);
    atx_member_int(out, "buffer", l.buffer);
    atx_member_text(out, "data_type", atx_tensor_type_word(l.type));
    sizes(out, "dims", l.dims, l.rank);
    sizes(out, "stride_bytes", l.strides, l.rank - 1);
    sizes_32(out, "box", l.box, l.rank);
    sizes_32(out, "element_strides", l.steps, l.rank);
    atx_member_text(out, "swizzle", atx_tensor_swizzle_word(l.swizzle));
    atx_member_text(out, "interleave", atx_tensor_interleave_word(l.interleave));
    atx_member_text(out, "l2_promotion", atx_tensor_l2_word(l.l2));
    atx_member_bool(out, "nan_fill", l.nan);
    atx_str_add(out, "}");
    return AT_OK;
}

/* A struct by value: its bytes, two digits each, and where in it the addresses of buffers go. */
static at_status contents(atx_str *out, const atx_op *op, const atx_struct *s, const int64_t *slots,
                          at_error *err)
{
    unsigned char bytes[ATX_MAX_STRUCT_BYTES];
    const char *before = "";
    at_status status = atx_struct_value(bytes, s, slots, err);
    atx_member_name(out, "contents");
    atx_str_add(out, "\"");
    for (int64_t i = 0; i < s->bytes && status == AT_OK; i++)
        atx_str_addf(out, "%02x", bytes[i]);
    atx_str_add(out, "\"");
    atx_member_name(out, "pointers");
    atx_str_add(out, "[");
    for (int i = 0; i < s->field_count; i++) {
        if (!s->fields[i].pointer)
            continue;
        atx_str_addf(out, "%s{", before);
        atx_member_int(out, "offset", s->fields[i].offset);
        atx_member_text(out, "name", op->args[s->fields[i].arg].name);
        atx_str_add(out, "}");
        before = ",";
    }
    atx_str_add(out, "]");
    return status;
}

static at_status argument(atx_str *out, const atx_export_input *in, int index, const int64_t *slots,
                          at_error *err)
{
    static const char *const ROLES[] = { [ATX_INPUT] = "input",
                                         [ATX_OUTPUT] = "output",
                                         [ATX_INOUT] = "inout",
                                         [ATX_SCALAR] = "scalar",
                                         [ATX_SCRATCH] = "scratch" };
    const atx_arg *arg = atx_template_arg(in->found->t, index);
    const atx_struct *s = atx_arg_struct(in->problem->op, arg);
    atx_arg_value v = { 0 };
    if (arg->map)
        return tensor_map(out, in->found->t, arg, slots, err);
    at_status status = atx_arg_value_of(&v, in->problem, in->found->t, index, slots, err);
    atx_str_add(out, "{");
    atx_member_text(out, "name", arg->name);
    atx_member_text(out, "role", ROLES[arg->role]);
    atx_member_text(out, "type", s ? s->name : atx_dtype_name(atx_arg_type(arg, in->problem->type)));
    atx_member_int(out, "bytes", v.bytes);
    if (arg->role != ATX_SCALAR) {
        atx_member_int(out, "buffer", v.buffer);
        atx_member_int(out, "elements", v.elements);
        atx_member_int(out, "align", v.align);
    } else if (s) {
        ATX_THEN(status, contents(out, in->problem->op, s, slots, err));
    } else if (!atx_dtype_is_real(arg->type)) {
        atx_member_int(out, "value", v.value);
    } else {
        atx_member_name(out, "value");
        atx_str_addf(out, "%.17g", arg->expr ? atx_scalar_real(arg, v.value) : arg->real);
    }
    atx_str_add(out, "}");
    return status;
}

static void three(atx_str *out, const char *name, const int64_t *v)
{
    atx_member_name(out, name);
    atx_str_addf(out, "[%" PRId64 ",%" PRId64 ",%" PRId64 "]", v[0], v[1], v[2]);
}

/* Those that are not plain: a launcher that knows none of them must not pass over one. */
static void attributes(atx_str *out, const atx_geometry *g)
{
    if (g->cluster[0])
        three(out, "cluster", g->cluster);
    if (g->cooperative)
        atx_member_bool(out, "cooperative", true);
    if (g->programmatic)
        atx_member_bool(out, "programmatic", true);
    if (g->carveout)
        atx_member_int(out, "carveout_percent", g->carveout - 1);
}

/* Launch `i`. */
static at_status launch(atx_str *out, const atx_export_input *in, int i, const atx_sequence_launch *one,
                        at_error *err)
{
    const atx_step *of = &in->found->t->call.steps[one->step];
    const atx_sequence sequence = { in->problem->op, in->found->t, &in->found->t->call.loops };
    const int64_t *slots = one->slots;
    int args[ATX_MAX_ARGS];
    const int count = atx_sequence_args(args, &sequence, one);
    ATX_LOCAL(atx_str) kernel = { 0 };
    atx_geometry g = { 0 };
    at_status status = atx_geometry_of(&g, &of->launch, slots, err);
    atx_render_kernel(&kernel, in->found->t, of->kernel, slots);
    atx_str_add(out, i ? ",{" : "{");
    atx_member_text(out, "kernel", atx_str_text(&kernel));
    three(out, "grid", g.grid);
    three(out, "block", g.block);
    atx_member_int(out, "dynamic_shared_bytes", g.shared_bytes);
    attributes(out, &g);
    atx_member_name(out, "arguments");
    atx_str_add(out, "[");
    for (int k = 0; k < count && status == AT_OK; k++) {
        atx_str_add(out, k ? "," : "");
        status = argument(out, in, args[k], slots, err);
    }
    atx_str_add(out, "]}");
    out->failed |= kernel.failed;
    return status;
}

typedef struct listing {
    atx_str *out;
    const atx_export_input *in;
    int count;
} listing;

static at_status list_launch(void *context, const atx_sequence_launch *one, at_error *err)
{
    listing *l = context;
    return launch(l->out, l->in, l->count++, one, err);
}

/* One after the other; arguments are in the kernel's order. */
static at_status launches(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    listing l = { out, in, 0 };
    const atx_sequence sequence = { in->problem->op, in->found->t, &in->found->t->call.loops };
    atx_member_name(out, "launches");
    atx_str_add(out, "[");
    at_status status = atx_sequence_walk(&sequence, slots, list_launch, &l, err);
    atx_str_add(out, "]");
    return status;
}

/* The buffers and variables that are filled before the first launch. */
static at_status variables(atx_str *out, const atx_export_input *in, const int64_t *slots, at_error *err)
{
    at_status status = AT_OK;
    const char *before = "{";
    atx_member_name(out, "variables");
    atx_str_add(out, "[");
    for (int i = 0; i < in->found->t->op->arg_count && status == AT_OK; i++) {
        if (!atx_template_fills(in->found->t, i))
            continue;
        atx_str_add(out, before);
        atx_member_text(out, "variable", in->found->t->op->args[i].variable);
        atx_member_name(out, "from");
        status = argument(out, in, i, slots, err);
        atx_str_add(out, "}");
        before = ",{";
    }
    atx_str_add(out, "]");
    return status;
}

/* Options and headers that a compiler needs besides the source. */
static at_status pragmas(atx_str *out, const char *rendered, at_error *err)
{
    atx_pragmas o;
    size_t len;
    ATX_TRY(atx_pragmas_read(&o, rendered, err));
    atx_member_name(out, "options");
    atx_str_add(out, "[");
    for (int i = 0; i < o.option_count; i++) {
        atx_str_add(out, i ? "," : "");
        atx_str_add_json(out, o.options[i]);
    }
    atx_str_add(out, "]");
    if (o.target)
        atx_member_text(out, "target", o.target);
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
    atx_pragmas_clear(&o);
    return AT_OK;
}

at_status atx_export_json(atx_str *out, const atx_export_input *in, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    ATX_LOCAL(atx_str) rendered = { 0 };
    atx_geometry ignored;
    at_status status = atx_export_render(&rendered, slots, &ignored, in, err);
    atx_str_add(out, "{");
    atx_member_text(out, "schema", "autotune.export/1");
    ATX_THEN(status, atx_answer_members(out, in->found, in->problem, "", err));
    ATX_THEN(status, launches(out, in, slots, err));
    ATX_THEN(status, variables(out, in, slots, err));
    ATX_THEN(status, pragmas(out, atx_str_text(&rendered), err));
    atx_member_text(out, "source", atx_str_text(&rendered));
    atx_str_add(out, "}\n");
    return status == AT_OK ? atx_str_status(out, err) : status;
}
