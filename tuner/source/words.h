/* words.h - names and blanks in a text of C or CUDA, for readers that look for words and parse no language.
 */
#ifndef AUTOTUNE_WORDS_H
#define AUTOTUNE_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a name, or of a number. */
static inline bool atx_is_word_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Of the word that begins here; 0: none does. */
static inline size_t atx_word_len(const char *at)
{
    size_t n = 0;
    while (atx_is_word_part(at[n]))
        n++;
    return n;
}

static inline const char *atx_skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

#endif
