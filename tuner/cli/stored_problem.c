/* stored_problem.c - every problem of the store is compared with the words; there are few. */
#include "cli/stored_problem.h"

#include <string.h>

enum { MOST_SHOWN = 8 }; /* problems that a message lists */

typedef struct search {
    atx_stored_problem *out;
    const atx_words *words;
    atx_str known; /* problems of the operation */
    int of_op, found;
} search;

static bool names(const atx_words *words, const char *text)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

/* A word is a type of this key, or none is a type. */
static bool fits_type(const atx_words *words, const char *key)
{
    bool typed = false;
    for (int i = 0; i < words->count; i++) {
        atx_dtype type;
        if (atx_dtype_parse(&type, words->items[i], strlen(words->items[i]), NULL) != AT_OK)
            continue;
        if (strcmp(atx_dtype_key(type, true), key) == 0 || strcmp(atx_dtype_name(type), key) == 0)
            return true;
        typed = true;
    }
    return !typed;
}

static bool is_storage(const char *key)
{
    return strcmp(atx_dtype_key(atx_dtype_of_key(key, true), true), key) == 0;
}

static void keep(atx_stored_problem *out, const atx_problem_key *key)
{
    atx_str_add(&out->shape, key->shape);
    atx_str_add(&out->type_key, key->type_key);
    strncpy(out->op.name, key->op, sizeof out->op.name - 1);
    out->op.storage = is_storage(key->type_key);
    out->problem = (atx_problem){ .op = &out->op, .type = atx_dtype_of_key(key->type_key, out->op.storage) };
    out->key = *key;
    out->key.op = out->op.name;
    out->key.shape = atx_str_text(&out->shape);
    out->key.type_key = atx_str_text(&out->type_key);
}

static bool look(void *context, const atx_problem_key *key)
{
    search *s = context;
    if (!names(s->words, key->op))
        return true;
    if (++s->of_op <= MOST_SHOWN)
        atx_str_addf(&s->known, "%s%s %s", s->of_op > 1 ? ", " : "", key->shape, key->type_key);
    if (names(s->words, key->shape) && fits_type(s->words, key->type_key) && s->found++ == 0)
        keep(s->out, key);
    return true;
}

at_status atx_stored_problem_find(atx_stored_problem *out, const atx_words *words, atx_store *store,
                                  at_error *err)
{
    search s = { .out = out, .words = words };
    *out = (atx_stored_problem){ .op = { .types = ~0u } };
    at_status status = atx_store_each_problem(store, look, &s, err);
    if (status == AT_OK && s.of_op == 0)
        status = AT_ERR_NOT_FOUND;
    else if (status == AT_OK && s.found != 1)
        status = atx_fail(
            err, AT_ERR_INPUT,
            "found %s problem of these words; expected one that is stored, as its templates are not "
            "here: %s%s",
            s.found ? "more than one" : "no", atx_str_text(&s.known), s.of_op > MOST_SHOWN ? ", ..." : "");
    if (status == AT_OK && (out->shape.failed || out->type_key.failed))
        status = atx_no_memory(err);
    atx_str_clear(&s.known);
    return status;
}

void atx_stored_problem_clear(atx_stored_problem *stored)
{
    atx_str_clear(&stored->shape);
    atx_str_clear(&stored->type_key);
}
