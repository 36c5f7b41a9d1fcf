/*
 * expr_residue.c - what of the bound values an expression still depends on; see expr.h. The byte code is
 * walked as expr_bounds.c does it, with values that are known or not: where a known one meets one that is
 * not, it is written down.
 */
#include "expr/expr.h"

#include "expr/expr_code.h"

enum { MAX_WAITING = 64 };

typedef struct value {
    atx_binding binding;
    int64_t value; /* unless unbound */
} value;

/* Where ways meet that were both walked; or, of ?:, where the other way begins. */
typedef struct waiting {
    size_t at;
    bool is_begin;
} waiting;

typedef struct machine {
    value stack[ATX_EXPR_MAX_STACK];
    int depth;
    waiting waiting[MAX_WAITING];
    int waiting_count;
    int64_t *out;
    int count, max;
} machine;

/* The analyzer cannot know what the parser guarantees of the stack; see expr.c.
 * NOLINTBEGIN(clang-analyzer-core.*) */

static bool write(machine *m, int64_t what)
{
    if (m->count == m->max)
        return false;
    m->out[m->count++] = what;
    return true;
}

/* A value whose use is not known yet. Constants are the same in every residue. */
static bool keep(machine *m, const value *v)
{
    return v->binding != ATX_BOUND || write(m, v->value);
}

static bool wait(machine *m, size_t at, bool is_begin)
{
    if (m->waiting_count == MAX_WAITING)
        return false;
    m->waiting[m->waiting_count++] = (waiting){ at, is_begin };
    return true;
}

/* Ways that meet here: it is not known which one gave the value. */
static bool meet(machine *m, size_t pc)
{
    bool good = true;
    while (good && m->waiting_count && m->waiting[m->waiting_count - 1].at == pc &&
           !m->waiting[m->waiting_count - 1].is_begin) {
        value *top = &m->stack[m->depth - 1];
        good = keep(m, top);
        top->binding = ATX_UNBOUND;
        m->waiting_count--;
    }
    return good;
}

/* A jump that is known tells which code the rest of the residue is of: it belongs to it. */
static bool decide(machine *m, const value *condition)
{
    return condition->binding == ATX_CONSTANT || write(m, condition->value != 0);
}

/* && and ||: `settles` is the left side's truth that settles it. */
static bool short_circuit(machine *m, size_t *pc, size_t target, bool settles)
{
    value *left = &m->stack[m->depth - 1];
    if (left->binding == ATX_UNBOUND) {
        m->depth--;
        return wait(m, target, false);
    }
    bool good = decide(m, left);
    if ((left->value != 0) == settles) {
        left->value = settles;
        *pc = target;
    } else {
        m->depth--;
    }
    return good;
}

/* The condition of ?: */
static bool choose(machine *m, size_t *pc, size_t target)
{
    const value *condition = &m->stack[--m->depth];
    if (condition->binding == ATX_UNBOUND)
        return wait(m, target, true);
    if (condition->value == 0)
        *pc = target;
    return decide(m, condition);
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
    return keep(m, &m->stack[--m->depth]) && wait(m, target, false);
}

static bool binary(machine *m, unsigned code)
{
    const value *b = &m->stack[--m->depth];
    value *a = &m->stack[m->depth - 1];
    if (a->binding == ATX_UNBOUND || b->binding == ATX_UNBOUND) {
        bool good = keep(m, a) && keep(m, b);
        a->binding = ATX_UNBOUND;
        return good;
    }
    if (b->binding == ATX_BOUND)
        a->binding = ATX_BOUND;
    return !atx_code_binary(code, &a->value, b->value);
}

static bool step(machine *m, size_t *pc, const atx_instruction *i, const int64_t *slots,
                 const atx_binding *bindings)
{
    size_t target = (size_t)i->value;
    switch (i->code) {
    case ATX_PUSH:
        m->stack[m->depth++] = (value){ ATX_CONSTANT, i->value };
        return true;
    case ATX_LOAD:
        m->stack[m->depth++] = (value){ bindings[i->value], slots[i->value] };
        return true;
    case ATX_JUMP:
        return end_branch(m, pc, target);
    case ATX_JUMP_FALSE:
        return choose(m, pc, target);
    case ATX_AND_JUMP:
    case ATX_OR_JUMP:
        return short_circuit(m, pc, target, i->code == ATX_OR_JUMP);
    default:
        if (i->code >= ATX_ADD)
            return binary(m, i->code);
        return m->stack[m->depth - 1].binding == ATX_UNBOUND ||
               !atx_code_unary(i->code, &m->stack[m->depth - 1].value);
    }
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
        if (!step(&m, &pc, i, slots, bindings))
            return -1;
    }
    return meet(&m, pc) && keep(&m, &m.stack[0]) ? m.count : -1;
}

/* NOLINTEND(clang-analyzer-core.*) */
