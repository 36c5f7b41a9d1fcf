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
#include "cut/cut_fold.h"

#include <stdlib.h>
#include <string.h>

#include "cut/cut_edit.h"

/* ---- statements ---- */

/* Past the statement at i; SIZE_MAX where it is none that is known. */
static size_t statement_end(const atx_tokens *t, size_t i, int depth)
{
    if (i >= t->count || depth > ATX_CUT_NESTING)
        return SIZE_MAX;
    if (t->items[i].kind == ATX_TOKEN_DIRECTIVE)
        return atx_cut_directive_is(t, i, "pragma") ? statement_end(t, i + 1, depth + 1) : SIZE_MAX;
    if (atx_tokens_is(t, i, "{")) {
        size_t end = atx_tokens_match(t, i);
        return end < t->count ? end + 1 : SIZE_MAX;
    }
    if (atx_tokens_is(t, i, "if") || atx_tokens_is(t, i, "for") || atx_tokens_is(t, i, "while") ||
        atx_tokens_is(t, i, "switch")) {
        size_t open = i + 1 + atx_tokens_is(t, i + 1, "constexpr");
        size_t close = atx_tokens_is(t, open, "(") ? atx_tokens_match(t, open) : t->count;
        size_t end = statement_end(t, close + 1, depth + 1);
        if (end == SIZE_MAX || !atx_tokens_is(t, i, "if") || !atx_tokens_is(t, end, "else"))
            return end;
        return statement_end(t, end + 1, depth + 1);
    }
    if (atx_tokens_is(t, i, "do") || atx_tokens_is(t, i, "else") || atx_tokens_is(t, i, "}"))
        return SIZE_MAX;
    for (; i < t->count && !atx_tokens_is(t, i, ";"); i++) {
        if (t->items[i].kind == ATX_TOKEN_DIRECTIVE || atx_tokens_is(t, i, "}"))
            return SIZE_MAX;
        if (atx_tokens_is(t, i, "(") || atx_tokens_is(t, i, "[") || atx_tokens_is(t, i, "{"))
            i = atx_tokens_match(t, i);
    }
    return i < t->count ? i + 1 : SIZE_MAX;
}

/* Labels may be jumped to; conditional code may open what other code closes. */
static bool may_go(const atx_tokens *t, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (atx_tokens_is(t, i, "case") || atx_tokens_is(t, i, "default") ||
            (t->items[i].kind == ATX_TOKEN_DIRECTIVE && !atx_cut_directive_is(t, i, "pragma")))
            return false;
        if (atx_tokens_is(t, i, ":") && i >= 2 && atx_tokens_is_word(t, i - 1) &&
            (atx_tokens_is(t, i - 2, ";") || atx_tokens_is(t, i - 2, "{") || atx_tokens_is(t, i - 2, "}")))
            return false;
    }
    return true;
}

/* Is a word at i one that a declaration may introduce there? */
static bool may_declare(const atx_tokens *t, size_t i)
{
    static const char *const BEFORE[] = { "*", "&", ">", ",", ">>", "&&" };
    static const char *const AFTER[] = { "=", ";", ",", "[", "(", "{", ":", ")" };
    bool before = i && atx_tokens_is_word(t, i - 1), after = false;
    if (!atx_tokens_is_word(t, i) || (i && atx_tokens_is(t, i - 1, "return")))
        return false;
    for (size_t k = 0; i && k < sizeof BEFORE / sizeof *BEFORE; k++)
        before = before || atx_tokens_is(t, i - 1, BEFORE[k]);
    for (size_t k = 0; k < sizeof AFTER / sizeof *AFTER; k++)
        after = after || atx_tokens_is(t, i + 1, AFTER[k]);
    return before && after;
}

static bool same_word(const atx_tokens *t, size_t a, size_t b)
{
    size_t n = t->items[a].end - t->items[a].begin;
    return t->items[b].kind == ATX_TOKEN_WORD && t->items[b].end - t->items[b].begin == n &&
           memcmp(t->text + t->items[a].begin, t->text + t->items[b].begin, n) == 0;
}

/* Would the names of a block meet others of the function without its braces? */
static bool is_apart(const atx_tokens *t, size_t open, size_t close)
{
    int depth = 0;
    for (size_t i = open + 1; i < close; i++) {
        depth += atx_tokens_is(t, i, "{") - atx_tokens_is(t, i, "}");
        if (depth || !may_declare(t, i))
            continue;
        for (size_t k = 0; k < t->count; k++)
            if ((k < open || k > close) && same_word(t, i, k) && may_declare(t, k))
                return false;
    }
    return true;
}

/* ---- one `if` ---- */

/* Does a token within the span go over a line end? Then its lines stay as they are. */
static bool has_long_token(const atx_tokens *t, atx_cut_span s)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].kind == ATX_TOKEN_TEXT && t->items[i].begin >= s.begin && t->items[i].end <= s.end &&
            memchr(t->text + t->items[i].begin, '\n', t->items[i].end - t->items[i].begin))
            return true;
    return false;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The branch that is taken, [first, end) of tokens, at the indentation of the `if`. */
static void add_branch(atx_str *out, const atx_tokens *t, size_t first, size_t end, size_t indent, bool bare)
{
    atx_cut_span s = { t->items[first].begin, t->items[end - 1].end };
    if (bare && atx_tokens_is(t, first, "{")) {
        s = (atx_cut_span){ t->items[first].end, t->items[end - 1].begin };
        while (s.begin < s.end && is_space(t->text[s.begin]))
            s.begin++;
        while (s.end > s.begin && is_space(t->text[s.end - 1]))
            s.end--;
    }
    size_t own = atx_cut_indent(t->text, s.begin);
    if (bare && t->items[first].begin < s.begin &&
        !memchr(t->text + t->items[first].begin, '\n', s.begin - t->items[first].begin)) {
        /* A comment behind the brace: the lines that follow tell the indentation. */
        const char *line = memchr(t->text + s.begin, '\n', s.end - s.begin);
        own = line ? strspn(line + 1, " ") : own;
    }
    size_t by = own > indent && !has_long_token(t, s) ? own - indent : 0;
    atx_cut_add_dedented(out, t->text + s.begin, s.end - s.begin, by);
}

typedef struct branching {
    size_t begin, open, close; /* `if`, its parentheses */
    size_t yes, yes_end;       /* the statement behind */
    size_t no, no_end;         /* that behind `else`; equal when there is none */
} branching;

static bool read_branching(branching *b, const atx_tokens *t, size_t i)
{
    if (!atx_tokens_is(t, i, "if") || i == 0 || t->items[i - 1].kind == ATX_TOKEN_TEXT)
        return false;
    b->begin = i;
    b->open = i + 1 + atx_tokens_is(t, i + 1, "constexpr");
    if (!atx_tokens_is(t, b->open, "("))
        return false;
    b->close = atx_tokens_match(t, b->open);
    if (atx_tokens_find(t, b->open + 1, b->close, ";") < b->close)
        return false;
    b->yes = b->close + 1;
    b->yes_end = statement_end(t, b->yes, 0);
    if (b->yes_end == SIZE_MAX)
        return false;
    b->no = b->no_end = b->yes_end;
    if (atx_tokens_is(t, b->yes_end, "else")) {
        b->no = b->yes_end + 1;
        b->no_end = statement_end(t, b->no, 0);
    }
    for (i = b->yes_end; i < t->count && t->items[i].kind == ATX_TOKEN_DIRECTIVE; i++)
        ;
    /* An `else` that only some compilers see must keep its `if`. */
    return b->no_end != SIZE_MAX && (i == b->yes_end || !atx_tokens_is(t, i, "else"));
}

/* The `for` or `while` whose body starts at i, or 0. */
static size_t loop_of(const atx_tokens *t, size_t i)
{
    long depth = 0;
    for (size_t k = i; k-- > 0 && atx_tokens_is(t, i - 1, ")");) {
        depth += atx_tokens_is(t, k, ")") - atx_tokens_is(t, k, "(");
        if (depth == 0)
            return k && (atx_tokens_is(t, k - 1, "for") || atx_tokens_is(t, k - 1, "while")) ? k - 1 : 0;
    }
    return 0;
}

static bool is_control(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "if") || atx_tokens_is(t, i, "for") || atx_tokens_is(t, i, "while") ||
           atx_tokens_is(t, i, "switch") || t->items[i].kind == ATX_TOKEN_DIRECTIVE;
}

/* A loop with the branch as its body: a block's brace goes to the loop's own line. */
static void take_loop_body(atx_str *text, const atx_tokens *t, const branching *b, size_t first, size_t end)
{
    atx_cut_span s = { t->items[b->begin].begin, t->items[b->no_end - 1].end };
    const size_t indent = atx_cut_indent(t->text, s.begin);
    atx_str out = { 0 };
    if (atx_tokens_is(t, first, "{")) {
        const size_t loop = atx_cut_indent(t->text, t->items[b->begin - 1].begin);
        s.begin = t->items[b->begin - 1].end;
        atx_str_add(&out, " ");
        atx_cut_add_dedented(&out, t->text + t->items[first].begin,
                             t->items[end - 1].end - t->items[first].begin,
                             indent > loop ? indent - loop : 0);
    } else {
        add_branch(&out, t, first, end, indent, true);
    }
    text->failed |= out.failed;
    atx_cut_splice(text, s, atx_str_text(&out));
    atx_str_clear(&out);
}

/* Without the `if`, or without anything. */
static bool take_branch(atx_str *text, const atx_tokens *t, const branching *b, bool yes)
{
    const size_t first = yes ? b->yes : b->no, end = yes ? b->yes_end : b->no_end;
    const bool after_else = b->begin > 1 && atx_tokens_is(t, b->begin - 1, "else"); /* of an `if` before it */
    const bool block = first < end && atx_tokens_is(t, first, "{");
    atx_cut_span s = { t->items[b->begin].begin, t->items[b->no_end - 1].end };
    atx_str out = { 0 };

    const size_t loop = loop_of(t, b->begin);
    if (loop && first < end && (block || !is_control(t, first)) && may_go(t, b->no, b->no_end)) {
        take_loop_body(text, t, b, first, end);
        return true;
    }
    if (!atx_cut_starts_statement(t, b->begin) && !after_else)
        return false;
    if (!may_go(t, yes ? b->no : b->yes, yes ? b->no_end : b->yes_end))
        return false;
    if (first == end) {
        if (after_else)
            s.begin = t->items[b->begin - 2].end; /* with the `else` */
        else
            s = (atx_cut_span){ atx_cut_comments_above(text, s.begin), atx_cut_comment_behind(text, s.end) };
        atx_cut_splice(text, s, "");
        return true;
    }
    bool bare = block && !after_else && is_apart(t, first, end - 1);
    if (bare && first + 2 == end) /* an empty block */
        atx_cut_splice(text, s, "");
    else {
        add_branch(&out, t, first, end, atx_cut_indent(t->text, s.begin), bare || !block);
        text->failed |= out.failed;
        atx_cut_splice(text, s, atx_str_text(&out));
    }
    atx_str_clear(&out);
    return true;
}

/* "(a && b)" as a whole condition needs none. */
static void strip_parentheses(atx_str *condition)
{
    atx_tokens t;
    if (condition->failed || !atx_cut_lex(&t, atx_str_text(condition), condition->len, false)) {
        condition->failed = true;
        return;
    }
    if (t.count > 1 && atx_tokens_is(&t, 0, "(") && atx_tokens_match(&t, 0) == t.count - 1) {
        memmove(condition->data, condition->data + 1, condition->len - 2);
        condition->len -= 2;
        condition->data[condition->len] = '\0';
    }
    atx_tokens_clear(&t);
}

static bool fold_one(atx_str *text, const atx_tokens *t, size_t i, const atx_cut_constants *known)
{
    branching b;
    bool changed = false, done = false;
    atx_str condition = { 0 };
    if (!read_branching(&b, t, i))
        return false;
    atx_truth value = atx_cut_simplify(&condition, &changed, t, b.open + 1, b.close, known, 0);
    if (changed)
        strip_parentheses(&condition);
    text->failed |= condition.failed;
    if (value != ATX_UNKNOWN)
        done = take_branch(text, t, &b, value == ATX_TRUE);
    else if (changed) {
        atx_cut_splice(text, (atx_cut_span){ t->items[b.open].end, t->items[b.close].begin },
                       atx_str_text(&condition));
        done = true;
    }
    atx_str_clear(&condition);
    return done;
}

/* ---- a definition ---- */

/* A name that the definition may give another meaning: behind a type, or among a template's parameters. */
static bool is_hidden(const atx_tokens *t, const atx_cut_constant *c)
{
    static const char *const NO_TYPES[] = { "return", "case", "else", "and", "or", "not", "goto" };
    for (size_t i = 1; i < t->count; i++) {
        const atx_token *word = &t->items[i];
        if (word->kind != ATX_TOKEN_WORD || word->end - word->begin != c->len ||
            memcmp(t->text + word->begin, c->name, c->len) != 0)
            continue;
        bool type = atx_tokens_is_word(t, i - 1);
        for (size_t k = 0; k < sizeof NO_TYPES / sizeof *NO_TYPES; k++)
            type = type && !atx_tokens_is(t, i - 1, NO_TYPES[k]);
        bool pointer = (atx_tokens_is(t, i - 1, "*") || atx_tokens_is(t, i - 1, "&")) &&
                       (atx_tokens_is(t, i + 1, ",") || atx_tokens_is(t, i + 1, ")")) &&
                       (atx_tokens_is(t, i - 2, "T") || atx_tokens_is(t, i - 2, "int") ||
                        atx_tokens_is(t, i - 2, "auto"));
        if (type || pointer)
            return true;
    }
    return false;
}

static bool visible_constants(atx_cut_constants *out, const atx_cut_constants *known, const atx_tokens *t)
{
    *out = (atx_cut_constants){ .type_bytes = known->type_bytes };
    for (size_t i = 0; i < known->count; i++) {
        if (is_hidden(t, &known->items[i]))
            continue;
        if (!atx_grow(&out->items, &out->cap, out->count, sizeof *out->items))
            return false;
        out->items[out->count++] = known->items[i];
    }
    return true;
}

static bool has_word(const atx_tokens *t, const char *word)
{
    for (size_t i = 0; i < t->count; i++)
        if (atx_tokens_is(t, i, word))
            return true;
    return false;
}

/* `#if` and its `#endif` with nothing between them. */
static bool drop_empty(atx_str *text, const atx_tokens *t, size_t i)
{
    if (!(atx_cut_directive_is(t, i, "if") || atx_cut_directive_is(t, i, "ifdef") ||
          atx_cut_directive_is(t, i, "ifndef")) ||
        !atx_cut_directive_is(t, i + 1, "endif"))
        return false;
    atx_cut_splice(text, (atx_cut_span){ t->items[i].begin, t->items[i + 1].end }, "");
    return true;
}

/* Does one thing. */
static bool fold_next(atx_str *text, const atx_tokens *t, const atx_cut_constants *visible)
{
    if (t->open || has_word(t, "enum") || has_word(t, "goto"))
        return false;
    for (size_t i = 1; i < t->count; i++)
        if (fold_one(text, t, i, visible) || drop_empty(text, t, i) || atx_cut_choose(text, t, i, visible))
            return true;
    return false;
}

bool atx_cut_fold(atx_str *text, const atx_cut_constants *known)
{
    atx_cut_constants visible = { 0 };
    atx_tokens t = { 0 };
    bool good =
        atx_cut_lex(&t, atx_str_text(text), text->len, false) && visible_constants(&visible, known, &t);
    bool more = good;
    for (int n = 0; more && good && n < ATX_CUT_ROUNDS; n++) {
        more = fold_next(text, &t, &visible);
        atx_tokens_clear(&t);
        good = !text->failed && atx_cut_lex(&t, atx_str_text(text), text->len, false);
    }
    atx_tokens_clear(&t);
    free(visible.items);
    return good;
}
