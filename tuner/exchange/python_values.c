/*
 * python_values.c - a small interpreter over the nodes (python.h) for lists of values. Values are
 * integers, truths as 0 and 1, and words; arithmetic that overflows is refused. Steps and nesting
 * are bounded, so every text ends, and within the stack.
 */
#include "exchange/python.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VARIABLES = 8, MAX_STEPS = 1000000, MAX_NESTING = 500 };

typedef struct list {
    atx_py_value *items;
    size_t count, cap;
} list;

typedef struct evaluation {
    const atx_py *py;
    struct {
        int name; /* its node */
        atx_py_value value;
    } variables[MAX_VARIABLES]; /* of the comprehensions around */
    int variable_count;
    int steps, nesting;
    atx_py_error *why;
} evaluation;

static at_status eval_value(evaluation *e, atx_py_value *out, int node);
static at_status eval_list(evaluation *e, list *out, int node);

static const atx_py_node *node_of(const evaluation *e, int node)
{
    return &e->py->nodes[node];
}

static at_status refuse_node(const evaluation *e, int node, const char *expected)
{
    const atx_py_node *n = node_of(e, node);
    int len = n->end - n->begin > 40 ? 40 : (int)(n->end - n->begin);
    return atx_py_refuse(e->why, n->begin, "found '%.*s'; expected %s", len, e->py->text + n->begin,
                         expected);
}

/* ---- numbers ---- */

static at_status eval_number(evaluation *e, int64_t *out, int node)
{
    atx_py_value value;
    at_status status = eval_value(e, &value, node);
    if (status == AT_OK && value.is_word)
        return refuse_node(e, node, "a number");
    if (status == AT_OK)
        *out = value.number;
    return status;
}

static at_status eval_division(const evaluation *e, int64_t *out, int64_t a, int64_t b, int node)
{
    int64_t quotient, rest;
    if (b == 0)
        return refuse_node(e, node, "no division by zero");
    if (!atx_py_divide(&quotient, &rest, a, b))
        return refuse_node(e, node, "a result that fits 64 bits");
    const char *op = node_of(e, node)->op;
    if (strcmp(op, "/") == 0 && rest != 0)
        return atx_py_refuse(e->why, node_of(e, node)->begin,
                             "found %lld / %lld; expected a quotient that is an integer", (long long)a,
                             (long long)b);
    *out = strcmp(op, "%") == 0 ? rest : quotient;
    return AT_OK;
}

static at_status eval_shift(const evaluation *e, int64_t *out, int64_t a, int64_t b, bool left, int node)
{
    int64_t power;
    if (b < 0 || b > 63)
        return refuse_node(e, node, "a shift by 0 to 63");
    *out = a >> b;
    if (left && (!atx_py_power(&power, 2, b) || __builtin_mul_overflow(a, power, out)))
        return refuse_node(e, node, "a result that fits 64 bits");
    return AT_OK;
}

static at_status eval_binary(evaluation *e, int64_t *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    const char *op = n->op;
    int64_t a = 0, b = 0;
    at_status status = eval_number(e, &a, n->first);
    if (status == AT_OK)
        status = eval_number(e, &b, node_of(e, n->first)->next);
    if (status != AT_OK)
        return status;
    bool fits = true;
    if (*op == '/' || *op == '%')
        return eval_division(e, out, a, b, node);
    if (*op == '<' || *op == '>')
        return eval_shift(e, out, a, b, *op == '<', node);
    if (strcmp(op, "**") == 0)
        fits = atx_py_power(out, a, b);
    else if (*op == '*')
        fits = !__builtin_mul_overflow(a, b, out);
    else if (*op == '+')
        fits = !__builtin_add_overflow(a, b, out);
    else if (*op == '-')
        fits = !__builtin_sub_overflow(a, b, out);
    else
        *out = *op == '|' ? a | b : *op == '^' ? a ^ b : a & b;
    return fits ? AT_OK : refuse_node(e, node, "an integer of 64 bits as the result");
}

static at_status eval_unary(evaluation *e, int64_t *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    int64_t a = 0;
    at_status status = eval_number(e, &a, n->first);
    if (status != AT_OK)
        return status;
    if (*n->op == '-' && __builtin_sub_overflow((int64_t)0, a, &a))
        return refuse_node(e, node, "a result that fits 64 bits");
    *out = *n->op == 'n' ? a == 0 : *n->op == '~' ? ~a : a;
    return AT_OK;
}

/* ---- truth ---- */

static bool same_value(const evaluation *e, const atx_py_value *a, const atx_py_value *b)
{
    if (a->is_word != b->is_word)
        return false;
    return a->is_word ? a->end - a->begin == b->end - b->begin &&
                            memcmp(e->py->text + a->begin, e->py->text + b->begin, a->end - a->begin) == 0
                      : a->number == b->number;
}

static at_status eval_in(evaluation *e, bool *out, const atx_py_value *a, int node)
{
    list among = { 0 };
    at_status status = eval_list(e, &among, node);
    *out = false;
    for (size_t i = 0; status == AT_OK && i < among.count; i++)
        *out |= same_value(e, a, &among.items[i]);
    free(among.items);
    return status;
}

static at_status compare(evaluation *e, bool *out, const atx_py_value *a, const atx_py_value *b, int node)
{
    const char *op = node_of(e, node)->compare;
    if (strcmp(op, "==") == 0 || strcmp(op, "!=") == 0) {
        *out = same_value(e, a, b) == (*op == '=');
        return AT_OK;
    }
    if (a->is_word || b->is_word)
        return refuse_node(e, node, "numbers on both sides");
    bool less = *op == '<';
    *out = less ? a->number < b->number : a->number > b->number;
    *out |= op[1] == '=' && a->number == b->number;
    return AT_OK;
}

static at_status eval_chain(evaluation *e, int64_t *out, int node)
{
    atx_py_value a, b;
    int operand = node_of(e, node)->first;
    at_status status = eval_value(e, &a, operand);
    *out = 1;
    while (status == AT_OK && *out && (operand = node_of(e, operand)->next) != 0) {
        bool holds = false;
        const char *op = node_of(e, operand)->compare;
        if (strstr(op, "in")) {
            status = eval_in(e, &holds, &a, operand);
            holds = holds == (*op == 'i');
        } else if ((status = eval_value(e, &b, operand)) == AT_OK) {
            status = compare(e, &holds, &a, &b, operand);
            a = b;
        }
        *out = holds;
    }
    return status;
}

static at_status eval_logic(evaluation *e, int64_t *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    at_status status = eval_number(e, out, n->first);
    if (status == AT_OK && (*out != 0) == (*n->op == 'a'))
        status = eval_number(e, out, node_of(e, n->first)->next);
    return status;
}

static at_status eval_choice(evaluation *e, atx_py_value *out, int node)
{
    int condition = node_of(e, node)->first, then = node_of(e, condition)->next;
    int64_t holds = 0;
    at_status status = eval_number(e, &holds, condition);
    return status == AT_OK ? eval_value(e, out, holds ? then : node_of(e, then)->next) : status;
}

/* ---- functions that give a number ---- */

static at_status eval_extreme(evaluation *e, int64_t *out, int node)
{
    bool least = atx_py_is(e->py, node, "min");
    int argument = node_of(e, node)->first;
    atx_py_kind kind = argument ? node_of(e, argument)->kind : ATX_PY_NUMBER;
    list among = { 0 };
    at_status status = AT_OK;
    if (argument && !node_of(e, argument)->next &&
        (kind == ATX_PY_LIST || kind == ATX_PY_COMPREHEND || kind == ATX_PY_CALL)) {
        status = eval_list(e, &among, argument);
    } else {
        for (; status == AT_OK && argument; argument = node_of(e, argument)->next) {
            if (!atx_grow(&among.items, &among.cap, among.count, sizeof *among.items))
                status = AT_ERR_MEMORY;
            else
                status = eval_value(e, &among.items[among.count++], argument);
        }
    }
    for (size_t i = 0; status == AT_OK && i < among.count; i++) {
        if (among.items[i].is_word)
            status = refuse_node(e, node, "numbers to compare");
        else if (i == 0 || (least ? among.items[i].number < *out : among.items[i].number > *out))
            *out = among.items[i].number;
    }
    if (status == AT_OK && !among.count)
        status = refuse_node(e, node, "a value to choose from");
    free(among.items);
    return status;
}

static at_status eval_call(evaluation *e, int64_t *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    int count = 0;
    for (int a = n->first; a; a = node_of(e, a)->next)
        count++;
    if (atx_py_is(e->py, node, "min") || atx_py_is(e->py, node, "max"))
        return eval_extreme(e, out, node);
    if (atx_py_is(e->py, node, "pow") && count == 2) {
        int64_t a = 0, b = 0;
        at_status status = eval_number(e, &a, n->first);
        if (status == AT_OK)
            status = eval_number(e, &b, node_of(e, n->first)->next);
        if (status == AT_OK && !atx_py_power(out, a, b))
            return refuse_node(e, node, "an integer of 64 bits as the result");
        return status;
    }
    bool absolute = atx_py_is(e->py, node, "abs"), truth = atx_py_is(e->py, node, "bool");
    if (count != 1 || !(absolute || truth || atx_py_is(e->py, node, "int")))
        return refuse_node(e, node, "min, max, abs, int, bool or pow");
    at_status status = eval_number(e, out, n->first);
    if (status == AT_OK && absolute && *out < 0 && __builtin_sub_overflow((int64_t)0, *out, out))
        return refuse_node(e, node, "a result that fits 64 bits");
    if (status == AT_OK && truth)
        *out = *out != 0;
    return status;
}

/* ---- one value ---- */

static at_status eval_name(const evaluation *e, atx_py_value *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    for (int i = e->variable_count - 1; i >= 0; i--) {
        const atx_py_node *v = node_of(e, e->variables[i].name);
        if (v->end - v->begin == n->end - n->begin &&
            memcmp(e->py->text + v->begin, e->py->text + n->begin, n->end - n->begin) == 0) {
            *out = e->variables[i].value;
            return AT_OK;
        }
    }
    return refuse_node(e, node, "a value; only variables of a comprehension are known here");
}

static at_status eval_inner(evaluation *e, atx_py_value *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    *out = (atx_py_value){ 0 };
    switch (n->kind) {
    case ATX_PY_NUMBER:
        out->number = n->value;
        return AT_OK;
    case ATX_PY_WORD:
        *out = (atx_py_value){ .is_word = true, .begin = n->begin, .end = n->end };
        return AT_OK;
    case ATX_PY_NAME:
        return eval_name(e, out, node);
    case ATX_PY_UNARY:
        return eval_unary(e, &out->number, node);
    case ATX_PY_BINARY:
        return eval_binary(e, &out->number, node);
    case ATX_PY_LOGIC:
        return eval_logic(e, &out->number, node);
    case ATX_PY_COMPARE:
        return eval_chain(e, &out->number, node);
    case ATX_PY_CHOICE:
        return eval_choice(e, out, node);
    case ATX_PY_CALL:
        return eval_call(e, &out->number, node);
    default:
        return refuse_node(e, node, "a single value");
    }
}

/* Both bounds: a file from anywhere must end, and fit the stack. */
static at_status step(evaluation *e, int node)
{
    if (++e->steps > MAX_STEPS)
        return refuse_node(e, node, "less work in a list of values");
    return AT_OK;
}

static at_status eval_value(evaluation *e, atx_py_value *out, int node)
{
    at_status status = step(e, node);
    if (status == AT_OK && ++e->nesting > MAX_NESTING)
        status = refuse_node(e, node, "less nesting");
    if (status == AT_OK)
        status = eval_inner(e, out, node);
    e->nesting--;
    return status;
}

/* ---- lists ---- */

static at_status add_value(evaluation *e, list *out, const atx_py_value *value, int node)
{
    if (out->count == ATX_PY_MAX_VALUES)
        return atx_py_refuse(e->why, node_of(e, node)->begin, "found more than %d values; expected fewer",
                             ATX_PY_MAX_VALUES);
    if (!atx_grow(&out->items, &out->cap, out->count, sizeof *out->items)) {
        atx_py_refuse(e->why, 0, "out of memory");
        return AT_ERR_MEMORY;
    }
    out->items[out->count++] = *value;
    return AT_OK;
}

/* range(last), range(first, last), range(first, last, step) */
static at_status eval_range(evaluation *e, list *out, int node)
{
    int64_t args[3] = { 0, 0, 1 }, count = 0;
    at_status status = AT_OK;
    for (int a = node_of(e, node)->first; status == AT_OK && a; a = node_of(e, a)->next) {
        if (count == 3)
            return refuse_node(e, node, "one to three numbers in it");
        status = eval_number(e, &args[count++], a);
    }
    if (status != AT_OK)
        return status;
    if (count == 0 || args[2] == 0)
        return refuse_node(e, node, "one to three numbers in it, the third not 0");
    if (count == 1) {
        args[1] = args[0];
        args[0] = 0;
    }
    for (int64_t i = args[0]; status == AT_OK && (args[2] > 0 ? i < args[1] : i > args[1]);) {
        const atx_py_value value = { .number = i };
        status = add_value(e, out, &value, node);
        if (__builtin_add_overflow(i, args[2], &i))
            break;
    }
    return status;
}

static at_status passes(evaluation *e, bool *out, int condition)
{
    int64_t holds = 1;
    at_status status = AT_OK;
    for (; status == AT_OK && holds && condition; condition = node_of(e, condition)->next)
        status = eval_number(e, &holds, condition);
    *out = holds != 0;
    return status;
}

static at_status eval_comprehension(evaluation *e, list *out, int node)
{
    int element = node_of(e, node)->first, name = node_of(e, element)->next, source = node_of(e, name)->next;
    list from = { 0 };
    if (e->variable_count == MAX_VARIABLES)
        return refuse_node(e, node, "less nesting");
    at_status status = eval_list(e, &from, source);
    e->variables[e->variable_count++].name = name;
    for (size_t i = 0; status == AT_OK && i < from.count; i++) {
        bool wanted = false;
        atx_py_value value;
        e->variables[e->variable_count - 1].value = from.items[i];
        status = passes(e, &wanted, node_of(e, source)->next);
        if (status == AT_OK && wanted && (status = eval_value(e, &value, element)) == AT_OK)
            status = add_value(e, out, &value, element);
    }
    e->variable_count--;
    free(from.items);
    return status;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = ((const atx_py_value *)a)->number, y = ((const atx_py_value *)b)->number;
    return (x > y) - (x < y);
}

static at_status eval_list_call(evaluation *e, list *out, int node)
{
    int argument = node_of(e, node)->first;
    size_t before = out->count;
    bool sorted = atx_py_is(e->py, node, "sorted");
    if (atx_py_is(e->py, node, "range"))
        return eval_range(e, out, node);
    if (!sorted && !atx_py_is(e->py, node, "list") && !atx_py_is(e->py, node, "tuple"))
        return refuse_node(e, node, "range, list, tuple or sorted");
    if (!argument || node_of(e, argument)->next)
        return refuse_node(e, node, "one list in it");
    at_status status = eval_list(e, out, argument);
    for (size_t i = before; sorted && status == AT_OK && i < out->count; i++)
        if (out->items[i].is_word)
            status = refuse_node(e, node, "numbers to sort");
    if (sorted && status == AT_OK && out->count > before)
        qsort(out->items + before, out->count - before, sizeof *out->items, by_number);
    return status;
}

static at_status eval_elements(evaluation *e, list *out, int node)
{
    at_status status = AT_OK;
    for (int child = node_of(e, node)->first; status == AT_OK && child; child = node_of(e, child)->next) {
        atx_py_value value;
        status = eval_value(e, &value, child);
        if (status == AT_OK)
            status = add_value(e, out, &value, child);
    }
    return status;
}

static at_status eval_list_inner(evaluation *e, list *out, int node)
{
    const atx_py_node *n = node_of(e, node);
    at_status status;
    switch (n->kind) {
    case ATX_PY_LIST:
        return eval_elements(e, out, node);
    case ATX_PY_COMPREHEND:
        return eval_comprehension(e, out, node);
    case ATX_PY_CALL:
        return eval_list_call(e, out, node);
    case ATX_PY_BINARY:
        if (strcmp(n->op, "+") != 0)
            break;
        status = eval_list(e, out, n->first);
        return status == AT_OK ? eval_list(e, out, node_of(e, n->first)->next) : status;
    default:
        break;
    }
    return refuse_node(e, node, "a list of values");
}

static at_status eval_list(evaluation *e, list *out, int node)
{
    at_status status = step(e, node);
    if (status == AT_OK && ++e->nesting > MAX_NESTING)
        status = refuse_node(e, node, "less nesting");
    if (status == AT_OK)
        status = eval_list_inner(e, out, node);
    e->nesting--;
    return status;
}

at_status atx_py_values(atx_py_value *out, int *count, const atx_py *py, atx_py_error *why)
{
    evaluation e = { .py = py, .why = why };
    list values = { 0 };
    at_status status = eval_list(&e, &values, py->root);
    if (status == AT_OK && values.count)
        memcpy(out, values.items, values.count * sizeof *out);
    if (status == AT_OK)
        *count = (int)values.count;
    free(values.items);
    return status;
}
