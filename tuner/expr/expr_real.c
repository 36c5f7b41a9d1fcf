/*
 * expr_real.c - the same byte code on real numbers, for metrics.
 *
 * + - * / and unary minus, comparisons, min, max and abs are those of doubles, so that 1 / 2 is 0.5. Integer
 * operators stay so: % << >> & | ^ ~ ceil_div gcd is_pow2 log2 take whole numbers and give the same results
 * as elsewhere. Every value is finite; NaN in a slot means unknown.
 */
#include "expr/expr.h"

#include <math.h>

#include "expr/expr_code.h"

/* Beyond this a double skips whole numbers. */
#define WHOLE_LIMIT 9007199254740992.0

static const char NOT_WHOLE[] = "an operation on integers of what is no whole number";

static bool is_whole(double value)
{
    return value >= -WHOLE_LIMIT && value <= WHOLE_LIMIT && value == floor(value);
}

/* *a = a OP b as expr.c has it; NULL, or the error. */
static const char *whole_binary(unsigned code, double *a, double b)
{
    int64_t value;
    if (!is_whole(*a) || !is_whole(b))
        return NOT_WHOLE;
    value = (int64_t)*a;
    const char *fault = atx_code_binary(code, &value, (int64_t)b);
    *a = (double)value;
    return fault;
}

static const char *whole_unary(unsigned code, double *a)
{
    int64_t value;
    if (!is_whole(*a))
        return NOT_WHOLE;
    value = (int64_t)*a;
    const char *fault = atx_code_unary(code, &value);
    *a = (double)value;
    return fault;
}

static bool is_zero(double value)
{
    return !(value < 0 || value > 0);
}

static const char *binary(unsigned code, double *a, double b)
{
    switch (code) {
    case ATX_ADD:
        *a += b;
        break;
    case ATX_SUB:
        *a -= b;
        break;
    case ATX_MUL:
        *a *= b;
        break;
    case ATX_DIV:
        if (is_zero(b))
            return "division by zero";
        *a /= b;
        break;
    case ATX_LT:
        *a = *a < b;
        break;
    case ATX_LE:
        *a = *a <= b;
        break;
    case ATX_GT:
        *a = *a > b;
        break;
    case ATX_GE:
        *a = *a >= b;
        break;
    case ATX_EQ:
        *a = is_zero(*a - b);
        break;
    case ATX_NE:
        *a = !is_zero(*a - b);
        break;
    case ATX_MIN:
        *a = fmin(*a, b);
        break;
    case ATX_MAX:
        *a = fmax(*a, b);
        break;
    default:
        return whole_binary(code, a, b);
    }
    return isfinite(*a) ? NULL : "overflow";
}

static const char *unary(unsigned code, double *a)
{
    switch (code) {
    case ATX_BOOL:
        *a = !is_zero(*a);
        return NULL;
    case ATX_NOT:
        *a = is_zero(*a);
        return NULL;
    case ATX_NEG:
        *a = -*a;
        return NULL;
    case ATX_ABS:
        *a = fabs(*a);
        return NULL;
    default:
        return whole_unary(code, a);
    }
}

typedef struct machine {
    double stack[ATX_EXPR_MAX_STACK];
    double *top; /* the next free place */
} machine;

/* Jumps move *pc; returns the error, or NULL. The parser has proved the depth. */
static const char *step(machine *m, size_t *pc, const atx_instruction *i, const double *slots)
{
    switch (i->code) {
    case ATX_PUSH:
        *m->top++ = (double)i->value;
        return NULL;
    case ATX_LOAD:
        *m->top++ = slots[i->value];
        return isnan(slots[i->value]) ? "not known" : NULL;
    case ATX_JUMP:
        *pc = (size_t)i->value;
        return NULL;
    case ATX_JUMP_FALSE:
        if (is_zero(*--m->top))
            *pc = (size_t)i->value;
        return NULL;
    case ATX_AND_JUMP:
    case ATX_OR_JUMP:
        if (is_zero(m->top[-1]) == (i->code == ATX_AND_JUMP)) {
            m->top[-1] = !is_zero(m->top[-1]);
            *pc = (size_t)i->value;
        } else {
            m->top--;
        }
        return NULL;
    default:
        if (i->code < ATX_ADD)
            return unary(i->code, &m->top[-1]);
        m->top--;
        return binary(i->code, &m->top[-1], m->top[0]);
    }
}

at_status atx_expr_eval_real(double *out, const atx_expr *expr, const double *slots, at_error *err)
{
    machine m = { .stack = { 0 } };
    m.top = m.stack;
    for (size_t pc = 0; pc < expr->count;) {
        const atx_instruction *i = &expr->code[pc++];
        const char *fault = step(&m, &pc, i, slots);
        if (fault)
            return atx_expr_fail(expr, i, fault, err);
    }
    *out = m.stack[0];
    return AT_OK;
}
