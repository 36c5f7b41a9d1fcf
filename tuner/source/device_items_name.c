/*
 * device_items_name.c - the names that an item declares. The name of a function is the word before the first
 * bracket that is no attribute's; that of a type the last word before its body; those of variables are before
 * a sign that ends a declarator. A function of a class or namespace, ns::f, is known by both names.
 */
#include "source/device_items.h"

#include "util/str.h"

bool atx_items_code(const atx_items *t, size_t i)
{
    const atx_token *token = &t->tokens.items[i];
    return token->kind != ATX_TOKEN_DIRECTIVE && !token->inactive;
}

unsigned atx_items_flags(const atx_items *t, size_t i)
{
    return i < t->tokens.count && t->tokens.items[i].kind == ATX_TOKEN_WORD ? t->flags[t->ids[i]] : 0;
}

bool atx_items_is_attribute(const atx_items *t, size_t i)
{
    static const char *const ATTRIBUTES[] = {
        "__launch_bounds__", "__cluster_dims__", "__block_size__",    "__maxnreg__", "__attribute__",
        "__declspec",        "alignas",          "__align__",         "decltype",    "noexcept",
        "explicit",          "requires",         "__builtin_align__", NULL
    };
    return i < t->tokens.count && atx_token_is_one_of(t->tokens.text, &t->tokens.items[i], ATTRIBUTES);
}

/* The item whose tokens are read. */
typedef struct reader {
    atx_items *t;
    atx_item *item;
    size_t end;
    bool failed;
} reader;

static bool is(const reader *r, size_t i, const char *what)
{
    return i < r->end && atx_tokens_is(&r->t->tokens, i, what);
}

static bool is_one_of(const reader *r, size_t i, const char *const *words)
{
    return i < r->end && atx_token_is_one_of(r->t->tokens.text, &r->t->tokens.items[i], words);
}

static bool is_word(const reader *r, size_t i)
{
    return i < r->end && atx_tokens_is_word(&r->t->tokens, i);
}

/* The next token of code behind i, or the end. */
static size_t next(const reader *r, size_t i)
{
    for (i++; i < r->end && (!atx_items_code(r->t, i) || r->t->tokens.items[i].attribute); i++)
        ;
    return i < r->end ? i : r->end;
}

static size_t before(const reader *r, size_t i)
{
    while (i > r->item->begin && !atx_items_code(r->t, --i))
        ;
    return i;
}

/* The closing bracket, or angle, of this one; the token itself where none of the item's is. */
static size_t match(const reader *r, size_t i)
{
    const size_t pair = r->t->tokens.items[i].pair;
    return pair != SIZE_MAX && pair > i && pair < r->end ? pair : i;
}

static void add_name_of(reader *r, size_t i, bool qualifier)
{
    atx_items *t = r->t;
    if (!is_word(r, i))
        return;
    if (!atx_grow(&t->names, &t->name_cap, t->name_count, sizeof *t->names)) {
        r->failed = true;
        return;
    }
    t->names[t->name_count++] = (atx_item_name){ t->ids[i], (size_t)(r->item - t->items), qualifier };
}

static void add_name(reader *r, size_t i)
{
    add_name_of(r, i, false);
}

/* ---- attributes ---- */

bool atx_items_looks_like_macro(const atx_items *items, size_t i)
{
    const atx_token *t = &items->tokens.items[i];
    bool upper = t->kind == ATX_TOKEN_WORD && t->end - t->begin > 2;
    for (size_t at = t->begin; upper && at < t->end; at++) {
        const char c = items->tokens.text[at];
        upper = (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9' && at > t->begin);
    }
    return upper;
}

static void read_attribute(reader *r, size_t i)
{
    static const char *const CONSTANT[] = { "const", "constexpr", "constinit", NULL };
    const unsigned flags = atx_items_flags(r->t, i);
    r->item->device = r->item->device || (flags & ATX_WORD_DEVICE);
    r->item->kernel = r->item->kernel || (flags & ATX_WORD_KERNEL);
    r->item->constant = r->item->constant || is_one_of(r, i, CONSTANT);
    r->item->unknown = r->item->unknown || (!(flags & ATX_WORD_MACRO) && atx_items_looks_like_macro(r->t, i));
}

/* ---- names of types ---- */

/* From a token of a type's head to the '{' of its body, past its bases; else to the ';' or the end. */
static size_t find_body(const reader *r, size_t i)
{
    while (i < r->end && !is(r, i, "{") && !is(r, i, ";"))
        i = next(r, i);
    return i;
}

/* From behind struct, class, union or enum to the token that its name stands before. */
static size_t read_type_name(reader *r, size_t i)
{
    static const char *const ENDS[] = { "{", ":", "<", ";", ",", "=", "*", "&", ")", NULL };
    size_t name = r->end;
    for (; i < r->end && !is_one_of(r, i, ENDS); i = next(r, i)) {
        if (is(r, i, "("))
            i = match(r, i);
        else if (is_word(r, i) && !is(r, i, "final") && !is(r, i, "struct") && !is(r, i, "class"))
            name = i;
    }
    add_name(r, name);
    return i;
}

/* The words of an enum. */
static void read_enumerators(reader *r, size_t open)
{
    const size_t close = match(r, open);
    bool first = true;
    for (size_t i = next(r, open); i < close; i = next(r, i)) {
        if (first)
            add_name(r, i);
        first = is(r, i, ",");
        if (is(r, i, "(") || is(r, i, "{"))
            i = match(r, i);
    }
}

/* Words before a sign that ends a declarator; what stands behind an '=' declares nothing. */
static void read_declarators(reader *r, size_t i)
{
    static const char *const ENDS[] = { "=", ";", ",", "[", "{", ":", NULL }, *const OPENS[] = { "(", "[",
                                                                                                 "{", "<",
                                                                                                 NULL };
    bool value = false;
    for (; i < r->end; i = next(r, i)) {
        const size_t behind = next(r, i);
        if (is_word(r, i) && !value && is_one_of(r, behind, ENDS))
            add_name(r, i);
        value = is(r, i, ",") ? false : value || is(r, i, "=");
        if (is(r, i, "(") && (is(r, behind, "*") || is(r, behind, "&")) && !value)
            add_name(r, next(r, behind)); /* (*name) */
        if (is_one_of(r, i, OPENS))
            i = match(r, i);
    }
}

static void read_typedef(reader *r, size_t i)
{
    static const char *const TYPES[] = { "struct", "class", "union", "enum", NULL };
    size_t behind = i;
    r->item->kind = ATX_ITEM_TYPE;
    for (size_t k = i; k < r->end && !is(r, k, "(") && !is(r, k, "<"); k = next(r, k)) {
        if (!is_one_of(r, k, TYPES))
            continue;
        const size_t open = find_body(r, read_type_name(r, next(r, k)));
        if (is(r, open, "{")) {
            behind = next(r, match(r, open));
            if (is(r, k, "enum"))
                read_enumerators(r, open);
        }
        break;
    }
    read_declarators(r, behind);
}

/* using X = ...; using a::b; using namespace a; */
static void read_using(reader *r, size_t i)
{
    size_t last = i;
    const bool alias = is(r, next(r, i), "=");
    r->item->kind = is(r, i, "namespace") ? ATX_ITEM_USE : ATX_ITEM_TYPE;
    for (size_t k = i; k < r->end && !(alias && is(r, k, "=")); k = next(r, k)) {
        last = is_word(r, k) ? k : last;
        if (is(r, k, ","))
            add_name(r, last);
    }
    add_name(r, last);
}

static void read_type(reader *r, size_t i)
{
    const bool words = is(r, i, "enum");
    const size_t named = r->t->name_count, open = find_body(r, read_type_name(r, next(r, i)));
    r->item->plain_enum = words && named == r->t->name_count;
    r->item->kind = ATX_ITEM_TYPE;
    if (!is(r, open, "{"))
        return;
    r->item->body = true;
    if (words)
        read_enumerators(r, open);
    read_declarators(r, next(r, match(r, open)));
}

/* ---- functions ---- */

/* The names before the bracket: f, ns::f, X<T>::f. */
static void read_function_names(reader *r, size_t open)
{
    size_t i = before(r, open);
    for (bool first = true; i > r->item->begin; first = false) {
        if (is(r, i, ">") || is(r, i, ">>")) /* back to what opens it */
            for (int depth = is(r, i, ">") ? 1 : 2; depth > 0 && i > r->item->begin;) {
                i = before(r, i);
                depth += is(r, i, ">") - is(r, i, "<") + 2 * is(r, i, ">>");
                if (depth <= 0)
                    i = before(r, i);
            }
        if (!is_word(r, i))
            return;
        if (!(first && r->item->operates))
            add_name_of(r, i, !first);
        const size_t sign = before(r, i);
        if (!is(r, sign, "::") && !is(r, sign, "~"))
            return;
        r->item->qualified = true;
        i = is(r, sign, "~") ? before(r, before(r, sign)) : before(r, sign);
    }
    if (is_word(r, i) && i == r->item->begin)
        add_name_of(r, i, r->item->qualified);
}

/* A word before a bracket: an attribute, or a macro for one, which a name with a bracket of its own follows.
 */
static bool is_attribute(const reader *r, size_t i)
{
    if (atx_items_is_attribute(r->t, i))
        return true;
    const size_t open = next(r, i);
    for (size_t k = next(r, match(r, open)); is_word(r, k) && k != open; k = next(r, k))
        if (is(r, k, "noexcept") || is(r, k, "requires") || is(r, k, "const") || is(r, k, "override"))
            return false;
        else if (is(r, next(r, k), "(") || is(r, next(r, k), "::"))
            return true;
    return false;
}

/* struct ALIGN(2) name { */
static bool is_attribute_of_type(const reader *r, size_t type, size_t i)
{
    return type < r->end && next(r, type) == i && is_word(r, next(r, match(r, next(r, i))));
}

/* Where the head of a declaration leads: to the bracket of its parameters, its type, an '=', a '{' or ';'. */
typedef struct head {
    size_t open, type, operator_word, stop;
} head;

static head read_head(reader *r, size_t i)
{
    static const char *const TYPES[] = { "struct", "class", "union", "enum", NULL }, *const ENDS[] = {
        "{", ";", "=", NULL
    };
    head h = { r->end, r->end, r->end, r->end };
    for (; i < r->end; i = next(r, i)) {
        if (is(r, i, "operator") && h.open == r->end) {
            h.operator_word = i;
            i = next(r, i);
            if (is(r, i, "("))
                i = next(r, i);
            continue;
        }
        if (is_one_of(r, i, ENDS)) {
            h.stop = i;
            return h;
        }
        if (is_word(r, i)) {
            read_attribute(r, i);
            if (is_one_of(r, i, TYPES) && h.open == r->end && h.type == r->end)
                h.type = i;
            if (is(r, next(r, i), "(") && h.open == r->end && h.operator_word == r->end &&
                (is_attribute(r, i) || is_attribute_of_type(r, h.type, i)))
                i = match(r, next(r, i));
        } else if (is(r, i, "(")) {
            h.open = h.open == r->end ? i : h.open;
            i = match(r, i);
        } else if (is(r, i, "<") || is(r, i, "[")) {
            i = match(r, i);
        }
    }
    return h;
}

static void read_declaration(reader *r, size_t i)
{
    const head h = read_head(r, i);
    const size_t first = next(r, h.open);
    const bool pointer = is(r, first, "*") && h.operator_word == r->end; /* to a function: a variable */
    r->item->body = is(r, h.stop, "{");
    if (h.open < r->end && !pointer) {
        r->item->kind = ATX_ITEM_FUNCTION;
        r->item->open = h.open;
        r->item->operates = h.operator_word < r->end;
        read_function_names(r, r->item->operates ? next(r, h.operator_word) : h.open);
        /* the body of a constructor stands behind its list */
        for (size_t k = h.open; k < r->end && !r->item->body; k = next(r, k))
            r->item->body = is(r, k, "{");
    } else if (h.type < r->end && (is(r, h.stop, "{") || is(r, next(r, next(r, h.type)), ";"))) {
        read_type(r, h.type);
    } else {
        r->item->kind = ATX_ITEM_VARIABLE;
        read_declarators(r, i);
    }
}

/* ---- items ---- */

static void read_item(reader *r)
{
    static const char *const WORDS[] = { "int",  "unsigned", "float", "double", "char",   "short",
                                         "long", "bool",     "void",  "const",  "static", NULL };
    static const char *const OTHERS[] = { "static_assert", "_Static_assert", "asm", "__asm__", NULL };
    size_t i = r->item->begin;
    if (!atx_items_code(r->t, i))
        i = next(r, i);
    while (is(r, i, "template") && is(r, next(r, i), "<"))
        i = next(r, match(r, next(r, i)));
    if (is(r, i, "extern") && i + 1 < r->end && r->t->tokens.items[next(r, i)].kind == ATX_TOKEN_TEXT)
        i = next(r, next(r, i));
    if (is(r, i, "template") || is(r, i, ";") || is_one_of(r, i, OTHERS) ||
        (is(r, i, "extern") && is(r, next(r, i), "template")))
        return;
    if (atx_items_flags(r->t, i) & ATX_WORD_OPENS) { /* of its arguments one is the name */
        const size_t open = next(r, i), close = match(r, open);
        r->item->kind = ATX_ITEM_CALL;
        for (size_t k = open; is(r, open, "(") && k < close; k = next(r, k))
            if (!is_one_of(r, k, WORDS))
                add_name(r, k);
    } else if (is(r, i, "using")) {
        read_using(r, next(r, i));
    } else if (is(r, i, "typedef")) {
        read_typedef(r, next(r, i));
    } else if (is(r, i, "namespace") || is(r, i, "concept")) {
        r->item->kind = ATX_ITEM_TYPE;
        add_name(r, next(r, i));
    } else {
        read_declaration(r, i);
    }
}

bool atx_items_name(atx_items *t)
{
    reader r = { .t = t };
    for (size_t i = 0; i < t->count && !r.failed; i++) {
        r.item = &t->items[i];
        r.end = r.item->end;
        r.item->first_name = t->name_count;
        if (r.item->kind == ATX_ITEM_OTHER)
            read_item(&r);
    }
    return !r.failed;
}
