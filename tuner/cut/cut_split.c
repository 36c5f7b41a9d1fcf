/*
 * cut_split.c - finds the ends of top-level definitions, and the names that they declare.
 *
 * A definition ends at ';' outside all brackets, or at the '}' of a function or namespace. The tokens outside
 * brackets give its form: a tag (struct, enum), the parenthesis of parameters, '='. The form gives the names;
 * an item of an unknown form has no names and is always kept. Template heads are skipped by counting angle
 * brackets outside parentheses.
 */
#include <string.h>

#include "cut/cut_items.h"

static atx_item *add_item(atx_cut_state *c, atx_item_kind kind, size_t begin, size_t end)
{
    if (!atx_grow(&c->items, &c->item_cap, c->item_count, sizeof *c->items)) {
        c->failed = true;
        return NULL;
    }
    atx_item *it = &c->items[c->item_count++];
    *it = (atx_item){ .kind = kind, .group = c->group, .unit = c->unit_count };
    atx_str_add_bytes(&it->text, c->clean.data + begin, end - begin);
    size_t lines = 0;
    for (size_t at = begin; at && strchr(" \t\r\n", c->clean.data[at - 1]); at--)
        lines += c->clean.data[at - 1] == '\n';
    it->gap = lines > 1;
    return it;
}

/* A unit of the last item. */
static void add_unit(atx_cut_state *c, size_t begin, size_t end)
{
    if (!atx_grow(&c->units, &c->unit_cap, c->unit_count, sizeof *c->units)) {
        c->failed = true;
        return;
    }
    c->units[c->unit_count] = (atx_unit){ .item = c->item_count - 1 };
    atx_str_add_bytes(&c->units[c->unit_count++].text, c->clean.data + begin, end - begin);
    c->items[c->item_count - 1].unit_count++;
}

/* The last unit declares token i. */
static void add_name(atx_cut_state *c, size_t i)
{
    const atx_token *token = &c->tokens.items[i];
    if (!atx_grow(&c->names, &c->name_cap, c->name_count, sizeof *c->names)) {
        c->failed = true;
        return;
    }
    c->names[c->name_count++] =
        (atx_unit_name){ c->tokens.text + token->begin, token->end - token->begin, c->unit_count - 1 };
}

/* Past the "<...>" of a template's head. */
static size_t skip_angles(const atx_tokens *t, size_t i)
{
    long depth = 0;
    for (; i < t->count; i++) {
        if (atx_tokens_is(t, i, "("))
            i = atx_tokens_match(t, i);
        else if (atx_tokens_is(t, i, "<"))
            depth++;
        else if (atx_tokens_is(t, i, ">") || atx_tokens_is(t, i, ">>"))
            depth -= atx_tokens_is(t, i, ">") ? 1 : 2;
        if (depth <= 0)
            return i + 1;
    }
    return t->count;
}

/* Words that a parenthesis follows and that are no function. */
static bool is_attribute(const atx_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "__launch_bounds__", "__align__",   "alignas",  "__attribute__",
                                         "__declspec",        "decltype",    "noexcept", "requires",
                                         "__cluster_dims__",  "__maxnreg__", "sizeof" };
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (atx_tokens_is(t, i, WORDS[k]))
            return true;
    return false;
}

typedef struct shape {
    size_t begin, end; /* tokens; past the last                                 */
    size_t tag;        /* struct, class, union or enum; 0: none                */
    size_t paren;      /* the parenthesis of a function's parameters; 0: none  */
    size_t brace;      /* the first brace; 0: none                             */
    bool equal, complete;
} shape;

static bool is_tag(const atx_tokens *t, size_t i)
{
    return atx_tokens_is(t, i, "struct") || atx_tokens_is(t, i, "class") || atx_tokens_is(t, i, "union") ||
           atx_tokens_is(t, i, "enum");
}

/* From the first token of code to the end of its definition. Comments are tokens here, too. */
static shape find_shape(const atx_tokens *t, size_t begin)
{
    shape s = { .begin = begin, .end = t->count };
    for (size_t i = begin; i < t->count; i++) {
        if (atx_tokens_is(t, i, "template") && atx_tokens_is(t, i + 1, "<")) {
            i = skip_angles(t, i + 1) - 1;
        } else if (atx_tokens_is(t, i, "(") || atx_tokens_is(t, i, "[")) {
            if (atx_tokens_is(t, i, "(") && !s.paren && !s.equal && i > begin && !is_attribute(t, i - 1))
                s.paren = i;
            i = atx_tokens_match(t, i);
        } else if (atx_tokens_is(t, i, "{")) {
            s.brace = s.brace ? s.brace : i;
            i = atx_tokens_match(t, i);
            if (i < t->count && !atx_tokens_is(t, i + 1, ";") && !s.equal && (s.paren || !s.tag)) {
                s.end = i + 1;
                s.complete = true;
                return s;
            }
        } else if (atx_tokens_is(t, i, ";")) {
            s.end = i + 1;
            s.complete = true;
            return s;
        } else if (atx_tokens_is(t, i, "}") || atx_tokens_is(t, i, ")") || atx_tokens_is(t, i, "]")) {
            return s;
        } else if (atx_tokens_is(t, i, "=")) {
            s.equal = true;
        } else if (!s.tag && !s.paren && is_tag(t, i)) {
            s.tag = i;
        }
    }
    return s;
}

/* Units of "const int a = x, b = y;": its constants. false: it has another form. */
static bool split_constants(atx_cut_state *c, const shape *s, size_t begin, size_t end)
{
    const atx_tokens *t = &c->tokens;
    size_t first = s->begin, count = 0;
    if (!s->equal || s->paren || s->brace || s->tag)
        return false;
    while (atx_tokens_is_word(t, first + 1))
        first++;
    for (size_t at = first; at < s->end - 1; at++) {
        if (t->items[at].kind == ATX_TOKEN_COMMENT || t->items[at].kind == ATX_TOKEN_DIRECTIVE)
            return false;
        if (at == first || atx_tokens_is(t, at - 1, ",")) {
            if (!atx_tokens_is_word(t, at) || !atx_tokens_is(t, at + 1, "="))
                return false;
            count++;
        }
        if (atx_tokens_is(t, at, "("))
            at = atx_tokens_match(t, at);
    }
    if (count < 2 || first == s->begin)
        return false;
    atx_item *it = add_item(c, ATX_ITEM_LIST, begin, end);
    if (!it)
        return true;
    atx_str_add_bytes(&it->prefix, c->clean.data + begin, t->items[first].begin - begin);
    atx_str_add_bytes(&it->suffix, c->clean.data + t->items[s->end - 1].begin,
                      end - t->items[s->end - 1].begin);
    for (size_t at = first; at < s->end - 1;) {
        size_t stop = at;
        while (stop < s->end - 1 && !atx_tokens_is(t, stop, ","))
            stop = atx_tokens_is(t, stop, "(") ? atx_tokens_match(t, stop) + 1 : stop + 1;
        add_unit(c, t->items[at].begin, t->items[stop - 1].end);
        add_name(c, at);
        at = stop + 1;
    }
    return true;
}

/* Units of "enum { A = 0, B = 1 };". */
static bool split_enum(atx_cut_state *c, const shape *s, size_t begin, size_t end)
{
    const atx_tokens *t = &c->tokens;
    size_t close = s->brace ? atx_tokens_match(t, s->brace) : 0;
    if (!atx_tokens_is(t, s->begin, "enum") || s->brace != s->begin + 1 || close + 2 != s->end)
        return false;
    for (size_t at = s->brace + 1; at < close; at += 4)
        if (!atx_tokens_is_word(t, at) || !atx_tokens_is(t, at + 1, "=") ||
            t->items[at + 2].kind != ATX_TOKEN_NUMBER || !(atx_tokens_is(t, at + 3, ",") || at + 3 == close))
            return false;
    atx_item *it = add_item(c, ATX_ITEM_LIST, begin, end);
    if (!it)
        return true;
    atx_str_add_bytes(&it->prefix, c->clean.data + begin, t->items[s->brace].end - begin);
    atx_str_add(&it->prefix, " ");
    atx_str_add(&it->suffix, " ");
    atx_str_add_bytes(&it->suffix, c->clean.data + t->items[close].begin, end - t->items[close].begin);
    for (size_t at = s->brace + 1; at < close; at += 4) {
        add_unit(c, t->items[at].begin, t->items[at + 2].end);
        add_name(c, at);
    }
    return true;
}

/* Every word before a sign with which a declarator may go on, values left aside. */
static void name_declarators(atx_cut_state *c, const shape *s)
{
    static const char *const AFTER[] = { "=", ",", ";", "[", "{" };
    const atx_tokens *t = &c->tokens;
    bool value = false;
    for (size_t i = s->begin; i < s->end; i++) {
        for (size_t k = 0; !value && k < sizeof AFTER / sizeof *AFTER; k++)
            if (atx_tokens_is_word(t, i) && atx_tokens_is(t, i + 1, AFTER[k]))
                add_name(c, i);
        value = atx_tokens_is(t, i, "=") || (value && !atx_tokens_is(t, i, ","));
        if (atx_tokens_is(t, i, "(") || atx_tokens_is(t, i, "[") || atx_tokens_is(t, i, "{"))
            i = atx_tokens_match(t, i);
    }
}

static void name_enumerators(atx_cut_state *c, const shape *s)
{
    const atx_tokens *t = &c->tokens;
    size_t close = s->brace ? atx_tokens_match(t, s->brace) : 0;
    for (size_t i = s->brace; i < close; i++)
        if (atx_tokens_is_word(t, i) && (atx_tokens_is(t, i - 1, "{") || atx_tokens_is(t, i - 1, ",")))
            add_name(c, i);
}

/* Names of a plain item. false: of no form that is known. */
static bool name_plain(atx_cut_state *c, const shape *s)
{
    const atx_tokens *t = &c->tokens;
    const size_t before = c->name_count;
    for (size_t i = s->begin; i < s->end; i++) {
        if (atx_tokens_is(t, i, "operator") || atx_tokens_is(t, i, "namespace") || atx_tokens_is(t, i, "asm"))
            return false;
        if (atx_tokens_is(t, i, "{"))
            i = atx_tokens_match(t, i);
    }
    const bool alias = atx_tokens_is(t, s->begin, "using") || atx_tokens_is(t, s->begin, "typedef");
    if (s->paren && !alias) {
        if (atx_tokens_is_word(t, s->paren - 1))
            add_name(c, s->paren - 1);
        return c->name_count > before;
    }
    if (s->tag && !alias) {
        for (size_t i = s->tag + 1; i < s->end && c->name_count == before; i++) {
            if (atx_tokens_is(t, i, "("))
                i = atx_tokens_match(t, i);
            else if (atx_tokens_is_word(t, i) && !is_attribute(t, i) && !is_tag(t, i))
                add_name(c, i);
            else if (atx_tokens_is(t, i, "{"))
                break;
        }
        if (atx_tokens_is(t, s->tag, "enum"))
            name_enumerators(c, s);
    }
    name_declarators(c, s);
    return c->name_count > before;
}

static void add_definition(atx_cut_state *c, const shape *s, size_t begin, size_t end)
{
    if (atx_tokens_is(&c->tokens, s->begin, "static_assert")) {
        add_item(c, ATX_ITEM_NEVER, begin, end);
        return;
    }
    if (split_constants(c, s, begin, end) || split_enum(c, s, begin, end) ||
        !add_item(c, ATX_ITEM_PLAIN, begin, end))
        return;
    add_unit(c, begin, end);
    if (!c->failed && !name_plain(c, s))
        c->items[c->item_count - 1].kind = ATX_ITEM_ALWAYS;
}

static void add_directive(atx_cut_state *c, size_t i, size_t begin, size_t end)
{
    const atx_tokens *t = &c->tokens;
    atx_item_kind kind = ATX_ITEM_PLAIN;
    if (atx_cut_directive_is(t, i, "if") || atx_cut_directive_is(t, i, "ifdef") ||
        atx_cut_directive_is(t, i, "ifndef"))
        kind = ATX_ITEM_OPENS;
    else if (atx_cut_directive_is(t, i, "else") || atx_cut_directive_is(t, i, "elif"))
        kind = ATX_ITEM_TURNS;
    else if (atx_cut_directive_is(t, i, "endif"))
        kind = ATX_ITEM_CLOSES;
    else if (!atx_cut_directive_is(t, i, "define") && !atx_cut_directive_is(t, i, "undef"))
        kind = ATX_ITEM_ALWAYS;
    if (!add_item(c, kind, begin, end))
        return;
    add_unit(c, begin, end);
    if (c->failed)
        return;
    atx_token name = { 0 };
    atx_lexer inside = atx_lexer_inside(t->text, &t->items[i]);
    if (!atx_lexer_next(&name, &inside) || !atx_lexer_next(&name, &inside))
        name.end = name.begin;
    if (kind == ATX_ITEM_PLAIN && atx_grow(&c->names, &c->name_cap, c->name_count, sizeof *c->names))
        c->names[c->name_count++] =
            (atx_unit_name){ inside.text + name.begin, name.end - name.begin, c->unit_count - 1 };
    if (kind == ATX_ITEM_OPENS)
        c->group = c->item_count - 1;
    if (kind == ATX_ITEM_CLOSES && c->group != SIZE_MAX)
        c->group = c->items[c->group].group;
    else if (kind == ATX_ITEM_CLOSES)
        c->odd = true;
}

/* A comment on the line where the token before it ends. */
static bool stands_behind(const atx_tokens *t, size_t i)
{
    return i < t->count && i > 0 && t->items[i].kind == ATX_TOKEN_COMMENT &&
           !memchr(t->text + t->items[i - 1].end, '\n', t->items[i].begin - t->items[i - 1].end);
}

void atx_cut_split(atx_cut_state *c)
{
    const atx_tokens *t = &c->tokens;
    c->group = SIZE_MAX;
    for (size_t i = 0; i < t->count && !c->failed && !c->odd;) {
        const size_t begin = t->items[i].begin; /* of its comments */
        while (i < t->count && t->items[i].kind == ATX_TOKEN_COMMENT)
            i++;
        if (i == t->count)
            return;
        shape s = { .begin = i, .end = i + 1, .complete = true };
        const bool directive = t->items[i].kind == ATX_TOKEN_DIRECTIVE;
        if (!directive)
            s = find_shape(t, i);
        if (!s.complete) {
            c->odd = true;
            return;
        }
        i = s.end;
        if (stands_behind(t, i))
            i++;
        if (directive)
            add_directive(c, s.begin, begin, t->items[i - 1].end);
        else if (s.end > s.begin + 1) /* else a ';' alone */
            add_definition(c, &s, begin, t->items[i - 1].end);
    }
    c->odd |= c->group != SIZE_MAX;
}
