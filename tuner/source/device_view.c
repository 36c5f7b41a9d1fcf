/*
 * device_view.c - words reach declarations and macros, whose words are reached in turn. A word after '.' or
 * '->' names a member, and reaches nothing. A name in a conditional is reached only as a macro. One that ends
 * in '_' and that nothing defines is taken for the begin of names that ## makes: CASE_ of CASE_ ## n.
 */
#include "source/device_view_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static bool make_chains(atx_chains *c, size_t words, size_t entries)
{
    c->first = malloc((words + 1) * sizeof *c->first);
    c->next = malloc((entries + 1) * sizeof *c->next);
    for (size_t i = 0; c->first && i < words; i++)
        c->first[i] = SIZE_MAX;
    return c->first && c->next;
}

static void chain(atx_chains *c, uint32_t word, size_t entry)
{
    c->next[entry] = c->first[word];
    c->first[word] = entry;
}

static bool prepare(atx_view *v)
{
    const size_t words = v->t.words.count;
    v->reached = calloc(words + 1, 1);
    v->replaced = calloc(words + 1, sizeof *v->replaced);
    v->global = calloc(v->t.count + 1, sizeof *v->global);
    v->namespaces = calloc(words + 1, sizeof *v->namespaces);
    v->queue = malloc((2 * words + 1) * sizeof *v->queue);
    v->kept = calloc(v->t.span_count + 1, sizeof *v->kept);
    v->host = calloc(v->t.tokens.count + 1, sizeof *v->host);
    if (!make_chains(&v->names, words, v->t.name_count) ||
        !make_chains(&v->defines, words, v->t.line_count) || !v->reached || !v->replaced || !v->namespaces ||
        !v->global || !v->queue || !v->kept || !v->host)
        return false;
    for (size_t i = 0; i < v->t.name_count; i++)
        chain(&v->names, v->t.names[i].word, i);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (v->t.lines[i].kind == ATX_DIRECTIVE_DEFINE && v->t.lines[i].name != ATX_NO_WORD)
            chain(&v->defines, v->t.lines[i].name, i);
    return true;
}

static void clear(atx_view *v)
{
    free(v->reached);
    free(v->replaced);
    free(v->namespaces);
    free(v->global);
    free(v->queue);
    free(v->kept);
    free(v->host);
    free(v->names.first);
    free(v->names.next);
    free(v->defines.first);
    free(v->defines.next);
    atx_items_clear(&v->t);
}

/* ---- reaching ---- */

static void reach(atx_view *v, uint32_t word, uint8_t how)
{
    if (v->reached[word] >= how)
        return;
    v->reached[word] = how;
    v->queue[v->queued++] = word;
}

static void reach_line(atx_view *v, const atx_line *line, uint8_t how)
{
    for (size_t i = line->word; i < line->last; i++)
        reach(v, v->t.line_words[i], how);
}

static bool is(const atx_view *v, size_t i, const char *what)
{
    return atx_tokens_is(&v->t.tokens, i, what);
}

static bool is_member(const atx_view *v, size_t i)
{
    return i && (is(v, i - 1, ".") || is(v, i - 1, "->"));
}

static void reach_tokens(atx_view *v, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        const atx_token *token = &v->t.tokens.items[i];
        if (token->inactive || v->host[i])
            continue;
        if (token->kind == ATX_TOKEN_WORD && !is_member(v, i))
            reach(v, v->t.ids[i], ATX_WHOLLY);
        else if (token->kind == ATX_TOKEN_DIRECTIVE && v->t.lines[v->t.ids[i]].kind == ATX_DIRECTIVE_PRAGMA)
            reach_line(v, &v->t.lines[v->t.ids[i]], ATX_WHOLLY);
    }
}

static void keep(atx_view *v, size_t span)
{
    if (v->kept[span])
        return;
    v->kept[span] = true;
    reach_tokens(v, v->t.spans[span].begin, v->t.spans[span].end);
}

/* Is every name that the item declares defined elsewhere? */
static bool is_replaced(const atx_view *v, size_t item)
{
    size_t count = 0;
    for (size_t i = v->t.items[item].first_name; i < v->t.name_count && v->t.names[i].item == item;
         i++, count++)
        if (!v->replaced[v->t.names[i].word])
            return false;
    return count > 0;
}

/* Which items are in no namespace. An extern "C" block that closes may count one too few. */
static void mark_global(atx_view *v)
{
    int depth = 0;
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        const bool closes = is(v, item->begin, "}");
        if (item->kind == ATX_ITEM_SCOPE && !is(v, item->begin, "extern"))
            depth += closes ? (depth > 0 ? -1 : 0) : 1;
        v->global[i] = depth == 0;
    }
}

/* typedef unsigned char uint8_t; using uint8_t = unsigned char; */
static bool is_alias(const atx_view *v, const atx_item *item)
{
    bool body = false;
    for (size_t i = item->begin; i < item->end; i++)
        body = body || is(v, i, "{");
    return !body &&
           (is(v, item->begin, "typedef") ||
            (is(v, item->begin, "using") && !is(v, item->end - 2, ">") && is(v, item->begin + 2, "=")));
}

/* An alias of a name that has one in what comes with the program: that is meant, wherever this one stands. */
static bool repeats_alias(const atx_view *v, size_t item)
{
    const atx_item *it = &v->t.items[item];
    if (v->t.tokens.items[it->begin].begin < v->request->given || !v->global[item] || !is_alias(v, it))
        return false;
    for (size_t i = it->first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        for (size_t k = v->names.first[v->t.names[i].word]; k != SIZE_MAX; k = v->names.next[k]) {
            const size_t other = v->t.names[k].item;
            if (v->global[other] && v->t.tokens.items[v->t.items[other].begin].begin < v->request->given &&
                is_alias(v, &v->t.items[other]))
                return true;
        }
    return false;
}

/* Does the text declare what came with the program, too? Then `using ::name` has nothing to name before it,
 * either. */
static bool is_declared_again(const atx_view *v, size_t item)
{
    const atx_item *it = &v->t.items[item];
    if (v->t.tokens.items[it->begin].begin >= v->request->given ||
        !(v->global[item] || is(v, it->begin + 1, "::")))
        return false;
    for (size_t i = it->first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        for (size_t k = v->names.first[v->t.names[i].word]; k != SIZE_MAX; k = v->names.next[k]) {
            const size_t other = v->t.names[k].item;
            if (v->global[other] && v->t.items[other].kind == it->kind &&
                v->t.tokens.items[v->t.items[other].begin].begin >= v->request->given &&
                !(is_alias(v, it) && repeats_alias(v, other)))
                return true;
        }
    return false;
}

/* A prototype of a kernel: is there a definition ns::k, which needs it? */
static bool is_defined_elsewhere(const atx_view *v, size_t item)
{
    for (size_t i = v->t.items[item].first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        for (size_t k = v->names.first[v->t.names[i].word]; k != SIZE_MAX; k = v->names.next[k])
            if (v->t.items[v->t.names[k].item].qualified && v->t.items[v->t.names[k].item].kernel)
                return true;
    return false;
}

/* May a kernel use it? */
static bool is_for_kernels(const atx_view *v, size_t item)
{
    const atx_item *it = &v->t.items[item];
    if (is_declared_again(v, item) || repeats_alias(v, item))
        return false;
    switch (it->kind) {
    case ATX_ITEM_FUNCTION:
        return it->kernel ? it->body || is_defined_elsewhere(v, item) : it->device || it->unknown;
    case ATX_ITEM_VARIABLE:
        return (it->device || it->constant || it->unknown) && !(it->constant && is_replaced(v, item));
    case ATX_ITEM_TYPE:
        return !(it->plain_enum && is_replaced(v, item));
    case ATX_ITEM_CALL:
        return true;
    default:
        return false;
    }
}

static void visit(atx_view *v, uint32_t word)
{
    for (size_t i = v->defines.first[word]; i != SIZE_MAX; i = v->defines.next[i])
        if (!v->replaced[word])
            reach_line(v, &v->t.lines[i], v->reached[word]);
    for (size_t i = v->names.first[word]; i != SIZE_MAX && v->reached[word] == ATX_WHOLLY;
         i = v->names.next[i])
        if (!(v->t.names[i].qualifier && v->namespaces[word]) && is_for_kernels(v, v->t.names[i].item))
            keep(v, v->t.items[v->t.names[i].item].span);
}

static void visit_all(atx_view *v)
{
    while (v->visited < v->queued)
        visit(v, v->queue[v->visited++]);
}

/* ---- roots ---- */

static void for_words(atx_view *v, const char *text, void (*take)(atx_view *v, uint32_t word))
{
    atx_lexer lexer = { .text = text ? text : "", .len = text ? strlen(text) : 0 };
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        const uint32_t id = t.kind == ATX_TOKEN_WORD
                                ? atx_words_find(&v->t.words, lexer.text + t.begin, t.end - t.begin)
                                : ATX_NO_WORD;
        if (id != ATX_NO_WORD)
            take(v, id);
    }
}

static void take_root(atx_view *v, uint32_t word)
{
    reach(v, word, ATX_WHOLLY);
}

static void take_replaced(atx_view *v, uint32_t word)
{
    v->replaced[word] = true;
}

/* Is it one that the text has, or a library that the kernels use? */
static bool is_known_namespace(const atx_view *v, size_t item)
{
    static const char *const KNOWN[] = { "nvcuda", "cuda", NULL }, *const LIBRARIES[] = {
        "cooperative_groups", "cub", "thrust", NULL
    };
    const atx_item *use = &v->t.items[item];
    for (size_t i = use->first_name; i < v->t.name_count && v->t.names[i].item == item; i++)
        if (v->namespaces[v->t.names[i].word])
            return true;
    for (size_t i = use->begin; i < use->end; i++) {
        const atx_token *t = &v->t.tokens.items[i];
        if (t->kind == ATX_TOKEN_WORD && atx_token_is_one_of(v->t.tokens.text, t, KNOWN))
            return true;
        if (is(v, i, "std")) /* std::chrono and the like are the host's */
            return is(v, i + 1, ";");
        for (const char *const *library = LIBRARIES; *library; library++)
            if (is(v, i, *library))
                return atx_view_has_library(v, *library);
    }
    return atx_headers_count(v->request->headers) > 0;
}

static void mark_namespaces(atx_view *v, const atx_item *scope)
{
    for (size_t i = scope->begin; i < scope->end; i++)
        if (v->t.ids[i] != ATX_NO_WORD && v->t.tokens.items[i].kind == ATX_TOKEN_WORD)
            v->namespaces[v->t.ids[i]] = true;
}

typedef bool word_test(const atx_view *v, uint32_t word);

static bool is_type(const atx_view *v, uint32_t word)
{
    for (size_t k = v->names.first[word]; k != SIZE_MAX; k = v->names.next[k])
        if (v->t.items[v->t.names[k].item].kind == ATX_ITEM_TYPE)
            return true;
    return false;
}

static bool is_reached_type(const atx_view *v, uint32_t word)
{
    return v->reached[word] == ATX_WHOLLY && is_type(v, word);
}

static bool is_operator(const atx_view *v, uint32_t word)
{
    return word == atx_words_find(&v->t.words, "operator", strlen("operator"));
}

/* Does a word pass the test, or, where it is a macro, one of its text? */
static bool any_of_macro(const atx_view *v, uint32_t word, word_test *test, int depth)
{
    if (test(v, word))
        return true;
    for (size_t i = v->defines.first[word]; i != SIZE_MAX && depth > 0; i = v->defines.next[i])
        for (size_t k = v->t.lines[i].word; k < v->t.lines[i].last; k++)
            if (any_of_macro(v, v->t.line_words[k], test, depth - 1))
                return true;
    return false;
}

/* Of the head of an operator; of the call of a macro, with what that stands for. */
static bool any_word(const atx_view *v, const atx_item *item, word_test *test)
{
    const bool call = item->kind == ATX_ITEM_CALL;
    for (size_t i = call ? item->begin : item->open; i < item->end && !is(v, i, "{"); i++)
        if (atx_tokens_is_word(&v->t.tokens, i) && any_of_macro(v, v->t.ids[i], test, call ? 2 : 0))
            return true;
    return false;
}

/* A macro for whole functions of the device. */
static bool is_declaring(const atx_view *v, size_t token)
{
    const unsigned flags = atx_items_flags(&v->t, token);
    return (flags & ATX_WORD_DEVICE) && !(flags & ATX_WORD_OPENS);
}

/* An operator of the device, or a macro that stands for functions. */
static bool is_unnamed(const atx_view *v, const atx_item *item)
{
    return item->kind == ATX_ITEM_CALL ? is_declaring(v, item->begin) : item->operates && item->device;
}

/* A macro that stands for a template of a type, for some arguments: it belongs to that type, where the types
 * of the text among its arguments are reached, too. */
static bool is_specializing(const atx_view *v, const atx_item *item)
{
    if (item->kind != ATX_ITEM_CALL || !(atx_items_flags(&v->t, item->begin) & ATX_WORD_TYPE))
        return false;
    for (size_t i = item->begin + 1; i < item->end; i++)
        if (atx_tokens_is_word(&v->t.tokens, i) && is_type(v, v->t.ids[i]) &&
            !is_reached_type(v, v->t.ids[i]))
            return false;
    return any_word(v, item, is_reached_type);
}

/* MATH(abs), of a type of the text: is one of its arguments reached, which may be the name of a function? */
static bool is_argument_reached(const atx_view *v, const atx_item *item)
{
    if (item->kind != ATX_ITEM_CALL || any_word(v, item, is_operator))
        return false;
    const bool list = is(v, item->begin + 1, "(");
    for (size_t i = item->begin + 1; list && i < item->end && !is(v, i, "{"); i++)
        if (atx_tokens_is_word(&v->t.tokens, i) && v->reached[v->t.ids[i]] == ATX_WHOLLY)
            return true;
    return !list;
}

/* Its words may be macros that open or close it. */
static void keep_scope(atx_view *v, const atx_item *scope)
{
    v->kept[scope->span] = true;
    for (size_t i = scope->begin; i < scope->end; i++)
        if (atx_tokens_is_word(&v->t.tokens, i))
            reach(v, v->t.ids[i], ATX_AS_MACRO);
}

/* What is there without being named. An operator, or the call of a macro, belongs to the types of the text
 * that it mentions; to every kernel where there are none. */
static void keep_unnamed(atx_view *v)
{
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        if (item->kind == ATX_ITEM_SCOPE)
            mark_namespaces(v, item);
    }
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        if (item->kind == ATX_ITEM_SCOPE)
            keep_scope(v, item);
        else if (is_unnamed(v, item) && !any_word(v, item, is_type))
            keep(v, item->span);
    }
}

/* Those whose types are reached by now; true: there were new ones. */
static bool keep_operators(atx_view *v)
{
    bool more = false;
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *item = &v->t.items[i];
        const bool mentioned =
            is_unnamed(v, item) && (any_word(v, item, is_reached_type) || is_argument_reached(v, item));
        if (v->kept[item->span] || !(mentioned || is_specializing(v, item)))
            continue;
        keep(v, item->span);
        more = true;
    }
    return more;
}

/* Macros that a reached word in upper case may begin the name of; true: there were new ones. */
static bool reach_pasted(atx_view *v)
{
    enum { MOST_PARTS = 256 }; /* each is compared with all words */
    bool more = false;
    int parts = 0;
    for (size_t i = 0; i < v->t.words.slot_count && parts < MOST_PARTS; i++) {
        const struct atx_word *part = &v->t.words.slots[i];
        if (!part->text || part->len < 3 || part->text[part->len - 1] != '_' ||
            (part->text[0] >= 'a' && part->text[0] <= 'z') || !v->reached[part->id] ||
            v->defines.first[part->id] != SIZE_MAX || v->names.first[part->id] != SIZE_MAX)
            continue;
        parts++;
        for (size_t k = 0; k < v->t.words.slot_count; k++) {
            const struct atx_word *whole = &v->t.words.slots[k];
            if (!whole->text || whole->len <= part->len || v->reached[whole->id] >= v->reached[part->id] ||
                v->defines.first[whole->id] == SIZE_MAX || memcmp(whole->text, part->text, part->len) != 0)
                continue;
            reach(v, whole->id, v->reached[part->id]);
            more = true;
        }
    }
    return more;
}

/* Does only what comes with the program have a namespace of that name, and is nothing of it needed? It goes.
 */
static bool is_left_empty(const atx_view *v, uint32_t word)
{
    bool opened = false;
    for (size_t i = 0; i < v->t.count; i++) {
        const atx_item *scope = &v->t.items[i];
        bool named = false;
        for (size_t k = scope->begin; scope->kind == ATX_ITEM_SCOPE && k < scope->end; k++)
            named = named || (atx_tokens_is_word(&v->t.tokens, k) && v->t.ids[k] == word);
        if (named && v->t.tokens.items[scope->begin].begin >= v->request->given)
            return false;
        int depth = named;
        for (size_t k = i + 1; k < v->t.count && depth > 0; k++)
            if (v->t.items[k].kind == ATX_ITEM_SCOPE)
                depth += is(v, v->t.items[k].begin, "}") ? -1 : 1;
            else if (v->kept[v->t.items[k].span])
                return false;
        opened = opened || named;
    }
    return opened;
}

static void keep_uses(atx_view *v)
{
    for (size_t i = 0; i < v->t.count; i++) {
        bool empty = false;
        if (v->t.items[i].kind != ATX_ITEM_USE || !is_known_namespace(v, i))
            continue;
        for (size_t k = v->t.items[i].first_name; k < v->t.name_count && v->t.names[k].item == i; k++)
            empty = empty || is_left_empty(v, v->t.names[k].word);
        if (!empty)
            keep(v, v->t.items[i].span);
    }
}

static void find_reached(atx_view *v)
{
    enum { MOST = 8 }; /* rounds: operators that reach types that have operators, macros that make names */
    mark_global(v);
    atx_view_mark_members(v);
    for_words(v, v->request->replaced, take_replaced);
    for_words(v, v->request->roots, take_root);
    for (size_t i = 0; i < v->t.line_count; i++)
        if (!v->t.lines[i].hidden &&
            (v->t.lines[i].kind == ATX_DIRECTIVE_IF || v->t.lines[i].kind == ATX_DIRECTIVE_ELSE))
            reach_line(v, &v->t.lines[i], ATX_AS_MACRO);
    keep_unnamed(v);
    visit_all(v);
    for (int i = 0; i < MOST; i++) {
        const bool operators = keep_operators(v), pasted = reach_pasted(v);
        if (!operators && !pasted)
            break;
        visit_all(v);
    }
    keep_uses(v);
    visit_all(v);
}

at_status atx_device_view(char *text, size_t len, const atx_device_request *request, at_error *err)
{
    atx_view v = { .text = text, .request = request };
    at_status status = AT_OK;
    if (!atx_items_read(&v.t, text, len) || !prepare(&v)) {
        status = atx_no_memory(err);
    } else {
        find_reached(&v);
        atx_view_blank(&v);
    }
    clear(&v);
    return status;
}
