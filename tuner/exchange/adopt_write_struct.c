/* adopt_write_struct.c - writes a `struct` line of a draft: the fields as the file has them, what they hold
 * in a buffer, or what they are by value. */
#include "exchange/adopt_draft.h"

#include <string.h>

enum { WIDTH = 96 }; /* of a line before it continues on the next one */

static const char *field_type(const atx_draft *d, const atx_draft_field *f)
{
    return f->structure ? d->structs[f->structure - 1].name : f->type.dtype;
}

/* "const f32 *x = x_": an address by the name of the buffer. */
static void add_pointer(atx_str *out, const atx_draft *d, const atx_draft_field *f)
{
    const char *buffer = f->buffer >= 0 ? d->args[f->buffer].name : f->name;
    const char *type = f->type.dtype ? f->type.dtype : f->type.name[0] ? f->type.name : "void";
    atx_str_addf(out, "%s%s *%s", f->constant ? "const " : "", type, f->name);
    if (strcmp(buffer, f->name) != 0)
        atx_str_addf(out, " = %s", buffer);
}

/* Whether it is a guess what a number is. */
static bool add_number(atx_str *out, const atx_draft *d, const atx_draft_struct *s, const atx_draft_field *f)
{
    const long count = f->count * f->type.lanes;
    const bool real = atx_draft_is_real(field_type(d, f)), truth = strcmp(field_type(d, f), "bool") == 0;
    const bool bytes = strcmp(field_type(d, f) + 1, "8") == 0 && !s->by_value; /* any */
    atx_str_addf(out, "%s %s", field_type(d, f), f->name);
    if (count > 1)
        atx_str_addf(out, "[%ld]", count);
    if (f->type.lanes == 2 || f->type.lanes == 4)
        atx_str_addf(out, " align %ld", atx_draft_vector_align(&f->type));
    if (f->value[0] && s->by_value)
        atx_str_addf(out, " = %s", f->value);
    else if (truth && s->by_value)
        atx_str_add(out, " = 0");
    else if (!truth && real)
        atx_str_add(out, " uniform -1 1");
    else if (!truth && !bytes)
        atx_str_add(out, s->by_value && count == 1 ? " = 1" : " range 0 99");
    return !f->value[0] && !real && !truth && !bytes;
}

/* Whether it is only a part of a struct whose fields are not listed: too large, or its pointers go nowhere.
 */
static bool is_unused(const atx_draft_struct *s)
{
    if (s->sized && s->bytes > ATX_MAX_STRUCT_BYTES)
        return true;
    for (int i = 0; s->listed && i < s->field_count; i++)
        if (s->fields[i].pointer && s->fields[i].buffer < 0)
            return true;
    return false;
}

void atx_draft_write_struct(atx_draft *d, const atx_draft_struct *s, bool *asked)
{
    atx_str *out = &d->out->op;
    bool guess = false;
    if (is_unused(s))
        return;
    if (!s->listed) {
        atx_str_addf(out, "struct    %s bytes %ld", s->name, s->sized && s->bytes > 0 ? s->bytes : 8);
        atx_str_addf(out, " align %ld", s->sized && s->bytes > 0 ? s->align : 8);
        if (s->sized && s->by_value)
            atx_draft_ask(d, out, "more than a list of fields, so all of it is 0: what does it hold?");
        else if (s->sized)
            atx_str_add(out, "  # more than a list of fields: zeros\n");
        else
            atx_draft_ask(d, out, "how many bytes has it? the file does not show its fields");
        return;
    }
    atx_str_addf(out, "struct    %s", s->name);
    if (s->asked)
        atx_str_addf(out, " align %ld", s->asked);
    size_t line = out->len;
    for (int i = 0; i < s->field_count; i++) {
        const atx_draft_field *f = &s->fields[i];
        atx_str_add(out, i ? "," : " =");
        const bool full = out->len - line > WIDTH;
        atx_str_add(out, full ? " \\\n          " : " ");
        line = full ? out->len : line;
        if (f->pointer)
            add_pointer(out, d, f);
        else if (f->structure && f->count > 1)
            atx_str_addf(out, "%s %s[%ld]", field_type(d, f), f->name, f->count);
        else if (f->structure)
            atx_str_addf(out, "%s %s", field_type(d, f), f->name);
        else
            guess = add_number(out, d, s, f) || guess;
    }
    if (guess && !*asked)
        atx_draft_ask(d, out, "what do fields of integers hold? the file does not say it");
    else
        atx_str_add(out, "\n");
    *asked = *asked || guess;
}
