/*
 * expr.c - evaluation of compiled expressions (expr_code.h), and the reason when one fails. A loop over
 * instructions with a fixed stack: the parser has proved the depth, so only the arithmetic is checked, whose
 * overflow, division by zero and bad shifts are faults with their place in the text. The most frequent
 * instructions are in the loop itself, the others in a function.
 */
#include "expr/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr_code.h"

atx_where atx_where_after(atx_where start, const char *text, size_t offset)
{
    const char *at = text, *end = text + offset, *newline;
    while (at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        start.line++;
        start.column = 1;
        at = newline + 1;
    }
    start.column += (int)(end - at);
    return start;
}

at_status atx_fail_at(at_error *err, atx_where where, const char *format, ...)
{
    char text[AT_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return atx_fail(err, AT_ERR_INPUT, "%s:%d:%d: %s", where.file, where.line, where.column, text);
}

/* Copies text[begin..end) as one line that fits a message. */
static void snippet(char *out, size_t size, const char *text, size_t begin, size_t end)
{
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        if (n + 4 >= size) {
            memcpy(out + n, "...", 3);
            n += 3;
            break;
        }
        bool blank = text[i] == '\\' || (unsigned char)text[i] <= ' ';
        if (!blank)
            out[n++] = text[i];
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    out[n] = '\0';
}

at_status atx_expr_fail(const atx_expr *expr, const atx_instruction *i, const char *reason, at_error *err)
{
    if (!err) /* while a space is walked the text is not used */
        return AT_ERR_INPUT;
    char part[100];
    snippet(part, sizeof part, expr->text, i->begin, i->end);
    return atx_fail_at(err, atx_where_after(expr->where, expr->text, i->at), "%s in '%s'", reason, part);
}

/*
 * The analyzer cannot know what the parser guarantees: that an instruction finds its operands on the stack.
 * Clearing the stack first would cost more than most expressions do.
 * NOLINTBEGIN(clang-analyzer-core.*)
 */

static const char OVERFLOW[] = "overflow";
static const char BY_ZERO[] = "division by zero";

/* *a = a / b; NULL, or the error. */
static const char *divide(int64_t *a, int64_t b, bool up)
{
    if (b == 0)
        return BY_ZERO;
    if (*a == INT64_MIN && b == -1)
        return OVERFLOW;
    int64_t q = *a / b;
    if (up && *a % b != 0 && (*a < 0) == (b < 0))
        q++;
    *a = q;
    return NULL;
}

static const char *modulo(int64_t *a, int64_t b)
{
    if (b == 0)
        return BY_ZERO;
    if (*a == INT64_MIN && b == -1)
        return OVERFLOW;
    *a %= b;
    return NULL;
}

static const char *shift(int64_t *a, int64_t by, bool left)
{
    if (by < 0 || by > 63)
        return "shift outside 0..63";
    if (!left) {
        *a >>= by;
        return NULL;
    }
    if (by == 63)
        return *a ? OVERFLOW : NULL;
    return __builtin_mul_overflow(*a, (int64_t)1 << by, a) ? OVERFLOW : NULL;
}

static const char *greatest_divisor(int64_t *a, int64_t b)
{
    uint64_t x = *a < 0 ? 0 - (uint64_t)*a : (uint64_t)*a;
    uint64_t y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    if (x > INT64_MAX)
        return OVERFLOW;
    *a = (int64_t)x;
    return NULL;
}

const char *atx_code_binary(unsigned code, int64_t *a, int64_t b)
{
    switch (code) {
    case ATX_ADD:
        return __builtin_add_overflow(*a, b, a) ? OVERFLOW : NULL;
    case ATX_SUB:
        return __builtin_sub_overflow(*a, b, a) ? OVERFLOW : NULL;
    case ATX_MUL:
        return __builtin_mul_overflow(*a, b, a) ? OVERFLOW : NULL;
    case ATX_DIV:
        return divide(a, b, false);
    case ATX_CEIL_DIV:
        return divide(a, b, true);
    case ATX_MOD:
        return modulo(a, b);
    case ATX_SHL:
        return shift(a, b, true);
    case ATX_SHR:
        return shift(a, b, false);
    case ATX_GCD:
        return greatest_divisor(a, b);
    case ATX_LT:
        *a = *a < b;
        return NULL;
    case ATX_LE:
        *a = *a <= b;
        return NULL;
    case ATX_GT:
        *a = *a > b;
        return NULL;
    case ATX_GE:
        *a = *a >= b;
        return NULL;
    case ATX_EQ:
        *a = *a == b;
        return NULL;
    case ATX_NE:
        *a = *a != b;
        return NULL;
    case ATX_BIT_AND:
        *a &= b;
        return NULL;
    case ATX_BIT_OR:
        *a |= b;
        return NULL;
    case ATX_BIT_XOR:
        *a ^= b;
        return NULL;
    case ATX_MIN:
        *a = *a < b ? *a : b;
        return NULL;
    default: /* ATX_MAX */
        *a = *a > b ? *a : b;
        return NULL;
    }
}

const char *atx_code_unary(unsigned code, int64_t *a)
{
    switch (code) {
    case ATX_BOOL:
        *a = *a != 0;
        return NULL;
    case ATX_NOT:
        *a = *a == 0;
        return NULL;
    case ATX_INVERT:
        *a = ~*a;
        return NULL;
    case ATX_IS_POW2:
        *a = *a > 0 && (*a & (*a - 1)) == 0;
        return NULL;
    case ATX_LOG2:
        if (*a < 1)
            return "log2 of a value below 1";
        *a = 63 - __builtin_clzll((unsigned long long)*a);
        return NULL;
    case ATX_ABS:
        if (*a >= 0)
            return NULL;
        /* fall through */
    default: /* ATX_NEG */
        return __builtin_sub_overflow((int64_t)0, *a, a) ? OVERFLOW : NULL;
    }
}

at_status atx_expr_eval(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    int64_t stack[ATX_EXPR_MAX_STACK];
    int64_t *top = stack; /* the next free place */
    const char *fault = NULL;

    for (size_t pc = 0; pc < expr->count;) {
        const atx_instruction *i = &expr->code[pc++];
        switch (i->code) {
        case ATX_PUSH:
            *top++ = i->value;
            break;
        case ATX_LOAD:
            *top++ = slots[i->value];
            break;
        case ATX_JUMP:
            pc = (size_t)i->value;
            break;
        case ATX_JUMP_FALSE:
            if (*--top == 0)
                pc = (size_t)i->value;
            break;
        case ATX_AND_JUMP:
        case ATX_OR_JUMP:
            if ((top[-1] != 0) == (i->code == ATX_OR_JUMP)) {
                top[-1] = top[-1] != 0;
                pc = (size_t)i->value;
            } else {
                top--;
            }
            break;
        /* What conditions are mostly made of, without a call. */
        case ATX_ADD:
            top--;
            fault = __builtin_add_overflow(top[-1], top[0], &top[-1]) ? OVERFLOW : NULL;
            break;
        case ATX_MUL:
            top--;
            fault = __builtin_mul_overflow(top[-1], top[0], &top[-1]) ? OVERFLOW : NULL;
            break;
        case ATX_LE:
            top--;
            top[-1] = top[-1] <= top[0];
            break;
        case ATX_EQ:
            top--;
            top[-1] = top[-1] == top[0];
            break;
        case ATX_MOD:
            top--;
            fault = modulo(&top[-1], top[0]);
            break;
        default:
            if (i->code < ATX_ADD) {
                fault = atx_code_unary(i->code, &top[-1]);
            } else {
                top--;
                fault = atx_code_binary(i->code, &top[-1], top[0]);
            }
        }
        if (fault)
            return atx_expr_fail(expr, i, fault, err);
    }
    *out = stack[0];
    return AT_OK;
}

/* NOLINTEND(clang-analyzer-core.*) */

bool atx_expr_reads(const atx_expr *expr, int slot)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->code[i].code == ATX_LOAD && expr->code[i].value == slot)
            return true;
    return false;
}

bool atx_expr_reads_any(const atx_expr *expr, const bool *marked)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->code[i].code == ATX_LOAD && marked[expr->code[i].value])
            return true;
    return false;
}

void atx_expr_mark_reads(bool *marks, const atx_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->code[i].code == ATX_LOAD)
            marks[expr->code[i].value] = true;
}

const char *atx_expr_text(const atx_expr *expr)
{
    return expr->shown;
}

atx_where atx_expr_where(const atx_expr *expr)
{
    return expr->where;
}

void atx_expr_close(atx_expr *expr)
{
    free(expr);
}
