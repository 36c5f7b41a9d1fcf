/* shape_text.c - see shape_text.h. */
#include "lang/shape_text.h"

#include "util/chars.h"
#include "util/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SHOWN = 40 }; /* bytes of a word that a message shows */

bool atx_shape_is_blank(char c)
{
    return c && strchr(" \t,;\r\v\f", c);
}

void atx_shape_skip_blanks(atx_shape_text *t)
{
    while (t->p < t->end && atx_shape_is_blank(*t->p))
        t->p++;
}

const char *atx_shape_word_end(const atx_shape_text *t, const char *word)
{
    while (word < t->end && !atx_shape_is_blank(*word))
        word++;
    return word;
}

bool atx_shape_sees_digit(const atx_shape_text *t)
{
    return t->p < t->end && atx_is_digit(*t->p);
}

atx_shape_word atx_shape_show(const char *word, const char *end)
{
    atx_shape_word f;
    size_t len = (size_t)(end - word), keep = len < MAX_SHOWN ? len : MAX_SHOWN;
    if (keep < len)
        while (keep > 0 && ((unsigned char)word[keep] & 0xc0) == 0x80) /* not inside a UTF-8 character */
            keep--;
    for (size_t i = 0; i < keep; i++) {
        unsigned char c = (unsigned char)word[i];
        f.text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    snprintf(f.text + keep, 4, "%s", keep < len ? "..." : "");
    return f;
}

atx_shape_word atx_shape_show_word(const atx_shape_text *t, const char *word)
{
    return atx_shape_show(word, atx_shape_word_end(t, word));
}

void atx_shape_fail(atx_shape_text *t, const char *at, const char *format, ...)
{
    va_list args;
    if (!atx_shape_good(t))
        return;
    va_start(args, format);
    vsnprintf(t->cause.text, sizeof t->cause.text, format, args);
    va_end(args);
    t->cause.status = AT_ERR_INPUT;
    t->guilty = at;
    t->p = t->end;
}

int64_t atx_shape_number(atx_shape_text *t, bool size)
{
    const char *begin = t->p, *stop;
    int64_t value = 0;
    if (!atx_shape_good(t))
        return 0;
    if (size && atx_looks_like_thousands(&stop, t->line, begin, t->end)) {
        atx_shape_fail(t, begin,
                       "found '%s', which looks like one number; expected sizes joined by 'x' or with blanks "
                       "between them, and digits grouped by '_', if at all",
                       atx_shape_show(begin, stop).text);
        return 0;
    }
    const char *expected =
        size ? atx_size_read(&value, &t->p, t->end) : atx_whole_read(&value, &t->p, t->end);
    if (expected)
        atx_shape_fail(t, begin, "found '%s'; expected %s", atx_shape_show(begin, t->p).text, expected);
    else if (size && value == 0)
        atx_shape_fail(t, begin, "found '%s'; expected a positive size", atx_shape_show(begin, t->p).text);
    return value;
}

int64_t atx_shape_read_calls(atx_shape_text *t)
{
    static const char NAME[] = "calls=";
    const char *end = t->end;
    while (end > t->line && atx_shape_is_blank(end[-1]))
        end--;
    const char *word = end;
    while (word > t->line && !atx_shape_is_blank(word[-1]))
        word--;
    const size_t len = sizeof NAME - 1;
    if ((size_t)(end - word) < len || memcmp(word, NAME, len) != 0)
        return 1;
    atx_shape_text number = { .line = t->line, .p = word + len, .end = end };
    const int64_t calls = atx_shape_sees_digit(&number) ? atx_shape_number(&number, true) : 0;
    if (calls < 1 || number.p != end || !atx_shape_good(&number))
        atx_shape_fail(t, word, "found '%s'; expected calls=N, how often the problem is asked for",
                       atx_shape_show(word, end).text);
    t->end = word;
    return calls;
}
