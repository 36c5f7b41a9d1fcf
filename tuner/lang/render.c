/*
 * render.c - a head (how the kernel was made), constants, #line and the template's text, byte for byte. Only
 * the element type, consts and `fixed` arguments of the problem get into the text: problems with equal text
 * share a compiled kernel. The text is built aside and returned whole.
 */
#include "lang/render.h"

#include "lang/render_narrow.h"
#include "lang/render_pragmas.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

/*
 * A file's name goes into a comment and into #line, so nothing in it may end either: control characters,
 * quotes, backslashes (a line that ends in one would go on), '?' (trigraphs) and byte 0xff (where NVRTC takes
 * the text to end) are replaced.
 */
static void add_file_name(atx_str *out, const char *file)
{
    for (const char *at = file; *at; at++) {
        bool bad = (unsigned char)*at < ' ' || strchr("\"\\?\x7f\xff", *at);
        atx_str_addf(out, "%c", bad ? '_' : *at);
    }
}

/* `wide`: 64 bits whatever the value; otherwise only where it needs them. */
static void add_constant(atx_str *out, const char *name, int64_t value, bool wide)
{
    wide = wide || value < INT_MIN || value > INT_MAX;
    atx_str_addf(out, "constexpr %s %s = ", wide ? "long long" : "int", name);
    if (value == INT64_MIN) /* C++ has no such literal */
        atx_str_add(out, "-9223372036854775807LL - 1;\n");
    else
        atx_str_addf(out, "%" PRId64 "%s;\n", value, wide ? "LL" : "");
}

/* Whether the source may name this type: as T, a named one, or an argument's. */
static bool names_type(const atx_op *op, atx_dtype wanted, atx_dtype t)
{
    bool named = !op->storage && t == wanted;
    for (int i = 0; i < op->scope.named_count; i++)
        named = named || op->scope.named[i].type == wanted;
    for (int i = 0; i < op->arg_count; i++)
        named = named || (op->args[i].own_type && op->args[i].type == wanted);
    for (int i = 0; i < op->scope.struct_count; i++)
        for (int k = 0; k < op->scope.structs[i].field_count; k++)
            named = named || op->scope.structs[i].fields[k].type == wanted;
    return named;
}

/* How it was made: problems that share a kernel must get the same text, so nothing else of them is here. */
static void add_origin(atx_str *out, const char *file, const char *hash, const char *config, atx_dtype type,
                       bool storage)
{
    atx_str_addf(out, "// autotune %s: ", AT_VERSION);
    add_file_name(out, file);
    atx_str_addf(out, ", hash %.12s\n// %s%sT=%s\n", hash, config, config[0] ? " " : "",
                 atx_dtype_key(type, storage));
}

static void add_type(atx_str *out, const atx_op *op, atx_dtype type)
{
    atx_str_add(out, "#define AUTOTUNE_RENDERED 1\n");
    if (names_type(op, ATX_F16, type))
        atx_str_add(out, "#include <cuda_fp16.h>\n");
    if (names_type(op, ATX_BF16, type))
        atx_str_add(out, "#include <cuda_bf16.h>\n");
    atx_str_addf(out, "using T = %s;\n", atx_dtype_cuda(type, op->storage));
    for (int i = 0; i < op->scope.named_count; i++)
        atx_str_addf(out, "using %s = %s;\n", op->scope.named[i].name,
                     atx_dtype_cuda(op->scope.named[i].type, false));
}

/* The texts of `use` lines, then the file itself, each with its own line numbers for messages. */
static void add_parts(atx_str *out, const char *source, const atx_part *parts, int count)
{
    for (int i = 0; i < count; i++) {
        const char *text = source + parts[i].begin;
        size_t len = parts[i].len;
        /* A byte order mark is allowed at the start of a file only. */
        size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        atx_str_addf(out, "#line %d \"", parts[i].line);
        add_file_name(out, parts[i].file);
        atx_str_add(out, "\"\n");
        atx_str_add_bytes(out, text + mark, len - mark);
        if (i + 1 < count && len > mark && text[len - 1] != '\n')
            atx_str_add(out, "\n");
    }
}

/* Words are enumerators: compilers warn of unused constants, and few kernels name every word. */
static void add_choice(atx_str *out, const atx_template *t, const atx_param *param, int64_t value)
{
    const char *chosen = "";
    atx_str_add(out, "enum {");
    for (int k = 0; k < param->count; k++) {
        const char *name = atx_symbol_name(&t->scope.symbols, param->label_slot + k);
        atx_str_addf(out, "%s %s = %" PRId64, k ? "," : "", name, param->values[k]);
        chosen = param->values[k] == value ? name : chosen;
    }
    atx_str_addf(out, " };\nconstexpr int %s = %s;\n", param->name, chosen);
}

/* A layout is compiled for: its dimensions and strides are constants of every kernel whose template does not
 * say otherwise. */
static void add_layout(atx_str *out, const atx_op *op, const int64_t *slots)
{
    for (int i = 0; op->shape.layout_count && i < op->shape.dim_count; i++)
        add_constant(out, op->shape.dims[i].name, slots[i], true);
    for (int k = 0; k < op->shape.layout_count; k++)
        for (int i = 0; i < op->shape.dim_count; i++) {
            int slot = op->shape.stride_slots[k][i];
            add_constant(out, atx_symbol_name(&op->scope.symbols, slot), slots[slot], true);
        }
}

static void add_params(atx_str *out, const atx_template *t, const int64_t *slots)
{
    for (int i = 0; i < t->scope.param_count; i++) {
        const atx_param *param = &t->scope.params[i];
        if (param->absent || atx_is_macro(t, param->name))
            continue;
        if (param->labels)
            add_choice(out, t, param, slots[param->slot]);
        else
            add_constant(out, param->name, slots[param->slot], false);
    }
    for (size_t i = 0; i < t->scope.let_count; i++)
        if (t->scope.lets[i].rendered && !atx_is_macro(t, t->scope.lets[i].name))
            add_constant(out, t->scope.lets[i].name, slots[t->scope.lets[i].slot], false);
}

/* Of half types there are no constants: a macro. */
static void add_real(atx_str *out, const atx_arg *arg, double real)
{
    const char *cuda = atx_dtype_cuda(arg->type, false);
    if (arg->scalar_bytes == 2)
        atx_str_addf(out, "#define %s ((%s)%.17e)\n", arg->name, cuda, real);
    else
        atx_str_addf(out, "constexpr %s %s = (%s)%.17e;\n", cuda, arg->name, cuda, real);
}

static at_status add_scalar(atx_str *out, const atx_arg *arg, const int64_t *slots, at_error *err)
{
    int64_t value = 0;
    ATX_TRY(atx_scalar_value(&value, arg, slots, err));
    if (atx_dtype_is_real(arg->type))
        add_real(out, arg, atx_scalar_real(arg, value));
    else if (arg->type == ATX_I32 || arg->type == ATX_I64)
        add_constant(out, arg->name, value, arg->type == ATX_I64);
    else
        atx_str_addf(out, "constexpr %s %s = %" PRId64 ";\n", atx_dtype_cuda(arg->type, false), arg->name,
                     value);
    return AT_OK;
}

/* Has the template a line `fixed` that does not hold? */
static at_status find_general(bool *out, const atx_template *t, const int64_t *slots, at_error *err)
{
    int64_t value = 1;
    at_status status = t->scope.fixed ? atx_expr_eval(&value, t->scope.fixed, slots, err) : AT_OK;
    *out = status == AT_OK && !value;
    return status;
}

/*
 * Where the template's `fixed` holds, scalar arguments are constants, of the types that they are
 * passed as, and the kernel's own parameters have no names.
 */
static at_status add_fixed(atx_str *out, const atx_template *t, const int64_t *slots, bool general,
                           at_error *err)
{
    if (!t->scope.fixed)
        return AT_OK;
    atx_str_addf(out, "#define AUTOTUNE_ARG(name)%s\n", general ? " name" : "");
    for (int i = 0; !general && i < t->op->arg_count + (int)t->call.own_count; i++) {
        const atx_arg *arg = atx_template_arg(t, i);
        if (arg->role == ATX_SCALAR && !arg->structure && !arg->map)
            ATX_TRY(add_scalar(out, arg, slots, err));
    }
    return AT_OK;
}

static void add_template(atx_str *out, const atx_template *t)
{
    ATX_LOCAL(atx_str) parts = { 0 };
    add_parts(&parts, t->text.source, t->text.parts, t->text.part_count);
    if (t->scope.narrow)
        atx_render_narrow(out, t->op, atx_str_text(&parts));
    else
        atx_str_add_bytes(out, atx_str_text(&parts), parts.len);
    out->failed |= parts.failed;
}

/* Takes the text: appends it to *out when nothing failed. */
static at_status hand_over(atx_str *out, atx_str *text, at_error *err)
{
    at_status status = atx_str_status(text, err);
    if (status == AT_OK) {
        atx_str_add_bytes(out, atx_str_text(text), text->len);
        status = atx_str_status(out, err);
    }
    atx_str_clear(text);
    return status;
}

at_status atx_render(atx_str *out, const atx_template *t, atx_dtype type, const atx_config *config,
                     const int64_t *slots, at_error *err)
{
    int64_t bound[ATX_MAX_SLOTS] = { 0 };
    ATX_LOCAL(atx_str) text = { 0 }, words = { 0 };
    bool general = false;

    memcpy(bound, slots, (size_t)t->op->scope.symbols.count * sizeof *bound);
    at_status status = atx_config_bind(bound, t, config, err);
    ATX_THEN(status, find_general(&general, t, bound, err));
    if (status != AT_OK)
        return status;
    atx_config_text(&words, t, config);
    if ((status = atx_str_status(&words, err)) == AT_OK) {
        add_origin(&text, t->text.file, t->text.hash, atx_str_text(&words), type, t->op->storage);
        status = atx_render_pragmas(&text, t, bound, err);
        add_type(&text, t->op, type);
        atx_render_macros(&text, t, bound, atx_dtype_cuda(type, t->op->storage));
        if (!general)
            add_layout(&text, t->op, bound);
        add_params(&text, t, bound);
    }
    if (status == AT_OK) {
        status = add_fixed(&text, t, bound, general, err);
        add_template(&text, t);
    }
    ATX_THEN(status, hand_over(out, &text, err));
    return status;
}

/* `slots`: of an op of layouts; NULL: without them. */
static at_status render_reference(atx_str *out, const atx_op *op, atx_dtype type, const int64_t *slots,
                                  at_error *err)
{
    atx_str text = { 0 };
    if (op->recorded)
        return atx_fail(err, AT_ERR_INPUT, "%s: the operation %s is recorded: its kernels are not here",
                        op->text.file, op->name);
    add_origin(&text, op->text.file, op->text.hash, "", type, op->storage);
    atx_render_note(&text, op->text.headers);
    add_type(&text, op, type);
    if (slots)
        add_layout(&text, op, slots);
    add_parts(&text, op->text.source, op->text.parts, op->text.part_count);
    return hand_over(out, &text, err);
}

at_status atx_render_reference(atx_str *out, const atx_problem *problem, at_error *err)
{
    static const atx_limits NO_DEVICE = { 0 };
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    const atx_op *op = problem->op;
    ATX_TRY(op->shape.layout_count ? atx_problem_bind(slots, problem, &NO_DEVICE, err) : AT_OK);
    return render_reference(out, op, problem->type, slots, err);
}
