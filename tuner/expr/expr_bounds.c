/*
 * expr_bounds.c - interval arithmetic on the byte code; see expr.h. After R. E. Moore, Interval Analysis
 * (1966), on integers: the bounds of a result are among the results at the corners, for operators that are
 * monotone in each operand there.
 *
 * Where it is not known which way a jump goes, both are walked: what the skipped way would give waits until
 * the ways meet.
 */
#include "expr/expr.h"

#include "expr/expr_code.h"

enum { MAX_WAITING = 64 };

/* Where ways meet, and what came the other way; or, of ?:, where the other way begins. */
typedef struct waiting {
    size_t at;
    bool is_begin;
    at__bounds other;
} waiting;

typedef struct machine {
    at__bounds stack[AT__EXPR_MAX_STACK];
    int depth;
    waiting waiting[MAX_WAITING];
    int waiting_count;
} machine;

/* The analyzer cannot know what the parser guarantees of the stack; see expr.c.
 * NOLINTBEGIN(clang-analyzer-core.*) */

static const at__bounds TRUTH = { 0, 1 };

static bool is_one(at__bounds b)
{
    return b.low == b.high;
}

static bool has_zero(at__bounds b)
{
    return b.low <= 0 && b.high >= 0;
}

static at__bounds join(at__bounds a, at__bounds b)
{
    return (at__bounds){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
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
    case AT__ADD:
        return !__builtin_add_overflow(a, b, out);
    case AT__SUB:
        return !__builtin_sub_overflow(a, b, out);
    case AT__MUL:
        return !__builtin_mul_overflow(a, b, out);
    case AT__SHL:
        return b >= 0 && b < 63 && !__builtin_mul_overflow(a, (int64_t)1 << b, out);
    case AT__SHR:
        *out = a >> (b & 63);
        return b >= 0 && b <= 63;
    case AT__MIN:
        *out = smaller(a, b);
        return true;
    case AT__MAX:
        *out = larger(a, b);
        return true;
    default: /* AT__DIV, AT__CEIL_DIV */
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a / b + (code == AT__CEIL_DIV && a % b != 0 && (a < 0) == (b < 0));
        return true;
    }
}

static bool corners(unsigned code, at__bounds *out, at__bounds a, at__bounds b)
{
    int64_t r[4];
    if (!corner(code, &r[0], a.low, b.low) || !corner(code, &r[1], a.low, b.high) ||
        !corner(code, &r[2], a.high, b.low) || !corner(code, &r[3], a.high, b.high))
        return false;
    out->low = smaller(smaller(r[0], r[1]), smaller(r[2], r[3]));
    out->high = larger(larger(r[0], r[1]), larger(r[2], r[3]));
    return true;
}

/* What is left is smaller than the divisor, and has the sign of the dividend. */
static bool rest(at__bounds *out, at__bounds a, at__bounds b)
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

/* Known only for what is not negative: no more bits than the operands have. */
static bool bits(unsigned code, at__bounds *out, at__bounds a, at__bounds b)
{
    if (a.low < 0 || b.low < 0)
        return false;
    uint64_t most = (uint64_t)(a.high | b.high);
    uint64_t all = most ? UINT64_MAX >> __builtin_clzll((unsigned long long)most) : 0;
    out->low = code == AT__BIT_OR ? larger(a.low, b.low) : 0;
    out->high = code == AT__BIT_AND ? smaller(a.high, b.high) : (int64_t)all;
    return true;
}

/* 1: always, 0: never, -1: it depends. */
static int compare(unsigned code, at__bounds a, at__bounds b)
{
    switch (code) {
    case AT__LT:
        return a.high < b.low ? 1 : a.low >= b.high ? 0 : -1;
    case AT__LE:
        return a.high <= b.low ? 1 : a.low > b.high ? 0 : -1;
    case AT__EQ:
        return is_one(a) && is_one(b) && a.low == b.low ? 1 : a.high < b.low || b.high < a.low ? 0 : -1;
    default: { /* AT__NE */
        int equal = compare(AT__EQ, a, b);
        return equal < 0 ? -1 : !equal;
    }
    }
}

static at__bounds truth(int known)
{
    return known < 0 ? TRUTH : (at__bounds){ known, known };
}

static bool binary(unsigned code, at__bounds *out, at__bounds a, at__bounds b)
{
    switch (code) {
    case AT__LT:
    case AT__LE:
    case AT__EQ:
    case AT__NE:
        *out = truth(compare(code, a, b));
        return true;
    case AT__GT:
        *out = truth(compare(AT__LT, b, a));
        return true;
    case AT__GE:
        *out = truth(compare(AT__LE, b, a));
        return true;
    case AT__MOD:
        return rest(out, a, b);
    case AT__BIT_AND:
    case AT__BIT_OR:
    case AT__BIT_XOR:
        return bits(code, out, a, b);
    case AT__GCD:
        *out = (at__bounds){ 0, larger(a.high, b.high) };
        return a.low >= 0 && b.low >= 0;
    case AT__DIV:
    case AT__CEIL_DIV:
        return !has_zero(b) && corners(code, out, a, b);
    default:
        return corners(code, out, a, b);
    }
}

/* ---- one operand ---- */

static bool unary(unsigned code, at__bounds *a)
{
    switch (code) {
    case AT__BOOL:
        *a = !has_zero(*a) ? truth(1) : is_one(*a) ? truth(0) : TRUTH;
        return true;
    case AT__NOT:
        *a = !has_zero(*a) ? truth(0) : is_one(*a) ? truth(1) : TRUTH;
        return true;
    case AT__NEG:
        *a = a->low == INT64_MIN ? *a : (at__bounds){ -a->high, -a->low };
        return a->low != INT64_MIN;
    case AT__INVERT:
        *a = (at__bounds){ ~a->high, ~a->low };
        return true;
    case AT__ABS:
        if (a->low == INT64_MIN)
            return false;
        if (a->low < 0)
            *a = a->high <= 0 ? (at__bounds){ -a->high, -a->low }
                              : (at__bounds){ 0, larger(-a->low, a->high) };
        return true;
    case AT__LOG2:
        if (a->low < 1)
            return false;
        *a = (at__bounds){ 63 - __builtin_clzll((unsigned long long)a->low),
                           63 - __builtin_clzll((unsigned long long)a->high) };
        return true;
    default: /* AT__IS_POW2 */
        *a = is_one(*a) ? truth(a->low > 0 && (a->low & (a->low - 1)) == 0) : TRUTH;
        return true;
    }
}

/* ---- jumps ---- */

static bool wait(machine *m, size_t at, bool is_begin, at__bounds other)
{
    if (m->waiting_count == MAX_WAITING)
        return false;
    m->waiting[m->waiting_count++] = (waiting){ .at = at, .is_begin = is_begin, .other = other };
    return true;
}

/* Ways that meet here. */
static void meet(machine *m, size_t pc)
{
    while (m->waiting_count && m->waiting[m->waiting_count - 1].at == pc &&
           !m->waiting[m->waiting_count - 1].is_begin) {
        at__bounds *top = &m->stack[m->depth - 1];
        *top = join(*top, m->waiting[--m->waiting_count].other);
    }
}

/* && and ||: `settles` is the left side's truth that settles it. */
static bool short_circuit(machine *m, size_t *pc, size_t target, bool settles)
{
    at__bounds left = m->stack[m->depth - 1], settled = truth(settles);
    bool always = !has_zero(left), never = has_zero(left) && is_one(left);
    if (settles ? always : never) {
        m->stack[m->depth - 1] = settled;
        *pc = target;
        return true;
    }
    m->depth--;
    return (settles ? never : always) || wait(m, target, false, settled);
}

/* The condition of ?: */
static bool choose(machine *m, size_t *pc, size_t target)
{
    at__bounds condition = m->stack[--m->depth];
    if (!has_zero(condition))
        return true;
    if (!is_one(condition))
        return wait(m, target, true, TRUTH);
    *pc = target;
    return true;
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
    return wait(m, target, false, m->stack[--m->depth]);
}

static bool step(machine *m, size_t *pc, const at__instruction *i, const at__bounds *slots)
{
    size_t target = (size_t)i->value;
    switch (i->code) {
    case AT__PUSH:
        m->stack[m->depth++] = (at__bounds){ i->value, i->value };
        return true;
    case AT__LOAD:
        m->stack[m->depth++] = slots[i->value];
        return true;
    case AT__JUMP:
        return end_branch(m, pc, target);
    case AT__JUMP_FALSE:
        return choose(m, pc, target);
    case AT__AND_JUMP:
    case AT__OR_JUMP:
        return short_circuit(m, pc, target, i->code == AT__OR_JUMP);
    default:
        if (i->code < AT__ADD)
            return unary(i->code, &m->stack[m->depth - 1]);
        m->depth--;
        return binary(i->code, &m->stack[m->depth - 1], m->stack[m->depth - 1], m->stack[m->depth]);
    }
}

bool at__expr_bounds(at__bounds *out, const at__expr *expr, const at__bounds *slots)
{
    machine m;
    size_t pc = 0;
    m.depth = m.waiting_count = 0;
    while (pc < expr->count) {
        meet(&m, pc);
        const at__instruction *i = &expr->code[pc++];
        if (!step(&m, &pc, i, slots))
            return false;
    }
    meet(&m, pc);
    *out = m.stack[0];
    return true;
}

/* NOLINTEND(clang-analyzer-core.*) */
