/*
 * python_values.c - lists of Python (python.h). Numbers are expressions of declarations, compiled and
 * evaluated by themselves, in a comprehension once for each value of its variable.
 */
#include "exchange/python_internal.h"

#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    atx_py_value *items;
    int count;
} values;

/* The variable of a comprehension, and its value. */
typedef struct variable {
    const char *name; /* NULL: there is none */
    size_t len;
    int64_t value;
} variable;

static int find_variable(const void *context, const char *name, size_t len)
{
    const variable *v = context;
    return v->name && v->len == len && memcmp(v->name, name, len) == 0 ? 0 : -1;
}

/* As the language of declarations says. */
static int64_t evaluate(atx_py_parser *p, const atx_str *text, size_t offset, const variable *v)
{
    const atx_scope scope = { .find = find_variable, .context = v };
    const atx_where where = { .file = "values", .line = 1, .column = 1 };
    ATX_CLOSED(atx_expr) *expr = NULL;
    at_error cause = { 0 };
    int64_t value = 0;
    if (p->status != AT_OK)
        return 0;
    at_status status = text->failed
                           ? AT_ERR_MEMORY
                           : atx_expr_compile(&expr, atx_str_text(text), text->len, &scope, where, &cause);
    ATX_THEN(status, atx_expr_eval(&value, expr, &v->value, &cause));
    if (status != AT_OK) {
        const char *said = strstr(cause.text, ": "); /* behind a place that is ours */
        atx_py_refuse(p->why, offset, "%.150s", said ? said + 2 : cause.text);
        atx_py_stop(p, status);
    }
    return value;
}

static int64_t number_of(atx_py_parser *p, const atx_py_piece *x, const variable *v)
{
    atx_py_want_number(p, x);
    for (int i = 0; i < p->to->guard_count && p->status == AT_OK; i++) {
        const atx_py_guard *guard = &p->to->guards[i];
        if (!evaluate(p, &guard->text, guard->offset, v) && p->status == AT_OK) {
            atx_py_refuse(p->why, guard->offset, "%s", guard->why);
            atx_py_stop(p, AT_ERR_INPUT);
        }
    }
    return evaluate(p, &x->text, x->begin, v);
}

static void add_value(atx_py_parser *p, values *out, const atx_py_value *value)
{
    if (p->status == AT_OK && out->count == ATX_PY_MAX_VALUES) {
        atx_py_refuse(p->why, 0, "found more than %d values; expected fewer", ATX_PY_MAX_VALUES);
        atx_py_stop(p, AT_ERR_INPUT);
    } else if (p->status == AT_OK) {
        out->items[out->count++] = *value;
    }
}

static void drop_guards(atx_py_parser *p)
{
    while (p->to->guard_count)
        atx_str_clear(&p->to->guards[--p->to->guard_count].text);
}

static void add_number(atx_py_parser *p, values *out, int64_t number)
{
    add_value(p, out, &(atx_py_value){ .number = number });
}

static void read_lists(atx_py_parser *p, values *out);

/* E for NAME in LIST if CONDITION ...; E was read. Those of E and of the conditions are the guards. */
static void comprehend(atx_py_parser *p, values *out, const atx_py_piece *element)
{
    values source = { .items = malloc(ATX_PY_MAX_VALUES * sizeof *source.items) };
    atx_py_piece condition = { .level = 0 };
    const atx_py_token name = p->token;
    variable v = { .name = p->text + name.begin, .len = name.end - name.begin };
    atx_py_condition inner = { .guard_count = 0 }, *outer = p->to;
    if (!source.items)
        atx_py_stop(p, AT_ERR_MEMORY);
    if (name.kind != ATX_PY_NAME)
        atx_py_refuse_token(p, "the name of a variable");
    atx_py_next(p);
    atx_py_want(p, "in", "'in'");
    p->to = &inner;
    if (p->status == AT_OK)
        read_lists(p, &source);
    drop_guards(p);
    p->to = outer;
    while (atx_py_take(p, "if")) {
        atx_py_piece one = atx_py_expression(p);
        condition = condition.text.len ? atx_py_both(p, &condition, &one) : one;
    }
    for (int i = 0; i < source.count && p->status == AT_OK; i++) {
        v.value = source.items[i].number;
        if (source.items[i].is_word)
            atx_py_refuse_at(p, source.items[i].begin, source.items[i].end, "a number");
        if (!condition.text.len || evaluate(p, &condition.text, condition.begin, &v))
            add_number(p, out, number_of(p, element, &v));
    }
    atx_str_clear(&condition.text);
    free(source.items);
}

static void read_elements(atx_py_parser *p, values *out, const char *close)
{
    const variable none = { .name = NULL };
    atx_py_next(p);
    for (bool more = !atx_py_sees(p, close); more && p->status == AT_OK;) {
        atx_py_piece x = atx_py_expression(p);
        if (atx_py_take(p, "for"))
            comprehend(p, out, &x);
        else if (x.kind == ATX_PY_IS_WORD)
            add_value(p, out, &(atx_py_value){ .is_word = true, .begin = x.begin, .end = x.end });
        else
            add_number(p, out, number_of(p, &x, &none));
        atx_str_clear(&x.text);
        drop_guards(p);
        more = atx_py_take(p, ",") && !atx_py_sees(p, close);
    }
    atx_py_want(p, close, *close == ']' ? "',' or ']'" : "',' or ')'");
}

static void read_range(atx_py_parser *p, values *out)
{
    const size_t begin = p->token.begin;
    const variable none = { .name = NULL };
    int64_t ends[3] = { 0, 0, 1 };
    int count = 0;
    atx_py_next(p);
    atx_py_want(p, "(", "'('");
    do {
        atx_py_piece x = atx_py_expression(p);
        if (count < 3)
            ends[count] = number_of(p, &x, &none);
        count++;
        atx_str_clear(&x.text);
        drop_guards(p);
    } while (atx_py_take(p, ","));
    atx_py_want(p, ")", "',' or ')'");
    if (count > 3 || ends[2] == 0)
        atx_py_refuse_at(p, begin, begin + 5, "one to three numbers in it, the third not 0");
    if (count == 1) {
        ends[1] = ends[0];
        ends[0] = 0;
    }
    for (int64_t i = ends[0]; p->status == AT_OK && (ends[2] > 0 ? i < ends[1] : i > ends[1]);) {
        add_number(p, out, i);
        if (__builtin_add_overflow(i, ends[2], &i))
            return;
    }
}

/* [1] + list(range(2, 4)) */
static void read_lists(atx_py_parser *p, values *out)
{
    if (p->depth++ == ATX_PY_MAX_DEPTH)
        atx_py_refuse_token(p, "less nesting");
    do {
        if (atx_py_sees(p, "[") || atx_py_sees(p, "(")) {
            read_elements(p, out, atx_py_sees(p, "[") ? "]" : ")");
        } else if (atx_py_sees(p, "range")) {
            read_range(p, out);
        } else if (atx_py_take(p, "list") || atx_py_take(p, "tuple")) {
            atx_py_want(p, "(", "'('");
            read_lists(p, out);
            atx_py_want(p, ")", "')'");
        } else {
            atx_py_refuse_token(p,
                                p->token.kind == ATX_PY_NAME ? "range, list or tuple" : "a list of values");
        }
    } while (atx_py_take(p, "+"));
    p->depth--;
}

at_status atx_py_values(atx_py_value *out, int *count, const char *text, size_t len, atx_py_error *why)
{
    atx_py_condition guards = { .guard_count = 0 };
    values found = { .items = out };
    atx_py_parser p = { .text = text, .len = len, .to = &guards, .why = why };
    if (atx_py_begin(&p))
        read_lists(&p, &found);
    at_status status = atx_py_finish(&p, false);
    *count = status == AT_OK ? found.count : 0;
    return status;
}
