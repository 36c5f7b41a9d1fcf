/*
 * expr_bounds.c - the value of an expression before all of its slots are bound: its bounds, by interval
 * arithmetic; and its remaining dependence on the bound slots. See expr.h. After R. E. Moore, Interval
 * Analysis (1966), on integers: for operators that are monotone in each operand, the bounds of a result are
 * among the results at the corners.
 *
 * If it is unknown which way a jump goes, both ways are followed; the result of the skipped way waits until
 * they meet. The remaining dependence on bound slots is the list of known values that meet an unknown one.
 */
#include "expr/expr.h"

#include "expr/expr_code.h"

enum { MAX_WAITING = 64 };

/* For bounds `b` counts; for what is left the binding, and the value b.low unless that is unbound. */
typedef struct value {
    atx_bounds b;
    atx_binding binding;
} value;

/* Where ways meet, and what came the other way; or, of ?:, where the other way begins. */
typedef struct waiting {
    size_t at;
    bool is_begin;
    atx_bounds other;
} waiting;

typedef struct machine {
    value stack[ATX_EXPR_MAX_STACK];
    int depth;
    waiting waiting[MAX_WAITING];
    int waiting_count;
    int64_t *out; /* for the remaining code; NULL: bounds are asked for     */
    int count, max;
} machine;

/* The analyzer cannot know what the parser guarantees of the stack; see expr.c.
 * NOLINTBEGIN(clang-analyzer-core.*) */

static const atx_bounds TRUTH = { 0, 1 };

static bool is_one(atx_bounds b)
{
    return b.low == b.high;
}

static bool has_zero(atx_bounds b)
{
    return b.low <= 0 && b.high >= 0;
}

static atx_bounds join(atx_bounds a, atx_bounds b)
{
    return (atx_bounds){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- two operands ---- */

/* One result at a corner; false: there is none. */
static bool corner(unsigned code, int64_t *out, int64_t a, int64_t b)
{
    switch (code) {
    case ATX_ADD:
        return !__builtin_add_overflow(a, b, out);
    case ATX_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case ATX_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case ATX_SHL:
        return b >= 0 && b < 63 && !__builtin_mul_overflow(a, (int64_t)1 << b, out);
    case ATX_SHR:
        *out = a >> (b & 63);
        return b >= 0 && b <= 63;
    case ATX_MIN:
        *out = smaller(a, b);
        return true;
    case ATX_MAX:
        *out = larger(a, b);
        return true;
    default: /* ATX_DIV, ATX_CEIL_DIV */
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a / b + (code == ATX_CEIL_DIV && a % b != 0 && (a < 0) == (b < 0));
        return true;
    }
}

static bool corners(unsigned code, atx_bounds *out, atx_bounds a, atx_bounds b)
{
    int64_t r[4];
    if (!corner(code, &r[0], a.low, b.low) || !corner(code, &r[1], a.low, b.high) ||
        !corner(code, &r[2], a.high, b.low) || !corner(code, &r[3], a.high, b.high))
        return false;
    out->low = smaller(smaller(r[0], r[1]), smaller(r[2], r[3]));
    out->high = larger(larger(r[0], r[1]), larger(r[2], r[3]));
    return true;
}

/* The remainder is smaller than the divisor, and has the sign of the dividend. */
static bool rest(atx_bounds *out, atx_bounds a, atx_bounds b)
{
    if (has_zero(b) || b.low == INT64_MIN || a.low == INT64_MIN)
        return false;
    int64_t most = larger(b.high < 0 ? -b.high : b.high, b.low < 0 ? -b.low : b.low) - 1;
    if (is_one(a) && is_one(b)) {
        out->low = out->high = a.low % b.low;
        return true;
    }
    int64_t least = smaller(b.low < 0 ? -b.low : b.low, b.high < 0 ? -b.high : b.high);
    if (a.low >= 0 && a.high < least) { /* too small to be divided */
        *out = a;
        return true;
    }
    out->low = a.low < 0 ? larger(a.low, -most) : 0;
    out->high = a.high > 0 ? smaller(a.high, most) : 0;
    return true;
}

/* Known only for operands above or equal to 0: no more bits than the operands have. */
static bool bits(unsigned code, atx_bounds *out, atx_bounds a, atx_bounds b)
{
    if (a.low < 0 || b.low < 0)
        return false;
    uint64_t most = (uint64_t)(a.high | b.high);
    uint64_t all = most ? UINT64_MAX >> __builtin_clzll((unsigned long long)most) : 0;
    out->low = code == ATX_BIT_OR ? larger(a.low, b.low) : 0;
    out->high = code == ATX_BIT_AND ? smaller(a.high, b.high) : (int64_t)all;
    return true;
}

/* 1: always, 0: never, -1: it depends. */
static int compare(unsigned code, atx_bounds a, atx_bounds b)
{
    switch (code) {
    case ATX_LT:
        return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
    case ATX_LE:
        return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
    case ATX_EQ:
        return is_one(a) && is_one(b) && a.low == b.low ? 1 : a.high < b.low || b.high < a.low ? 0 : -1;
    default: { /* ATX_NE */
        int equal = compare(ATX_EQ, a, b);
        return equal < 0 ? -1 : !equal;
    }
    }
}

static atx_bounds truth(int known)
{
    return known < 0 ? TRUTH : (atx_bounds){ known, known };
}

bool atx_bounds_binary(unsigned code, atx_bounds *out, atx_bounds a, atx_bounds b)
{
    switch (code) {
    case ATX_LT:
    case ATX_LE:
    case ATX_EQ:
    case ATX_NE:
        *out = truth(compare(code, a, b));
        return true;
    case ATX_GT:
        *out = truth(compare(ATX_LT, b, a));
        return true;
    case ATX_GE:
        *out = truth(compare(ATX_LE, b, a));
        return true;
    case ATX_MOD:
        return rest(out, a, b);
    case ATX_BIT_AND:
    case ATX_BIT_OR:
    case ATX_BIT_XOR:
        return bits(code, out, a, b);
    case ATX_GCD:
        *out = (atx_bounds){ 0, larger(a.high, b.high) };
        return a.low >= 0 && b.low >= 0;
    case ATX_DIV:
    case ATX_CEIL_DIV:
        return !has_zero(b) && corners(code, out, a, b);
    default:
        return corners(code, out, a, b);
    }
}

/* ---- one operand ---- */

bool atx_bounds_unary(unsigned code, atx_bounds *a)
{
    switch (code) {
    case ATX_BOOL:
        *a = !has_zero(*a) ? truth(1) : is_one(*a) ? truth(0) : TRUTH;
        return true;
    case ATX_NOT:
        *a = !has_zero(*a) ? truth(0) : is_one(*a) ? truth(1) : TRUTH;
        return true;
    case ATX_NEG:
        *a = a->low == INT64_MIN ? *a : (atx_bounds){ -a->high, -a->low };
        return a->low != INT64_MIN;
    case ATX_INVERT:
        *a = (atx_bounds){ ~a->high, ~a->low };
        return true;
    case ATX_ABS:
        if (a->low == INT64_MIN)
            return false;
        if (a->low < 0)
            *a = a->high <= 0 ? (atx_bounds){ -a->high, -a->low }
                              : (atx_bounds){ 0, larger(-a->low, a->high) };
        return true;
    case ATX_LOG2:
        if (a->low < 1)
            return false;
        *a = (atx_bounds){ 63 - __builtin_clzll((unsigned long long)a->low),
                           63 - __builtin_clzll((unsigned long long)a->high) };
        return true;
    default: /* ATX_IS_POW2 */
        *a = is_one(*a) ? truth(a->low > 0 && (a->low & (a->low - 1)) == 0) : TRUTH;
        return true;
    }
}

/* ---- the remaining code ---- */

static bool write(machine *m, int64_t what)
{
    if (m->count == m->max)
        return false;
    m->out[m->count++] = what;
    return true;
}

/* A value whose use is not known yet. Constants are the same whatever is bound. */
static bool keep(machine *m, const value *v)
{
    return v->binding != ATX_BOUND || write(m, v->b.low);
}

static bool binary_left(machine *m, unsigned code, value *a, const value *b)
{
    if (a->binding == ATX_UNBOUND || b->binding == ATX_UNBOUND) {
        bool good = keep(m, a) && keep(m, b);
        a->binding = ATX_UNBOUND;
        return good;
    }
    if (b->binding == ATX_BOUND)
        a->binding = ATX_BOUND;
    return !atx_code_binary(code, &a->b.low, b->b.low);
}

/* ---- jumps ---- */

static bool wait(machine *m, size_t at, bool is_begin, atx_bounds other)
{
    if (m->waiting_count == MAX_WAITING)
        return false;
    m->waiting[m->waiting_count++] = (waiting){ .at = at, .is_begin = is_begin, .other = other };
    return true;
}

/* Ways that meet here: it is not known which one gave the value. */
static bool meet(machine *m, size_t pc)
{
    bool good = true;
    while (good && m->waiting_count && m->waiting[m->waiting_count - 1].at == pc &&
           !m->waiting[m->waiting_count - 1].is_begin) {
        value *top = &m->stack[m->depth - 1];
        m->waiting_count--;
        if (m->out) {
            good = keep(m, top);
            top->binding = ATX_UNBOUND;
        } else {
            top->b = join(top->b, m->waiting[m->waiting_count].other);
        }
    }
    return good;
}

/* 1, 0; -1: it is not known. */
static int truth_of(const machine *m, const value *v)
{
    if (m->out)
        return v->binding == ATX_UNBOUND ? -1 : v->b.low != 0;
    return !has_zero(v->b) ? 1 : is_one(v->b) ? 0 : -1;
}

/* A jump that is known tells which code the rest of what is left is of: it belongs to it. */
static bool decide(machine *m, const value *condition, int known)
{
    return !m->out || condition->binding == ATX_CONSTANT || write(m, known);
}

/* && and ||: `decisive` is the truth of the left side that decides the result. */
static bool short_circuit(machine *m, size_t *pc, size_t target, bool decisive)
{
    value *left = &m->stack[m->depth - 1];
    const int known = truth_of(m, left);
    if (known < 0) {
        m->depth--;
        return wait(m, target, false, truth(decisive));
    }
    if (known == decisive) {
        left->b = truth(decisive);
        *pc = target;
    } else {
        m->depth--;
    }
    return decide(m, left, known);
}

/* The condition of ?: */
static bool choose(machine *m, size_t *pc, size_t target)
{
    const value *condition = &m->stack[--m->depth];
    const int known = truth_of(m, condition);
    if (known < 0)
        return wait(m, target, true, TRUTH);
    if (!known)
        *pc = target;
    return decide(m, condition, known);
}

/* Behind the first branch of ?:; the second one begins at *pc. */
static bool end_branch(machine *m, size_t *pc, size_t target)
{
    const waiting *w = m->waiting_count ? &m->waiting[m->waiting_count - 1] : NULL;
    if (!w || !w->is_begin || w->at != *pc) {
        *pc = target;
        return true;
    }
    m->waiting_count--;
    const value *first = &m->stack[--m->depth];
    return (!m->out || keep(m, first)) && wait(m, target, false, first->b);
}

/* What takes its operands from the stack and puts its result there. */
static bool operate(machine *m, unsigned code)
{
    value *a = &m->stack[m->depth - 1];
    if (code < ATX_ADD && !m->out)
        return atx_bounds_unary(code, &a->b);
    if (code < ATX_ADD)
        return a->binding == ATX_UNBOUND || !atx_code_unary(code, &a->b.low);
    const value *b = a--;
    m->depth--;
    return m->out ? binary_left(m, code, a, b) : atx_bounds_binary(code, &a->b, a->b, b->b);
}

/* Does what is no load. */
static bool step(machine *m, size_t *pc, const atx_instruction *i)
{
    size_t target = (size_t)i->value;
    switch (i->code) {
    case ATX_PUSH:
        m->stack[m->depth++] = (value){ { i->value, i->value }, ATX_CONSTANT };
        return true;
    case ATX_JUMP:
        return end_branch(m, pc, target);
    case ATX_JUMP_FALSE:
        return choose(m, pc, target);
    case ATX_AND_JUMP:
    case ATX_OR_JUMP:
        return short_circuit(m, pc, target, i->code == ATX_OR_JUMP);
    default:
        return operate(m, i->code);
    }
}

bool atx_expr_bounds(atx_bounds *out, const atx_expr *expr, const atx_bounds *slots)
{
    machine m;
    size_t pc = 0;
    m.depth = m.waiting_count = 0;
    m.out = NULL;
    while (pc < expr->count) {
        meet(&m, pc);
        const atx_instruction *i = &expr->code[pc++];
        if (i->code == ATX_LOAD)
            m.stack[m.depth++].b = slots[i->value];
        else if (!step(&m, &pc, i))
            return false;
    }
    meet(&m, pc);
    *out = m.stack[0].b;
    return true;
}

int atx_expr_residue(int64_t *out, int max, const atx_expr *expr, const int64_t *slots,
                     const atx_binding *bindings)
{
    machine m;
    size_t pc = 0;
    m.depth = m.waiting_count = m.count = 0;
    m.out = out;
    m.max = max;
    while (pc < expr->count) {
        if (!meet(&m, pc))
            return -1;
        const atx_instruction *i = &expr->code[pc++];
        if (i->code == ATX_LOAD)
            m.stack[m.depth++] = (value){ { slots[i->value], slots[i->value] }, bindings[i->value] };
        else if (!step(&m, &pc, i))
            return -1;
    }
    return meet(&m, pc) && keep(&m, &m.stack[0]) ? m.count : -1;
}

/* NOLINTEND(clang-analyzer-core.*) */
