/*
 * words.h - the words of a text as numbers: equal words have equal numbers, from 0 up. Threads: one table,
 * one thread.
 */
#pragma once

#include "source/lex.h"

enum { ATX_NO_WORD = UINT32_MAX };

typedef struct atx_words {
    struct atx_word {
        const char *text; /* of `len` characters, in one of the texts; NULL: free */
        size_t len;
        uint32_t id;
    } * slots;
    size_t slot_count, count;
    char **copies; /* of words that joints part, without them */
    size_t copy_count, copy_cap;
} atx_words;

/* The number of this word, a new one where it has none. ATX_NO_WORD: out of memory. The text is borrowed. */
uint32_t atx_words_add_token(atx_words *words, const char *text, const atx_token *token);

uint32_t atx_words_find(const atx_words *words, const char *text, size_t len); /* ATX_NO_WORD: unknown */
void atx_words_clear(atx_words *words);
