/*
 * expr_c.c - an expression as C: the byte code is read once with a stack of texts. A jump's target gives the
 * end of its right side or branches; so && || ?: become C's, which skip evaluation in the same way.
 */
#include "expr/expr_code.h"
#include "util/str.h"

#include <inttypes.h>

typedef struct writer {
    const atx_expr *expr;
    const atx_expr_names *names;
    atx_str stack[ATX_EXPR_MAX_STACK];
    int depth;
    bool failed;
} writer;

static void push(writer *w, atx_str *text)
{
    w->failed = w->failed || text->failed || w->depth == ATX_EXPR_MAX_STACK;
    if (w->failed)
        atx_str_clear(text);
    else
        w->stack[w->depth++] = *text;
}

/* Replaces the top by BEFORE top BEHIND. */
static void wrap(writer *w, const char *before, const char *behind)
{
    atx_str out = { 0 };
    atx_str *top = &w->stack[w->depth - 1];
    atx_str_addf(&out, "%s%s%s", before, atx_str_text(top), behind);
    atx_str_clear(top);
    w->depth--;
    push(w, &out);
}

/* Replaces the two on top by "(a OP b)", or "NAME(bad, a, b)" where the sign is a name. */
static void join(writer *w, const char *sign, bool call)
{
    atx_str out = { 0 };
    atx_str *a = &w->stack[w->depth - 2], *b = &w->stack[w->depth - 1];
    if (call)
        atx_str_addf(&out, "%s%s(bad, %s, %s)", w->names->prefix, sign, atx_str_text(a), atx_str_text(b));
    else
        atx_str_addf(&out, "(%s %s %s)", atx_str_text(a), sign, atx_str_text(b));
    atx_str_clear(a);
    atx_str_clear(b);
    w->depth -= 2;
    push(w, &out);
}

static void call_unary(writer *w, const char *name)
{
    atx_str before = { 0 };
    atx_str_addf(&before, "%s%s(bad, ", w->names->prefix, name);
    w->failed = w->failed || before.failed;
    wrap(w, atx_str_text(&before), ")");
    atx_str_clear(&before);
}

static void unary(writer *w, unsigned code)
{
    switch (code) {
    case ATX_BOOL:
        wrap(w, "(", " != 0)");
        break;
    case ATX_NOT:
        wrap(w, "(", " == 0)");
        break;
    case ATX_INVERT:
        wrap(w, "(~", ")");
        break;
    case ATX_ABS:
        call_unary(w, "abs");
        break;
    case ATX_IS_POW2:
        call_unary(w, "is_pow2");
        break;
    case ATX_LOG2:
        call_unary(w, "log2");
        break;
    default:
        call_unary(w, "neg");
    }
}

static const struct {
    const char *sign;
    bool call;
} BINARY[] = {
    [ATX_ADD] = { "add", true },
    [ATX_SUB] = { "sub", true },
    [ATX_MUL] = { "mul", true },
    [ATX_DIV] = { "div", true },
    [ATX_MOD] = { "mod", true },
    [ATX_SHL] = { "shl", true },
    [ATX_SHR] = { "shr", true },
    [ATX_LT] = { "<", false },
    [ATX_LE] = { "<=", false },
    [ATX_GT] = { ">", false },
    [ATX_GE] = { ">=", false },
    [ATX_EQ] = { "==", false },
    [ATX_NE] = { "!=", false },
    [ATX_BIT_AND] = { "&", false },
    [ATX_BIT_OR] = { "|", false },
    [ATX_BIT_XOR] = { "^", false },
    [ATX_MIN] = { "min", true },
    [ATX_MAX] = { "max", true },
    [ATX_CEIL_DIV] = { "ceil_div", true },
    [ATX_GCD] = { "gcd", true },
};

static void push_number(writer *w, int64_t value)
{
    atx_str text = { 0 };
    if (value == INT64_MIN) /* C has no such literal */
        atx_str_add(&text, "(-9223372036854775807LL - 1)");
    else
        atx_str_addf(&text, value < 0 ? "(%" PRId64 "LL)" : "%" PRId64 "LL", value);
    push(w, &text);
}

static void push_name(writer *w, int slot)
{
    atx_str text = { 0 };
    w->names->add(&text, w->names->context, slot);
    push(w, &text);
}

static void write_range(writer *w, size_t begin, size_t end);

/* "(a && b)" of what is on top and what stands up to the target. */
static void write_logical(writer *w, size_t right, size_t end, const char *sign)
{
    write_range(w, right, end);
    if (!w->failed)
        join(w, sign, false);
}

/* "(a ? b : c)"; returns where c ends. Before `otherwise` stands the jump over it. */
static size_t write_choice(writer *w, size_t then, size_t otherwise)
{
    const size_t end = (size_t)w->expr->code[otherwise - 1].value;
    write_range(w, then, otherwise - 1);
    write_range(w, otherwise, end);
    if (w->failed)
        return end;
    atx_str out = { 0 }, *top = &w->stack[w->depth - 3];
    atx_str_addf(&out, "(%s ? %s : %s)", atx_str_text(&top[0]), atx_str_text(&top[1]), atx_str_text(&top[2]));
    for (int i = 0; i < 3; i++)
        atx_str_clear(&top[i]);
    w->depth -= 3;
    push(w, &out);
    return end;
}

/* Instructions recur as deep as the text nests them, ATX_EXPR_MAX_DEPTH. */
static void write_range(writer *w, size_t begin, size_t end) // NOLINT(misc-no-recursion)
{
    for (size_t i = begin; i < end && !w->failed;) {
        const atx_instruction *at = &w->expr->code[i++];
        const size_t target = (size_t)at->value;
        if (at->code == ATX_PUSH) {
            push_number(w, at->value);
        } else if (at->code == ATX_LOAD) {
            push_name(w, (int)at->value);
        } else if (at->code == ATX_AND_JUMP || at->code == ATX_OR_JUMP) {
            write_logical(w, i, target, at->code == ATX_AND_JUMP ? "&&" : "||");
            i = target;
        } else if (at->code == ATX_JUMP_FALSE) {
            i = write_choice(w, i, target);
        } else if (at->code < ATX_ADD) {
            unary(w, at->code);
        } else {
            join(w, BINARY[at->code].sign, BINARY[at->code].call);
        }
    }
}

at_status atx_expr_add_c(atx_str *out, const atx_expr *expr, const atx_expr_names *names, at_error *err)
{
    writer w = { .expr = expr, .names = names };
    write_range(&w, 0, expr->count);
    if (!w.failed)
        atx_str_add(out, atx_str_text(&w.stack[0]));
    while (w.depth)
        atx_str_clear(&w.stack[--w.depth]);
    return w.failed ? atx_no_memory(err) : atx_str_status(out, err);
}
