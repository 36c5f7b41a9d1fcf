/*
 * python_parse.c - text to nodes (python.h): recursive descent, one function a level of Python's
 * grammar, the loosest first. Nodes are in one array and linked by index, first child and next
 * sibling; depth and length are bounded, as the text may come from anywhere.
 */
#include "exchange/python.h"

#include "util/chars.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum token_kind { END, NAME, NUMBER, WORD, SIGN } token_kind;

typedef struct token {
    token_kind kind;
    size_t begin, end; /* of a string with its quotes */
} token;

typedef struct parser {
    atx_py py;
    size_t at;
    token token; /* the next one */
    int depth;
    atx_py_error *why;
} parser;

static at_status parse_choice(parser *p, int *node);
static at_status parse_or(parser *p, int *node);

at_status atx_py_refuse(atx_py_error *why, size_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    why->offset = offset;
    return AT_ERR_INPUT;
}

bool atx_py_is(const atx_py *py, int node, const char *text)
{
    const atx_py_node *n = &py->nodes[node];
    return n->end - n->begin == strlen(text) && memcmp(py->text + n->begin, text, strlen(text)) == 0;
}

/* ---- tokens ---- */

/* math.ceil is one name. */
static size_t name_end(const parser *p, size_t at)
{
    while (at < p->py.len &&
           (atx_is_word_part(p->py.text[at]) ||
            (p->py.text[at] == '.' && at + 1 < p->py.len && atx_is_letter(p->py.text[at + 1]))))
        at++;
    return at;
}

static size_t number_end(const parser *p, size_t at)
{
    const char *text = p->py.text;
    bool hex = at + 1 < p->py.len && text[at] == '0' && (text[at + 1] | 0x20) == 'x';
    for (; at < p->py.len; at++) {
        bool sign = (text[at] == '-' || text[at] == '+') && !hex && (text[at - 1] | 0x20) == 'e';
        if (!atx_is_word_part(text[at]) && text[at] != '.' && !sign)
            break;
    }
    return at;
}

static at_status string_end(const parser *p, size_t *end)
{
    const char *text = p->py.text;
    size_t begin = *end, at = begin + 1;
    while (at < p->py.len && text[at] != text[begin]) {
        if (text[at] == '\\' || text[at] == '\n')
            return atx_py_refuse(p->why, at, "found an escape in a string; expected plain text");
        at++;
    }
    if (at == p->py.len)
        return atx_py_refuse(p->why, begin, "found a string without its end; expected a quote");
    *end = at + 1;
    return AT_OK;
}

static size_t sign_end(const parser *p, size_t at)
{
    static const char *const TWO[] = { "**", "//", "<<", ">>", "<=", ">=", "==", "!=" };
    for (size_t i = 0; i < sizeof TWO / sizeof *TWO; i++)
        if (p->py.len - at >= 2 && memcmp(p->py.text + at, TWO[i], 2) == 0)
            return at + 2;
    return at + 1;
}

static at_status next_token(parser *p)
{
    static const char BLANKS[] = " \t\r\n";
    const char *text = p->py.text;
    while (p->at < p->py.len && text[p->at] && strchr(BLANKS, text[p->at]))
        p->at++;
    token *t = &p->token;
    *t = (token){ .kind = END, .begin = p->at, .end = p->at };
    if (p->at == p->py.len)
        return AT_OK;
    char c = text[p->at];
    bool digit = atx_is_digit(c) || (c == '.' && p->at + 1 < p->py.len && atx_is_digit(text[p->at + 1]));
    at_status status = AT_OK;
    t->kind = atx_is_letter(c) ? NAME : digit ? NUMBER : c == '\'' || c == '"' ? WORD : SIGN;
    if (t->kind == WORD)
        status = string_end(p, &t->end);
    else
        t->end = t->kind == NAME ? name_end(p, t->begin)
                 : digit         ? number_end(p, t->begin)
                                 : sign_end(p, t->begin);
    p->at = t->end;
    return status;
}

static bool sees(const parser *p, const char *text)
{
    const token *t = &p->token;
    return (t->kind == NAME || t->kind == SIGN) && t->end - t->begin == strlen(text) &&
           memcmp(p->py.text + t->begin, text, strlen(text)) == 0;
}

static at_status fail_expected(const parser *p, const char *expected)
{
    const token *t = &p->token;
    int len = t->end - t->begin > 40 ? 40 : (int)(t->end - t->begin);
    if (t->kind == END)
        return atx_py_refuse(p->why, t->begin, "found the end of the expression; expected %s", expected);
    return atx_py_refuse(p->why, t->begin, "found '%.*s'; expected %s", len, p->py.text + t->begin, expected);
}

static at_status take(parser *p, const char *text, const char *expected)
{
    return sees(p, text) ? next_token(p) : fail_expected(p, expected);
}

/* ---- nodes ---- */

static at_status add_node(parser *p, int *out, atx_py_kind kind, const char *op, const token *t)
{
    atx_py *py = &p->py;
    if (!atx_grow(&py->nodes, &py->cap, py->count, sizeof *py->nodes)) {
        atx_py_refuse(p->why, 0, "out of memory");
        return AT_ERR_MEMORY;
    }
    *out = (int)py->count++;
    py->nodes[*out] = (atx_py_node){ .kind = kind, .op = op, .begin = t->begin, .end = t->end };
    return AT_OK;
}

/* A node with two children. */
static at_status add_pair(parser *p, int *out, atx_py_kind kind, const char *op, const token *t, int a, int b)
{
    at_status status = add_node(p, out, kind, op, t);
    if (status == AT_OK) {
        p->py.nodes[*out].first = a;
        p->py.nodes[a].next = b;
    }
    return status;
}

/* ---- what an expression begins with ---- */

static at_status parse_number(parser *p, int *node)
{
    char digits[64];
    const token t = p->token;
    size_t n = 0;
    for (size_t i = t.begin; i < t.end && n < sizeof digits - 1; i++)
        if (p->py.text[i] != '_')
            digits[n++] = p->py.text[i];
    digits[n] = '\0';

    char *stop, *real_stop;
    errno = 0;
    bool hex = strpbrk(digits, "xX") != NULL;
    long long value = strtoll(digits, &stop, hex ? 16 : 10);
    if (errno || *stop) {
        double real = strtod(digits, &real_stop);
        if (hex || *real_stop || !(fabs(real) < 9e15) || real != floor(real))
            return fail_expected(p, "an integer");
        value = (long long)real;
    }
    at_status status = add_node(p, node, ATX_PY_NUMBER, NULL, &t);
    if (status == AT_OK)
        p->py.nodes[*node].value = value;
    return status == AT_OK ? next_token(p) : status;
}

static at_status parse_word(parser *p, int *node)
{
    const token inside = { .kind = WORD, .begin = p->token.begin + 1, .end = p->token.end - 1 };
    at_status status = add_node(p, node, ATX_PY_WORD, NULL, &inside);
    return status == AT_OK ? next_token(p) : status;
}

/* ELEMENT for NAME in SOURCE if CONDITION ...; the element is there. */
static at_status parse_comprehension(parser *p, int *node, int element)
{
    int name = 0, last;
    at_status status = add_node(p, node, ATX_PY_COMPREHEND, NULL, &p->token);
    if (status != AT_OK || (status = next_token(p)) != AT_OK)
        return status;
    if (p->token.kind != NAME)
        return fail_expected(p, "the name of a variable");
    if ((status = add_node(p, &name, ATX_PY_NAME, NULL, &p->token)) != AT_OK ||
        (status = next_token(p)) != AT_OK || (status = take(p, "in", "'in'")) != AT_OK ||
        (status = parse_or(p, &last)) != AT_OK)
        return status;
    p->py.nodes[*node].first = element;
    p->py.nodes[element].next = name;
    p->py.nodes[name].next = last;
    while (sees(p, "if")) {
        int condition;
        if ((status = next_token(p)) != AT_OK || (status = parse_or(p, &condition)) != AT_OK)
            return status;
        p->py.nodes[last].next = condition;
        last = condition;
    }
    return AT_OK;
}

/* Elements up to `close`, as children of `parent`; one with `for` behind it is a comprehension. */
static at_status parse_elements(parser *p, int parent, const char *close, bool *comma)
{
    int last = 0, element;
    at_status status = AT_OK;
    *comma = false;
    while (status == AT_OK && !sees(p, close)) {
        if ((status = parse_choice(p, &element)) != AT_OK)
            return status;
        if (sees(p, "for") && (status = parse_comprehension(p, &element, element)) != AT_OK)
            return status;
        if (last)
            p->py.nodes[last].next = element;
        else
            p->py.nodes[parent].first = element;
        last = element;
        if (sees(p, close))
            break;
        *comma = true;
        status = take(p, ",", close[0] == ']' ? "',' or ']'" : "',' or ')'");
    }
    return status == AT_OK ? next_token(p) : status;
}

/* [1, 2], [... for ...]; the latter is the comprehension itself. */
static at_status parse_list(parser *p, int *node)
{
    bool comma;
    at_status status = add_node(p, node, ATX_PY_LIST, NULL, &p->token);
    if (status != AT_OK || (status = next_token(p)) != AT_OK ||
        (status = parse_elements(p, *node, "]", &comma)) != AT_OK)
        return status;
    int first = p->py.nodes[*node].first;
    if (first && !comma && p->py.nodes[first].kind == ATX_PY_COMPREHEND)
        *node = first;
    return AT_OK;
}

/* (a): a itself; (a, b), (a,) and (): a list. */
static at_status parse_parentheses(parser *p, int *node)
{
    bool comma;
    at_status status = add_node(p, node, ATX_PY_LIST, NULL, &p->token);
    if (status != AT_OK || (status = next_token(p)) != AT_OK ||
        (status = parse_elements(p, *node, ")", &comma)) != AT_OK)
        return status;
    int first = p->py.nodes[*node].first;
    if (first && !comma)
        *node = first;
    return AT_OK;
}

static at_status parse_name(parser *p, int *node)
{
    static const struct {
        const char *word;
        int64_t value;
    } CONSTANTS[] = { { "True", 1 }, { "False", 0 } };
    static const char *const KEYWORDS[] = { "and", "or",   "not", "in",     "is",
                                            "if",  "else", "for", "lambda", "None" };
    const token t = p->token;
    bool comma;
    at_status status;

    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (sees(p, KEYWORDS[i]))
            return fail_expected(p, "a value, a name or '('");
    for (size_t i = 0; i < sizeof CONSTANTS / sizeof *CONSTANTS; i++) {
        if (!sees(p, CONSTANTS[i].word))
            continue;
        if ((status = add_node(p, node, ATX_PY_NUMBER, NULL, &t)) == AT_OK)
            p->py.nodes[*node].value = CONSTANTS[i].value;
        return status == AT_OK ? next_token(p) : status;
    }
    if ((status = next_token(p)) != AT_OK)
        return status;
    bool call = sees(p, "(");
    if ((status = add_node(p, node, call ? ATX_PY_CALL : ATX_PY_NAME, NULL, &t)) != AT_OK || !call)
        return status;
    status = next_token(p);
    return status == AT_OK ? parse_elements(p, *node, ")", &comma) : status;
}

static at_status parse_primary(parser *p, int *node)
{
    switch (p->token.kind) {
    case NUMBER:
        return parse_number(p, node);
    case WORD:
        return parse_word(p, node);
    case NAME:
        return parse_name(p, node);
    default:
        if (sees(p, "["))
            return parse_list(p, node);
        if (sees(p, "("))
            return parse_parentheses(p, node);
        return fail_expected(p, "a value, a name or '('");
    }
}

/* ---- operators ---- */

static at_status parse_unary(parser *p, int *node);

/* Guards every way to go deeper. */
static at_status deeper(parser *p)
{
    if (++p->depth > ATX_PY_MAX_DEPTH)
        return atx_py_refuse(p->why, p->token.begin, "found more than %d levels of nesting; expected fewer",
                             ATX_PY_MAX_DEPTH);
    return AT_OK;
}

/* a ** b: binds closer than a sign before it, and to the right. */
static at_status parse_power(parser *p, int *node)
{
    int exponent;
    at_status status = parse_primary(p, node);
    if (status == AT_OK && (sees(p, "[") || sees(p, "(")))
        return fail_expected(p, "an operator");
    if (status != AT_OK || !sees(p, "**"))
        return status;
    const token t = p->token;
    if ((status = deeper(p)) != AT_OK || (status = next_token(p)) != AT_OK ||
        (status = parse_unary(p, &exponent)) != AT_OK)
        return status;
    p->depth--;
    return add_pair(p, node, ATX_PY_BINARY, "**", &t, *node, exponent);
}

static at_status parse_unary(parser *p, int *node)
{
    static const char *const SIGNS[] = { "-", "+", "~" };
    const token t = p->token;
    int child = 0;
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        if (!sees(p, SIGNS[i]))
            continue;
        at_status status = deeper(p);
        if (status != AT_OK || (status = next_token(p)) != AT_OK ||
            (status = parse_unary(p, &child)) != AT_OK)
            return status;
        p->depth--;
        if ((status = add_node(p, node, ATX_PY_UNARY, SIGNS[i], &t)) == AT_OK)
            p->py.nodes[*node].first = child;
        return status;
    }
    return parse_power(p, node);
}

/* Binary operators by level, the loosest first; within a level from left to right. */
static const char *const LEVELS[][5] = {
    { "|" }, { "^" }, { "&" }, { "<<", ">>" }, { "+", "-" }, { "*", "//", "/", "%" },
};
enum { LEVEL_COUNT = sizeof LEVELS / sizeof *LEVELS };

static const char *operator_of(const parser *p, int level)
{
    for (int i = 0; LEVELS[level][i]; i++)
        if (sees(p, LEVELS[level][i]))
            return LEVELS[level][i];
    return NULL;
}

static at_status parse_level(parser *p, int *node, int level)
{
    const char *op;
    if (level == LEVEL_COUNT)
        return parse_unary(p, node);
    at_status status = parse_level(p, node, level + 1);
    while (status == AT_OK && (op = operator_of(p, level)) != NULL) {
        const token t = p->token;
        int right;
        if ((status = next_token(p)) == AT_OK && (status = parse_level(p, &right, level + 1)) == AT_OK)
            status = add_pair(p, node, ATX_PY_BINARY, op, &t, *node, right);
    }
    return status;
}

/* The comparison at hand, taken; *op stays NULL when there is none. */
static at_status take_comparison(parser *p, const char **op, token *t)
{
    static const char *const SIGNS[] = { "<", "<=", ">", ">=", "==", "!=", "in" };
    at_status status;
    *t = p->token;
    *op = NULL;
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
        if (sees(p, SIGNS[i]))
            *op = SIGNS[i];
    if (*op)
        return next_token(p);
    if (!sees(p, "not"))
        return AT_OK;
    if ((status = next_token(p)) != AT_OK)
        return status;
    *op = "not in";
    return take(p, "in", "'in'");
}

static at_status parse_comparison(parser *p, int *node)
{
    const char *op;
    token t;
    int chain = 0, last = 0;
    at_status status = parse_level(p, node, 0);
    while (status == AT_OK && (status = take_comparison(p, &op, &t)) == AT_OK && op) {
        int operand;
        if ((status = parse_level(p, &operand, 0)) != AT_OK)
            return status;
        if (!chain) {
            last = *node;
            if ((status = add_node(p, &chain, ATX_PY_COMPARE, NULL, &t)) != AT_OK)
                return status;
            p->py.nodes[chain].first = *node;
            *node = chain;
        }
        p->py.nodes[operand].compare = op;
        p->py.nodes[last].next = operand;
        last = operand;
    }
    return status;
}

static at_status parse_not(parser *p, int *node)
{
    const token t = p->token;
    int child = 0;
    if (!sees(p, "not"))
        return parse_comparison(p, node);
    at_status status = deeper(p);
    if (status != AT_OK || (status = next_token(p)) != AT_OK || (status = parse_not(p, &child)) != AT_OK)
        return status;
    p->depth--;
    if ((status = add_node(p, node, ATX_PY_UNARY, "not", &t)) == AT_OK)
        p->py.nodes[*node].first = child;
    return status;
}

static at_status parse_logic(parser *p, int *node, const char *op, at_status (*inner)(parser *, int *))
{
    at_status status = inner(p, node);
    while (status == AT_OK && sees(p, op)) {
        const token t = p->token;
        int right;
        if ((status = next_token(p)) == AT_OK && (status = inner(p, &right)) == AT_OK)
            status = add_pair(p, node, ATX_PY_LOGIC, op, &t, *node, right);
    }
    return status;
}

static at_status parse_and(parser *p, int *node)
{
    return parse_logic(p, node, "and", parse_not);
}

static at_status parse_or(parser *p, int *node)
{
    return parse_logic(p, node, "or", parse_and);
}

/* a if c else b */
static at_status parse_choice(parser *p, int *node)
{
    int condition, other;
    at_status status = deeper(p);
    if (status == AT_OK)
        status = parse_or(p, node);
    if (status == AT_OK && sees(p, "if")) {
        const token t = p->token;
        if ((status = next_token(p)) != AT_OK || (status = parse_or(p, &condition)) != AT_OK ||
            (status = take(p, "else", "'else'")) != AT_OK || (status = parse_choice(p, &other)) != AT_OK)
            return status;
        p->py.nodes[*node].next = other;
        status = add_pair(p, node, ATX_PY_CHOICE, NULL, &t, condition, *node);
    }
    p->depth--;
    return status;
}

/* ---- the whole ---- */

at_status atx_py_parse(atx_py *out, const char *text, size_t len, atx_py_error *why)
{
    parser p = { .py = { .text = text, .len = len }, .why = why };
    static const token NOWHERE = { .kind = END };
    int none;
    if (len > ATX_PY_MAX_TEXT)
        return atx_py_refuse(why, 0, "found an expression of %zu characters; expected at most %zu", len,
                             ATX_PY_MAX_TEXT);
    at_status status = add_node(&p, &none, ATX_PY_LIST, NULL, &NOWHERE);
    if (status == AT_OK)
        status = next_token(&p);
    if (status == AT_OK)
        status = parse_choice(&p, &p.py.root);
    if (status == AT_OK && p.token.kind != END)
        status = fail_expected(&p, "an operator or the end");
    if (status == AT_OK) {
        *out = p.py;
        p.py.nodes = NULL;
    }
    free(p.py.nodes);
    return status;
}

void atx_py_clear(atx_py *py)
{
    free(py->nodes);
    *py = (atx_py){ 0 };
}

/* ---- arithmetic ---- */

bool atx_py_divide(int64_t *quotient, int64_t *rest, int64_t a, int64_t b)
{
    if (a == INT64_MIN && b == -1)
        return false;
    int64_t q = a / b, r = a % b;
    if (r != 0 && (r < 0) != (b < 0)) {
        q--;
        r += b;
    }
    *quotient = q;
    *rest = r;
    return true;
}

bool atx_py_power(int64_t *out, int64_t base, int64_t exponent)
{
    int64_t power = 1;
    if (exponent < 0)
        return false;
    if (base == 0 || base == 1 || base == -1)
        exponent = base == -1 ? exponent & 1 : exponent != 0;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(power, base, &power))
            return false;
    *out = power;
    return true;
}
