/*
 * cut_fold.c - takes branches away that a configuration does not take.
 *
 * In a definition's text the first `if` is looked for whose condition constants decide, wholly or in part: of
 * a list of || or && the operands that are known go. The statement is edited, and the text read again, until
 * nothing is left to do. Only what is certain is done: a name that the definition may declare itself is no
 * constant there, a condition is evaluated only where 64-bit integers give what C++ does, labels are never
 * removed, and a block keeps its braces when what it declares could meet a name outside. So the text means
 * what it meant; at worst it is longer than it needs to be.
 */
#include "exchange/cut_fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lang/expr.h"

enum { MAX_FOLDS = 500, MAX_NESTING = 60 };

/* ---- values ---- */

static const at__cut_constant *find_constant(const at__cut_constants *known, const char *name, size_t len)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->items[i].len == len && memcmp(known->items[i].name, name, len) == 0)
            return &known->items[i];
    return NULL;
}

/* What the expression needs to be the same in int, unsigned and 64 bits. */
typedef struct reading {
    at__str text;
    double reach;   /* no product or sum of its numbers is larger */
    bool unsigned_; /* has an unsigned number */
    bool falls;     /* may go below zero */
    bool grows;
} reading;

static void add_number(reading *r, int64_t value)
{
    at__str_addf(&r->text, "(%" PRId64 ")", value);
    r->reach *= 2 + (value < 0 ? -(double)value : (double)value);
    r->falls |= value < 0;
}

/* Digits, perhaps with L or LL behind them. */
static bool add_literal(reading *r, const char *digits, size_t len)
{
    int64_t value = 0;
    size_t n = 0;
    for (; n < len && digits[n] >= '0' && digits[n] <= '9'; n++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digits[n] - '0', &value))
            return false;
    if ((n > 1 && digits[0] == '0') || len - n > 2)
        return false;
    for (size_t i = n; i < len; i++)
        if (digits[i] != 'L')
            return false;
    add_number(r, value);
    return true;
}

static void add_sign(reading *r, const char *sign, size_t len)
{
    at__str_add(&r->text, " ");
    at__str_add_bytes(&r->text, sign, len);
    r->falls |= *sign == '-' || *sign == '~';
    r->grows |= len == 1 && strchr("+-*~", *sign);
}

/* "sizeof(T)", with "(int)" before it or not; returns how many tokens, 0: none. */
static size_t add_sizeof(reading *r, const at__cut_tokens *t, size_t i, const at__cut_constants *known)
{
    size_t cast = at__cut_is(t, i, "(") && at__cut_is(t, i + 1, "int") && at__cut_is(t, i + 2, ")") ? 3 : 0;
    size_t at = i + cast;
    if (!known->type_bytes || !at__cut_is(t, at, "sizeof") || !at__cut_is(t, at + 1, "(") ||
        !at__cut_is(t, at + 2, "T") || !at__cut_is(t, at + 3, ")"))
        return 0;
    add_number(r, known->type_bytes);
    r->unsigned_ |= !cast;
    return cast + 4;
}

static bool add_token(reading *r, const at__cut_tokens *t, size_t i, const at__cut_constants *known)
{
    const char *text = t->text + t->items[i].begin;
    size_t len = t->items[i].end - t->items[i].begin;
    const at__cut_constant *c;
    switch (t->items[i].kind) {
    case AT__CUT_WORD:
        if (at__cut_is(t, i, "true") || at__cut_is(t, i, "false"))
            add_number(r, *text == 't');
        else if ((c = find_constant(known, text, len)) != NULL)
            add_number(r, c->value);
        else
            return false;
        return true;
    case AT__CUT_NUMBER:
        return add_literal(r, text, len);
    case AT__CUT_SIGN:
        add_sign(r, text, len);
        return !at__cut_is(t, i, "<<");
    default:
        return false;
    }
}

bool at__cut_value(int64_t *value, const at__cut_tokens *t, size_t begin, size_t end,
                   const at__cut_constants *known)
{
    reading r = { .reach = 1 };
    at__expr *expr = NULL;
    bool good = begin < end;
    for (size_t i = begin; i < end && good; i++) {
        size_t used = add_sizeof(&r, t, i, known);
        good = used ? i + used <= end : add_token(&r, t, i, known);
        i += used ? used - 1 : 0;
    }
    good = good && !r.text.failed && !(r.unsigned_ && r.falls) && !(r.grows && r.reach >= 2147483648.0);
    if (good)
        good = at__expr_compile(&expr, at__str_text(&r.text), r.text.len, &(at__scope){ 0 },
                                (at__where){ .file = "" }, NULL) == AT_OK &&
               at__expr_eval(value, expr, NULL, NULL) == AT_OK;
    at__expr_close(expr);
    at__str_clear(&r.text);
    return good;
}

/* ---- conditions ---- */

typedef enum truth { FALSE, TRUE, UNKNOWN } truth;

/* The next sign at this depth between begin and end, or end. */
static size_t find_sign(const at__cut_tokens *t, size_t begin, size_t end, const char *sign)
{
    for (size_t i = begin; i < end; i++) {
        if (at__cut_is(t, i, sign))
            return i;
        if (at__cut_is(t, i, "(") || at__cut_is(t, i, "[") || at__cut_is(t, i, "{")) {
            i = at__cut_match(t, i);
            if (i >= end)
                return end;
        }
    }
    return end;
}

static void add_range(at__str *out, const at__cut_tokens *t, size_t begin, size_t end)
{
    if (begin < end)
        at__str_add_bytes(out, t->text + t->items[begin].begin,
                          t->items[end - 1].end - t->items[begin].begin);
}

static truth simplify(at__str *out, bool *changed, const at__cut_tokens *t, size_t begin, size_t end,
                      const at__cut_constants *known, int depth);

/* A list of operands, joined by `sign`; `rules` is what one operand decides alone. */
static truth simplify_list(at__str *out, bool *changed, int *left, const at__cut_tokens *t, size_t begin,
                           size_t end, const char *sign, truth rules, const at__cut_constants *known,
                           int depth)
{
    bool dropped = false;
    *left = 0;
    for (size_t at = begin; at <= end;) {
        size_t stop = find_sign(t, at, end, sign);
        at__str one = { 0 };
        truth value = simplify(&one, changed, t, at, stop, known, depth);
        if (value == UNKNOWN) {
            if (*left)
                at__str_addf(out, " %s ", sign);
            at__str_add(out, at__str_text(&one));
            ++*left;
        }
        out->failed |= one.failed;
        at__str_clear(&one);
        if (value == rules && *left == 0) /* before it nothing is evaluated that matters */
            return rules;
        if (value == rules) { /* what is before it is evaluated first */
            at__str_addf(out, " %s %s", sign, rules == TRUE ? "true" : "false");
            ++*left;
            return UNKNOWN;
        }
        dropped |= value != UNKNOWN;
        at = stop + 1;
    }
    *changed |= dropped;
    return *left ? UNKNOWN : rules == TRUE ? FALSE : TRUE;
}

static truth simplify(at__str *out, bool *changed, const at__cut_tokens *t, size_t begin, size_t end,
                      const at__cut_constants *known, int depth)
{
    int64_t value;
    int left = 0;
    bool inner = false;
    if (begin >= end || depth > MAX_NESTING || find_sign(t, begin, end, "?") < end ||
        find_sign(t, begin, end, ",") < end) {
        add_range(out, t, begin, end);
        return UNKNOWN;
    }
    if (at__cut_value(&value, t, begin, end, known))
        return value ? TRUE : FALSE;
    const bool either = find_sign(t, begin, end, "||") < end;
    if (either || find_sign(t, begin, end, "&&") < end) {
        at__str list = { 0 };
        truth found = simplify_list(&list, &inner, &left, t, begin, end, either ? "||" : "&&",
                                    either ? TRUE : FALSE, known, depth + 1);
        out->failed |= list.failed;
        if (found == UNKNOWN && inner)
            at__str_add(out, at__str_text(&list));
        else if (found == UNKNOWN) /* with its own line ends */
            add_range(out, t, begin, end);
        at__str_clear(&list);
        *changed |= inner;
        return found;
    }
    if (at__cut_is(t, begin, "(") && at__cut_match(t, begin) == end - 1) {
        at__str within = { 0 };
        truth found = simplify(&within, &inner, t, begin + 1, end - 1, known, depth + 1);
        out->failed |= within.failed;
        if (found == UNKNOWN && inner && !strstr(at__str_text(&within), "||") &&
            !strstr(at__str_text(&within), "&&"))
            at__str_add(out, at__str_text(&within)); /* one operand is left */
        else if (found == UNKNOWN)
            at__str_addf(out, "(%s)", at__str_text(&within));
        at__str_clear(&within);
        *changed |= inner;
        return found;
    }
    add_range(out, t, begin, end);
    return UNKNOWN;
}

/* ---- statements ---- */

/* Past the statement at i; SIZE_MAX where it is none that is known. */
static size_t statement_end(const at__cut_tokens *t, size_t i, int depth)
{
    if (i >= t->count || depth > MAX_NESTING)
        return SIZE_MAX;
    if (t->items[i].kind == AT__CUT_DIRECTIVE)
        return at__cut_directive_is(t, i, "pragma") ? statement_end(t, i + 1, depth + 1) : SIZE_MAX;
    if (at__cut_is(t, i, "{")) {
        size_t end = at__cut_match(t, i);
        return end < t->count ? end + 1 : SIZE_MAX;
    }
    if (at__cut_is(t, i, "if") || at__cut_is(t, i, "for") || at__cut_is(t, i, "while") ||
        at__cut_is(t, i, "switch")) {
        size_t open = i + 1 + at__cut_is(t, i + 1, "constexpr");
        size_t close = at__cut_is(t, open, "(") ? at__cut_match(t, open) : t->count;
        size_t end = statement_end(t, close + 1, depth + 1);
        if (end == SIZE_MAX || !at__cut_is(t, i, "if") || !at__cut_is(t, end, "else"))
            return end;
        return statement_end(t, end + 1, depth + 1);
    }
    if (at__cut_is(t, i, "do") || at__cut_is(t, i, "else") || at__cut_is(t, i, "}"))
        return SIZE_MAX;
    for (; i < t->count && !at__cut_is(t, i, ";"); i++) {
        if (t->items[i].kind == AT__CUT_DIRECTIVE || at__cut_is(t, i, "}"))
            return SIZE_MAX;
        if (at__cut_is(t, i, "(") || at__cut_is(t, i, "[") || at__cut_is(t, i, "{"))
            i = at__cut_match(t, i);
    }
    return i < t->count ? i + 1 : SIZE_MAX;
}

/* Labels may be jumped to; conditional code may open what other code closes. */
static bool may_go(const at__cut_tokens *t, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (at__cut_is(t, i, "case") || at__cut_is(t, i, "default") ||
            (t->items[i].kind == AT__CUT_DIRECTIVE && !at__cut_directive_is(t, i, "pragma")))
            return false;
        if (at__cut_is(t, i, ":") && i >= 2 && at__cut_is_word(t, i - 1) &&
            (at__cut_is(t, i - 2, ";") || at__cut_is(t, i - 2, "{") || at__cut_is(t, i - 2, "}")))
            return false;
    }
    return true;
}

/* Is a word at i one that a declaration may introduce there? */
static bool may_declare(const at__cut_tokens *t, size_t i)
{
    static const char *const BEFORE[] = { "*", "&", ">", ",", ">>", "&&" };
    static const char *const AFTER[] = { "=", ";", ",", "[", "(", "{", ":", ")" };
    bool before = i && at__cut_is_word(t, i - 1), after = false;
    if (!at__cut_is_word(t, i) || (i && at__cut_is(t, i - 1, "return")))
        return false;
    for (size_t k = 0; i && k < sizeof BEFORE / sizeof *BEFORE; k++)
        before = before || at__cut_is(t, i - 1, BEFORE[k]);
    for (size_t k = 0; k < sizeof AFTER / sizeof *AFTER; k++)
        after = after || at__cut_is(t, i + 1, AFTER[k]);
    return before && after;
}

static bool same_word(const at__cut_tokens *t, size_t a, size_t b)
{
    size_t n = t->items[a].end - t->items[a].begin;
    return t->items[b].kind == AT__CUT_WORD && t->items[b].end - t->items[b].begin == n &&
           memcmp(t->text + t->items[a].begin, t->text + t->items[b].begin, n) == 0;
}

/* Would the names of a block meet others of the function without its braces? */
static bool is_apart(const at__cut_tokens *t, size_t open, size_t close)
{
    int depth = 0;
    for (size_t i = open + 1; i < close; i++) {
        depth += at__cut_is(t, i, "{") - at__cut_is(t, i, "}");
        if (depth || !may_declare(t, i))
            continue;
        for (size_t k = 0; k < t->count; k++)
            if ((k < open || k > close) && same_word(t, i, k) && may_declare(t, k))
                return false;
    }
    return true;
}

/* ---- editing ---- */

static size_t line_start(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t indent_of(const char *text, size_t at)
{
    return strspn(text + line_start(text, at), " ");
}

/* Text with up to `by` blanks less at the beginning of each line but the first. */
static void add_dedented(at__str *out, const char *text, size_t len, size_t by)
{
    for (const char *end = text + len; text < end;) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        const char *next = line ? line + 1 : end;
        at__str_add_bytes(out, text, (size_t)(next - text));
        for (size_t n = 0; n < by && next < end && *next == ' '; n++)
            next++;
        text = next;
    }
}

typedef struct span {
    size_t begin, end; /* of the text */
} span;

/* Does a token within the span go over a line end? Then its lines stay as they are. */
static bool has_long_token(const at__cut_tokens *t, span s)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].kind == AT__CUT_TEXT && t->items[i].begin >= s.begin && t->items[i].end <= s.end &&
            memchr(t->text + t->items[i].begin, '\n', t->items[i].end - t->items[i].begin))
            return true;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The branch that is taken, [first, end) of tokens, at the indentation of the `if`. */
static void add_branch(at__str *out, const at__cut_tokens *t, size_t first, size_t end, size_t indent,
                       bool bare)
{
    span s = { t->items[first].begin, t->items[end - 1].end };
    if (bare && at__cut_is(t, first, "{")) {
        s = (span){ t->items[first].end, t->items[end - 1].begin };
        while (s.begin < s.end && is_space(t->text[s.begin]))
            s.begin++;
        while (s.end > s.begin && is_space(t->text[s.end - 1]))
            s.end--;
    }
    size_t own = indent_of(t->text, s.begin);
    if (bare && t->items[first].begin < s.begin &&
        !memchr(t->text + t->items[first].begin, '\n', s.begin - t->items[first].begin)) {
        /* A comment behind the brace: the lines that follow tell the indentation. */
        const char *line = memchr(t->text + s.begin, '\n', s.end - s.begin);
        own = line ? strspn(line + 1, " ") : own;
    }
    size_t by = own > indent && !has_long_token(t, s) ? own - indent : 0;
    add_dedented(out, t->text + s.begin, s.end - s.begin, by);
}

/* Replaces a span. Without a replacement its whole lines go, if nothing else is on them. */
static void splice(at__str *text, span s, const char *by)
{
    at__str out = { 0 };
    const char *old = at__str_text(text);
    if (!*by) {
        size_t start = line_start(old, s.begin), end = s.end;
        while (end < text->len && (old[end] == ' ' || old[end] == '\t'))
            end++;
        bool alone = start + strspn(old + start, " \t") >= s.begin && (end == text->len || old[end] == '\n');
        if (alone)
            s = (span){ start, end < text->len ? end + 1 : end };
        while (alone && s.begin >= 2 && old[s.begin - 1] == '\n' && old[s.begin - 2] == '\n' &&
               (old[s.end] == '\n' || old[s.end + strspn(old + s.end, " ")] == '}'))
            s.begin--;
    }
    at__str_add_bytes(&out, old, s.begin);
    at__str_add(&out, by);
    at__str_add_bytes(&out, old + s.end, text->len - s.end);
    at__str_clear(text);
    *text = out;
}

/* From the comments that stand right above a place on lines of their own. */
static size_t with_comments_above(const at__str *text, size_t begin)
{
    at__cut_tokens t;
    if (!at__cut_lex(&t, at__str_text(text), text->len, true))
        return begin;
    size_t i = 0;
    while (i < t.count && t.items[i].begin < begin)
        i++;
    for (; i > 0 && t.items[i - 1].kind == AT__CUT_COMMENT; i--) {
        const at__cut_token *c = &t.items[i - 1];
        const char *gap = t.text + c->end;
        size_t lines = 0;
        for (; gap < t.text + begin; gap++)
            lines += *gap == '\n';
        size_t start = line_start(t.text, c->begin);
        if (lines != 1 || start + strspn(t.text + start, " ") != c->begin)
            break;
        begin = c->begin;
    }
    at__cut_tokens_clear(&t);
    return begin;
}

/* A comment behind a statement on its last line. */
static size_t with_comment_behind(const at__str *text, size_t end)
{
    const char *at = at__str_text(text) + end;
    const char *comment = at + strspn(at, " ");
    if (strncmp(comment, "//", 2) == 0)
        return end + (size_t)(comment - at) + strcspn(comment, "\n");
    const char *close = strncmp(comment, "/*", 2) == 0 ? strstr(comment + 2, "*/") : NULL;
    if (!close || memchr(comment, '\n', (size_t)(close - comment)))
        return end;
    close += 2;
    return close[strspn(close, " ")] == '\n' ? end + (size_t)(close - at) : end;
}

/* ---- one `if` ---- */

typedef struct branching {
    size_t begin, open, close; /* `if`, its parentheses */
    size_t yes, yes_end;       /* the statement behind */
    size_t no, no_end;         /* that behind `else`; equal when there is none */
} branching;

static bool read_branching(branching *b, const at__cut_tokens *t, size_t i)
{
    if (!at__cut_is(t, i, "if") || i == 0 || t->items[i - 1].kind == AT__CUT_TEXT)
        return false;
    b->begin = i;
    b->open = i + 1 + at__cut_is(t, i + 1, "constexpr");
    if (!at__cut_is(t, b->open, "("))
        return false;
    b->close = at__cut_match(t, b->open);
    if (find_sign(t, b->open + 1, b->close, ";") < b->close)
        return false;
    b->yes = b->close + 1;
    b->yes_end = statement_end(t, b->yes, 0);
    if (b->yes_end == SIZE_MAX)
        return false;
    b->no = b->no_end = b->yes_end;
    if (at__cut_is(t, b->yes_end, "else")) {
        b->no = b->yes_end + 1;
        b->no_end = statement_end(t, b->no, 0);
    }
    for (i = b->yes_end; i < t->count && t->items[i].kind == AT__CUT_DIRECTIVE; i++)
        ;
    /* An `else` that only some compilers see must keep its `if`. */
    return b->no_end != SIZE_MAX && (i == b->yes_end || !at__cut_is(t, i, "else"));
}

static bool starts_statement(const at__cut_tokens *t, size_t i)
{
    while (i && t->items[i - 1].kind == AT__CUT_DIRECTIVE && !at__cut_directive_is(t, i - 1, "pragma"))
        i--;
    return at__cut_is(t, i - 1, "{") || at__cut_is(t, i - 1, "}") || at__cut_is(t, i - 1, ";");
}

/* The `for` or `while` whose body starts at i, or 0. */
static size_t loop_of(const at__cut_tokens *t, size_t i)
{
    long depth = 0;
    for (size_t k = i; k-- > 0 && at__cut_is(t, i - 1, ")");) {
        depth += at__cut_is(t, k, ")") - at__cut_is(t, k, "(");
        if (depth == 0)
            return k && (at__cut_is(t, k - 1, "for") || at__cut_is(t, k - 1, "while")) ? k - 1 : 0;
    }
    return 0;
}

static bool is_control(const at__cut_tokens *t, size_t i)
{
    return at__cut_is(t, i, "if") || at__cut_is(t, i, "for") || at__cut_is(t, i, "while") ||
           at__cut_is(t, i, "switch") || t->items[i].kind == AT__CUT_DIRECTIVE;
}

/* A loop with the branch as its body: a block's brace goes to the loop's own line. */
static void take_loop_body(at__str *text, const at__cut_tokens *t, const branching *b, size_t first,
                           size_t end)
{
    span s = { t->items[b->begin].begin, t->items[b->no_end - 1].end };
    const size_t indent = indent_of(t->text, s.begin);
    at__str out = { 0 };
    if (at__cut_is(t, first, "{")) {
        const size_t loop = indent_of(t->text, t->items[b->begin - 1].begin);
        s.begin = t->items[b->begin - 1].end;
        at__str_add(&out, " ");
        add_dedented(&out, t->text + t->items[first].begin, t->items[end - 1].end - t->items[first].begin,
                     indent > loop ? indent - loop : 0);
    } else {
        add_branch(&out, t, first, end, indent, true);
    }
    text->failed |= out.failed;
    splice(text, s, at__str_text(&out));
    at__str_clear(&out);
}

/* Without the `if`, or without anything. */
static bool take_branch(at__str *text, const at__cut_tokens *t, const branching *b, bool yes)
{
    const size_t first = yes ? b->yes : b->no, end = yes ? b->yes_end : b->no_end;
    const bool after_else = at__cut_is(t, b->begin - 1, "else");
    const bool block = first < end && at__cut_is(t, first, "{");
    span s = { t->items[b->begin].begin, t->items[b->no_end - 1].end };
    at__str out = { 0 };

    const size_t loop = loop_of(t, b->begin);
    if (loop && first < end && (block || !is_control(t, first)) && may_go(t, b->no, b->no_end)) {
        take_loop_body(text, t, b, first, end);
        return true;
    }
    if (!starts_statement(t, b->begin) && !after_else)
        return false;
    if (!may_go(t, yes ? b->no : b->yes, yes ? b->no_end : b->yes_end))
        return false;
    if (first == end) {
        if (after_else)
            s.begin = t->items[b->begin - 2].end; /* with the `else` */
        else
            s = (span){ with_comments_above(text, s.begin), with_comment_behind(text, s.end) };
        splice(text, s, "");
        return true;
    }
    bool bare = block && !after_else && is_apart(t, first, end - 1);
    if (bare && first + 2 == end) /* an empty block */
        splice(text, s, "");
    else {
        add_branch(&out, t, first, end, indent_of(t->text, s.begin), bare || !block);
        text->failed |= out.failed;
        splice(text, s, at__str_text(&out));
    }
    at__str_clear(&out);
    return true;
}

/* "(a && b)" as a whole condition needs none. */
static void strip_parentheses(at__str *condition)
{
    at__cut_tokens t;
    if (condition->failed || !at__cut_lex(&t, at__str_text(condition), condition->len, false))
        return;
    if (t.count > 1 && at__cut_is(&t, 0, "(") && at__cut_match(&t, 0) == t.count - 1) {
        memmove(condition->data, condition->data + 1, condition->len - 2);
        condition->len -= 2;
        condition->data[condition->len] = '\0';
    }
    at__cut_tokens_clear(&t);
}

static bool fold_one(at__str *text, const at__cut_tokens *t, size_t i, const at__cut_constants *known)
{
    branching b;
    bool changed = false, done = false;
    at__str condition = { 0 };
    if (!read_branching(&b, t, i))
        return false;
    truth value = simplify(&condition, &changed, t, b.open + 1, b.close, known, 0);
    if (changed)
        strip_parentheses(&condition);
    text->failed |= condition.failed;
    if (value != UNKNOWN)
        done = take_branch(text, t, &b, value == TRUE);
    else if (changed) {
        splice(text, (span){ t->items[b.open].end, t->items[b.close].begin }, at__str_text(&condition));
        done = true;
    }
    at__str_clear(&condition);
    return done;
}

/* ---- a definition ---- */

/* A name that the definition may give another meaning: behind a type, or among a template's parameters. */
static bool is_hidden(const at__cut_tokens *t, const at__cut_constant *c)
{
    static const char *const NO_TYPES[] = { "return", "case", "else", "and", "or", "not", "goto" };
    for (size_t i = 1; i < t->count; i++) {
        const at__cut_token *word = &t->items[i];
        if (word->kind != AT__CUT_WORD || word->end - word->begin != c->len ||
            memcmp(t->text + word->begin, c->name, c->len) != 0)
            continue;
        bool type = at__cut_is_word(t, i - 1);
        for (size_t k = 0; k < sizeof NO_TYPES / sizeof *NO_TYPES; k++)
            type = type && !at__cut_is(t, i - 1, NO_TYPES[k]);
        bool pointer =
            (at__cut_is(t, i - 1, "*") || at__cut_is(t, i - 1, "&")) &&
            (at__cut_is(t, i + 1, ",") || at__cut_is(t, i + 1, ")")) &&
            (at__cut_is(t, i - 2, "T") || at__cut_is(t, i - 2, "int") || at__cut_is(t, i - 2, "auto"));
        if (type || pointer)
            return true;
    }
    return false;
}

static bool visible_constants(at__cut_constants *out, const at__cut_constants *known, const at__cut_tokens *t)
{
    *out = (at__cut_constants){ .type_bytes = known->type_bytes };
    for (size_t i = 0; i < known->count; i++) {
        if (is_hidden(t, &known->items[i]))
            continue;
        if (!at__grow(&out->items, &out->cap, out->count, sizeof *out->items))
            return false;
        out->items[out->count++] = known->items[i];
    }
    return true;
}

static bool has_word(const at__cut_tokens *t, const char *word)
{
    for (size_t i = 0; i < t->count; i++)
        if (at__cut_is(t, i, word))
            return true;
    return false;
}

/* `#if` and its `#endif` with nothing between them. */
static bool drop_empty(at__str *text, const at__cut_tokens *t, size_t i)
{
    if (!(at__cut_directive_is(t, i, "if") || at__cut_directive_is(t, i, "ifdef") ||
          at__cut_directive_is(t, i, "ifndef")) ||
        !at__cut_directive_is(t, i + 1, "endif"))
        return false;
    splice(text, (span){ t->items[i].begin, t->items[i + 1].end }, "");
    return true;
}

/* Does one thing. */
static bool fold_next(at__str *text, const at__cut_tokens *t, const at__cut_constants *visible)
{
    if (t->open || has_word(t, "enum") || has_word(t, "goto"))
        return false;
    for (size_t i = 1; i < t->count; i++)
        if (fold_one(text, t, i, visible) || drop_empty(text, t, i))
            return true;
    return false;
}

bool at__cut_fold(at__str *text, const at__cut_constants *known)
{
    at__cut_constants visible = { 0 };
    at__cut_tokens t = { 0 };
    bool good =
        at__cut_lex(&t, at__str_text(text), text->len, false) && visible_constants(&visible, known, &t);
    bool more = good;
    for (int n = 0; more && good && n < MAX_FOLDS; n++) {
        more = fold_next(text, &t, &visible);
        at__cut_tokens_clear(&t);
        good = !text->failed && at__cut_lex(&t, at__str_text(text), text->len, false);
    }
    at__cut_tokens_clear(&t);
    free(visible.items);
    return good;
}

/* ---- locals that nothing reads ---- */

/* Computing it does nothing else: no call, no assignment. */
static bool is_pure(const at__cut_tokens *t, size_t begin, size_t end)
{
    static const char *const NO[] = { "++", "--", "=",  "+=", "-=", "*=", "/=",
                                      "%=", "^=", "|=", "&=", "{",  "asm" };
    for (size_t i = begin; i < end; i++) {
        for (size_t k = 0; k < sizeof NO / sizeof *NO; k++)
            if (at__cut_is(t, i, NO[k]))
                return false;
        if (t->items[i].kind == AT__CUT_DIRECTIVE ||
            (at__cut_is_word(t, i) && at__cut_is(t, i + 1, "(") && !at__cut_is(t, i, "sizeof") &&
             !at__cut_is(t, i, "min") && !at__cut_is(t, i, "max")))
            return false;
    }
    return true;
}

typedef struct counting {
    const char *word;
    size_t len;
    int count;
} counting;

static void count_word(void *context, const char *word, size_t len)
{
    counting *c = context;
    c->count += c->len == len && memcmp(word, c->word, len) == 0;
}

static bool is_read(const at__cut_tokens *t, size_t name)
{
    counting c = { t->text + t->items[name].begin, t->items[name].end - t->items[name].begin, 0 };
    at__cut_each_word(t, 0, t->count, count_word, &c);
    return c.count > 1;
}

/* Are all declarators from `first` up to the ';' of the form "name = value"? */
static bool is_plain_list(const at__cut_tokens *t, size_t first, size_t last)
{
    for (; first < last; first = find_sign(t, first, last, ",") + 1)
        if (!at__cut_is_word(t, first) || !at__cut_is(t, first + 1, "="))
            return false;
    return last < t->count;
}

/* "const int a = x, b = y;" at i: takes away the first declarator that nothing reads, or the whole. */
static bool drop_local(at__str *text, const at__cut_tokens *t, size_t i)
{
    size_t first = i + 1;
    if ((!at__cut_is(t, i, "const") && !at__cut_is(t, i, "constexpr")) || !starts_statement(t, i))
        return false;
    while (at__cut_is_word(t, first + 1))
        first++;
    size_t last = find_sign(t, first, t->count, ";");
    if (first == i + 1 || !is_plain_list(t, first, last))
        return false;
    for (size_t at = first; at < last;) {
        size_t stop = find_sign(t, at, last, ",");
        if (!is_read(t, at) && is_pure(t, at + 2, stop)) {
            span s = { t->items[at].begin, t->items[stop].begin };
            if (at == first && stop == last)
                s = (span){ with_comments_above(text, t->items[i].begin),
                            with_comment_behind(text, t->items[last].end) };
            else if (stop == last)
                s.begin = t->items[at - 1].begin; /* with the comma before it */
            else
                s.end = t->items[stop + 1].begin;
            splice(text, s, "");
            return true;
        }
        at = stop + 1;
    }
    return false;
}

bool at__cut_unused_locals(at__str *text)
{
    at__cut_tokens t = { 0 };
    bool more = true;
    for (int n = 0; more && n < MAX_FOLDS; n++) {
        more = false;
        if (text->failed || !at__cut_lex(&t, at__str_text(text), text->len, false))
            return false;
        for (size_t i = 1; i < t.count && !t.open && !more; i++)
            more = drop_local(text, &t, i);
        at__cut_tokens_clear(&t);
    }
    return !text->failed;
}
