/*
 * adopt_expr.c - expressions of the host as expressions of declarations: names by their definitions, calls of
 * functions that divide and round up, casts left out. What is not understood is not taken over.
 */
#include "exchange/adopt_host.h"

#include "util/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 12, MOST_TEXT = ATX_DRAFT_EXPR };

typedef struct writing {
    const atx_draft *d;
    atx_str *out;
    const atx_tokens *t;
    int depth;
    atx_draft *grid;             /* whose extra sizes may be added; NULL: none may */
    int axis;                    /* of the grid */
    const struct writing *outer; /* whose tokens stand for these names */
    atx_span given[8];
    char params[8][ATX_MAX_WORD];
    int given_count;
} writing;

static bool write_span(writing *w, atx_span span);

static bool is_size(const atx_draft_arg *a)
{
    const char *type = a->type.dtype;
    return !a->stars && a->type.lanes == 1 && type && (type[0] == 'i' || type[0] == 'u') &&
           (strcmp(type + 1, "32") == 0 || strcmp(type + 1, "64") == 0);
}

/* The argument of the launch that begins at token i is a parameter of the kernel: that one's name. */
static bool write_argument(writing *w, size_t *i, size_t end)
{
    const atx_draft *d = w->d;
    const atx_tokens *t = &d->code;
    for (int k = 0; k < d->arg_count && k < d->launch.arg_count && w->t == t; k++) {
        const size_t begin = d->launch.args[k][0], n = d->launch.args[k][1] - begin;
        bool same = d->args[k].stars == 0 && n > 0 && *i + n <= end && atx_tokens_is_word(t, begin) &&
                    is_size(&d->args[k]) && !d->args[k].own;
        for (size_t j = 0; j < n && same; j++)
            same = atx_code_same(t, begin + j, *i + j);
        if (same && !(n == 1 && (atx_tokens_is(t, *i + 1, ".") || atx_tokens_is(t, *i + 1, "(")))) {
            atx_str_add(w->out, d->args[k].name);
            *i += n;
            return true;
        }
    }
    return false;
}

/* Whether the block's size is called so. */
static bool is_block(const atx_draft *d, const char *name)
{
    for (int k = 0; k < 3 * ATX_DRAFT_ALIASES; k++)
        if (d->block_from[k / ATX_DRAFT_ALIASES][k % ATX_DRAFT_ALIASES][0] &&
            strcmp(d->block_from[k / ATX_DRAFT_ALIASES][k % ATX_DRAFT_ALIASES], name) == 0)
            return true;
    return false;
}

/* The counter of a loop around the launch; but not of one that tries sizes of a block. */
static bool write_counter(writing *w, size_t *i)
{
    const atx_draft_loop *loop = w->t == &w->d->code ? atx_draft_find_counter(w->d, *i) : NULL;
    if (!loop || is_block(w->d, loop->counter))
        return false;
    const bool one = strcmp(loop->value, loop->name) == 0;
    atx_str_addf(w->out, one ? "%s" : "(%s)", loop->value);
    ++*i;
    return true;
}

/* "p.n" of a struct that is passed by value, or the "n" that p = { n } sets it to: the size that this field
 * is.
 */
static bool write_field(writing *w, size_t *i)
{
    const atx_draft *d = w->d;
    const atx_tokens *t = &d->code;
    char name[ATX_MAX_WORD];
    const bool member = atx_tokens_is(t, *i + 1, ".");
    if (w->t != t || atx_tokens_is(t, *i + 1, "("))
        return false;
    atx_draft_word(name, t, *i);
    for (int k = 0; k < d->arg_count && k < d->launch.arg_count; k++) {
        const size_t at = d->launch.args[k][0];
        if (!d->args[k].structure || d->launch.args[k][1] != at + 1 ||
            (member && !atx_tokens_is(t, at, name)))
            continue;
        const atx_draft_struct *s = &d->structs[d->args[k].structure - 1];
        for (int n = 0; n < s->field_count; n++) {
            const atx_draft_field *f = &s->fields[n];
            const bool same =
                member ? atx_tokens_is(t, *i + 2, f->name)
                       : f->given.end == f->given.begin + 1 && atx_tokens_is(t, f->given.begin, name);
            if (!same || !f->value[0] || !atx_tokens_is_word(t, *i))
                continue;
            atx_str_add(w->out, f->value);
            *i += member ? 3 : 1;
            return true;
        }
    }
    return false;
}

static bool write_call(writing *w, const char *name, size_t open)
{
    atx_str_addf(w->out, "%s(", name);
    bool good = write_span(w, atx_host_nth(w->t, open, 0));
    atx_str_add(w->out, ", ");
    good = good && write_span(w, atx_host_nth(w->t, open, 1));
    atx_str_add(w->out, ")");
    return good;
}

static bool is_real(const atx_tokens *t, atx_span span)
{
    while (span.begin < span.end && !atx_tokens_is(t, span.begin, "float") &&
           !atx_tokens_is(t, span.begin, "double"))
        span.begin++;
    return span.begin < span.end;
}

/* Rounded up: (float)a / b, a / 256.0f, ((double)a / b) / c; (float)a */
static bool write_ratio(writing *w, atx_span span)
{
    const atx_tokens *t = w->t;
    while (atx_tokens_is(t, span.begin, "(") && atx_tokens_match(t, span.begin) + 1 == span.end)
        span = (atx_span){ span.begin + 1, span.end - 1 };
    size_t slash = span.end;
    for (size_t at = span.begin; (at = atx_tokens_find(t, at, span.end, "/")) < span.end; at++)
        slash = at;
    const atx_span above = { span.begin, slash }, below = { slash + 1, span.end };
    if (slash == span.end)
        return write_span(w, span);
    if (atx_tokens_find(t, below.begin, below.end, "+") < below.end)
        return false;
    atx_str_add(w->out, "ceil_div(");
    bool good = is_real(t, above) ? write_ratio(w, above) : write_span(w, above);
    atx_str_add(w->out, ", ");
    good = good && write_span(w, below);
    atx_str_add(w->out, ")");
    return good;
}

/* A macro with arguments, or a function of the file that only returns: its body with what is given. */
static bool write_body(writing *w, const atx_tokens *t, size_t params, atx_span body, size_t open)
{
    writing inner = {
        .d = w->d, .out = w->out, .t = t, .depth = w->depth + 1, .axis = w->axis, .grid = w->grid, .outer = w
    };
    const size_t end = atx_tokens_match(t, params);
    for (size_t at = params + 1; at < end && inner.given_count < 8;) {
        const size_t comma = atx_code_comma(t, at, end);
        const size_t word = atx_tokens_find(t, at, comma, "=") - 1;
        inner.given[inner.given_count] = atx_host_nth(w->t, open, inner.given_count);
        atx_draft_word(inner.params[inner.given_count++], t, word);
        at = comma + 1;
    }
    atx_str_add(w->out, "(");
    const bool good = w->depth < MOST_DEPTH && write_span(&inner, body);
    atx_str_add(w->out, ")");
    return good;
}

static bool write_function(writing *w, const char *name, size_t open)
{
    const atx_draft_macro *macro = atx_draft_find_macro(w->d, name);
    const atx_draft_function *f = atx_draft_find_function(w->d, name);
    const atx_span second = atx_host_nth(w->t, open, 1), third = atx_host_nth(w->t, open, 2);
    const int args = second.begin >= second.end ? 0 : third.begin >= third.end ? 1 : 2;
    const bool least = strcmp(name, "min") == 0 || strcmp(name, "MIN") == 0;
    if (args == 1 && (least || strcmp(name, "max") == 0 || strcmp(name, "MAX") == 0))
        return write_call(w, least ? "min" : "max", open);
    if (args == 1 && atx_host_divides_up(name))
        return write_call(w, "ceil_div", open);
    if (strcmp(name, "ceil") == 0 || strcmp(name, "ceilf") == 0)
        return write_ratio(w, (atx_span){ open + 1, atx_tokens_match(w->t, open) });
    if (macro && macro->open)
        return write_body(w, &w->d->all, macro->open, macro->body, open);
    if (f && atx_tokens_is(&w->d->code, f->body + 1, "return")) {
        const size_t end = atx_tokens_find(&w->d->code, f->body + 2, f->end, ";");
        if (end + 1 == f->end)
            return write_body(w, &w->d->code, f->open, (atx_span){ f->body + 2, end }, open);
    }
    return false;
}

/* sizeof(float) */
static bool write_sizeof(writing *w, size_t open)
{
    atx_draft_type type;
    atx_dtype dtype;
    at_error ignored;
    if (w->t != &w->d->code)
        return false;
    const size_t end = atx_tokens_match(w->t, open);
    atx_draft_type_of(&type, w->d, open + 1, end);
    if (type.targ >= 0 || (!type.dtype && strlen(type.name) == 1)) {
        atx_str_add(w->out, "sizeof(T)");
        return true;
    }
    if (!type.dtype || atx_dtype_parse(&dtype, type.dtype, strlen(type.dtype), &ignored) != AT_OK)
        return false;
    atx_str_addf(w->out, "%d", atx_dtype_bytes(dtype) * type.lanes);
    return true;
}

/* A component of a dim3, or the value of a name. *i is behind it afterwards. */
static bool write_value(writing *w, const char *name, atx_span value, size_t *i)
{
    const atx_tokens *t = &w->d->code;
    writing inner = {
        .d = w->d, .out = w->out, .t = t, .depth = w->depth + 1, .axis = w->axis, .grid = w->grid
    };
    if (w->depth >= MOST_DEPTH || !name[0])
        return false;
    if (atx_tokens_is(w->t, *i, ".")) {
        char axis[ATX_MAX_WORD];
        atx_draft_word(axis, w->t, *i + 1);
        size_t open = value.begin > 0 ? value.begin - 1 : 0;
        if (atx_tokens_is(t, value.begin, "dim3"))
            open = value.begin + 1;
        if (!(atx_tokens_is(t, open, "(") || atx_tokens_is(t, open, "{")) || !axis[0] ||
            !strchr("xyz", axis[0]) || axis[1])
            return false;
        const atx_span part = atx_host_nth(t, open, axis[0] - 'x');
        *i += 2;
        if (part.begin >= part.end)
            atx_str_add(w->out, "1");
        return part.begin >= part.end || write_span(&inner, part);
    }
    const bool one = value.end == value.begin + 1;
    atx_str_add(w->out, one ? "" : "(");
    const bool good = write_span(&inner, value);
    atx_str_add(w->out, one ? "" : ")");
    return good;
}

/* Of the draft's own block parameters: where the host has the same name; that of this direction before
 * others. */
static bool write_block(writing *w, const char *name)
{
    const atx_draft *d = w->d;
    for (int n = 0; n < 4; n++) {
        const int k = n ? n - 1 : w->axis;
        for (int a = 0; a < ATX_DRAFT_ALIASES; a++)
            if (d->block[k][0] && (d->block_param[k][0] || d->block_as[k][0]) && d->block_from[k][a][0] &&
                strcmp(d->block_from[k][a], name) == 0) {
                atx_str_add(w->out, d->block_as[k][0] ? d->block_as[k] : d->block_param[k]);
                return true;
            }
    }
    return false;
}

/* block.x, where `block` is what the launch has: its size in the draft. */
static bool write_dimension(writing *w, size_t *i)
{
    const atx_draft *d = w->d;
    const atx_tokens *t = &d->code;
    const size_t from = d->launch.config[1][0];
    char axis[ATX_MAX_WORD];
    atx_draft_word(axis, t, *i + 2);
    if (w->t != t || d->launch.config[1][1] != from + 1 || !atx_tokens_is(t, *i + 1, ".") || axis[0] < 'x' ||
        axis[0] > 'z' || axis[1] || !atx_code_same(t, from, *i))
        return false;
    const char *size = d->block[axis[0] - 'x'];
    atx_str_addf(w->out, strpbrk(size, " +-") ? "(%s)" : "%s", size[0] ? size : "1");
    *i += 3;
    return true;
}

/* Whether it is a parameter of the function that launches: TYPE name, or TYPE name). */
static bool is_parameter(const atx_draft *d, const char *name)
{
    const atx_tokens *t = &d->code;
    for (size_t i = d->launch.at; i-- > 1;) {
        if (atx_tokens_is(t, i, "}") && t->items[i].pair < i)
            i = t->items[i].pair;
        if (atx_tokens_is(t, i, name) && (atx_tokens_is(t, i + 1, ",") || atx_tokens_is(t, i + 1, ")")) &&
            atx_draft_is_type_word(t, i - 1))
            return true;
        if (atx_tokens_is(t, i, ";") && i && atx_tokens_is(t, i - 1, "}"))
            return false;
    }
    return false;
}

/* Whether a value comes from outside: atoi(argv[1]). */
static bool is_read(const atx_tokens *t, atx_span value)
{
    static const char *const READS[] = { "atoi",  "atol",   "atoll",   "stoi",     "stol", "stoul",
                                         "stoll", "strtol", "strtoul", "strtoull", "argv", NULL };
    for (size_t i = value.begin; i < value.end; i++)
        if (atx_token_is_one_of(t->text, &t->items[i], READS))
            return true;
    return false;
}

/* A size that the host alone has, as of rows that are a block each. */
static bool write_extra(writing *w, const char *name, size_t at, size_t next)
{
    static const char *const LAUNCHES[] = { "block", "grid", "thread", "sm", "warp" };
    bool launches = false;
    for (size_t k = 0; k < sizeof LAUNCHES / sizeof *LAUNCHES; k++)
        launches = launches || atx_host_contains(name, LAUNCHES[k]);
    atx_draft *d = w->grid;
    if (!d || w->t != &d->code || launches || atx_tokens_is(w->t, next, ".") ||
        atx_tokens_is(w->t, next, "->") || atx_tokens_is(w->t, next, "[") ||
        (at && (atx_tokens_is(w->t, at - 1, ".") || atx_tokens_is(w->t, at - 1, "->"))))
        return false;
    int k = 0;
    while (k < d->extra_count && strcmp(d->extra[k], name) != 0)
        k++;
    if (k == ATX_DRAFT_EXTRA)
        return false;
    if (k == d->extra_count) {
        atx_draft_free_name(d->extra_name[k], d, name);
        snprintf(d->extra[k], sizeof d->extra[k], "%s", name);
        d->extra_count++;
    }
    atx_str_add(w->out, d->extra_name[k]);
    return true;
}

static bool write_name(writing *w, size_t *i, size_t end)
{
    const atx_draft *d = w->d;
    char name[ATX_MAX_WORD];
    atx_span value;
    const size_t at = (*i)++;
    atx_draft_word(name, w->t, at);
    for (int k = 0; k < w->given_count; k++)
        if (strcmp(w->params[k], name) == 0) {
            writing outer = *w->outer;
            const bool one = w->given[k].end == w->given[k].begin + 1;
            atx_str_add(w->out, one ? "" : "(");
            const bool good = write_span(&outer, w->given[k]);
            atx_str_add(w->out, one ? "" : ")");
            return good;
        }
    while (atx_tokens_is(w->t, *i, "::") && atx_tokens_is_word(w->t, *i + 1)) {
        atx_draft_word(name, w->t, *i + 1);
        *i += 2;
    }
    if (write_block(w, name))
        return true;
    const atx_draft_param *param = atx_draft_given_param(d, name);
    if (param) {
        atx_str_add(w->out, atx_draft_param_line(param));
        return true;
    }
    if (atx_tokens_is(w->t, *i, "<") && atx_tokens_match(w->t, *i) < end)
        *i = atx_tokens_match(w->t, *i) + 1;
    if (atx_tokens_is(w->t, *i, "(")) {
        const size_t open = *i;
        *i = atx_tokens_match(w->t, open) + 1;
        if (strcmp(name, "sizeof") == 0)
            return write_sizeof(w, open);
        if (atx_draft_is_type_word(w->t, at) || strcmp(name, "static_cast") == 0) {
            atx_str_add(w->out, "(");
            const bool good = write_span(w, (atx_span){ open + 1, *i - 1 });
            atx_str_add(w->out, ")");
            return good;
        }
        return write_function(w, name, open);
    }
    if (atx_tokens_is(w->t, *i, ".") && atx_tokens_is(w->t, *i + 1, "multiProcessorCount")) {
        *i += 2;
        atx_str_add(w->out, "device.sms");
        return true;
    }
    const atx_draft_macro *macro = atx_draft_find_macro(d, name);
    if (macro && !macro->open && w->depth < MOST_DEPTH) {
        writing inner = {
            .d = d, .out = w->out, .t = &d->all, .depth = w->depth + 1, .axis = w->axis, .grid = w->grid
        };
        const bool one = macro->body.end == macro->body.begin + 1;
        atx_str_add(w->out, one ? "" : "(");
        const bool good = write_span(&inner, macro->body);
        atx_str_add(w->out, one ? "" : ")");
        return good;
    }
    const size_t before = w->t == &d->code ? at : d->launch.at;
    const bool defined = atx_draft_definition(&value, d, name, before);
    if (defined && !(w->grid && is_read(&d->code, value)))
        return write_value(w, name, value, i);
    long number = 0;
    if (!defined && w->t == &d->code && atx_draft_number(&number, d, w->t, (atx_span){ at, at + 1 })) {
        atx_str_add_int(w->out, number);
        return true;
    }
    return (defined || is_parameter(d, name)) && write_extra(w, name, at, *i);
}

/* (n + 255) / 256 of 256 threads, wherever the launch has their number from; of the other directions of
 * blocks by numbers, too, where the kernel goes by them. */
static bool write_blocks(writing *w, size_t i, long value)
{
    const atx_tokens *t = w->t;
    for (int n = 0; n < 4 && i; n++) {
        const atx_draft *d = w->d;
        const int k = n ? n - 1 : w->axis;
        const long block = d->block_value[k];
        long by = 0;
        if (!d->block_param[k][0] || block < (n ? 2 : 32) ||
            (n && (!d->block_literal || block == d->block_value[w->axis] ||
                   !atx_draft_multiplies(d, w->axis, k, 0))))
            continue;
        const bool spelt = /* n + 256 - 1 */
            atx_tokens_is(t, i + 1, "-") && atx_draft_plain_number(&by, t, i + 2) && by == 1;
        const size_t end = i + (spelt ? 3 : 1);
        const bool up = atx_tokens_is(t, end, ")") && atx_tokens_is(t, end + 1, "/") &&
                        atx_draft_plain_number(&by, t, end + 2) && by == block;
        const bool whole = value == block && (atx_tokens_is(t, i - 1, "/") || (spelt && up));
        if (whole || (value == block - 1 && up && !spelt)) {
            atx_str_addf(w->out, whole ? "%s" : "(%s - 1)", d->block_param[k]);
            return true;
        }
    }
    return false;
}

/* "256", "256.0f" as 256 */
static bool write_number(writing *w, size_t i)
{
    char text[ATX_MAX_WORD], *end;
    long value = 0;
    if (!atx_draft_plain_number(&value, w->t, i)) {
        atx_draft_word(text, w->t, i);
        value = strtol(text, &end, 10);
        if (end == text || end[0] != '.' || end[1 + strspn(end + 1, "0fF")])
            return false;
    }
    const int k = w->axis;
    if (write_blocks(w, i, value))
        return true;
    const char *divisor = atx_draft_divisor(w->d, w->t, i, k, value);
    if (divisor) {
        atx_str_addf(w->out, "(%s - 1)", divisor);
        return true;
    }
    if (w->d->block_as[k][0] && value == w->d->block_value[k]) {
        atx_str_add(w->out, w->d->block_as[k]);
        return true;
    }
    if (w->d->block_param[k][0] && w->d->block_literal && w->d->block_value[k] > 1) {
        if (value == w->d->block_value[k]) {
            atx_str_add(w->out, w->d->block_param[k]);
            return true;
        }
        const bool less = atx_tokens_is(w->t, i + 1, ")") && atx_tokens_is(w->t, i + 2, "/");
        long by = 0, one = 0, whole = value;
        const bool spelt = atx_tokens_is(w->t, i + 1, "-") && atx_draft_plain_number(&one, w->t, i + 2) &&
                           one == 1 && atx_tokens_is(w->t, i + 3, ")") && atx_tokens_is(w->t, i + 4, "/");
        const bool over = i && atx_tokens_is(w->t, i - 1, "/");
        const bool up = (less || spelt) && atx_draft_plain_number(&by, w->t, i + (less ? 3 : 5));
        whole += less && up && !over;
        const long times = whole / w->d->block_value[k];
        if ((over || (up && by == whole)) && whole == times * w->d->block_value[k] && times < 32 &&
            (over || times > 1) && /* n / 512, (n + 511) / 512, (n + 512 - 1) / 512 of 256 threads */
            !atx_draft_multiplies(w->d, k, -1, whole)) {
            atx_str_addf(w->out, over || spelt ? "(%s * %ld)" : "(%s * %ld - 1)", w->d->block_param[k],
                         times);
            return true;
        }
        if (value == w->d->block_value[k] - 1 && value > 2) {
            atx_str_addf(w->out, "(%s - 1)", w->d->block_param[k]);
            return true;
        }
    }
    atx_str_addf(w->out, "%ld", value);
    return true;
}

/* A cast is left out: (int)x, (unsigned long)(x) */
static bool is_cast(const atx_tokens *t, size_t open)
{
    const size_t close = atx_tokens_match(t, open);
    bool cast = close < t->count && close > open + 1;
    for (size_t k = open + 1; k < close && cast; k++)
        cast = atx_draft_is_type_word(t, k);
    return cast;
}

/* Before an operand ( and signs may stand, behind one ) and operators. */
static bool fits_sign(const char *sign, bool behind)
{
    return sign[0] == '(' ? !behind : behind || sign[0] == '-' || sign[0] == '+';
}

static bool write_operand(writing *w, size_t *i, size_t end)
{
    if (w->t->items[*i].kind == ATX_TOKEN_NUMBER)
        return write_number(w, (*i)++);
    return atx_tokens_is_word(w->t, *i) &&
           (write_counter(w, i) || write_argument(w, i, end) || write_field(w, i) || write_dimension(w, i) ||
            write_name(w, i, end));
}

static bool write_span(writing *w, atx_span span)
{
    static const char *const SIGNS[] = { "+",  "-",  "*", "/", "%", "<", ">", "<=", ">=", "==", "!=",
                                         "&&", "||", "?", ":", "(", ")", "&", "|",  "<<", ">>", NULL };
    const atx_tokens *t = w->t;
    bool behind = false; /* an operand */
    int open = 0;
    if (w->out->len > MOST_TEXT)
        return false;
    for (size_t i = span.begin; i < span.end;) {
        if (w->out->len && !strchr(" (", w->out->data[w->out->len - 1]) && i > span.begin &&
            !atx_tokens_is(t, i, ")"))
            atx_str_add(w->out, " ");
        if (atx_tokens_is(t, i, "(") && is_cast(t, i)) {
            i = atx_tokens_match(t, i) + 1;
        } else if (atx_token_is_one_of(t->text, &t->items[i], SIGNS)) {
            char sign[ATX_MAX_WORD];
            atx_draft_word(sign, t, i++);
            open += (sign[0] == '(') - (sign[0] == ')');
            if (open < 0 || !fits_sign(sign, behind))
                return false;
            atx_str_add(w->out, sign);
            behind = sign[0] == ')';
        } else {
            if (behind || !write_operand(w, &i, span.end))
                return false;
            behind = true;
        }
    }
    return behind && open == 0 && w->out->len <= MOST_TEXT;
}

/* Where the bracket at `open` is closed. */
static size_t closing(const char *text, size_t open)
{
    int depth = 0;
    for (size_t i = open; text[i]; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (!depth)
            return i;
    }
    return open;
}

/* Without brackets around a name, or around all: ((n) + 1) as n + 1. */
static void tidy(char *text)
{
    for (size_t i = 0; text[i]; i++) {
        const size_t close = text[i] == '(' ? closing(text, i) : i;
        bool plain = close > i + 1 && (i == 0 || !atx_is_word_part(text[i - 1]));
        const bool all = i == 0 && !text[close + 1];
        for (size_t k = i + 1; k < close && plain && !all; k++)
            plain = atx_is_word_part(text[k]);
        if (!plain || close == i)
            continue;
        memmove(text + close, text + close + 1, strlen(text + close));
        memmove(text + i, text + i + 1, strlen(text + i));
        i -= i > 0;
    }
}

static bool write_all(writing *w, atx_span span)
{
    atx_str *out = w->out;
    const size_t before = out->len;
    if (write_span(w, span) && !out->failed) {
        tidy(out->data + before);
        out->len = strlen(out->data);
        return true;
    }
    if (out->data) {
        out->len = before;
        out->data[before] = '\0';
    }
    return false;
}

bool atx_draft_expression(atx_str *out, const atx_draft *d, atx_span span, int axis)
{
    writing w = { .d = d, .out = out, .t = &d->code, .axis = axis };
    return write_all(&w, span);
}

bool atx_draft_grid(atx_str *out, atx_draft *d, atx_span span, int axis)
{
    const int before = d->extra_count;
    writing w = { .d = d, .out = out, .t = &d->code, .axis = axis, .grid = d };
    const bool good = write_all(&w, span);
    d->extra_count = good ? d->extra_count : before;
    return good;
}
