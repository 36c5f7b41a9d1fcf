/* wrap.c - the text is walked once, word by word; several blanks between words are kept within a line. */
#include "util/wrap.h"

size_t atx_columns(const char *text, size_t len)
{
    size_t columns = 0;
    bool escape = false;
    for (size_t i = 0; i < len; i++) {
        escape = escape || text[i] == '\033';
        columns += !escape && ((unsigned char)text[i] & 0xc0) != 0x80; /* the first byte of a character */
        escape = escape && text[i] != 'm' && text[i] != 'K';
    }
    return columns;
}

static size_t run_of(const char *text, size_t len, bool blank)
{
    size_t count = 0;
    while (count < len && (text[count] == ' ') == blank)
        count++;
    return count;
}

void atx_wrap(atx_str *out, const char *text, size_t len, atx_wrap_box box)
{
    size_t column = box.begin;
    for (size_t at = 0; at < len;) {
        const size_t blanks = run_of(text + at, len - at, true),
                     word = run_of(text + at + blanks, len - at - blanks, false),
                     columns = atx_columns(text + at + blanks, word);
        if (!word)
            return;
        if (at && box.width && column + blanks + columns > box.width) {
            atx_str_addf(out, "\n%*s", (int)box.indent, "");
            column = box.indent;
        } else {
            atx_str_add_bytes(out, text + at, blanks);
            column += blanks;
        }
        atx_str_add_bytes(out, text + at + blanks, word);
        column += columns;
        at += blanks + word;
    }
}
