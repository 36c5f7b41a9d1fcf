/*
 * pack_write_kernel.c - what the tuner knows of an operation and of its kernels, as C: operation() has the
 * op's lets, requirements and scalars, kernel_N() the template's for the values of one configuration; each
 * returns whether the kernel may run. Slots of the op are members of an array, those of the template local
 * variables; parameters, limits of the device and sizes of types are numbers.
 */
#include "pack/pack_write.h"

#include "lang/catalog.h"
#include "lang/render_pragmas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct naming {
    const atx_pack *pack;
    const atx_pack_kernel *kernel; /* NULL: the operation alone */
    int64_t known[ATX_MAX_SLOTS];
    bool is_known[ATX_MAX_SLOTS];
} naming;

static void know(naming *n, int slot, int64_t value)
{
    n->known[slot] = value;
    n->is_known[slot] = true;
}

static void know_op(naming *n)
{
    const atx_op *op = n->pack->domain.op;
    const int64_t *limits = (const int64_t *)&n->pack->limits; /* an array with names */
    for (size_t i = 0; i < sizeof n->pack->limits / sizeof *limits; i++)
        know(n, op->scope.device_slot + (int)i, limits[i]);
    know(n, op->scope.sizeof_slot, atx_dtype_bytes(n->pack->domain.type));
    for (int i = 0; i < op->scope.named_count; i++)
        know(n, op->scope.named[i].slot, atx_dtype_bytes(op->scope.named[i].type));
    for (int i = 0; i < op->shape.dim_count; i++)
        for (int k = 0; k < op->shape.dims[i].word_count; k++)
            know(n, op->shape.dims[i].word_slot + k, k + 1);
}

static void know_kernel(naming *n)
{
    const atx_template *t = n->kernel->t;
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *p = &t->scope.params[i];
        know(n, p->slot, n->kernel->config.values[i]);
        for (int k = 0; p->labels && k < p->count; k++)
            know(n, p->label_slot + k, p->values[k]);
    }
}

static void add_name(atx_str *out, void *context, int slot)
{
    const naming *n = context;
    if (n->is_known[slot])
        atx_str_addf(out, n->known[slot] < 0 ? "(%" PRId64 "LL)" : "%" PRId64 "LL", n->known[slot]);
    else if (slot < n->pack->domain.op->scope.symbols.count)
        atx_str_addf(out, "o->s[%d]", slot);
    else
        atx_str_addf(out, "t%d", slot);
}

static at_status add_expr(atx_str *out, naming *n, const atx_expr *expr, at_error *err)
{
    const atx_expr_names names = { .add = add_name, .context = n, .prefix = "pk_" };
    return atx_expr_add_c(out, expr, &names, err);
}

/* "BEFORE expression BEHIND" and a comment with what the declaration says. */
static at_status add_line(atx_str *out, naming *n, const char *before, const atx_expr *expr,
                          const char *behind, at_error *err)
{
    atx_str_add(out, before);
    at_status status = add_expr(out, n, expr, err);
    atx_str_add(out, behind);
    return status;
}

static at_status add_requires(atx_str *out, naming *n, const atx_require *requires, size_t count,
                              at_error *err)
{
    at_status status = AT_OK;
    for (size_t i = 0; i < count && status == AT_OK; i++)
        if (!requires[i].prefers)
            status = add_line(out, n, "    if (!", requires[i].expr, " || flag)\n        return 0;\n", err);
    return status;
}

/* Values of the scalars, as the kernels are passed them. */
static at_status add_scalars(atx_str *out, naming *n, at_error *err)
{
    const atx_op *op = n->pack->domain.op;
    at_status status = AT_OK;
    for (int i = 0; i < op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &op->args[i];
        char before[48];
        int64_t bits;
        if (arg->role != ATX_SCALAR)
            continue;
        if (!arg->expr) {
            status = atx_scalar_value(&bits, arg, NULL, err);
            atx_str_addf(out, "    o->scalars[%d] = %" PRId64 "LL; /* %s */\n", i, bits, arg->name);
            continue;
        }
        snprintf(before, sizeof before, "    o->scalars[%d] = ", i);
        status = add_line(out, n, before, arg->expr, ";", err);
        atx_str_addf(out, " /* %s */\n", arg->name);
        int64_t least, most;
        atx_dtype_range(&least, &most, arg->type);
        if (arg->type != ATX_I64)
            atx_str_addf(out,
                         "    flag |= o->scalars[%d] < %" PRId64 "LL || o->scalars[%d] > %" PRId64 "LL;\n", i,
                         least, i, most);
    }
    return status;
}

static void add_sizes(atx_str *out, const atx_op *op)
{
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(out, "    o->s[%d] = sizes[%d];\n", i, i);
    for (int i = 0; i < op->shape.pitch_count; i++)
        atx_str_addf(out, "    o->s[%d] = sizes[%d];\n", op->shape.pitches[i].slot, op->shape.pitches[i].dim);
    for (int k = 0; k < op->shape.layout_count; k++)
        for (int i = 0; i < op->shape.dim_count; i++)
            atx_str_addf(out, "    o->s[%d] = sizes[%d];\n", op->shape.stride_slots[k][i],
                         (k + 1) * op->shape.dim_count + i);
    for (int i = 0; i < op->shape.align_count; i++)
        atx_str_addf(out, "    o->s[%d] = aligns[%d];\n", op->shape.aligns[i].slot, i);
}

at_status atx_pack_add_operation(atx_str *out, const atx_pack *pack, int model, at_error *err)
{
    const atx_op *op = pack->domain.op;
    naming n = { .pack = pack };
    know_op(&n);
    atx_str_addf(out,
                 "static int pk_operation_%d(pk_operation *o, const int64_t *sizes, const int64_t *aligns)\n"
                 "{\n    int flag = 0, *bad = &flag;\n    (void)bad;\n    (void)aligns;\n",
                 model);
    add_sizes(out, op);
    at_status status = AT_OK;
    for (size_t i = 0; i < op->scope.let_count && status == AT_OK; i++) {
        char before[32];
        snprintf(before, sizeof before, "    o->s[%d] = ", op->scope.lets[i].slot);
        status = add_line(out, &n, before, op->scope.lets[i].expr, ";", err);
        atx_str_addf(out, " /* %s */\n", op->scope.lets[i].name);
    }
    ATX_THEN(status, add_requires(out, &n, op->scope.requires, op->scope.require_count, err));
    ATX_THEN(status, add_scalars(out, &n, err));
    atx_str_add(out, "    return !flag;\n}\n");
    return status;
}

/* A let; of a constant of the compiled source that its value is the source's, unless that is right for all.
 */
static at_status add_let(atx_str *out, naming *n, const atx_let *let, const int64_t *constant, at_error *err)
{
    char before[48];
    at_status status;
    if (constant && atx_pack_is_general(let, *constant)) {
        know(n, let->slot, *constant);
        atx_str_addf(out, "    /* %s is %" PRId64 " for all sizes */\n", let->name, *constant);
        snprintf(before, sizeof before, "    (void)(");
        status = add_line(out, n, before, let->expr, ");\n", err);
        return status;
    }
    snprintf(before, sizeof before, "    const int64_t t%d = ", let->slot);
    status = add_line(out, n, before, let->expr, ";", err);
    atx_str_addf(out, " /* %s */\n    (void)t%d;\n", let->name, let->slot);
    if (constant)
        atx_str_addf(out, "    if (t%d != %" PRId64 "LL)\n        return 0;\n", let->slot, *constant);
    return status;
}

static at_status add_lets(atx_str *out, naming *n, at_error *err)
{
    const atx_template *t = n->kernel->t;
    at_status status = AT_OK;
    int constant = 0;
    for (size_t i = 0; i < t->scope.let_count && status == AT_OK; i++) {
        const atx_let *let = &t->scope.lets[i];
        status = add_let(out, n, let, let->rendered ? &n->kernel->consts[constant++] : NULL, err);
    }
    return status;
}

static at_status add_geometry(atx_str *out, naming *n, const atx_launch *launch, at_error *err)
{
    const struct {
        const char *name;
        const atx_expr *const *exprs;
    } SIZES[] = { { "grid", (const atx_expr *const *)launch->grid },
                  { "block", (const atx_expr *const *)launch->block } };
    at_status status = AT_OK;
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < 3 && status == AT_OK; i++) {
            atx_str_addf(out, "    l->%s[%d] = ", SIZES[a].name, i);
            if (SIZES[a].exprs[i])
                status = add_expr(out, n, SIZES[a].exprs[i], err);
            else
                atx_str_add(out, "1");
            atx_str_add(out, ";\n");
        }
    atx_str_add(out, "    l->shared = ");
    if (launch->shared && status == AT_OK)
        status = add_expr(out, n, launch->shared, err);
    else
        atx_str_add(out, "0");
    atx_str_add(out, ";\n    return !flag && pk_is_launch(l);\n}\n");
    return status;
}

/* The arguments of the template's own: whole numbers of its types. */
static at_status add_own(atx_str *out, naming *n, at_error *err)
{
    const atx_template *t = n->kernel->t;
    at_status status = AT_OK;
    for (size_t i = 0; i < t->call.own_count && status == AT_OK; i++) {
        const atx_arg *arg = &t->call.own[i];
        char before[48];
        int64_t least, most;
        snprintf(before, sizeof before, "    l->own[%zu] = ", i);
        status = add_line(out, n, before, arg->expr, ";", err);
        atx_str_addf(out, " /* %s */\n", arg->name);
        atx_dtype_range(&least, &most, arg->type);
        if (arg->type != ATX_I64)
            atx_str_addf(out, "    flag |= l->own[%zu] < %" PRId64 "LL || l->own[%zu] > %" PRId64 "LL;\n", i,
                         least, i, most);
    }
    return status;
}

at_status atx_pack_add_kernel(atx_str *out, const atx_pack *pack, int kernel, int number, at_error *err)
{
    const atx_pack_kernel *k = &pack->kernels[kernel];
    atx_str config = { 0 };
    naming n = { .pack = pack, .kernel = k };
    know_op(&n);
    know_kernel(&n);
    atx_config_text(&config, k->t, &k->config);
    atx_str_addf(out,
                 "\n/* %s %s */\nstatic int pk_kernel_%d(pk_launch *l, const pk_operation *o)\n{\n"
                 "    int flag = 0, *bad = &flag;\n    (void)bad;\n    (void)o;\n",
                 k->t->name, atx_str_text(&config), number);
    at_status status = atx_str_status(&config, err);
    atx_str_clear(&config);
    for (int i = 0; k->narrow && i < k->t->op->arg_count; i++)
        if (k->t->op->args[i].role == ATX_SCALAR && k->t->op->args[i].type == ATX_I64)
            atx_str_addf(out, "    flag |= o->scalars[%d] < 0 || o->scalars[%d] > UINT32_MAX;\n", i, i);
    ATX_THEN(status, add_lets(out, &n, err));
    ATX_THEN(status, add_requires(out, &n, k->t->scope.requires, k->t->scope.require_count, err));
    ATX_THEN(status, add_own(out, &n, err));
    return status == AT_OK ? add_geometry(out, &n, &k->t->call.steps[0].launch, err) : status;
}

at_status atx_pack_add_op_expr(atx_str *out, const atx_pack *pack, const atx_expr *expr, at_error *err)
{
    naming n = { .pack = pack };
    know_op(&n);
    return add_expr(out, &n, expr, err);
}

at_status atx_pack_add_reference(atx_str *out, const atx_pack *pack, int model, at_error *err)
{
    naming n = { .pack = pack };
    know_op(&n);
    atx_str_addf(out,
                 "\nstatic int pt_reference_%d(pk_launch *l, const pk_operation *o)\n{\n"
                 "    int flag = 0, *bad = &flag;\n    (void)bad;\n",
                 model);
    return add_geometry(out, &n, &pack->domain.op->expected.launch, err);
}

void atx_pack_add_part(atx_str *out, atx_pack_part part)
{
    atx_str_add_bytes(out, atx_embedded_pack[part].data, atx_embedded_pack[part].len);
}

void atx_pack_add_image(atx_str *out, const char *name, const atx_str *code)
{
    const unsigned char *bytes = (const unsigned char *)atx_str_text(code);
    atx_str_addf(out, "static const unsigned char %s[] = {", name);
    for (size_t i = 0; i < code->len; i++) {
        atx_str_add(out, i % 32 ? "," : i ? ",\n" : "\n");
        atx_str_add_int(out, bytes[i]);
    }
    atx_str_add(out, "\n};\n");
}

static const char *scalar_type(const atx_arg *arg)
{
    return arg->scalar_bytes == 1   ? "uint8_t"
           : arg->scalar_bytes == 2 ? "uint16_t"
           : arg->scalar_bytes == 4 ? "uint32_t"
                                    : "uint64_t";
}

/* Scalars are passed by their low bytes. */
void atx_pack_add_values(atx_str *out, const atx_op *op)
{
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role == ATX_SCALAR)
            atx_str_addf(out, "    %s value_%d = (%s)o.scalars[%d];\n", scalar_type(&op->args[i]), i,
                         scalar_type(&op->args[i]), i);
}

void atx_pack_number_codes(int *numbers, const atx_pack_writing *w)
{
    const atx_str *distinct[ATX_PACK_MAX_MODELS * ATX_PACK_MAX_KERNELS];
    int count = 0;
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count; k++) {
            const atx_str *code = &w->models[m].codes[k];
            int same = 0;
            while (same < count && !(distinct[same]->len == code->len &&
                                     memcmp(distinct[same]->data, code->data, code->len) == 0))
                same++;
            if (same == count)
                distinct[count++] = code;
            numbers[w->first[m] + k] = same;
        }
}
