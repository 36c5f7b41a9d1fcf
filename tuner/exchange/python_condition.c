/*
 * python_condition.c - translates conditions into the expression language of declarations; see python.h.
 *
 * What C says differently is said out in full: chained comparisons, `in`, `not`, powers. Parentheses are set
 * where the levels of C's operators ask for them.
 */
#include "exchange/python.h"

#include <string.h>

enum { MAX_NESTING = 200 };

/* C's levels, the loosest first. */
enum {
    CHOICE = 1,
    OR,
    AND,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUALITY,
    RELATION,
    SHIFT,
    SUM,
    PRODUCT,
    UNARY,
    PRIMARY
};

typedef struct translation {
    const atx_py *py;
    const atx_py_scope *scope;
    atx_py_condition *to;
    int nesting;
    atx_py_error *why;
} translation;

static at_status write_node(translation *t, atx_str *out, int node, int level);

static const atx_py_node *node_of(const translation *t, int node)
{
    return &t->py->nodes[node];
}

static size_t len_of(const atx_py_node *n)
{
    return n->end - n->begin;
}

static at_status refuse_node(const translation *t, int node, const char *expected)
{
    const atx_py_node *n = node_of(t, node);
    int len = len_of(n) > 40 ? 40 : (int)len_of(n);
    return atx_py_refuse(t->why, n->begin, "found '%.*s'; expected %s", len, t->py->text + n->begin,
                         expected);
}

/* Python's and/or give one of their sides, C's a truth: they must not be counted with. */
static bool is_truth(const translation *t, int node)
{
    const atx_py_node *n = node_of(t, node);
    return n->kind == ATX_PY_LOGIC;
}

static at_status write_number(translation *t, atx_str *out, int node, int level)
{
    if (is_truth(t, node))
        return refuse_node(t, node, "a number; and/or give one of their sides here");
    return write_node(t, out, node, level);
}

/* ---- operators ---- */

/* A side of a division: into the text, and as it stands there into the note. */
static at_status write_side(translation *t, atx_str *out, atx_str *note, int node, int level)
{
    size_t begin = out->len;
    at_status status = write_number(t, out, node, level);
    if (status == AT_OK && !out->failed)
        atx_str_add_bytes(note, out->data + begin, out->len - begin);
    return status;
}

/* `sign` as in atx_py_division. */
static at_status write_division(translation *t, atx_str *out, int node, int level, char sign)
{
    const atx_py_node *n = node_of(t, node);
    if (t->to->division_count == ATX_PY_MAX_DIVISIONS)
        return refuse_node(t, node, "fewer divisions in a condition");
    atx_py_division *d = &t->to->divisions[t->to->division_count++];
    *d = (atx_py_division){ .sign = sign, .offset = n->begin };
    atx_str_add(out, level > PRODUCT ? "(" : "");
    at_status status = write_side(t, out, &d->top, n->first, PRODUCT);
    atx_str_add(out, *n->op == '%' ? " % " : " / ");
    if (status == AT_OK)
        status = write_side(t, out, &d->low, node_of(t, n->first)->next, PRODUCT + 1);
    atx_str_add(out, level > PRODUCT ? ")" : "");
    return status;
}

/* 2 ** k is a shift; a ** 3 is a product; numbers are worked out. */
static at_status write_power(translation *t, atx_str *out, int node, int level)
{
    const atx_py_node *n = node_of(t, node), *base = node_of(t, n->first), *exponent = node_of(t, base->next);
    int64_t value;
    at_status status = AT_OK;
    if (base->kind == ATX_PY_NUMBER && exponent->kind == ATX_PY_NUMBER) {
        if (!atx_py_power(&value, base->value, exponent->value))
            return refuse_node(t, node, "an integer of 64 bits as the result");
        atx_str_addf(out, "%lld", (long long)value);
        return AT_OK;
    }
    bool shift = base->kind == ATX_PY_NUMBER && base->value == 2;
    if (!shift && (exponent->kind != ATX_PY_NUMBER || exponent->value < 1 || exponent->value > 8))
        return refuse_node(t, node, "2 ** NAME, or a power of 1 to 8");
    int own = shift ? SHIFT : PRODUCT;
    atx_str_add(out, level > own ? "(" : "");
    if (shift) {
        atx_str_add(out, "1 << ");
        status = write_number(t, out, base->next, SHIFT + 1);
    }
    for (int64_t i = 0; !shift && status == AT_OK && i < exponent->value; i++) {
        atx_str_add(out, i ? " * " : "");
        status = write_number(t, out, n->first, PRODUCT + 1);
    }
    atx_str_add(out, level > own ? ")" : "");
    return status;
}

static at_status write_binary(translation *t, atx_str *out, int node, int level)
{
    static const struct {
        const char *op;
        int level;
    } OPS[] = { { "|", BIT_OR }, { "^", BIT_XOR }, { "&", BIT_AND }, { "<<", SHIFT },
                { ">>", SHIFT }, { "+", SUM },     { "-", SUM },     { "*", PRODUCT } };
    const atx_py_node *n = node_of(t, node);
    if (*n->op == '/' || *n->op == '%')
        return write_division(t, out, node, level, strcmp(n->op, "//") == 0 ? 'f' : *n->op);
    if (strcmp(n->op, "**") == 0)
        return write_power(t, out, node, level);
    int own = PRODUCT;
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++)
        if (strcmp(n->op, OPS[i].op) == 0)
            own = OPS[i].level;
    atx_str_add(out, level > own ? "(" : "");
    at_status status = write_number(t, out, n->first, own);
    atx_str_addf(out, " %s ", n->op);
    if (status == AT_OK)
        status = write_number(t, out, node_of(t, n->first)->next, own + 1);
    atx_str_add(out, level > own ? ")" : "");
    return status;
}

static at_status write_unary(translation *t, atx_str *out, int node, int level)
{
    const atx_py_node *n = node_of(t, node);
    bool not = *n->op == 'n';
    atx_str_add(out, level > UNARY ? "(" : "");
    atx_str_add(out, not ? "!" : n->op);
    at_status status =
        not ? write_node(t, out, n->first, UNARY + 1) : write_number(t, out, n->first, UNARY + 1);
    atx_str_add(out, level > UNARY ? ")" : "");
    return status;
}

static at_status write_logic(translation *t, atx_str *out, int node, int level)
{
    const atx_py_node *n = node_of(t, node);
    bool and = *n->op == 'a';
    int own = and? AND : OR;
    atx_str_add(out, level > own ? "(" : "");
    at_status status = write_node(t, out, n->first, own);
    atx_str_add(out, and? " && " : " || ");
    if (status == AT_OK)
        status = write_node(t, out, node_of(t, n->first)->next, own);
    atx_str_add(out, level > own ? ")" : "");
    return status;
}

static at_status write_choice(translation *t, atx_str *out, int node, int level)
{
    int condition = node_of(t, node)->first, then = node_of(t, condition)->next;
    atx_str_add(out, level > CHOICE ? "(" : "");
    at_status status = write_node(t, out, condition, CHOICE + 1);
    atx_str_add(out, " ? ");
    if (status == AT_OK)
        status = write_number(t, out, then, CHOICE + 1);
    atx_str_add(out, " : ");
    if (status == AT_OK)
        status = write_number(t, out, node_of(t, then)->next, CHOICE);
    atx_str_add(out, level > CHOICE ? ")" : "");
    return status;
}

/* ---- comparisons ---- */

/* NAME == 'word': the word's constant; a word that the parameter does not have equals nothing. */
static at_status write_word(translation *t, atx_str *out, int word, int other)
{
    const atx_py_node *w = node_of(t, word), *n = node_of(t, other);
    const char *text = t->py->text;
    if (n->kind != ATX_PY_NAME)
        return refuse_node(t, word, "a word only where it is compared with a parameter");
    if (t->scope->has_word(t->scope->context, text + n->begin, len_of(n), text + w->begin, len_of(w)))
        atx_str_addf(out, "%.*s_%.*s", (int)len_of(n), text + n->begin, (int)len_of(w), text + w->begin);
    else
        atx_str_add(out, "-1");
    return AT_OK;
}

static at_status write_operand(translation *t, atx_str *out, int node, int other, int level)
{
    return node_of(t, node)->kind == ATX_PY_WORD ? write_word(t, out, node, other)
                                                 : write_number(t, out, node, level);
}

static at_status write_comparison(translation *t, atx_str *out, int a, int b, const char *op)
{
    int own = op[1] == '=' && (*op == '=' || *op == '!') ? EQUALITY : RELATION;
    at_status status = write_operand(t, out, a, b, own + 1);
    atx_str_addf(out, " %s ", op);
    return status == AT_OK ? write_operand(t, out, b, a, own + 1) : status;
}

/* a in [1, 2]: a == 1 || a == 2 */
static at_status write_in(translation *t, atx_str *out, int a, int node, bool in)
{
    int element = node_of(t, node)->first;
    at_status status = AT_OK;
    if (node_of(t, node)->kind != ATX_PY_LIST)
        return refuse_node(t, node, "a list of values");
    if (!element)
        atx_str_add(out, in ? "0" : "1");
    for (bool first = true; status == AT_OK && element; element = node_of(t, element)->next, first = false) {
        atx_str_add(out, first ? "" : in ? " || " : " && ");
        status = write_comparison(t, out, a, element, in ? "==" : "!=");
    }
    return status;
}

/* a < b < c: a < b && b < c */
static at_status write_chain(translation *t, atx_str *out, int node, int level)
{
    int a = node_of(t, node)->first, b = node_of(t, a)->next;
    const char *op = node_of(t, b)->compare;
    bool one = !node_of(t, b)->next, is_in = strstr(op, "in") != NULL;
    int own = !one ? AND : !is_in ? RELATION : *op == 'i' ? OR : AND;
    if (one && !is_in && (strcmp(op, "==") == 0 || strcmp(op, "!=") == 0))
        own = EQUALITY;
    at_status status = AT_OK;
    atx_str_add(out, level > own ? "(" : "");
    for (bool first = true; status == AT_OK && b; a = b, b = node_of(t, b)->next, first = false) {
        op = node_of(t, b)->compare;
        atx_str_add(out, first ? "" : " && ");
        is_in = strstr(op, "in") != NULL;
        bool guard = is_in && !one && *op == 'i';
        atx_str_add(out, guard ? "(" : "");
        status = is_in ? write_in(t, out, a, b, *op == 'i') : write_comparison(t, out, a, b, op);
        atx_str_add(out, guard ? ")" : "");
    }
    atx_str_add(out, level > own ? ")" : "");
    return status;
}

/* ---- calls ---- */

/* min([a, b]) as min(a, b); of one value, that value. */
static at_status write_extreme(translation *t, atx_str *out, int node, int level)
{
    int argument = node_of(t, node)->first;
    at_status status = AT_OK;
    if (argument && !node_of(t, argument)->next && node_of(t, argument)->kind == ATX_PY_LIST)
        argument = node_of(t, argument)->first;
    if (!argument)
        return refuse_node(t, node, "values to choose from");
    if (!node_of(t, argument)->next)
        return write_number(t, out, argument, level);
    atx_str_add(out, atx_py_is(t->py, node, "min") ? "min(" : "max(");
    for (bool first = true; status == AT_OK && argument;
         argument = node_of(t, argument)->next, first = false) {
        atx_str_add(out, first ? "" : ", ");
        status = write_number(t, out, argument, CHOICE);
    }
    atx_str_add(out, ")");
    return status;
}

/* int(a / b) is C's division as it stands; math.ceil(a / b) ceil_div. */
static at_status write_rounded(translation *t, atx_str *out, int node, int level)
{
    int argument = node_of(t, node)->first;
    const atx_py_node *n = node_of(t, argument);
    bool up = atx_py_is(t->py, node, "math.ceil") || atx_py_is(t->py, node, "ceil");
    bool down = atx_py_is(t->py, node, "math.floor") || atx_py_is(t->py, node, "floor");
    bool quotient = n->kind == ATX_PY_BINARY && strcmp(n->op, "/") == 0;
    if (!quotient)
        return write_number(t, out, argument, level);
    if (down)
        return write_division(t, out, argument, level, 'f');
    atx_str_add(out, up ? "ceil_div(" : level > PRODUCT ? "(" : "");
    at_status status = write_number(t, out, n->first, up ? CHOICE : PRODUCT);
    atx_str_add(out, up ? ", " : " / ");
    if (status == AT_OK)
        status = write_number(t, out, node_of(t, n->first)->next, up ? CHOICE : PRODUCT + 1);
    atx_str_add(out, up || level > PRODUCT ? ")" : "");
    return status;
}

static at_status write_call(translation *t, atx_str *out, int node, int level)
{
    static const char *const ROUNDED[] = { "int", "math.ceil", "ceil", "math.floor", "floor" };
    const atx_py_node *n = node_of(t, node);
    bool one = n->first && !node_of(t, n->first)->next;
    if (atx_py_is(t->py, node, "min") || atx_py_is(t->py, node, "max"))
        return write_extreme(t, out, node, level);
    for (size_t i = 0; one && i < sizeof ROUNDED / sizeof *ROUNDED; i++)
        if (atx_py_is(t->py, node, ROUNDED[i]))
            return write_rounded(t, out, node, level);
    if (one && atx_py_is(t->py, node, "abs")) {
        atx_str_add(out, "abs(");
        at_status status = write_number(t, out, n->first, CHOICE);
        atx_str_add(out, ")");
        return status;
    }
    if (one && atx_py_is(t->py, node, "bool")) {
        atx_str_add(out, "(");
        at_status status = write_node(t, out, n->first, EQUALITY + 1);
        atx_str_add(out, " != 0)");
        return status;
    }
    return refuse_node(t, node, "min, max, abs, int, bool, math.ceil or math.floor");
}

/* ---- all ---- */

static at_status write_inner(translation *t, atx_str *out, int node, int level)
{
    const atx_py_node *n = node_of(t, node);
    switch (n->kind) {
    case ATX_PY_NUMBER:
        atx_str_addf(out, n->value < 0 && level > UNARY ? "(%lld)" : "%lld", (long long)n->value);
        return AT_OK;
    case ATX_PY_NAME:
        if (!t->scope->known(t->scope->context, t->py->text + n->begin, len_of(n)))
            return refuse_node(t, node, "the name of a parameter");
        atx_str_add_bytes(out, t->py->text + n->begin, len_of(n));
        return AT_OK;
    case ATX_PY_UNARY:
        return write_unary(t, out, node, level);
    case ATX_PY_BINARY:
        return write_binary(t, out, node, level);
    case ATX_PY_LOGIC:
        return write_logic(t, out, node, level);
    case ATX_PY_COMPARE:
        return write_chain(t, out, node, level);
    case ATX_PY_CHOICE:
        return write_choice(t, out, node, level);
    case ATX_PY_CALL:
        return write_call(t, out, node, level);
    case ATX_PY_WORD:
        return refuse_node(t, node, "a word only where it is compared with a parameter");
    default:
        return refuse_node(t, node, "a list only behind 'in'");
    }
}

static at_status write_node(translation *t, atx_str *out, int node, int level)
{
    if (++t->nesting > MAX_NESTING)
        return refuse_node(t, node, "less nesting");
    if (out->len > ATX_PY_MAX_TEXT)
        return refuse_node(t, node, "a shorter condition");
    at_status status = write_inner(t, out, node, level);
    t->nesting--;
    return status;
}

at_status atx_py_translate(atx_py_condition *out, const atx_py *py, const atx_py_scope *scope,
                           atx_py_error *why)
{
    atx_py_condition condition = { .division_count = 0 };
    translation t = { .py = py, .scope = scope, .to = &condition, .why = why };
    at_status status = write_node(&t, &condition.text, py->root, CHOICE);
    bool failed = condition.text.failed;
    for (int i = 0; i < condition.division_count; i++)
        failed |= condition.divisions[i].top.failed || condition.divisions[i].low.failed;
    if (status == AT_OK && failed) {
        atx_py_refuse(why, 0, "out of memory");
        status = AT_ERR_MEMORY;
    }
    if (status == AT_OK)
        *out = condition;
    else
        atx_py_condition_clear(&condition);
    return status;
}

void atx_py_condition_clear(atx_py_condition *condition)
{
    atx_str_clear(&condition->text);
    for (int i = 0; i < condition->division_count; i++) {
        atx_str_clear(&condition->divisions[i].top);
        atx_str_clear(&condition->divisions[i].low);
    }
    *condition = (atx_py_condition){ .division_count = 0 };
}
