/* adopt_write.c - writes the op and the template of a draft: what was seen, guesses, and questions. */
#include "exchange/adopt_draft.h"

#include "declare/dtype.h"
#include "util/chars.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static void ask(atx_draft *d, atx_str *out, const char *question)
{
    atx_str_addf(out, "  # ? %s\n", question);
    d->out->questions++;
}

static bool is_dim(const atx_kernel_arg *a)
{
    return !a->pointer && a->type && (a->type[0] == 'i' || a->type[0] == 'u') &&
           (strcmp(a->type + 1, "32") == 0 || strcmp(a->type + 1, "64") == 0);
}

/* The first dimension: what everything is guessed to be the size of. */
static const char *first_dim(const atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (is_dim(&d->args[i]))
            return d->args[i].name;
    return "n";
}

/* How many elements a buffer is guessed to have. */
static const char *guess_size(const atx_draft *d)
{
    return first_dim(d);
}

/* T: of the first buffer that is written, else of the first. NULL: a type of the file's own, or its
 * template's. */
static const char *element_type(const atx_draft *d)
{
    const atx_kernel_arg *first = NULL;
    for (int i = 0; i < d->arg_count; i++) {
        if (d->args[i].pointer && !d->args[i].constant)
            return d->args[i].type;
        first = !first && d->args[i].pointer ? &d->args[i] : first;
    }
    return first ? first->type : NULL;
}

/* The type of a buffer that is not of T, as an index is; NULL: it is. */
static const char *own_type(const atx_draft *d, const atx_kernel_arg *a)
{
    const char *type = element_type(d);
    return a->type && !(type && strcmp(a->type, type) == 0) ? a->type : NULL;
}

static bool is_real(const char *type)
{
    return !type || strchr("iu", type[0]) == NULL;
}

static void add_buffer(atx_draft *d, const atx_kernel_arg *a, const char *size)
{
    const char *own = own_type(d, a);
    const bool real = is_real(own ? own : element_type(d));
    atx_str_addf(&d->out->op, "arg       %s %s[%s] %s", a->name, own ? own : "T", size,
                 !a->constant ? "output"
                 : real       ? "input uniform -1 1"
                              : "input");
    ask(d, &d->out->op,
        !a->constant   ? "how many elements? output, or inout if it is read too?"
        : own && !real ? "how many elements, and which? an index below N: input index N"
                       : "how many elements, and of what kind are they?");
}

/* One of a type that words do not tell is guessed to be what the buffers are. */
static const char *scalar_type(const atx_draft *d, const atx_kernel_arg *a)
{
    if (!a->type)
        return element_type(d) ? "i32" : "f32";
    return is_real(a->type) ? a->type : strstr(a->type, "64") ? "i64" : "i32";
}

static void add_arg(atx_draft *d, const atx_kernel_arg *a, const char *size)
{
    atx_str *out = &d->out->op;
    if (a->pointer) {
        add_buffer(d, a, size);
    } else if (is_dim(a)) {
        atx_str_addf(out, "arg       %s %s\n", a->name, strcmp(a->type + 1, "64") == 0 ? "i64" : "i32");
    } else {
        atx_str_addf(out, "arg       %s %s = 1", a->name, scalar_type(d, a));
        ask(d, out, a->type ? "its value?" : "its type, and its value?");
    }
}

static void add_variable(atx_draft *d, const atx_draft_variable *v, const char *size)
{
    atx_str *out = &d->out->op;
    const char *name = v->arg.name, *data = is_real(v->arg.type) ? " uniform -1 1" : "";
    atx_str_addf(out, "arg       %s %s[%s] input%s into %s", name, v->arg.type, v->size[0] ? v->size : size,
                 data, name);
    ask(d, out, v->size[0] ? "what does it hold?" : "how many elements, and what do they hold?");
}

static bool type_of(atx_dtype *out, atx_draft *d, const char *name)
{
    return atx_dtype_parse(out, name, strlen(name), d->err) == AT_OK;
}

/* As the op passes it: a buffer of T or of its own type, a number of its type. */
static void add_parameter(atx_draft *d, const atx_kernel_arg *a)
{
    const char *own = a->pointer ? own_type(d, a) : scalar_type(d, a);
    atx_dtype type = ATX_F32;
    const char *word = own && type_of(&type, d, own) ? atx_dtype_cuda(type, false) : "T";
    atx_str_addf(&d->out->op, "%s%s %s%s", a->pointer && a->constant ? "const " : "", word,
                 a->pointer ? "*" : "", a->name);
}

static void add_reference(atx_draft *d)
{
    atx_str *out = &d->out->op;
    atx_str_addf(out, "\nextern \"C\" __global__ void %s_reference(", d->out->name);
    for (int i = 0; i < d->arg_count; i++) {
        atx_str_add(out, i ? ", " : "");
        add_parameter(d, &d->args[i]);
    }
    for (int i = 0; i < d->variable_count; i++) {
        atx_dtype type = ATX_F32;
        const char *name = d->variables[i].arg.type;
        if (type_of(&type, d, name))
            atx_str_addf(out, ", const %s *%s", atx_dtype_cuda(type, false), d->variables[i].arg.name);
    }
    atx_str_add(out,
                ")\n{\n    /* One thread for each element of the output, too simple to be wrong. */\n}\n");
}

/* All buffers once: those of T, then the others. */
static void add_traffic(atx_draft *d, const char *size)
{
    atx_str *out = &d->out->op;
    atx_str_add(out, "traffic   (");
    for (int i = 0, n = 0; i < d->arg_count; i++)
        if (d->args[i].pointer && !own_type(d, &d->args[i]))
            atx_str_addf(out, "%s%s", n++ ? " + " : "", size);
    atx_str_add(out, ") * sizeof(T)");
    for (int i = 0; i < d->arg_count; i++) {
        atx_dtype type = ATX_F32;
        const char *own = d->args[i].pointer ? own_type(d, &d->args[i]) : NULL;
        if (own && type_of(&type, d, own))
            atx_str_addf(out, " + %s * %d", size, atx_dtype_bytes(type));
    }
}

static void write_op(atx_draft *d)
{
    atx_str *out = &d->out->op;
    const char *size = guess_size(d), *type = element_type(d);
    bool any = false;
    atx_str_addf(out, "/*!autotune\nop        %s", d->out->name);
    ask(d, out, "what it computes, in one line");
    atx_str_add(out, "shape    ");
    for (int i = 0; i < d->arg_count; i++) {
        if (is_dim(&d->args[i]))
            atx_str_addf(out, " %s", d->args[i].name);
        any = any || is_dim(&d->args[i]);
    }
    atx_str_add(out, any ? "" : " n");
    ask(d, out, "the sizes of a problem, as users will write them");
    atx_str_addf(out, "type      T = %s", type ? type : "f32");
    ask(d, out, "its element type, or the list of them");
    atx_str_add(out, "\n");
    for (int i = 0; i < d->arg_count; i++)
        add_arg(d, &d->args[i], size);
    for (int i = 0; i < d->variable_count; i++)
        add_variable(d, &d->variables[i], size);
    atx_str_addf(out, "\nreference %s_reference", d->out->name);
    ask(d, out, "a plain kernel that gives the right answer: write it below");
    atx_str_addf(out, "grid      ceil_div(%s, 256)\nblock     256\ncheck     %s", size,
                 is_real(type) ? "within 1e-3 relative 1e-5 absolute" : "exact");
    ask(d, out, "bit for bit, or within which error?");
    add_traffic(d, size);
    ask(d, out, "bytes that must be moved at least");
    atx_str_add(out, "*/\n");
    add_reference(d);
}

static const char *block_size(const atx_draft *d, int axis)
{
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].axis == axis)
            return d->params[i].name;
    return NULL;
}

/* Do only lines of the preprocessor ask for it, so that it switches something on or off? */
static bool is_switch(const atx_draft *d, const char *name)
{
    bool in_code = false;
    for (size_t i = 0; i < d->code.count && !in_code; i++)
        in_code = atx_tokens_is(&d->code, i, name);
    return !in_code;
}

/* Around what its author took: half and multiples of a power of two; 0 and 1 of what is switched. */
static void add_values(atx_str *out, const atx_draft *d, const atx_draft_param *p)
{
    long v = p->value;
    bool power = v > 1 && v <= 1 << 20 && (v & (v - 1)) == 0;
    if (p->boolean)
        atx_str_add(out, "false true");
    else if (p->axis >= 0)
        atx_str_add(out, p->axis ? "1 2 4 8 16 32" : "16 32 64 128 256 512 1024");
    else if (v == 0 || (v == 1 && !p->undefined && !p->argument && is_switch(d, p->name)))
        atx_str_add(out, "0 1");
    else if (v == 1)
        atx_str_add(out, "1 2 4 8");
    else if (power)
        atx_str_addf(out, "%ld %ld %ld %ld", v / 2, v, 2 * v, 4 * v);
    else
        atx_str_addf(out, "%ld", v);
}

static void write_params(atx_draft *d)
{
    atx_str *out = &d->out->t;
    for (int i = 0; i < d->param_count; i++) {
        const atx_draft_param *p = &d->params[i];
        atx_str_addf(out, "param     %s = ", p->name);
        add_values(out, d, p);
        ask(d, out,
            p->undefined ? "the file uses this name and defines it nowhere: which values are worth a try?"
                         : "which values are worth a try?");
    }
}

static bool has_arguments(const atx_draft *d)
{
    for (int i = 0; i < d->param_count; i++)
        if (d->params[i].argument)
            return true;
    return false;
}

/* Arguments of a template are no macros, as their names stand in the file: only the others are. */
static void write_define(atx_draft *d)
{
    int macros = 0;
    for (int i = 0; i < d->param_count; i++)
        if (!d->params[i].argument)
            atx_str_addf(&d->out->t, "%s%s", macros++ ? " " : "define    ", d->params[i].name);
    if (macros)
        atx_str_add(&d->out->t, "\n");
}

static void write_template(atx_draft *d)
{
    atx_str *out = &d->out->t;
    const char *x = block_size(d, 0), *y = block_size(d, 1), *z = block_size(d, 2);
    atx_str_addf(out, "/*!autotune\ntemplate  adopted\nsource    %s\n%s\n", d->in->source,
                 has_arguments(d) ? "" : "define    all\n");
    write_params(d);
    if (has_arguments(d))
        write_define(d);
    if (x && y)
        atx_str_addf(out, "require   %s * %s%s%s <= device.max_threads_per_block\n", x, y, z ? " * " : "",
                     z ? z : "");
    atx_str_addf(out, "%skernel    %s", out->len > 1 && out->data[out->len - 2] == '\n' ? "" : "\n",
                 d->called);
    if (d->asks_arguments)
        ask(d, out, "if it is a template: with its arguments, as NAME<T, 4>");
    else
        atx_str_add(out, "\n");
    atx_str_addf(out, "grid      ceil_div(%s, %s)", first_dim(d), x ? x : "256");
    ask(d, out, "how many blocks, in each of up to three dimensions?");
    atx_str_addf(out, "block     %s%s%s%s%s", x ? x : "256", y ? " " : "", y ? y : "", z ? " " : "",
                 z ? z : "");
    ask(d, out, "how many threads?");
    if (d->shared) {
        atx_str_addf(out, "shared    %s * sizeof(T)", x ? x : "256");
        ask(d, out, "bytes of its extern __shared__ array?");
    }
    atx_str_add(out, "*/\n");
}

static void name_op(atx_draft *d)
{
    size_t n = 0;
    if (d->in->name) {
        snprintf(d->out->name, sizeof d->out->name, "%s", d->in->name);
        return;
    }
    for (const char *at = d->kernel; *at && n + 1 < sizeof d->out->name - 16; at++)
        if (n || isalpha((unsigned char)*at))
            d->out->name[n++] = (char)tolower((unsigned char)*at);
    d->out->name[n] = '\0';
    char *end = strstr(d->out->name, "_kernel");
    if (end && end != d->out->name && !end[7])
        *end = '\0';
    if (!n)
        strcpy(d->out->name, "adopted");
}

at_status atx_adopt(atx_adopted *out, const atx_adopt_input *in, at_error *err)
{
    atx_draft d = { .in = in, .out = out, .err = err };
    *out = (atx_adopted){ 0 };
    if (!atx_code_read(&d.code, in->text))
        return atx_no_memory(err);
    at_status status = atx_draft_read(&d);
    if (status == AT_OK) {
        name_op(&d);
        if (in->space) {
            atx_draft_write_space(&d);
        } else {
            write_op(&d);
            write_template(&d);
        }
        status = atx_str_status(&out->op, err);
    }
    if (status == AT_OK)
        status = atx_str_status(&out->t, err);
    atx_tokens_clear(&d.code);
    if (status != AT_OK)
        atx_adopted_clear(out);
    return status;
}

void atx_adopted_clear(atx_adopted *adopted)
{
    atx_str_clear(&adopted->op);
    atx_str_clear(&adopted->t);
    *adopted = (atx_adopted){ 0 };
}
