/* cut_lex.c - a directive's own tokens are read when they are asked for. */
#include "cut/cut_lex.h"

#include "util/chars.h"

bool atx_cut_lex(atx_tokens *out, const char *text, size_t len, bool comments)
{
    return atx_tokens_read(out, text, len, &(atx_lex_options){ .comments = comments, .lines = true });
}

bool atx_cut_directive_is(const atx_tokens *t, size_t i, const char *name)
{
    atx_token word;
    if (i >= t->count || t->items[i].kind != ATX_TOKEN_DIRECTIVE)
        return false;
    atx_lexer lexer = atx_lexer_inside(t->text, &t->items[i]);
    return atx_lexer_next(&word, &lexer) && atx_token_is(lexer.text, &word, name);
}

const char *atx_cut_directive_rest(const atx_tokens *t, size_t i, size_t *len)
{
    atx_token first = { .begin = t->items[i].end - t->items[i].begin };
    atx_lexer lexer = atx_lexer_inside(t->text, &t->items[i]);
    if (atx_lexer_next(&first, &lexer) && !atx_lexer_next(&first, &lexer))
        first.begin = lexer.len;
    size_t end = lexer.len;
    while (end > first.begin && atx_is_blank(lexer.text[end - 1]))
        end--;
    *len = end - first.begin;
    return lexer.text + first.begin;
}

void atx_cut_each_word(const atx_tokens *t, size_t begin, size_t end,
                       void (*visit)(void *context, const char *word, size_t len), void *context)
{
    for (size_t i = begin; i < end && i < t->count; i++) {
        const atx_token *token = &t->items[i];
        if (token->kind == ATX_TOKEN_WORD)
            visit(context, t->text + token->begin, token->end - token->begin);
        if (token->kind != ATX_TOKEN_DIRECTIVE)
            continue;
        atx_lexer lexer = atx_lexer_inside(t->text, &t->items[i]);
        for (atx_token word; atx_lexer_next(&word, &lexer);)
            if (word.kind == ATX_TOKEN_WORD)
                visit(context, lexer.text + word.begin, word.end - word.begin);
    }
}
