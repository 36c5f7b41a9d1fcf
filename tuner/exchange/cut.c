/*
 * cut.c - what of a rendered source a kernel needs.
 *
 * 1. Clean: the text without sections for editors, declarations and #line; AUTOTUNE_ARG written out.
 * 2. Split into items: a top-level definition with the comments above it, or a preprocessor line. An item
 * ends at ';', or at the '}' of a function. A list (constants of one declaration, enumerators with values) is
 * one item of several units, any other item is one unit.
 * 3. Fold: constants of the top level that are certain decide branches in the items behind them (cut_fold.c).
 * 4. Reach: from the kernel's unit on, each unit that declares a word of a reached unit is reached. Names
 *    decide, not scopes or overloads: too much may be kept, never too little. What is of no known form is
 * kept.
 * 5. Write the reached units in their order, lines apart as they were.
 */
#include "exchange/cut.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/cut_fold.h"
#include "exchange/cut_lex.h"

typedef enum item_kind {
    PLAIN,  /* one unit                                        */
    LIST,   /* units with `prefix` before them and `suffix` behind */
    ALWAYS, /* of no form that is known, or an #include            */
    NEVER,  /* a static_assert: it holds                         */
    OPENS,  /* #if                                             */
    TURNS,  /* #else, #elif                                     */
    CLOSES  /* #endif                                          */
} item_kind;

typedef struct item {
    item_kind kind;
    at__str text; /* with its comments */
    at__str prefix, suffix;
    bool gap;     /* blank lines before it */
    size_t group; /* the #if around it, as an index of items; SIZE_MAX: none */
    size_t unit, unit_count;
    bool kept;
} item;

typedef struct unit {
    at__str text;
    size_t item;
    bool reached;
} unit;

typedef struct name {
    const char *text;
    size_t len, unit;
} name;

typedef struct cut {
    at__str clean;
    item *items;
    size_t item_count, item_cap;
    unit *units;
    size_t unit_count, unit_cap;
    name *names; /* that units declare; sorted for reaching */
    size_t name_count, name_cap;
    size_t *open; /* reached units whose words were not looked at */
    size_t open_count, open_cap;
    at__cut_constants constants;
    at__cut_tokens tokens; /* of the clean text, comments included */
    size_t group;
    bool failed; /* out of memory */
    bool odd;    /* the text cannot be taken apart */
} cut;

/* ---- 1. clean ---- */

typedef struct cleaning {
    at__str *out;
    const at__cut_tokens *t;
    const at__cutting *c;
    size_t from;     /* what of the text was not copied yet */
    int depth, ours; /* of #if; the depth of our section, 0: none */
    bool hidden;     /* in a part of our section that is not compiled */
    bool named, odd; /* AUTOTUNE_ARG(name) is `name` */
} cleaning;

static void copy_to(cleaning *k, size_t to)
{
    if (!k->hidden && to > k->from)
        at__str_add_bytes(k->out, k->t->text + k->from, to - k->from);
    k->from = to;
}

/* The token goes, and its line end when nothing else is on the line. */
static void leave_out(cleaning *k, size_t i)
{
    const at__cut_token *token = &k->t->items[i];
    copy_to(k, token->begin);
    k->from = token->end;
    if (token->begin == 0 || k->t->text[token->begin - 1] == '\n')
        k->from += strspn(k->t->text + k->from, " \t") == 0 && k->from < k->t->len;
}

static bool is_about(const cleaning *k, size_t i, const char *what)
{
    size_t n;
    const char *rest = at__cut_directive_rest(k->t, i, &n);
    size_t m = strlen(what);
    return n >= m && memcmp(rest, what, m) == 0 && (n == m || strchr(" \t(/", rest[m]));
}

static void clean_condition(cleaning *k, size_t i)
{
    const bool without = at__cut_directive_is(k->t, i, "ifndef"),
               with = at__cut_directive_is(k->t, i, "ifdef");
    if (without || with || at__cut_directive_is(k->t, i, "if")) {
        k->depth++;
        if (k->ours || !(without || with) || !is_about(k, i, "AUTOTUNE_RENDERED"))
            return;
        leave_out(k, i);
        k->ours = k->depth;
        k->hidden = without;
    } else if (at__cut_directive_is(k->t, i, "endif")) {
        if (k->ours == k->depth) {
            leave_out(k, i);
            k->hidden = false;
            k->ours = 0;
        }
        k->depth--;
    } else if (k->ours == k->depth) {
        k->odd |= at__cut_directive_is(k->t, i, "elif");
        leave_out(k, i);
        k->hidden = !k->hidden;
    }
}

static bool is_condition(const at__cut_tokens *t, size_t i)
{
    static const char *const NAMES[] = { "if", "ifdef", "ifndef", "else", "elif", "endif" };
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++)
        if (at__cut_directive_is(t, i, NAMES[k]))
            return true;
    return false;
}

static void clean_directive(cleaning *k, size_t i)
{
    if (is_condition(k->t, i)) {
        clean_condition(k, i);
    } else if (k->hidden) {
        return;
    } else if (at__cut_directive_is(k->t, i, "line")) {
        leave_out(k, i);
        at__str_add(k->out, "\n"); /* another file: apart from what is before it */
    } else if (at__cut_directive_is(k->t, i, "pragma") && is_about(k, i, "once")) {
        leave_out(k, i);
    } else if (at__cut_directive_is(k->t, i, "define") && is_about(k, i, "AUTOTUNE_ARG")) {
        size_t n;
        const char *rest = at__cut_directive_rest(k->t, i, &n);
        k->named = n > 4 && memcmp(rest + n - 4, "name", 4) == 0;
        leave_out(k, i);
    }
}

static void clean_word(cleaning *k, size_t i)
{
    const at__cut_tokens *t = k->t;
    if (at__cut_is(t, i, k->c->kernel)) {
        copy_to(k, t->items[i].begin);
        at__str_add(k->out, k->c->name);
        k->from = t->items[i].end;
    } else if (at__cut_is(t, i, "AUTOTUNE_ARG") && at__cut_is(t, i + 1, "(") && at__cut_is_word(t, i + 2) &&
               at__cut_is(t, i + 3, ")")) {
        const at__cut_token *arg = &t->items[i + 2];
        copy_to(k, t->items[i].begin);
        at__str_addf(k->out, k->named ? "%.*s" : "/* %.*s */", (int)(arg->end - arg->begin),
                     t->text + arg->begin);
        k->from = t->items[i + 3].end;
    }
}

static bool clean(at__str *out, bool *odd, const at__cutting *c)
{
    at__cut_tokens t;
    if (!at__cut_lex(&t, c->rendered, strlen(c->rendered), true))
        return false;
    cleaning k = { .out = out, .t = &t, .c = c };
    for (size_t i = 0; i < t.count; i++) {
        const char *text = t.text + t.items[i].begin;
        if (t.items[i].kind == AT__CUT_DIRECTIVE)
            clean_directive(&k, i);
        else if (k.hidden)
            continue;
        else if (t.items[i].kind == AT__CUT_COMMENT && strncmp(text, "/*!autotune", 11) == 0)
            leave_out(&k, i);
        else if (t.items[i].kind == AT__CUT_WORD)
            clean_word(&k, i);
    }
    copy_to(&k, t.len);
    *odd = t.open || k.depth != 0 || k.odd;
    at__cut_tokens_clear(&t);
    return !out->failed;
}

/* ---- 2. split ---- */

static item *add_item(cut *c, item_kind kind, size_t begin, size_t end)
{
    if (!at__grow(&c->items, &c->item_cap, c->item_count, sizeof *c->items)) {
        c->failed = true;
        return NULL;
    }
    item *it = &c->items[c->item_count++];
    *it = (item){ .kind = kind, .group = c->group, .unit = c->unit_count };
    at__str_add_bytes(&it->text, c->clean.data + begin, end - begin);
    size_t lines = 0;
    for (size_t at = begin; at && strchr(" \t\r\n", c->clean.data[at - 1]); at--)
        lines += c->clean.data[at - 1] == '\n';
    it->gap = lines > 1;
    return it;
}

/* A unit of the last item. */
static void add_unit(cut *c, size_t begin, size_t end)
{
    if (!at__grow(&c->units, &c->unit_cap, c->unit_count, sizeof *c->units)) {
        c->failed = true;
        return;
    }
    c->units[c->unit_count] = (unit){ .item = c->item_count - 1 };
    at__str_add_bytes(&c->units[c->unit_count++].text, c->clean.data + begin, end - begin);
    c->items[c->item_count - 1].unit_count++;
}

/* The last unit declares token i. */
static void add_name(cut *c, size_t i)
{
    const at__cut_token *token = &c->tokens.items[i];
    if (!at__grow(&c->names, &c->name_cap, c->name_count, sizeof *c->names)) {
        c->failed = true;
        return;
    }
    c->names[c->name_count++] =
        (name){ c->tokens.text + token->begin, token->end - token->begin, c->unit_count - 1 };
}

/* Past the "<...>" of a template's head. */
static size_t skip_angles(const at__cut_tokens *t, size_t i)
{
    long depth = 0;
    for (; i < t->count; i++) {
        if (at__cut_is(t, i, "("))
            i = at__cut_match(t, i);
        else if (at__cut_is(t, i, "<"))
            depth++;
        else if (at__cut_is(t, i, ">") || at__cut_is(t, i, ">>"))
            depth -= at__cut_is(t, i, ">") ? 1 : 2;
        if (depth <= 0)
            return i + 1;
    }
    return t->count;
}

/* Words that a parenthesis follows and that are no function. */
static bool is_attribute(const at__cut_tokens *t, size_t i)
{
    static const char *const WORDS[] = { "__launch_bounds__", "__align__",   "alignas",  "__attribute__",
                                         "__declspec",        "decltype",    "noexcept", "requires",
                                         "__cluster_dims__",  "__maxnreg__", "sizeof" };
    for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
        if (at__cut_is(t, i, WORDS[k]))
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

static bool is_tag(const at__cut_tokens *t, size_t i)
{
    return at__cut_is(t, i, "struct") || at__cut_is(t, i, "class") || at__cut_is(t, i, "union") ||
           at__cut_is(t, i, "enum");
}

/* From the first token of code to the end of its definition. Comments are tokens here, too. */
static shape find_shape(const at__cut_tokens *t, size_t begin)
{
    shape s = { .begin = begin, .end = t->count };
    for (size_t i = begin; i < t->count; i++) {
        if (at__cut_is(t, i, "template") && at__cut_is(t, i + 1, "<")) {
            i = skip_angles(t, i + 1) - 1;
        } else if (at__cut_is(t, i, "(") || at__cut_is(t, i, "[")) {
            if (at__cut_is(t, i, "(") && !s.paren && !s.equal && i > begin && !is_attribute(t, i - 1))
                s.paren = i;
            i = at__cut_match(t, i);
        } else if (at__cut_is(t, i, "{")) {
            s.brace = s.brace ? s.brace : i;
            i = at__cut_match(t, i);
            if (i < t->count && !at__cut_is(t, i + 1, ";") && !s.equal && (s.paren || !s.tag)) {
                s.end = i + 1;
                s.complete = true;
                return s;
            }
        } else if (at__cut_is(t, i, ";")) {
            s.end = i + 1;
            s.complete = true;
            return s;
        } else if (at__cut_is(t, i, "}") || at__cut_is(t, i, ")") || at__cut_is(t, i, "]")) {
            return s;
        } else if (at__cut_is(t, i, "=")) {
            s.equal = true;
        } else if (!s.tag && !s.paren && is_tag(t, i)) {
            s.tag = i;
        }
    }
    return s;
}

/* Units of "const int a = x, b = y;": its constants. false: it has another form. */
static bool split_constants(cut *c, const shape *s, size_t begin, size_t end)
{
    const at__cut_tokens *t = &c->tokens;
    size_t first = s->begin, count = 0;
    if (!s->equal || s->paren || s->brace || s->tag)
        return false;
    while (at__cut_is_word(t, first + 1))
        first++;
    for (size_t at = first; at < s->end - 1; at++) {
        if (t->items[at].kind == AT__CUT_COMMENT || t->items[at].kind == AT__CUT_DIRECTIVE)
            return false;
        if (at == first || at__cut_is(t, at - 1, ",")) {
            if (!at__cut_is_word(t, at) || !at__cut_is(t, at + 1, "="))
                return false;
            count++;
        }
        if (at__cut_is(t, at, "("))
            at = at__cut_match(t, at);
    }
    if (count < 2 || first == s->begin)
        return false;
    item *it = add_item(c, LIST, begin, end);
    if (!it)
        return true;
    at__str_add_bytes(&it->prefix, c->clean.data + begin, t->items[first].begin - begin);
    at__str_add_bytes(&it->suffix, c->clean.data + t->items[s->end - 1].begin,
                      end - t->items[s->end - 1].begin);
    for (size_t at = first; at < s->end - 1;) {
        size_t stop = at;
        while (stop < s->end - 1 && !at__cut_is(t, stop, ","))
            stop = at__cut_is(t, stop, "(") ? at__cut_match(t, stop) + 1 : stop + 1;
        add_unit(c, t->items[at].begin, t->items[stop - 1].end);
        add_name(c, at);
        at = stop + 1;
    }
    return true;
}

/* Units of "enum { A = 0, B = 1 };". */
static bool split_enum(cut *c, const shape *s, size_t begin, size_t end)
{
    const at__cut_tokens *t = &c->tokens;
    size_t close = s->brace ? at__cut_match(t, s->brace) : 0;
    if (!at__cut_is(t, s->begin, "enum") || s->brace != s->begin + 1 || close + 2 != s->end)
        return false;
    for (size_t at = s->brace + 1; at < close; at += 4)
        if (!at__cut_is_word(t, at) || !at__cut_is(t, at + 1, "=") ||
            t->items[at + 2].kind != AT__CUT_NUMBER || !(at__cut_is(t, at + 3, ",") || at + 3 == close))
            return false;
    item *it = add_item(c, LIST, begin, end);
    if (!it)
        return true;
    at__str_add_bytes(&it->prefix, c->clean.data + begin, t->items[s->brace].end - begin);
    at__str_add(&it->prefix, " ");
    at__str_add(&it->suffix, " ");
    at__str_add_bytes(&it->suffix, c->clean.data + t->items[close].begin, end - t->items[close].begin);
    for (size_t at = s->brace + 1; at < close; at += 4) {
        add_unit(c, t->items[at].begin, t->items[at + 2].end);
        add_name(c, at);
    }
    return true;
}

/* Every word before a sign with which a declarator may go on, values left aside. */
static void name_declarators(cut *c, const shape *s)
{
    static const char *const AFTER[] = { "=", ",", ";", "[", "{" };
    const at__cut_tokens *t = &c->tokens;
    bool value = false;
    for (size_t i = s->begin; i < s->end; i++) {
        for (size_t k = 0; !value && k < sizeof AFTER / sizeof *AFTER; k++)
            if (at__cut_is_word(t, i) && at__cut_is(t, i + 1, AFTER[k]))
                add_name(c, i);
        value = at__cut_is(t, i, "=") || (value && !at__cut_is(t, i, ","));
        if (at__cut_is(t, i, "(") || at__cut_is(t, i, "[") || at__cut_is(t, i, "{"))
            i = at__cut_match(t, i);
    }
}

static void name_enumerators(cut *c, const shape *s)
{
    const at__cut_tokens *t = &c->tokens;
    size_t close = s->brace ? at__cut_match(t, s->brace) : 0;
    for (size_t i = s->brace; i < close; i++)
        if (at__cut_is_word(t, i) && (at__cut_is(t, i - 1, "{") || at__cut_is(t, i - 1, ",")))
            add_name(c, i);
}

/* Names of a plain item. false: of no form that is known. */
static bool name_plain(cut *c, const shape *s)
{
    const at__cut_tokens *t = &c->tokens;
    const size_t before = c->name_count;
    for (size_t i = s->begin; i < s->end; i++) {
        if (at__cut_is(t, i, "operator") || at__cut_is(t, i, "namespace") || at__cut_is(t, i, "asm"))
            return false;
        if (at__cut_is(t, i, "{"))
            i = at__cut_match(t, i);
    }
    if (at__cut_is(t, s->begin, "using") || at__cut_is(t, s->begin, "typedef")) {
        name_declarators(c, s);
    } else if (s->paren) {
        if (at__cut_is_word(t, s->paren - 1))
            add_name(c, s->paren - 1);
    } else if (s->tag) {
        for (size_t i = s->tag + 1; i < s->end && c->name_count == before; i++) {
            if (at__cut_is(t, i, "("))
                i = at__cut_match(t, i);
            else if (at__cut_is_word(t, i) && !is_attribute(t, i) && !is_tag(t, i))
                add_name(c, i);
            else if (at__cut_is(t, i, "{"))
                break;
        }
        if (at__cut_is(t, s->tag, "enum"))
            name_enumerators(c, s);
        name_declarators(c, s);
    } else {
        name_declarators(c, s);
    }
    return c->name_count > before;
}

static void add_definition(cut *c, const shape *s, size_t begin, size_t end)
{
    if (at__cut_is(&c->tokens, s->begin, "static_assert")) {
        add_item(c, NEVER, begin, end);
        return;
    }
    if (split_constants(c, s, begin, end) || split_enum(c, s, begin, end) || !add_item(c, PLAIN, begin, end))
        return;
    add_unit(c, begin, end);
    if (!c->failed && !name_plain(c, s))
        c->items[c->item_count - 1].kind = ALWAYS;
}

static void add_directive(cut *c, size_t i, size_t begin, size_t end)
{
    const at__cut_tokens *t = &c->tokens;
    item_kind kind = PLAIN;
    if (at__cut_directive_is(t, i, "if") || at__cut_directive_is(t, i, "ifdef") ||
        at__cut_directive_is(t, i, "ifndef"))
        kind = OPENS;
    else if (at__cut_directive_is(t, i, "else") || at__cut_directive_is(t, i, "elif"))
        kind = TURNS;
    else if (at__cut_directive_is(t, i, "endif"))
        kind = CLOSES;
    else if (!at__cut_directive_is(t, i, "define") && !at__cut_directive_is(t, i, "undef"))
        kind = ALWAYS;
    if (!add_item(c, kind, begin, end))
        return;
    add_unit(c, begin, end);
    if (c->failed)
        return;
    size_t n, len = 0;
    const char *rest = at__cut_directive_rest(t, i, &n);
    while (len < n && (isalnum((unsigned char)rest[len]) || rest[len] == '_'))
        len++;
    if (kind == PLAIN && at__grow(&c->names, &c->name_cap, c->name_count, sizeof *c->names))
        c->names[c->name_count++] = (name){ rest, len, c->unit_count - 1 };
    if (kind == OPENS)
        c->group = c->item_count - 1;
    if (kind == CLOSES && c->group != SIZE_MAX)
        c->group = c->items[c->group].group;
    else if (kind == CLOSES)
        c->odd = true;
}

/* A comment on the line where the token before it ends. */
static bool stands_behind(const at__cut_tokens *t, size_t i)
{
    return i < t->count && i > 0 && t->items[i].kind == AT__CUT_COMMENT &&
           !memchr(t->text + t->items[i - 1].end, '\n', t->items[i].begin - t->items[i - 1].end);
}

static void split(cut *c)
{
    const at__cut_tokens *t = &c->tokens;
    c->group = SIZE_MAX;
    for (size_t i = 0; i < t->count && !c->failed && !c->odd;) {
        const size_t begin = t->items[i].begin; /* of its comments */
        while (i < t->count && t->items[i].kind == AT__CUT_COMMENT)
            i++;
        if (i == t->count)
            return;
        shape s = { .begin = i, .end = i + 1, .complete = true };
        const bool directive = t->items[i].kind == AT__CUT_DIRECTIVE;
        if (!directive)
            s = find_shape(t, i);
        c->odd |= !s.complete;
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

/* ---- 3. fold ---- */

/* A unit that says "constexpr int NAME = VALUE", or "enum { NAME = VALUE". */
static void learn_constant(cut *c, const at__str *prefix, const unit *u, const name *n)
{
    at__cut_tokens t = { 0 };
    at__str text = { 0 };
    int64_t value;
    at__str_add_bytes(&text, at__str_text(prefix), prefix->len);
    at__str_add_bytes(&text, at__str_text(&u->text), u->text.len);
    if (text.failed || !at__cut_lex(&t, at__str_text(&text), text.len, false)) {
        c->failed = true;
        goto done;
    }
    bool wide = at__cut_is(&t, 1, "long") && at__cut_is(&t, 2, "long");
    bool constant =
        at__cut_is(&t, 0, "constexpr") && (wide || at__cut_is(&t, 1, "int") || at__cut_is(&t, 1, "bool"));
    size_t first = wide ? 5 : 4;
    if (at__cut_is(&t, 0, "enum"))
        constant = true;
    size_t end = t.count && at__cut_is(&t, t.count - 1, ";") ? t.count - 1 : t.count;
    if (!constant || !at__cut_is(&t, first - 1, "=") || !at__cut_value(&value, &t, first, end, &c->constants))
        goto done;
    if (at__cut_is(&t, 1, "bool"))
        value = value != 0;
    if (!wide && value != (int)value)
        goto done;
    if (!at__grow(&c->constants.items, &c->constants.cap, c->constants.count, sizeof(at__cut_constant)))
        c->failed = true;
    else
        c->constants.items[c->constants.count++] = (at__cut_constant){ n->text, n->len, value };
done:
    at__cut_tokens_clear(&t);
    at__str_clear(&text);
}

static void fold(cut *c)
{
    for (size_t i = 0, n = 0; i < c->item_count && !c->failed; i++) {
        item *it = &c->items[i];
        for (size_t k = it->unit; k < it->unit + it->unit_count && !c->failed; k++) {
            unit *u = &c->units[k];
            while (n < c->name_count && c->names[n].unit < k)
                n++;
            if (it->kind == PLAIN && memchr(at__str_text(&u->text), '{', u->text.len))
                c->failed |= !at__cut_fold(&u->text, &c->constants) || !at__cut_unused_locals(&u->text);
            else if ((it->kind == PLAIN || it->kind == LIST) && it->group == SIZE_MAX && n < c->name_count &&
                     c->names[n].unit == k)
                learn_constant(c, &it->prefix, u, &c->names[n]);
        }
    }
}

/* ---- 4. reach ---- */

static int compare(const name *a, const char *text, size_t len)
{
    int order = memcmp(a->text, text, a->len < len ? a->len : len);
    return order ? order : a->len < len ? -1 : a->len > len;
}

static int compare_names(const void *a, const void *b)
{
    const name *y = b;
    return compare(a, y->text, y->len);
}

static void reach(cut *c, size_t k)
{
    if (c->units[k].reached)
        return;
    c->units[k].reached = true;
    c->items[c->units[k].item].kept = true;
    if (!at__grow(&c->open, &c->open_cap, c->open_count, sizeof *c->open))
        c->failed = true;
    else
        c->open[c->open_count++] = k;
}

static void reach_word(void *context, const char *word, size_t len)
{
    cut *c = context;
    size_t low = 0, high = c->name_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&c->names[middle], word, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < c->name_count && compare(&c->names[low], word, len) == 0; low++)
        reach(c, c->names[low].unit);
}

static void reach_words(cut *c, const at__str *text)
{
    at__cut_tokens t;
    if (!at__cut_lex(&t, at__str_text(text), text->len, false)) {
        c->failed = true;
        return;
    }
    at__cut_each_word(&t, 0, t.count, reach_word, c);
    at__cut_tokens_clear(&t);
}

/* The #if around a reached item, its turns and its end. */
static void reach_group(cut *c, size_t i)
{
    size_t group = c->items[i].group;
    for (size_t k = group; group != SIZE_MAX && k < c->item_count; k++) {
        bool of_it = k == group || ((c->items[k].kind == TURNS || c->items[k].kind == CLOSES) &&
                                    c->items[k].group == group);
        if (of_it && !c->items[k].kept)
            reach(c, c->items[k].unit);
        if (of_it && c->items[k].kind == CLOSES)
            return;
    }
}

static void reach_all(cut *c, const char *kernel)
{
    if (c->name_count)
        qsort(c->names, c->name_count, sizeof *c->names, compare_names);
    reach_word(c, kernel, strlen(kernel));
    for (size_t i = 0; i < c->item_count; i++)
        if (c->items[i].kind == ALWAYS)
            reach(c, c->items[i].unit);
    while (c->open_count && !c->failed) {
        size_t k = c->open[--c->open_count], i = c->units[k].item;
        reach_words(c, &c->units[k].text);
        reach_words(c, &c->items[i].prefix);
        reach_group(c, i);
    }
}

/* ---- 5. write ---- */

static void write_item(at__str *out, const cut *c, const item *it)
{
    bool all = it->kind == LIST, first = true;
    for (size_t k = it->unit; k < it->unit + it->unit_count; k++)
        all = all && c->units[k].reached;
    if (all) { /* as it was written */
        at__str_add_bytes(out, at__str_text(&it->text), it->text.len);
        return;
    }
    at__str_add_bytes(out, at__str_text(&it->prefix), it->prefix.len);
    for (size_t k = it->unit; k < it->unit + it->unit_count; k++) {
        if (!c->units[k].reached)
            continue;
        at__str_add(out, first ? "" : ", ");
        at__str_add_bytes(out, at__str_text(&c->units[k].text), c->units[k].text.len);
        first = false;
    }
    at__str_add_bytes(out, at__str_text(&it->suffix), it->suffix.len);
}

/* #else with nothing before the #endif. */
static bool is_idle(const cut *c, size_t i)
{
    for (size_t k = i + 1; k < c->item_count; k++) {
        if (c->items[k].group == c->items[i].group && c->items[k].kind == CLOSES)
            return true;
        if (c->items[k].kept)
            return false;
    }
    return true;
}

/* Does the text stand in `before` on lines of its own? */
static bool is_there(const char *before, const at__str *text)
{
    const char *what = at__str_text(text);
    for (const char *at = before; at && text->len && (at = strstr(at, what)) != NULL; at++)
        if ((at == before || at[-1] == '\n') && (at[text->len] == '\n' || !at[text->len]))
            return true;
    return false;
}

static void write_all(at__str *out, const cut *c, const char *before)
{
    bool gap = false, first = true;
    for (size_t i = 0; i < c->item_count; i++) {
        const item *it = &c->items[i];
        at__str one = { 0 };
        gap |= it->gap;
        if (!it->kept || (it->kind == TURNS && is_idle(c, i)))
            continue;
        write_item(&one, c, it);
        if (!(before && it->group == SIZE_MAX && it->kind < OPENS && is_there(before, &one))) {
            at__str_add(out, gap && !first ? "\n" : "");
            at__str_add_bytes(out, at__str_text(&one), one.len);
            at__str_add(out, "\n");
            gap = first = false;
        }
        out->failed |= one.failed;
        at__str_clear(&one);
    }
}

static void cut_clear(cut *c)
{
    for (size_t i = 0; i < c->item_count; i++) {
        at__str_clear(&c->items[i].text);
        at__str_clear(&c->items[i].prefix);
        at__str_clear(&c->items[i].suffix);
    }
    for (size_t i = 0; i < c->unit_count; i++)
        at__str_clear(&c->units[i].text);
    free(c->items);
    free(c->units);
    free(c->names);
    free(c->open);
    free(c->constants.items);
    at__cut_tokens_clear(&c->tokens);
    at__str_clear(&c->clean);
}

/* What cannot be taken apart: as it is, under the kernel's other name. */
static void write_whole(at__str *out, const at__cutting *cutting)
{
    if (strcmp(cutting->kernel, cutting->name) != 0)
        at__str_addf(out, "#define %s %s\n", cutting->kernel, cutting->name);
    at__str_add(out, cutting->rendered);
    at__str_add(out, "\n");
}

at_status at__cut(at__str *out, const at__cutting *cutting, at_error *err)
{
    cut c = { .constants = { .type_bytes = cutting->type_bytes } };
    c.failed = !clean(&c.clean, &c.odd, cutting);
    if (!c.failed)
        c.failed = !at__cut_lex(&c.tokens, at__str_text(&c.clean), c.clean.len, true);
    if (!c.failed && !c.odd)
        split(&c);
    if (!c.failed && !c.odd) {
        fold(&c);
        reach_all(&c, cutting->name);
    }
    if (!c.failed && c.odd)
        write_whole(out, cutting);
    else if (!c.failed)
        write_all(out, &c, cutting->before);
    bool failed = c.failed || out->failed;
    cut_clear(&c);
    return failed ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
}
