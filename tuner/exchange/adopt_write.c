/*
 * adopt_write.c - writes the op and the template of a draft. A line that is a guess may end in a question;
 * what belongs together is asked once.
 */
#include "exchange/adopt_draft.h"

#include "declare/dtype.h"
#include "util/chars.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- arguments ---- */

/* "  # the kernel's T" where the declaration has another name. */
static void add_renamed(atx_str *out, const char *name, const atx_kernel_arg *arg)
{
    if (strncmp(name, arg->text, arg->len) != 0 || name[arg->len])
        atx_str_addf(out, "  # the kernel's %.*s", (int)(arg->len < 200 ? arg->len : 200), arg->text);
}

/* Questions that are asked once, of the first buffer. */
typedef struct questions {
    bool integers, sizes, larger;
} questions;

/* Whether nothing defines the type of its elements, which has a name and is no argument of the template. */
static bool is_unknown(const atx_draft_arg *a)
{
    return !a->type.dtype && !a->structure && a->type.targ < 0 && a->type.name[0] &&
           strcmp(a->type.name, "void") != 0;
}

/* Behind a buffer: what is asked about it, or where its size is from. `integers`: what they are is asked. */
static void add_note(atx_draft *d, const atx_draft_arg *a, bool integers, questions *asks)
{
    static const char INTEGERS[] = "which integers do buffers hold? an index below N: index N";
    atx_str *out = &d->out->op;
    char text[2 * ATX_DRAFT_EXPR + 400] = "";
    const atx_place at =
        a->allocated ? atx_draft_host_place(d, &d->code.items[a->allocated]) : (atx_place){ "" };
    if (a->before)
        snprintf(text, sizeof text,
                 "the launch passes it from an element on, and the kernel reads before that: it has to begin "
                 "there");
    else if (a->host_size[0] && !asks->larger)
        snprintf(text, sizeof text, "is it as large? %s allocates %s", at.text, a->host_size);
    else if (is_unknown(a))
        snprintf(text, sizeof text,
                 "how many elements has it? nothing here defines its type '%s': its size and T are guesses",
                 a->type.name);
    else if (a->size_guessed && !asks->sizes)
        snprintf(text, sizeof text,
                 "how many elements has it? its index does not say it: a guess, as all with (?)");
    else if (a->role_guessed)
        snprintf(text, sizeof text, "the kernel is not seen to write anything: is this a result of it?");
    else if (a->type.usual)
        snprintf(text, sizeof text, "nothing here defines '%s': is it %s?", a->type.name, a->type.dtype);
    const bool size = text[0];
    asks->larger = asks->larger || a->host_size[0];
    asks->sizes = asks->sizes || a->size_guessed;
    if (size && integers)
        snprintf(text + strlen(text), sizeof text - strlen(text), "; %s", INTEGERS);
    if (size || integers) {
        atx_draft_ask(d, out, size ? text : INTEGERS);
        return;
    }
    add_renamed(out, a->name, &a->arg);
    if (a->size_guessed)
        atx_str_add(out, "  # (?)");
    else if (a->host_size[0])
        atx_str_addf(out, "  # %s allocates %s", at.text, a->host_size);
    else if (a->allocated)
        atx_str_addf(out, "  # as %s allocates it", at.text);
    atx_str_add(out, "\n");
}

/* A note or a question behind a buffer of integers: of the first alone. */
static void add_buffer(atx_draft *d, const atx_draft_arg *a, questions *asks)
{
    atx_str *out = &d->out->op;
    const char *own = atx_draft_own_type(d, a), *type = own ? own : atx_draft_element(d);
    const bool real = atx_draft_is_real(type);
    const bool gaps = a->structure && !d->structs[a->structure - 1].listed && !a->read; /* curandState */
    const bool zero = a->written && (a->zeroed || gaps || (a->atomic && !a->read));
    const bool data = a->read || !a->written;
    const char *structure = a->structure ? d->structs[a->structure - 1].name : NULL;
    atx_str_addf(out, "%s %s %s[", a->scratch ? "scratch  " : "arg      ", a->name,
                 structure ? structure
                 : own     ? own
                           : "T");
    atx_draft_add_size(out, d, a);
    if (a->scratch) {
        atx_str_add(out, "]\n");
        return;
    }
    atx_str_addf(out, "] %s", zero ? "output zero" : !a->written ? "input" : data ? "inout" : "output");
    if (structure) {
        add_note(d, a, false, asks);
        return;
    }
    if (data && !zero && real) {
        atx_str_addf(out, " %s", a->holds[0] ? a->holds : "uniform -1 1");
    } else if (data && !zero) {
        const bool truth = a->type.dtype && strcmp(a->type.dtype, "bool") == 0;
        atx_str_addf(out, " %s", a->holds[0] ? a->holds : truth ? "index 2" : "index 100");
    }
    const bool integers = data && !zero && !real && !asks->integers;
    asks->integers = asks->integers || integers;
    add_note(d, a, integers, asks);
}

bool atx_draft_scalars(void)
{
    atx_dtype type;
    at_error ignored;
    return atx_dtype_parse(&type, "bool", 4, &ignored) == AT_OK;
}

const char *atx_draft_scalar_type(const atx_draft *d, const atx_draft_arg *a)
{
    const char *type = a->type.targ >= 0 ? d->targs[a->type.targ].dtype : a->type.dtype;
    if (!type)
        type = a->type.targ >= 0 ? atx_draft_element(d) : "f32";
    if (atx_draft_scalars() || atx_draft_is_real(type))
        return type;
    return strstr(type, "64") ? "i64" : "i32";
}

static void add_scalar(atx_draft *d, const atx_draft_arg *a, bool *asked)
{
    atx_str *out = &d->out->op;
    const char *type = a->structure ? d->structs[a->structure - 1].name : atx_draft_scalar_type(d, a);
    if (a->dim || a->structure) {
        atx_str_addf(out, "arg       %s %s", a->name, type);
        add_renamed(out, a->name, &a->arg);
        atx_str_add(out, "\n");
        return;
    }
    atx_str_addf(out, "arg       %s %s = %s", a->name, type, atx_draft_value(a));
    if (a->null) {
        atx_str_addf(out, "  # a null pointer, as %s passes it\n", atx_draft_launch_place(d).text);
        return;
    }
    if (!a->type.dtype && a->type.targ < 0) {
        atx_str_addf(out,
                     "  # ? nothing here defines its type '%s': a number (f32, i32, ...), or a struct?\n",
                     a->type.name[0] ? a->type.name : "auto");
        d->out->questions++;
        return;
    }
    if (!a->value[0] && atx_draft_is_offset(a)) {
        atx_draft_ask(d, out, "the file does not say it: is it 0?");
        return;
    }
    if (!a->value[0] && !*asked) {
        atx_draft_ask(d, out, "values of numbers: the file does not say those that are 1");
        *asked = true;
        return;
    }
    add_renamed(out, a->name, &a->arg);
    atx_str_add(out, "\n");
}

static void add_variable(atx_draft *d, const atx_draft_variable *v, bool *asked)
{
    atx_str *out = &d->out->op;
    const char *data = atx_draft_is_real(v->arg.type) ? " uniform -1 1" : " index 100";
    atx_str name = { 0 };
    for (size_t i = 0; i < d->code.count && !name.len; i++)
        if (d->code.text + d->code.items[i].begin == v->arg.text)
            atx_draft_namespaces(&name, d, i, "");
    atx_str_addf(out, "arg       %s %s[%s] input%s into %s%s", v->name, v->arg.type,
                 v->size[0] ? v->size : atx_draft_first_dim(d), data, atx_str_text(&name), v->arg.name);
    atx_str_clear(&name);
    if (!*asked)
        atx_draft_ask(d, out, "what do __constant__ variables hold?");
    else
        atx_str_add(out, "\n");
    *asked = true;
}

/* ---- the op ---- */

/* All buffers once. */
static void add_traffic(atx_draft *d)
{
    atx_str *out = &d->out->op;
    bool first = true;
    atx_str_add(out, "traffic   ");
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *a = &d->args[i];
        const char *own = a->stars ? atx_draft_own_type(d, a) : NULL;
        atx_dtype type = ATX_F32;
        if (!a->stars || a->scratch)
            continue;
        atx_str_add(out, first ? "" : " + ");
        first = false;
        const bool sum = strpbrk(a->size, "+-") != NULL;
        atx_str_add(out, sum ? "(" : "");
        atx_draft_add_size(out, d, a);
        atx_str_add(out, sum ? ")" : "");
        if (a->structure)
            atx_str_addf(out, " * sizeof(%s)", d->structs[a->structure - 1].name);
        else if (own && atx_dtype_parse(&type, own, strlen(own), d->err) == AT_OK)
            atx_str_addf(out, " * %d", atx_dtype_bytes(type));
        else
            atx_str_add(out, " * sizeof(T)");
    }
    atx_str_add(out, "  # every buffer once\n");
}

static void add_shape(atx_draft *d)
{
    atx_str *out = &d->out->op;
    bool any = atx_draft_first_extra(d) < d->extra_count;
    atx_str_add(out, "shape    ");
    for (int i = 0; i < d->extra_count; i++)
        if (d->extra_counts[i])
            atx_str_addf(out, " %s=4", d->extra_name[i]);
    for (int i = 0; i < d->extra_count; i++)
        if (!d->extra_counts[i] && !d->extra_unused[i])
            atx_str_addf(out, " %s", d->extra_name[i]);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].dim) {
            atx_str_addf(out, " %s", d->args[i].name);
            any = true;
        }
    if (!any)
        atx_str_addf(out, " %s", d->lone_dim);
    atx_draft_ask(d, out,
                  any ? "the sizes of a problem, and of the buffers below, as the indices have them?"
                      : "the sizes of a problem, and of the buffers below?");
}

static bool writes_real(const atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++) {
        const atx_draft_arg *a = &d->args[i];
        const char *own = a->stars ? atx_draft_own_type(d, a) : NULL;
        if (a->stars && a->written &&
            (a->structure ? atx_draft_has_reals(d, a->structure)
                          : atx_draft_is_real(own ? own : atx_draft_element(d))))
            return true;
    }
    return false;
}

/* A struct stands behind the buffers that it points to, and before those that are made of it. */
static void add_structs(atx_draft *d, questions *asks)
{
    bool fields = false;
    for (int i = 0; i < d->struct_count; i++)
        if (!d->structs[i].pointers || !d->structs[i].by_value)
            atx_draft_write_struct(d, &d->structs[i], &fields);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].field)
            add_buffer(d, &d->args[i], asks);
    for (int i = 0; i < d->struct_count; i++)
        if (d->structs[i].pointers && d->structs[i].by_value)
            atx_draft_write_struct(d, &d->structs[i], &fields);
}

/* Of structs whose fields are not known all bytes are compared. */
static void add_checks(atx_draft *d)
{
    atx_str *out = &d->out->op;
    const bool real = writes_real(d);
    atx_str_addf(out, "check     %s\n", real ? "within 1e-3 relative 1e-5 absolute" : "exact");
    for (int i = 0; i < d->arg_count && real; i++)
        if (d->args[i].stars && d->args[i].written && d->args[i].structure &&
            !d->structs[d->args[i].structure - 1].listed)
            atx_str_addf(out, "check     %s exact\n", d->args[i].name);
}

void atx_draft_write_op(atx_draft *d)
{
    atx_str *out = &d->out->op;
    questions asks = { .integers = false };
    bool numbers = false, constants = false;
    atx_str_addf(out, "/*!autotune\nop        %s  # the kernel%s %s\n", d->out->name,
                 d->several ? "s of" : "", d->kernel);
    add_shape(d);
    atx_str_addf(out, "type      T = %s\n\n", atx_draft_element(d));
    add_structs(d, &asks);
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].stars && !d->args[i].field)
            add_buffer(d, &d->args[i], &asks);
        else if (!d->args[i].stars && !d->args[i].own)
            add_scalar(d, &d->args[i], &numbers);
    for (int i = 0; i < d->variable_count; i++)
        add_variable(d, &d->variables[i], &constants);
    atx_str_add(out, "\nreference template adopted  # the kernel itself, as its author configured it\n");
    add_checks(d);
    add_traffic(d);
    atx_str_add(out, "*/\n");
}

void atx_draft_name_op(atx_draft *d)
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
    if (atx_name_is_reserved(d->out->name))
        strcat(d->out->name, "_adopted");
}
