/*
 * adopt_roles.c - what a kernel does with its buffers: reads, writes, adds to, or takes as indices. An access
 * is a write where an assignment follows it in its statement and it is no index of another. Pointers that are
 * made of arguments are followed, also into functions of the file.
 */
#include "exchange/adopt_guards.h"

#include <string.h>

enum { MOST_NAMES = 64, MOST_CALLS = 3 };

/* A local name: a pointer into `args`, or a number that was read of `values`. */
typedef struct local {
    char name[ATX_MAX_WORD];
    uint64_t args, values;
} local;

typedef struct walk {
    atx_draft *d;
    local names[MOST_NAMES];
    int count;
    int depth; /* of calls */
} walk;

static const char *const ASSIGNS[] = { "=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", NULL };

static bool assigns(const atx_tokens *t, size_t i)
{
    if (i >= t->count)
        return false;
    return atx_token_is_one_of(t->text, &t->items[i], ASSIGNS) ||
           ((atx_tokens_is(t, i, "<<") || atx_tokens_is(t, i, ">>")) && atx_tokens_is(t, i + 1, "="));
}

static local *find(walk *w, size_t token)
{
    char name[ATX_MAX_WORD];
    atx_draft_word(name, &w->d->code, token);
    for (int i = w->count; name[0] && i-- > 0;)
        if (strcmp(w->names[i].name, name) == 0)
            return &w->names[i];
    return NULL;
}

static void add_name(walk *w, size_t token, uint64_t args, uint64_t values)
{
    local *known = find(w, token);
    if (!known && w->count < MOST_NAMES) {
        known = &w->names[w->count++];
        *known = (local){ .args = 0 };
        atx_draft_word(known->name, &w->d->code, token);
    }
    if (known) {
        known->args |= args;
        known->values |= values;
    }
}

static void mark(walk *w, uint64_t args, bool read, bool written)
{
    for (int k = 0; k < w->d->arg_count; k++)
        if (args >> k & 1) {
            w->d->args[k].fresh =
                w->d->args[k].fresh || (written && !read && !w->d->args[k].read && !w->d->args[k].written);
            w->d->args[k].read = w->d->args[k].read || read;
            w->d->args[k].written = w->d->args[k].written || written;
        }
}

/* From token i to the end of its expression: whether an assignment to it follows; *both: it is read, too. */
static bool is_target(const atx_tokens *t, size_t i, size_t end, bool *both)
{
    for (size_t k = i; k < end; k++) {
        if (atx_tokens_opens(t, k)) {
            k = atx_tokens_match(t, k);
            continue;
        }
        if (assigns(t, k)) {
            *both = !atx_tokens_is(t, k, "=");
            return true;
        }
        if (atx_tokens_is(t, k, ";") || atx_tokens_is(t, k, ",") || atx_tokens_is(t, k, ")") ||
            atx_tokens_is(t, k, "]") || atx_tokens_is(t, k, "}") || atx_tokens_is(t, k, "?") ||
            atx_tokens_is(t, k, ":"))
            return false;
    }
    return false;
}

/* Whether a name that is assigned to stands in what it is given, too: y[i] = y[i] + 1. */
static bool is_repeated(const atx_tokens *t, size_t name, size_t end)
{
    const size_t stop = atx_tokens_find(t, end, t->count, ";");
    for (size_t i = end; i < stop; i++)
        if (atx_tokens_is_word(t, i) && atx_code_same(t, i, name))
            return true;
    return false;
}

static void visit_function(walk *w, const atx_draft_function *f, int position, uint64_t args);

/* Which argument of a call token i is in. */
static int position_of(const atx_tokens *t, size_t open, size_t i)
{
    int n = 0;
    for (size_t at = atx_code_comma(t, open + 1, i); at < i; at = atx_code_comma(t, at + 1, i))
        n++;
    return n;
}

static bool begins(const char *name, const char *const *with)
{
    for (; *with; with++)
        if (strncmp(name, *with, strlen(*with)) == 0)
            return true;
    return false;
}

/* Given to a function: an atomic, a load, a store, one of the file, or an unknown one. */
static void visit_call(walk *w, size_t open, size_t i, uint64_t args)
{
    static const char *const ATOMIC[] = { "atomic", NULL };
    static const char *const KEEPS[] = { "atomicMin", "atomicAnd", "atomicExch", "atomicCAS",
                                         NULL }; /* not 0 */
    static const char *const LOADS[] = { "__ld", "ld", "load", "Load", NULL };
    static const char *const STORES[] = { "__st", "st_", "store", "Store", NULL };
    const atx_tokens *t = &w->d->code;
    size_t at = open - 1;
    if (atx_tokens_is(t, at, ">") && t->items[at].pair < at)
        at = t->items[at].pair - 1;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, at);
    const int position = position_of(t, open, i);
    const atx_draft_function *f = atx_draft_find_function(w->d, name);
    if (begins(name, ATOMIC)) {
        mark(w, args, position == 0 && begins(name, KEEPS), false);
        for (int k = 0; k < w->d->arg_count; k++)
            w->d->args[k].atomic = w->d->args[k].atomic || ((args >> k & 1) && position == 0);
        mark(w, args, position != 0, position == 0);
    } else if (f && w->depth < MOST_CALLS) {
        visit_function(w, f, position, args);
    } else if (begins(name, LOADS)) {
        mark(w, args, true, false);
    } else if (begins(name, STORES)) {
        mark(w, args, false, true);
    } else {
        for (int k = 0; k < w->d->arg_count; k++)
            w->d->args[k].lost = w->d->args[k].lost || (args >> k & 1);
    }
}

/* Whether the bracket "(" belongs to a call, and not to a cast, a condition or a group. */
static bool is_call(const atx_tokens *t, size_t open)
{
    static const char *const NOT[] = {
        "if",          "for",        "while", "switch", "return", "sizeof", "reinterpret_cast",
        "static_cast", "const_cast", NULL
    };
    size_t at = open;
    if (at && atx_tokens_is(t, at - 1, ">") && t->items[at - 1].pair < at)
        at = t->items[at - 1].pair;
    return at && atx_tokens_is_word(t, at - 1) && !atx_token_is_one_of(t->text, &t->items[at - 1], NOT);
}

/* Whether a '*' before token i goes to what it points to, and is no product: "else *p", "if (x) *p". */
static bool is_star(const atx_tokens *t, size_t begin, size_t i)
{
    static const char *const BEFORE[] = { "return", "else", "do", NULL }, *const HEADS[] = { "if", "for",
                                                                                             "while", NULL };
    if (i <= begin || !atx_tokens_is(t, i - 1, "*"))
        return false;
    if (i == begin + 1)
        return true;
    const size_t open = atx_tokens_is(t, i - 2, ")") ? t->items[i - 2].pair : i;
    if (open > begin && open < i)
        return atx_token_is_one_of(t->text, &t->items[open - 1], HEADS);
    return !(atx_tokens_is_word(t, i - 2) || atx_tokens_is(t, i - 2, ")") || atx_tokens_is(t, i - 2, "]") ||
             t->items[i - 2].kind == ATX_TOKEN_NUMBER) ||
           atx_token_is_one_of(t->text, &t->items[i - 2], BEFORE);
}

/* The parameter of a function at a position; empty: it has fewer. */
static atx_span parameter(const atx_tokens *t, const atx_draft_function *f, int position)
{
    const size_t end = atx_tokens_match(t, f->open);
    size_t at = f->open + 1;
    for (; position > 0 && at < end; position--)
        at = atx_code_comma(t, at, end) + 1;
    return at < end ? (atx_span){ at, atx_code_comma(t, at, end) } : (atx_span){ end, end };
}

/* Whether a call may write to the element that is its argument at tokens i..end: put(y[i], x), where it takes
 * a reference, or where it is unknown and its value is not used. */
static bool may_write(const walk *w, size_t open, size_t i, size_t end)
{
    static const char *const BEFORE[] = { ";", "{", "}", ")", NULL };
    const atx_tokens *t = &w->d->code;
    char name[ATX_MAX_WORD];
    size_t at = open - 1;
    atx_draft_word(name, t, at);
    const atx_draft_function *f = atx_draft_find_function(w->d, name);
    const int position = position_of(t, open, i);
    while (at > 1 && atx_tokens_is(t, at - 1, "::"))
        at -= 2;
    if (!f)
        return position == 0 && end > i + 1 && atx_tokens_is(t, end, ",") &&
               atx_token_is_one_of(t->text, &t->items[at - 1], BEFORE) && strncmp(name, "__", 2) != 0;
    const atx_span param = parameter(t, f, position);
    return atx_tokens_find(t, param.begin, param.end, "&") < param.end &&
           atx_tokens_find(t, param.begin, param.end, "const") == param.end;
}

/* Walks outwards from the access at tokens i..end. `deref`: it has brackets or a star, so it is an element.
 */
static void classify(walk *w, atx_span body, size_t i, size_t end, bool deref, uint64_t args)
{
    static const char *const HEADS[] = { "if", "while", "for", "switch", NULL };
    const atx_tokens *t = &w->d->code;
    const size_t name = i;
    for (int k = 0; k < w->d->arg_count && !deref && atx_guards_kept(t, body.begin, i); k++)
        w->d->args[k].lost = w->d->args[k].lost || (args >> k & 1);
    for (int level = 0; level < 16; level++) {
        bool both = false;
        const bool star = is_star(t, body.begin, i);
        deref = deref || star || atx_tokens_is(t, end, "[") || atx_tokens_is(t, end, "->");
        const bool steps =
            atx_tokens_is(t, end, "++") || atx_tokens_is(t, end, "--") ||
            (i > body.begin && (atx_tokens_is(t, i - 1, "++") || atx_tokens_is(t, i - 1, "--")));
        if (deref && steps && !star) {
            mark(w, args, true, true);
            return;
        }
        if (is_target(t, end, body.end, &both)) {
            if (deref)
                mark(w, args, both || is_repeated(t, name, end), true);
            return;
        }
        const size_t open = atx_guards_around(t, body.begin, i);
        if (open == SIZE_MAX || atx_tokens_is(t, open, "{") || atx_tokens_is(t, open, "[") ||
            (open && atx_token_is_one_of(t->text, &t->items[open - 1], HEADS))) {
            mark(w, args, deref, false);
            return;
        }
        const size_t close = atx_tokens_match(t, open);
        const bool grouped = close < body.end && (assigns(t, close + 1) || atx_tokens_is(t, close + 1, "[") ||
                                                  atx_tokens_is(t, close + 1, "."));
        if (is_call(t, open) && !grouped) {
            const bool address = atx_tokens_is(t, i - 1, "&");
            if (deref && !address)
                mark(w, args, true, may_write(w, open, i, end));
            else
                visit_call(w, open, i, args);
            return;
        }
        i = open;
        if (i > body.begin && atx_tokens_is(t, i - 1, ">") && t->items[i - 1].pair < i)
            i = t->items[i - 1].pair - 1; /* reinterpret_cast<float4 *>( */
        end = close + 1;
    }
}

/* "int j = p[i];", "const float *q = p + i;": what the new name stands for. */
static void note_local(walk *w, atx_span body, size_t i, bool element, uint64_t args)
{
    const atx_tokens *t = &w->d->code;
    size_t at = i;
    while (at > body.begin && !atx_tokens_is(t, at - 1, ";") && !atx_tokens_is(t, at - 1, "{") &&
           !atx_tokens_is(t, at - 1, "}"))
        at--;
    const size_t equal = atx_tokens_find(t, at, i, "=");
    if (equal >= i || equal < at + 1 || !atx_tokens_is_word(t, equal - 1))
        return;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, equal - 1);
    const size_t before = atx_guards_declaration(t, body.begin, name, equal - 1); /* float *q; q = p + i; */
    const bool pointer =
        (equal >= at + 2 && !atx_tokens_is(t, equal - 2, "auto") && atx_guards_points(t, at, equal - 1)) ||
        (equal == at + 1 && before != SIZE_MAX && atx_tokens_is(t, before - 1, "*") &&
         atx_tokens_is(t, before + 1, ";"));
    const bool declared = pointer || (equal >= at + 2 && atx_tokens_is_word(t, equal - 2));
    const local *known = find(w, equal - 1);
    element = element || atx_tokens_is(t, equal + 1, "*"); /* = *(p + i) */
    if (!pointer && (atx_tokens_is(t, i + 1, "!=") || atx_tokens_is(t, i + 1, "==")))
        element = true; /* = p != NULL ? p[j] : j */
    if (find(w, equal - 1) == find(w, i))
        return;
    if (pointer || (!element && declared) || (known && known->args && !element))
        add_name(w, equal - 1, args, 0);
    else if (declared)
        add_name(w, equal - 1, 0, args);
}

/* Whether token i is within the brackets of an access to a buffer: what that is of. */
static uint64_t indexed_by(walk *w, atx_span body, size_t i)
{
    const atx_tokens *t = &w->d->code;
    for (size_t open = atx_guards_around(t, body.begin, i); open != SIZE_MAX && !atx_tokens_is(t, open, "{");
         open = atx_guards_around(t, body.begin, open)) {
        const local *base =
            open && atx_tokens_is(t, open, "[") && atx_tokens_is_word(t, open - 1) ? find(w, open - 1) : NULL;
        if (base && base->args)
            return base->args;
    }
    return 0;
}

static void note_index(walk *w, uint64_t from, uint64_t into)
{
    for (int k = 0; k < w->d->arg_count; k++)
        for (int j = 0; j < w->d->arg_count && (from >> k & 1); j++)
            if ((into >> j & 1) && j != k)
                w->d->args[k].index = true;
}

static void visit(walk *w, atx_span body)
{
    const atx_tokens *t = &w->d->code;
    for (size_t i = body.begin; i < body.end; i++) {
        if (!atx_tokens_is_word(t, i) ||
            (i && (atx_tokens_is(t, i - 1, ".") || atx_tokens_is(t, i - 1, "->") ||
                   atx_tokens_is(t, i - 1, "::"))))
            continue;
        const local *known = find(w, i);
        if (!known)
            continue;
        const local l = *known;
        const uint64_t into = indexed_by(w, body, i);
        if (into && (l.values || l.args))
            note_index(w, l.values | l.args, into);
        if (!l.args)
            continue;
        size_t end = i + 1;
        bool element = false;
        for (; atx_tokens_is(t, end, "["); end = atx_tokens_match(t, end) + 1)
            element = true;
        const bool address = i && atx_tokens_is(t, i - 1, "&") && element;
        note_local(w, body, i, (element && !address) || (i && atx_tokens_is(t, i - 1, "*")), l.args);
        classify(w, body, i, end, element && !address, l.args);
    }
}

/* The body of a function of the file whose parameter at that position is given a pointer. */
static void visit_function(walk *w, const atx_draft_function *f, int position, uint64_t args)
{
    const atx_tokens *t = &w->d->code;
    const atx_span param = parameter(t, f, position);
    size_t name = atx_tokens_find(t, param.begin, param.end, "=");
    name = atx_tokens_find(t, param.begin, name, "[");
    walk inner = { .d = w->d, .depth = w->depth + 1 };
    if (name > param.begin && atx_tokens_is_word(t, name - 1)) {
        add_name(&inner, name - 1, args, 0);
        visit(&inner, (atx_span){ f->body + 1, f->end });
    }
}

size_t atx_draft_base(const atx_tokens *t, size_t i)
{
    while (atx_guards_member(t, i)) {
        i -= 2;
        while (i && (atx_tokens_is(t, i, "]") || atx_tokens_is(t, i, ")")) && t->items[i].pair < i)
            i = t->items[i].pair - (t->items[i].pair > 0);
    }
    return i;
}

void atx_draft_role_of(atx_draft_arg *a, const atx_draft *d, const atx_draft_named *n)
{
    const atx_tokens *t = &d->code;
    const size_t body = atx_tokens_match(t, d->kernel_text.open);
    for (size_t i = 0; i < t->count; i++) {
        if (!d->reached[i] || !atx_tokens_is(t, i, n->name) || atx_guards_member(t, i) != n->member ||
            (!n->member && (atx_tokens_is(t, i + 1, ".") || i < body || i >= d->body_end)))
            continue;
        long depth = 0;
        size_t end = i + 1;
        for (; atx_tokens_is(t, end, "["); depth++)
            end = atx_tokens_match(t, end) + 1;
        const bool partly = depth < n->dims || atx_tokens_is(t, atx_draft_base(t, i) - 1, "&");
        while (depth && atx_tokens_is(t, end, ".") && atx_tokens_is_word(t, end + 1))
            end += 2;
        const bool assigned = assigns(t, end) || atx_tokens_is(t, end, "++") || atx_tokens_is(t, end, "--");
        a->written = a->written || partly || assigned;
        a->read = a->read || partly || !atx_tokens_is(t, end, "=");
    }
}

void atx_draft_roles(atx_draft *d)
{
    walk w = { .d = d };
    const atx_span body = { atx_tokens_match(&d->code, d->kernel_text.open) + 2, d->body_end };
    for (int k = 0; k < d->arg_count; k++)
        if (d->args[k].stars && d->args[k].token < d->args[k].span.end)
            add_name(&w, d->args[k].token, (uint64_t)1 << k, 0);
    visit(&w, body);
    for (int k = 0; k < d->arg_count; k++) {
        atx_draft_arg *a = &d->args[k];
        if (a->arg.constant && a->stars) {
            a->read = true;
            a->written = a->atomic = false;
        } else if (a->stars && a->lost) {
            a->written = true;
            a->read = true;
        }
    }
}
