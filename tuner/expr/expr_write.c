/*
 * expr_write.c - an expression as C or Python: the byte code is read once with a stack of texts. A jump's
 * target gives the end of its right side or branches; so && || ?: become those of the language, which skip
 * evaluation in the same way. In Python, where constants are the most of it, their values are written.
 */
#include "expr/expr_code.h"
#include "util/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* $0 $1 $2: the operands; #: the prefix of functions. */
static const struct {
    const char *c, *python; /* NULL: the language has no word for it */
} FORMS[] = {
    [ATX_JUMP_FALSE] = { "($0 ? $1 : $2)", "($1 if $0 else $2)" },
    [ATX_AND_JUMP] = { "($0 && $1)", "($0 and $1)" },
    [ATX_OR_JUMP] = { "($0 || $1)", "($0 or $1)" },
    [ATX_BOOL] = { "($0 != 0)", "($0 != 0)" },
    [ATX_NEG] = { "#neg(bad, $0)", "(-$0)" },
    [ATX_NOT] = { "($0 == 0)", "(not $0)" },
    [ATX_INVERT] = { "(~$0)", "(~$0)" },
    [ATX_ABS] = { "#abs(bad, $0)", "abs($0)" },
    [ATX_IS_POW2] = { "#is_pow2(bad, $0)", "($0 > 0 and ($0 & ($0 - 1)) == 0)" },
    [ATX_LOG2] = { "#log2(bad, $0)", NULL },
    [ATX_ADD] = { "#add(bad, $0, $1)", "($0 + $1)" },
    [ATX_SUB] = { "#sub(bad, $0, $1)", "($0 - $1)" },
    [ATX_MUL] = { "#mul(bad, $0, $1)", "($0 * $1)" },
    [ATX_DIV] = { "#div(bad, $0, $1)", "($0 // $1)" },
    [ATX_MOD] = { "#mod(bad, $0, $1)", "($0 % $1)" },
    [ATX_SHL] = { "#shl(bad, $0, $1)", "($0 << $1)" },
    [ATX_SHR] = { "#shr(bad, $0, $1)", "($0 >> $1)" },
    [ATX_LT] = { "($0 < $1)", "($0 < $1)" },
    [ATX_LE] = { "($0 <= $1)", "($0 <= $1)" },
    [ATX_GT] = { "($0 > $1)", "($0 > $1)" },
    [ATX_GE] = { "($0 >= $1)", "($0 >= $1)" },
    [ATX_EQ] = { "($0 == $1)", "($0 == $1)" },
    [ATX_NE] = { "($0 != $1)", "($0 != $1)" },
    [ATX_BIT_AND] = { "($0 & $1)", "($0 & $1)" },
    [ATX_BIT_OR] = { "($0 | $1)", "($0 | $1)" },
    [ATX_BIT_XOR] = { "($0 ^ $1)", "($0 ^ $1)" },
    [ATX_MIN] = { "#min(bad, $0, $1)", "min($0, $1)" },
    [ATX_MAX] = { "#max(bad, $0, $1)", "max($0, $1)" },
    [ATX_CEIL_DIV] = { "#ceil_div(bad, $0, $1)", "(($0 + $1 - 1) // $1)" },
    [ATX_GCD] = { "#gcd(bad, $0, $1)", NULL }, /* but see write_gcd */
};

/* Python's // and % round down, ours to zero: of operands that may be below it, and a divisor that may. */
static const char *const SIGNED[] = {
    [ATX_DIV] = "(abs($0) // abs($1) * (1 if ($0 < 0) == ($1 < 0) else -1))",
    [ATX_MOD] = "(abs($0) % abs($1) * (1 if $0 >= 0 else -1))",
    [ATX_CEIL_DIV] = "(-(-$0 // $1))",
};

static const atx_bounds ANY = { INT64_MIN, INT64_MAX }, TRUTH = { 0, 1 };

typedef struct writer {
    const atx_expr *expr;
    const atx_expr_names *names;
    atx_str stack[ATX_EXPR_MAX_STACK];
    bool truths[ATX_EXPR_MAX_STACK]; /* which of them are 0 or 1 whatever the names are */
    bool logic[ATX_EXPR_MAX_STACK];  /* ... and are written with `and` or `or`           */
    atx_bounds bounds[ATX_EXPR_MAX_STACK];
    int depth;
    bool python, failed;
    const atx_instruction *refused; /* one that cannot be written, because of `reason` */
    const char *reason;
} writer;

static void refuse(writer *w, const atx_instruction *at, const char *reason)
{
    w->refused = at;
    w->reason = reason;
    w->failed = true;
}

/* Names stand for texts of their own: each may double the length. */
static void limit_length(writer *w, const atx_instruction *at, const atx_str *text)
{
    if (w->python && text->len > ATX_PYTHON_MOST)
        refuse(w, at, "found more than 65536 characters as Python");
}

static void push(writer *w, atx_str *text, bool truth, atx_bounds bounds)
{
    w->failed = w->failed || text->failed || w->depth == ATX_EXPR_MAX_STACK;
    if (w->failed) {
        atx_str_clear(text);
        return;
    }
    w->truths[w->depth] = truth;
    w->logic[w->depth] = false;
    w->bounds[w->depth] = bounds;
    w->stack[w->depth++] = *text;
}

static void push_number(writer *w, int64_t value)
{
    atx_str text = { 0 };
    if (w->python)
        atx_str_addf(&text, "%" PRId64, value);
    else if (value == INT64_MIN) /* C has no such literal */
        atx_str_add(&text, "(-9223372036854775807LL - 1)");
    else
        atx_str_addf(&text, value < 0 ? "(%" PRId64 "LL)" : "%" PRId64 "LL", value);
    push(w, &text, value == 0 || value == 1, (atx_bounds){ value, value });
}

static bool is_number(int64_t *out, const writer *w, int from_top)
{
    char *end;
    const char *text = atx_str_text(&w->stack[w->depth - from_top]);
    errno = 0;
    *out = strtoll(text, &end, 10);
    return w->python && end != text && !*end && !errno;
}

static bool is_truth(unsigned code)
{
    return code == ATX_AND_JUMP || code == ATX_OR_JUMP || code == ATX_BOOL || code == ATX_NOT ||
           code == ATX_IS_POW2 || (code >= ATX_LT && code <= ATX_NE);
}

/* Python's `and` and `or` give one of their sides: with what is counted they are numbers. */
static void add_operand(atx_str *out, const writer *w, int i, unsigned code)
{
    const bool counted = code > ATX_NOT || code == ATX_NEG;
    const bool logic = w->python && counted && w->logic[i];
    atx_str_addf(out, logic ? "(1 if %s else 0)" : "%s", atx_str_text(&w->stack[i]));
}

static const char *form_of(const writer *w, unsigned code, const atx_bounds *operands)
{
    const bool divides = code == ATX_DIV || code == ATX_MOD || code == ATX_CEIL_DIV;
    if (!w->python)
        return FORMS[code].c;
    return w->names->bounds && divides &&
                   (operands[1].low < 0 || (code != ATX_CEIL_DIV && operands[0].low < 0))
               ? SIGNED[code]
               : FORMS[code].python;
}

/* Where what an instruction makes of the operands on top lies. */
static atx_bounds bounds_of(const writer *w, unsigned code, const atx_bounds *operands)
{
    atx_bounds out = operands[0];
    if (!w->python || is_truth(code))
        return TRUTH;
    if (code == ATX_JUMP_FALSE)
        return (atx_bounds){ operands[1].low < operands[2].low ? operands[1].low : operands[2].low,
                             operands[1].high > operands[2].high ? operands[1].high : operands[2].high };
    return (code < ATX_ADD ? atx_bounds_unary(code, &out)
                           : atx_bounds_binary(code, &out, operands[0], operands[1]))
               ? out
               : ANY;
}

/* The operands on top are replaced by the form with them. */
static void write_form(writer *w, const atx_instruction *at, int operands)
{
    atx_str out = { 0 };
    const atx_bounds *given = &w->bounds[w->depth - operands], bounds = bounds_of(w, at->code, given);
    const char *form = form_of(w, at->code, given);
    atx_str *top = &w->stack[w->depth - operands];
    if (!form)
        refuse(w, at, "Python has no word for this");
    for (; form && *form; form++) {
        if (*form == '#')
            atx_str_add(&out, w->names->prefix);
        else if (*form == '$')
            add_operand(&out, w, w->depth - operands + *++form - '0', at->code);
        else
            atx_str_add_bytes(&out, form, 1);
    }
    for (int i = 0; i < operands; i++)
        atx_str_clear(&top[i]);
    w->depth -= operands;
    limit_length(w, at, &out);
    push(w, &out, is_truth(at->code), bounds);
    if (!w->failed)
        w->logic[w->depth - 1] = at->code == ATX_AND_JUMP || at->code == ATX_OR_JUMP;
}

static void drop(writer *w, int count)
{
    while (count-- && w->depth)
        atx_str_clear(&w->stack[--w->depth]);
}

/* Of a number the greatest divisor that divides the other operand: max(8 * (x % 8 == 0), ..., 1). */
static bool write_gcd(writer *w, const atx_instruction *at)
{
    enum { MOST_DIVISORS = 12 };
    int64_t number = 0;
    atx_str out = { 0 };
    const int from_top = is_number(&number, w, 1) ? 2 : 1;
    int count = 0;
    if (!w->python || at->code != ATX_GCD || (from_top == 1 && !is_number(&number, w, 2)) || number <= 0 ||
        number > 4096)
        return false;
    const char *other = atx_str_text(&w->stack[w->depth - from_top]);
    for (int64_t d = number; d > 1; d--)
        if (number % d == 0 && ++count)
            atx_str_addf(&out, "%s%" PRId64 " * (%s %% %" PRId64 " == 0)", out.len ? ", " : "max(", d, other,
                         d);
    atx_str_add(&out, count ? ", 1)" : "1");
    if (count > MOST_DIVISORS) {
        atx_str_clear(&out);
        return false;
    }
    drop(w, 2);
    limit_length(w, at, &out);
    push(w, &out, false, (atx_bounds){ 1, number });
    return true;
}

static void write_operator(writer *w, const atx_instruction *at)
{
    const bool two = at->code >= ATX_ADD;
    int64_t a, b = 0;
    if (w->python && at->code == ATX_BOOL && w->truths[w->depth - 1])
        return;
    const bool known = is_number(&a, w, two ? 2 : 1) && (!two || is_number(&b, w, 1));
    if (!known || (two ? atx_code_binary(at->code, &a, b) : atx_code_unary(at->code, &a))) {
        if (!two || !write_gcd(w, at))
            write_form(w, at, two ? 2 : 1);
        return;
    }
    drop(w, two ? 2 : 1);
    push_number(w, a);
}

static void write_range(writer *w, size_t begin, size_t end);

/* Of what is on top and what stands up to the target. Python's `or` is its left side where that is not 0. */
static void write_logical(writer *w, const atx_instruction *at, size_t right)
{
    const size_t end = (size_t)at->value;
    const bool ends = at->code == ATX_OR_JUMP; /* the value that makes the right side needless */
    int64_t side;
    if (is_number(&side, w, 1)) {
        drop(w, 1);
        if ((side != 0) == ends)
            push_number(w, ends);
        else
            write_range(w, right, end);
        return;
    }
    if (w->python)
        write_operator(w, &(atx_instruction){ .code = ATX_BOOL });
    write_range(w, right, end);
    if (w->failed)
        return;
    if (!is_number(&side, w, 1)) {
        write_form(w, at, 2);
        return;
    }
    drop(w, (side != 0) == ends ? 2 : 1); /* the right side, and the left one where that decides nothing */
    if ((side != 0) == ends)
        push_number(w, ends);
}

/* Returns where the second branch ends. Before it stands the jump over it. */
static size_t write_choice(writer *w, const atx_instruction *at, size_t then)
{
    const size_t otherwise = (size_t)at->value, end = (size_t)w->expr->code[otherwise - 1].value;
    int64_t chosen;
    if (is_number(&chosen, w, 1)) {
        drop(w, 1);
        write_range(w, chosen ? then : otherwise, chosen ? otherwise - 1 : end);
        return end;
    }
    write_range(w, then, otherwise - 1);
    write_range(w, otherwise, end);
    if (!w->failed)
        write_form(w, at, 3);
    return end;
}

/* Comparisons of two names may be written by a caller that knows them. */
static bool write_pair(writer *w, const atx_instruction *at, size_t left)
{
    atx_str text = { 0 };
    if (!w->names->pair || left < 3 || at[1].code != ATX_LOAD ||
        (at[2].code != ATX_EQ && at[2].code != ATX_NE) ||
        !w->names->pair(&text, w->names->context, (int)at[0].value, (int)at[1].value, at[2].code == ATX_NE)) {
        atx_str_clear(&text);
        return false;
    }
    push(w, &text, true, TRUTH);
    return true;
}

static void push_name(writer *w, const atx_instruction *at)
{
    const int slot = (int)at->value;
    atx_str text = { 0 };
    w->names->add(&text, w->names->context, slot);
    limit_length(w, at, &text);
    push(w, &text, false, w->names->bounds ? w->names->bounds(w->names->context, slot) : ANY);
}

/* Instructions recur as deep as the text nests them, ATX_EXPR_MAX_DEPTH. */
static void write_range(writer *w, size_t begin, size_t end) // NOLINT(misc-no-recursion)
{
    for (size_t i = begin; i < end && !w->failed;) {
        const atx_instruction *at = &w->expr->code[i++];
        if (at->code == ATX_PUSH) {
            push_number(w, at->value);
        } else if (at->code == ATX_LOAD && write_pair(w, at, end - i + 1)) {
            i += 2;
        } else if (at->code == ATX_LOAD) {
            push_name(w, at);
        } else if (at->code == ATX_AND_JUMP || at->code == ATX_OR_JUMP) {
            write_logical(w, at, i);
            i = (size_t)at->value;
        } else if (at->code == ATX_JUMP_FALSE) {
            i = write_choice(w, at, i);
        } else {
            write_operator(w, at);
        }
    }
}

static at_status write(atx_str *out, writer *w, at_error *err)
{
    write_range(w, 0, w->expr->count);
    if (!w->failed)
        atx_str_add(out, atx_str_text(&w->stack[0]));
    drop(w, w->depth);
    if (w->refused)
        return atx_expr_fail(w->expr, w->refused, w->reason, err);
    return w->failed ? atx_no_memory(err) : atx_str_status(out, err);
}

at_status atx_expr_add_c(atx_str *out, const atx_expr *expr, const atx_expr_names *names, at_error *err)
{
    return write(out, &(writer){ .expr = expr, .names = names }, err);
}

bool atx_expr_is_logic(const atx_expr *expr)
{
    bool logic = expr->count && expr->code[expr->count - 1].code == ATX_BOOL;
    for (size_t i = 0; i < expr->count; i++)
        logic = logic && !(expr->code[i].code == ATX_JUMP && (size_t)expr->code[i].value == expr->count);
    return logic;
}

at_status atx_expr_add_python(atx_str *out, const atx_expr *expr, const atx_expr_names *names, at_error *err)
{
    return write(out, &(writer){ .expr = expr, .names = names, .python = true }, err);
}
