/*
 * device_view_members.c - functions of the host within classes that kernels use: constructors that allocate,
 * destructors. As outside of classes, one is the host's that neither an attribute nor a macro makes the
 * device's. What is declared without a body stays, unless it is marked __host__ alone, which NVRTC refuses.
 */
#include "source/device_view_internal.h"

typedef struct member {
    size_t begin;   /* its first token                     */
    bool arguments; /* a bracket of parameters was met     */
    bool value;     /* and an '='                          */
    bool list;      /* a ':' behind the parameters         */
    bool type;      /* struct, class, union or enum        */
    bool device;    /* an attribute or a macro may say so */
    bool host;      /* __host__ does                       */
} member;

static bool is(const atx_view *v, size_t i, const char *what)
{
    return atx_tokens_is(&v->t.tokens, i, what);
}

static bool is_one_of(const atx_view *v, size_t i, const char *const *words)
{
    return i < v->t.tokens.count && atx_token_is_one_of(v->t.tokens.text, &v->t.tokens.items[i], words);
}

static member begin_member(size_t i)
{
    return (member){ .begin = i };
}

static const char *const TYPES[] = { "struct", "class", "union", "enum", NULL };

static void note_word(member *m, const atx_view *v, size_t i)
{
    m->type = m->type || (!m->arguments && is_one_of(v, i, TYPES));
    m->host = m->host || is(v, i, "__host__");
    m->device = m->device || (atx_items_flags(&v->t, i) & ATX_WORD_DEVICE) ||
                (!m->arguments && !(atx_items_flags(&v->t, i) & ATX_WORD_MACRO) &&
                 atx_items_looks_like_macro(&v->t, i));
}

/* Is the brace that of an initialiser in a constructor's list: a{1}? */
static bool is_initialiser(const member *m, const atx_view *v, size_t open, size_t close)
{
    return m->list && (atx_tokens_is_word(&v->t.tokens, open - 1) || is(v, open - 1, ">")) &&
           (is(v, close + 1, ",") || is(v, close + 1, "{"));
}

static bool has_directive(const atx_view *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (v->t.tokens.items[i].kind == ATX_TOKEN_DIRECTIVE || v->t.tokens.items[i].inactive)
            return true;
    return false;
}

/* The member that ends with token `end`. */
static void mark_host(atx_view *v, size_t begin, size_t end)
{
    const bool host = !has_directive(v, begin, end);
    for (size_t i = begin; i <= end && host; i++)
        v->host[i] = true;
}

enum { MOST_DEPTH = 64 }; /* of classes within classes: each is a call */

static void mark_body(atx_view *v, size_t open, size_t close, int depth);

/* At an open brace of a member. true: the member ends with it. */
static bool take_brace(member *m, atx_view *v, size_t open, size_t close, int depth)
{
    if (m->type && !m->arguments) {
        mark_body(v, open, close, depth + 1);
        return false;
    }
    if (!m->arguments || m->value || is_initialiser(m, v, open, close))
        return false;
    if (!m->device)
        mark_host(v, m->begin, close);
    return true;
}

/* Is the bracket that of an attribute: alignas(16), struct ALIGNED(16) name? */
static bool is_of_attribute(const atx_view *v, size_t i)
{
    return atx_items_is_attribute(&v->t, i - 1) || is_one_of(v, i - 2, TYPES);
}

/* The members between the braces of a class. */
static void mark_body(atx_view *v, size_t open, size_t close, int depth)
{
    static const char *const ACCESS[] = { "public", "private", "protected", NULL };
    member m = begin_member(open + 1);
    for (size_t i = open + 1; i < close && depth < MOST_DEPTH; i++) {
        const size_t pair = atx_tokens_match(&v->t.tokens, i);
        if (!atx_items_code(&v->t, i))
            continue;
        if (is_one_of(v, i, ACCESS) && is(v, i + 1, ":")) {
            m = begin_member(++i + 1);
        } else if (is(v, i, ";")) {
            if (m.host && !m.device && m.arguments)
                mark_host(v, m.begin, i);
            m = begin_member(i + 1);
        } else if (is(v, i, "{") && pair < close) {
            if (take_brace(&m, v, i, pair, depth))
                m = begin_member(pair + 1);
            i = pair;
        } else if (atx_tokens_opens(&v->t.tokens, i) && pair < close) {
            m.arguments = m.arguments || (is(v, i, "(") && !is_of_attribute(v, i));
            i = pair;
        } else if (is(v, i, "<") && pair < close) { /* of a template: std::function<void(int)> */
            i = pair;
        } else {
            m.value = m.value || (is(v, i, "=") && !is(v, i - 1, "operator"));
            m.list = m.list || (m.arguments && is(v, i, ":"));
            note_word(&m, v, i);
        }
    }
}

void atx_view_mark_members(atx_view *v)
{
    for (size_t k = 0; k < v->t.count; k++) {
        const atx_item *item = &v->t.items[k];
        size_t i = item->begin;
        if (item->kind != ATX_ITEM_TYPE)
            continue;
        while (i < item->end && !is_one_of(v, i, TYPES))
            i = is(v, i, "<") && atx_tokens_match(&v->t.tokens, i) < item->end
                    ? atx_tokens_match(&v->t.tokens, i) + 1
                    : i + 1;
        while (i < item->end && !is(v, i, "{") && !is(v, i, ";"))
            i++;
        if (is(v, i, "{") && atx_tokens_match(&v->t.tokens, i) < item->end)
            mark_body(v, i, atx_tokens_match(&v->t.tokens, i), 0);
    }
}
