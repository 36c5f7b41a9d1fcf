/* shape_plain.c - see shape_plain.h. */
#include "lang/shape_plain.h"

#include "lang/shape_text.h"
#include "util/number.h"

#include <string.h>

static const struct {
    const char *bytes;
    char plain;
} CHARACTERS[] = {
    { "\xc3\x97", 'x' },     /* multiplication sign                               */
    { "\xe2\xa8\xaf", 'x' }, /* vector product                                    */
    { "\xc2\xa0", ' ' },     /* no-break space                                    */
    { "\xe2\x80\xaf", ' ' }, /* narrow no-break space                             */
    { "\xe2\x80\x87", ' ' }, /* figure space                                      */
    { "\xe2\x80\x89", ' ' }, /* thin space                                        */
};

/* Bytes of the character at `text` that has a plain one; 0: it has none. */
static size_t plain_of(char *out, const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof CHARACTERS / sizeof *CHARACTERS; i++) {
        const size_t count = strlen(CHARACTERS[i].bytes);
        *out = CHARACTERS[i].plain;
        if (count <= len && memcmp(text, CHARACTERS[i].bytes, count) == 0)
            return count;
    }
    return 0;
}

void atx_shape_plain(atx_str *out, const char *text, size_t len)
{
    static const char MARK[] = "\xef\xbb\xbf";                    /* a byte order mark, which is left out */
    size_t kept = len >= 3 && memcmp(text, MARK, 3) == 0 ? 3 : 0; /* bytes before it are in `out` */
    for (size_t at = kept; at < len;) {
        char plain = 0;
        const size_t count = (unsigned char)text[at] < 0x80 ? 0 : plain_of(&plain, text + at, len - at);
        if (count) {
            atx_str_add_bytes(out, text + kept, at - kept);
            atx_str_add_bytes(out, &plain, 1);
            kept = at + count;
        }
        at += count ? count : 1;
    }
    atx_str_add_bytes(out, text + kept, len - kept);
}

static bool read_range(atx_shape_range *r)
{
    const char *p = r->numbers;
    if (atx_size_read(&r->first, &p, r->end) || r->end - p < 3 || memcmp(p, "..", 2) != 0)
        return false;
    p += 2;
    return !atx_size_read(&r->last, &p, r->end) && p == r->end && r->first > 0 && r->last >= r->first;
}

bool atx_shape_find_range(atx_shape_range *out, const char *line, const char *end)
{
    const char *comment = memchr(line, '#', (size_t)(end - line));
    atx_shape_text t = { .p = line, .end = comment ? comment : end };
    for (atx_shape_skip_blanks(&t); t.p < t.end; atx_shape_skip_blanks(&t)) {
        const char *word = t.p;
        t.p = atx_shape_word_end(&t, word);
        const char *equals = memchr(word, '=', (size_t)(t.p - word));
        *out = (atx_shape_range){ .numbers = equals ? equals + 1 : t.p, .end = t.p };
        if (read_range(out))
            return true;
    }
    return false;
}

int64_t atx_shape_range_next(const atx_shape_range *range, int64_t size)
{
    int64_t power = 1;
    if (size >= range->last)
        return 0;
    while (power <= size && power < range->last)
        power = power > range->last / 2 ? range->last : 2 * power;
    return power;
}
