/*
 * python.c - Python to the language of declarations in one pass (python.h): operators are read by how tightly
 * they bind, and what was read is a text of ours with the level at which C binds it, so that parentheses
 * stand where C needs them. The first failure stays; all after it reads the end of the text.
 */
#include "exchange/python_internal.h"

#include "util/chars.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How tightly C binds. */
enum { OR = 1, AND, BIT_OR, BIT_XOR, BIT_AND, EQUALITY, RELATION, SHIFT, SUM, PRODUCT, UNARY, ATOM };

/* How tightly Python binds. */
enum { ANY = 1, BINDS_AND, BINDS_NOT, COMPARES, BINDS_BITS, BINDS_SIGN = 11, BINDS_POWER };

static atx_py_piece climb(atx_py_parser *p, int binds);
static atx_py_piece choose(atx_py_parser *p);

at_status atx_py_refuse(atx_py_error *why, size_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    why->offset = offset;
    return AT_ERR_INPUT;
}

/* ---- tokens ---- */

void atx_py_stop(atx_py_parser *p, at_status status)
{
    p->status = status;
    p->at = p->len;
    p->token = (atx_py_token){ .kind = ATX_PY_END, .begin = p->len, .end = p->len };
}

void atx_py_refuse_at(atx_py_parser *p, size_t begin, size_t end, const char *expected)
{
    const int len = end - begin > 40 ? 40 : (int)(end - begin);
    if (p->status != AT_OK)
        return;
    if (begin == p->len)
        atx_py_refuse(p->why, begin, "found the end of the expression; expected %s", expected);
    else
        atx_py_refuse(p->why, begin, "found '%.*s'; expected %s", len, p->text + begin, expected);
    atx_py_stop(p, AT_ERR_INPUT);
}

void atx_py_refuse_token(atx_py_parser *p, const char *expected)
{
    atx_py_refuse_at(p, p->token.begin, p->token.end, expected);
}

static size_t word_end(const atx_py_parser *p, size_t at)
{
    while (at < p->len && (atx_is_word_part(p->text[at]) || p->text[at] == '.'))
        at++;
    return at;
}

static size_t sign_end(const atx_py_parser *p, size_t at)
{
    static const char *const TWO[] = { "**", "//", "<<", ">>", "<=", ">=", "==", "!=" };
    for (size_t i = 0; i < sizeof TWO / sizeof *TWO; i++)
        if (p->len - at >= 2 && memcmp(p->text + at, TWO[i], 2) == 0)
            return at + 2;
    return at + 1;
}

static void read_string(atx_py_parser *p, atx_py_token *t)
{
    const char quote = p->text[t->begin];
    for (t->end = t->begin + 1; t->end < p->len && p->text[t->end] != quote; t->end++)
        if (p->text[t->end] == '\\' || p->text[t->end] == '\n')
            atx_py_refuse_at(p, t->end, t->end + 1, "a string without escapes");
    if (t->end++ == p->len)
        atx_py_refuse_at(p, t->begin, t->begin + 1, "the quote that ends the string");
}

void atx_py_next(atx_py_parser *p)
{
    static const char BLANKS[] = " \t\r\n";
    while (p->at < p->len && p->text[p->at] && strchr(BLANKS, p->text[p->at]))
        p->at++;
    atx_py_token t = { .kind = ATX_PY_END, .begin = p->at, .end = p->at };
    if (p->at < p->len) {
        char c = p->text[p->at];
        t.kind = atx_is_letter(c)        ? ATX_PY_NAME
                 : atx_is_digit(c)       ? ATX_PY_NUMBER
                 : c == '\'' || c == '"' ? ATX_PY_STRING
                                         : ATX_PY_SIGN;
        if (t.kind == ATX_PY_STRING)
            read_string(p, &t);
        else
            t.end = t.kind == ATX_PY_SIGN ? sign_end(p, t.begin) : word_end(p, t.begin);
    }
    if (p->status == AT_OK) {
        p->token = t;
        p->at = t.end;
    }
}

static bool is_text(const atx_py_parser *p, const atx_py_token *t, const char *text)
{
    return (t->kind == ATX_PY_NAME || t->kind == ATX_PY_SIGN) && t->end - t->begin == strlen(text) &&
           memcmp(p->text + t->begin, text, strlen(text)) == 0;
}

bool atx_py_sees(const atx_py_parser *p, const char *text)
{
    return is_text(p, &p->token, text);
}

bool atx_py_take(atx_py_parser *p, const char *text)
{
    const bool there = atx_py_sees(p, text);
    if (there)
        atx_py_next(p);
    return there;
}

void atx_py_want(atx_py_parser *p, const char *text, const char *expected)
{
    if (!atx_py_take(p, text))
        atx_py_refuse_token(p, expected);
}

/* ---- pieces ---- */

/* A text that is not whole must not be taken for another one. */
static void want_whole(atx_py_parser *p, const atx_str *text)
{
    if (text->failed && p->status == AT_OK)
        atx_py_stop(p, AT_ERR_MEMORY);
}

static void add_piece(atx_str *out, const atx_py_piece *x, int level)
{
    atx_str_addf(out, x->level < level ? "(%s)" : "%s", atx_str_text(&x->text));
    out->failed |= x->text.failed;
}

/* a SIGN b; takes both. A text that grows without end (powers of powers) is refused. */
static atx_py_piece join(atx_py_parser *p, atx_py_piece *a, const char *sign, atx_py_piece *b, int level,
                         int right)
{
    atx_py_piece made = { .level = level, .begin = a->begin, .end = b->end };
    if (a->text.len + b->text.len > ATX_PY_MAX_TEXT)
        atx_py_refuse_at(p, a->begin, a->end, "a shorter expression");
    add_piece(&made.text, a, level);
    atx_str_addf(&made.text, " %s ", sign);
    add_piece(&made.text, b, right);
    want_whole(p, &made.text);
    atx_str_clear(&a->text);
    atx_str_clear(&b->text);
    return made;
}

/* Python's and/or give one of their sides, C's a truth: they must not be counted with. */
void atx_py_want_number(atx_py_parser *p, const atx_py_piece *x)
{
    if (x->kind == ATX_PY_IS_WORD)
        atx_py_refuse_at(p, x->begin, x->end, "a word only where it is compared with a parameter");
    else if (x->kind == ATX_PY_TRUTH)
        atx_py_refuse_at(p, x->begin, x->end, "a number; and/or give one of their sides here");
}

/* ---- what an expression begins with ---- */

static void read_number(atx_py_parser *p, atx_py_piece *out)
{
    char digits[32] = "", *end = digits;
    const size_t len = p->token.end - p->token.begin;
    if (len < sizeof digits)
        memcpy(digits, p->text + p->token.begin, len);
    errno = 0;
    const long long value = strtoll(digits, &end, 0);
    if (errno || *end || end == digits)
        atx_py_refuse_token(p, "an integer");
    atx_str_addf(&out->text, "%lld", value);
    atx_py_next(p);
}

/* min(a, b), max(a, b, c), abs(a): as we say it. */
static void read_call(atx_py_parser *p, atx_py_piece *out, const atx_py_token *name)
{
    const bool one = is_text(p, name, "abs");
    int count = 0;
    if (!one && !is_text(p, name, "min") && !is_text(p, name, "max"))
        atx_py_refuse_at(p, name->begin, name->end, "min, max or abs");
    atx_str_add_bytes(&out->text, p->text + name->begin, name->end - name->begin);
    do {
        atx_py_next(p);
        atx_py_piece x = choose(p);
        atx_py_want_number(p, &x);
        atx_str_add(&out->text, count++ ? ", " : "(");
        add_piece(&out->text, &x, 0);
        atx_str_clear(&x.text);
    } while (atx_py_sees(p, ","));
    atx_str_add(&out->text, ")");
    atx_py_want(p, ")", "',' or ')'");
    if (one != (count == 1))
        atx_py_refuse_at(p, name->begin, name->end, "one value in abs, two or more in min and max");
}

static void read_name(atx_py_parser *p, atx_py_piece *out)
{
    const atx_py_token name = p->token;
    if (atx_py_sees(p, "True") || atx_py_sees(p, "False")) {
        atx_str_add(&out->text, atx_py_sees(p, "True") ? "1" : "0");
        atx_py_next(p);
        return;
    }
    atx_py_next(p);
    if (atx_py_sees(p, "(")) {
        read_call(p, out, &name);
        return;
    }
    if (p->scope && p->status == AT_OK &&
        !p->scope->known(p->scope->context, p->text + name.begin, name.end - name.begin))
        atx_py_refuse_at(p, name.begin, name.end, "the name of a parameter");
    atx_str_add_bytes(&out->text, p->text + name.begin, name.end - name.begin);
    out->kind = ATX_PY_IS_NAME;
}

static atx_py_piece read_first(atx_py_parser *p)
{
    atx_py_piece x = { .level = ATOM, .begin = p->token.begin, .end = p->token.end };
    if (p->token.kind == ATX_PY_NUMBER) {
        read_number(p, &x);
    } else if (p->token.kind == ATX_PY_STRING) {
        x = (atx_py_piece){ .kind = ATX_PY_IS_WORD, .level = ATOM, .begin = x.begin + 1, .end = x.end - 1 };
        atx_py_next(p);
    } else if (p->token.kind == ATX_PY_NAME) {
        read_name(p, &x);
    } else if (atx_py_take(p, "(")) {
        x = choose(p);
        atx_py_want(p, ")", "')'");
    } else {
        atx_py_refuse_token(p, "a value, a name or '('");
    }
    return x;
}

static atx_py_piece read_prefix(atx_py_parser *p, int binds)
{
    static const char *const SIGNS[] = { "-", "+", "~", "not" };
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
        const bool negates = i == 3;
        atx_py_piece made = { .level = UNARY, .begin = p->token.begin, .end = p->token.end };
        if ((negates && binds > BINDS_NOT) || !atx_py_take(p, SIGNS[i]))
            continue;
        atx_py_piece x = climb(p, negates ? BINDS_NOT : BINDS_SIGN);
        if (x.kind == ATX_PY_IS_WORD || !negates)
            atx_py_want_number(p, &x);
        atx_str_add(&made.text, negates ? "!" : SIGNS[i]);
        add_piece(&made.text, &x, ATOM);
        atx_str_clear(&x.text);
        return made;
    }
    return read_first(p);
}

/* ---- operators ---- */

typedef struct row {
    const char *sign, *ours;
    int binds, level;
} row;

static const row OPERATORS[] = { { "or", "||", ANY, OR },
                                 { "and", "&&", BINDS_AND, AND },
                                 { "<", "<", COMPARES, RELATION },
                                 { "<=", "<=", COMPARES, RELATION },
                                 { ">", ">", COMPARES, RELATION },
                                 { ">=", ">=", COMPARES, RELATION },
                                 { "==", "==", COMPARES, EQUALITY },
                                 { "!=", "!=", COMPARES, EQUALITY },
                                 { "in", "==", COMPARES, OR },
                                 { "not", "!=", COMPARES, AND },
                                 { "|", "|", BINDS_BITS, BIT_OR },
                                 { "^", "^", BINDS_BITS + 1, BIT_XOR },
                                 { "&", "&", BINDS_BITS + 2, BIT_AND },
                                 { "<<", "<<", BINDS_BITS + 3, SHIFT },
                                 { ">>", ">>", BINDS_BITS + 3, SHIFT },
                                 { "+", "+", BINDS_BITS + 4, SUM },
                                 { "-", "-", BINDS_BITS + 4, SUM },
                                 { "*", "*", BINDS_BITS + 5, PRODUCT },
                                 { "/", "/", BINDS_BITS + 5, PRODUCT },
                                 { "//", "/", BINDS_BITS + 5, PRODUCT },
                                 { "%", "%", BINDS_BITS + 5, PRODUCT },
                                 { "**", "<<", BINDS_POWER, 0 } };

static const row *find_row(const atx_py_parser *p)
{
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (atx_py_sees(p, OPERATORS[i].sign))
            return &OPERATORS[i];
    return NULL;
}

static void add_guard(atx_py_parser *p, const atx_py_piece *top, const atx_py_piece *low, const row *o,
                      const atx_py_token *sign)
{
    const char *a = atx_str_text(&top->text), *b = atx_str_text(&low->text);
    if (p->to->guard_count == ATX_PY_MAX_GUARDS)
        atx_py_refuse_at(p, sign->begin, sign->end, "fewer divisions in a condition");
    if (p->status != AT_OK)
        return;
    const bool exact = strcmp(o->sign, "/") == 0;
    atx_py_guard *guard = &p->to->guards[p->to->guard_count++];
    *guard =
        (atx_py_guard){ .offset = sign->begin,
                        .why = exact ? "found a quotient that is not whole; expected only exact ones, or //"
                                     : "found a side below zero; expected none" };
    if (exact)
        atx_str_addf(&guard->text, "(%s) == 0 || (%s) %% (%s) == 0", b, a, b);
    else
        atx_str_addf(&guard->text, "(%s) == 0 || (%s) >= 0 && (%s) > 0", b, a, b);
    want_whole(p, &guard->text);
}

static atx_py_piece binary(atx_py_parser *p, atx_py_piece *left, const row *o)
{
    const atx_py_token sign = p->token;
    const bool logic = o->level == OR || o->level == AND;
    atx_py_next(p);
    atx_py_piece right = climb(p, o->level ? o->binds + 1 : BINDS_SIGN);
    if (!logic || left->kind == ATX_PY_IS_WORD)
        atx_py_want_number(p, left);
    if (!logic || right.kind == ATX_PY_IS_WORD)
        atx_py_want_number(p, &right);
    if (!o->level) { /* of 2 a shift */
        if (strcmp(atx_str_text(&left->text), "2") != 0)
            atx_py_refuse_at(p, left->begin, left->end, "a power of 2");
        atx_str_reset(&left->text);
        atx_str_add(&left->text, "1");
        return join(p, left, "<<", &right, SHIFT, SHIFT + 1);
    }
    if (*o->ours == '/' || *o->ours == '%')
        add_guard(p, left, &right, o, &sign);
    atx_py_piece made = join(p, left, o->ours, &right, o->level, logic ? o->level : o->level + 1);
    made.kind = logic ? ATX_PY_TRUTH : ATX_PY_VALUE;
    made.begin = sign.begin;
    made.end = sign.end;
    return made;
}

/* ---- comparisons ---- */

/* NAME == 'word': the word's constant; a word that the parameter does not have equals nothing. */
static void add_side(atx_py_parser *p, atx_str *out, const atx_py_piece *x, const atx_py_piece *other,
                     int level)
{
    const int len = (int)(x->end - x->begin), name = (int)(other->end - other->begin);
    if (x->kind == ATX_PY_IS_WORD && other->kind == ATX_PY_IS_NAME && p->scope &&
        p->scope->has_word(p->scope->context, p->text + other->begin, (size_t)name, p->text + x->begin,
                           (size_t)len))
        atx_str_addf(out, "%.*s_%.*s", name, p->text + other->begin, len, p->text + x->begin);
    else if (x->kind == ATX_PY_IS_WORD && other->kind == ATX_PY_IS_NAME)
        atx_str_add(out, "-1");
    else
        atx_py_want_number(p, x);
    if (x->kind != ATX_PY_IS_WORD)
        add_piece(out, x, level);
}

static atx_py_piece compare(atx_py_parser *p, const atx_py_piece *a, const char *sign, const atx_py_piece *b)
{
    atx_py_piece made = { .level = sign[1] == '=' && (*sign == '=' || *sign == '!') ? EQUALITY : RELATION,
                          .begin = a->begin,
                          .end = b->end };
    add_side(p, &made.text, a, b, made.level + 1);
    atx_str_addf(&made.text, " %s ", sign);
    add_side(p, &made.text, b, a, made.level + 1);
    want_whole(p, &made.text);
    return made;
}

/* a in [1, 2]: a == 1 || a == 2 */
static atx_py_piece is_in(atx_py_parser *p, const atx_py_piece *a, const row *o)
{
    atx_py_piece made = { .level = ATOM, .begin = p->token.begin, .end = p->token.end };
    const char *close = atx_py_sees(p, "(") ? ")" : "]";
    if (!atx_py_take(p, "(") && !atx_py_take(p, "["))
        atx_py_refuse_token(p, "a list of values");
    for (bool more = p->status == AT_OK && !atx_py_sees(p, close); more && p->status == AT_OK;) {
        atx_py_piece x = climb(p, ANY), one = compare(p, a, o->ours, &x);
        atx_str_clear(&x.text);
        made = made.text.len ? join(p, &made, o->level == OR ? "||" : "&&", &one, o->level, o->level) : one;
        more = atx_py_take(p, ",") && !atx_py_sees(p, close);
    }
    if (!made.text.len)
        atx_str_add(&made.text, o->level == OR ? "0" : "1");
    atx_py_want(p, close, "',' or the end of the list");
    return made;
}

/* a < b < c: a < b && b < c */
static atx_py_piece compare_all(atx_py_parser *p, atx_py_piece *left)
{
    atx_py_piece all = { .level = 0 };
    const row *o = find_row(p);
    for (bool more = true; more && o && o->binds == COMPARES && p->status == AT_OK; o = find_row(p)) {
        atx_py_piece one, right = { .level = 0 };
        atx_py_next(p);
        if (*o->sign == 'n')
            atx_py_want(p, "in", "'in'");
        more = o->level != OR && o->level != AND;
        if (more) {
            right = climb(p, BINDS_BITS);
            one = compare(p, left, o->ours, &right);
        } else {
            one = is_in(p, left, o);
        }
        all = all.text.len ? join(p, &all, "&&", &one, AND, AND) : one;
        atx_str_clear(&left->text);
        *left = right;
    }
    if (o && o->binds == COMPARES) /* behind a list: Python would compare the list */
        atx_py_refuse_token(p, "and, or, or the end");
    atx_str_clear(&left->text);
    return all;
}

static atx_py_piece climb(atx_py_parser *p, int binds)
{
    atx_py_piece left = { .level = ATOM, .begin = p->token.begin, .end = p->token.end };
    if (p->depth == ATX_PY_MAX_DEPTH)
        atx_py_refuse_token(p, "less nesting");
    if (p->status != AT_OK)
        return left;
    p->depth++;
    left = read_prefix(p, binds);
    want_whole(p, &left.text);
    for (const row *o; p->status == AT_OK && (o = find_row(p)) && o->binds >= binds;)
        left = o->binds == COMPARES ? compare_all(p, &left) : binary(p, &left, o);
    p->depth--;
    return left;
}

/* a if c else b: (c ? a : b). Not among the conditions of a list, where `if` is the next one. */
static atx_py_piece choose(atx_py_parser *p)
{
    atx_py_piece parts[3] = { climb(p, ANY) }, made = { .level = ATOM, .begin = parts[0].begin };
    if (!atx_py_take(p, "if"))
        return parts[0];
    parts[1] = climb(p, ANY);
    atx_py_want(p, "else", "'else'");
    p->depth++; /* which climb limits */
    parts[2] = choose(p);
    p->depth--;
    for (int i = 0; i < 3; i++) {
        if (parts[i].kind == ATX_PY_IS_WORD)
            atx_py_want_number(p, &parts[i]);
        made.kind = i != 1 && parts[i].kind == ATX_PY_TRUTH ? ATX_PY_TRUTH : made.kind;
        made.text.failed |= parts[i].text.failed;
    }
    atx_str_addf(&made.text, "((%s) ? (%s) : (%s))", atx_str_text(&parts[1].text),
                 atx_str_text(&parts[0].text), atx_str_text(&parts[2].text));
    made.end = parts[2].end;
    want_whole(p, &made.text);
    for (int i = 0; i < 3; i++)
        atx_str_clear(&parts[i].text);
    return made;
}

atx_py_piece atx_py_expression(atx_py_parser *p)
{
    return climb(p, ANY);
}

atx_py_piece atx_py_both(atx_py_parser *p, atx_py_piece *a, atx_py_piece *b)
{
    return join(p, a, "&&", b, AND, AND);
}

/* ---- all ---- */

bool atx_py_begin(atx_py_parser *p)
{
    if (p->len > ATX_PY_MAX_TEXT) {
        atx_py_refuse(p->why, 0, "found %zu characters; expected at most %zu", p->len, ATX_PY_MAX_TEXT);
        atx_py_stop(p, AT_ERR_INPUT);
    }
    atx_py_next(p);
    return p->status == AT_OK;
}

at_status atx_py_finish(atx_py_parser *p, bool failed)
{
    if (p->status == AT_OK && p->token.kind != ATX_PY_END)
        atx_py_refuse_token(p, "an operator or the end");
    if (p->status == AT_OK && failed)
        p->status = AT_ERR_MEMORY;
    if (p->status == AT_ERR_MEMORY)
        atx_py_refuse(p->why, 0, "out of memory");
    if (p->status != AT_OK)
        atx_py_condition_clear(p->to);
    return p->status;
}

at_status atx_py_translate(atx_py_condition *out, const char *text, size_t len, const atx_py_scope *scope,
                           atx_py_error *why)
{
    atx_py_condition made = { .guard_count = 0 };
    atx_py_parser p = { .text = text, .len = len, .scope = scope, .to = &made, .why = why };
    atx_py_piece x = { .level = 0 };
    if (atx_py_begin(&p))
        x = choose(&p);
    if (x.kind == ATX_PY_IS_WORD)
        atx_py_want_number(&p, &x);
    made.text = x.text;
    bool failed = made.text.failed;
    for (int i = 0; i < made.guard_count; i++)
        failed |= made.guards[i].text.failed;
    ATX_TRY(atx_py_finish(&p, failed));
    *out = made;
    return AT_OK;
}

void atx_py_condition_clear(atx_py_condition *condition)
{
    atx_str_clear(&condition->text);
    while (condition->guard_count)
        atx_str_clear(&condition->guards[--condition->guard_count].text);
}
