/*
 * cut_edit.c - edits that leave a text as somebody would have written it: no empty lines where something
 * went, no comment about what is gone, no indentation of a block that is none.
 */
#include "cut/cut_edit.h"

#include <string.h>

#include "cut/cut_lex.h"

static size_t line_start(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

size_t atx_cut_indent(const char *text, size_t at)
{
    return strspn(text + line_start(text, at), " ");
}

void atx_cut_add_dedented(atx_str *out, const char *text, size_t len, size_t by)
{
    for (const char *end = text + len; text < end;) {
        const char *line = memchr(text, '\n', (size_t)(end - text));
        const char *next = line ? line + 1 : end;
        atx_str_add_bytes(out, text, (size_t)(next - text));
        for (size_t n = 0; n < by && next < end && *next == ' '; n++)
            next++;
        text = next;
    }
}

void atx_cut_splice(atx_str *text, atx_cut_span s, const char *by)
{
    atx_str out = { .failed = text->failed };
    const char *old = atx_str_text(text);
    if (!*by) {
        size_t start = line_start(old, s.begin), end = s.end;
        while (end < text->len && (old[end] == ' ' || old[end] == '\t'))
            end++;
        bool alone = start + strspn(old + start, " \t") >= s.begin && (end == text->len || old[end] == '\n');
        if (alone)
            s = (atx_cut_span){ start, end < text->len ? end + 1 : end };
        while (alone && s.begin >= 2 && old[s.begin - 1] == '\n' && old[s.begin - 2] == '\n' &&
               (old[s.end] == '\n' || old[s.end + strspn(old + s.end, " ")] == '}'))
            s.begin--;
    }
    atx_str_add_bytes(&out, old, s.begin);
    atx_str_add(&out, by);
    atx_str_add_bytes(&out, old + s.end, text->len - s.end);
    atx_str_clear(text);
    *text = out;
}

size_t atx_cut_comments_above(const atx_str *text, size_t begin)
{
    atx_tokens t;
    if (!atx_cut_lex(&t, atx_str_text(text), text->len, true))
        return begin;
    size_t i = 0;
    while (i < t.count && t.items[i].begin < begin)
        i++;
    for (; i > 0 && t.items[i - 1].kind == ATX_TOKEN_COMMENT; i--) {
        const atx_token *c = &t.items[i - 1];
        const char *gap = t.text + c->end;
        size_t lines = 0;
        for (; gap < t.text + begin; gap++)
            lines += *gap == '\n';
        size_t start = line_start(t.text, c->begin);
        if (lines != 1 || start + strspn(t.text + start, " ") != c->begin)
            break;
        begin = c->begin;
    }
    atx_tokens_clear(&t);
    return begin;
}

size_t atx_cut_comment_behind(const atx_str *text, size_t end)
{
    const char *at = atx_str_text(text) + end;
    atx_token t;
    atx_lexer lexer = {
        .text = at, .len = text->len - end, .options = { .comments = true }, .begun = true, .in_line = true
    };
    if (!atx_lexer_next(&t, &lexer) || t.kind != ATX_TOKEN_COMMENT || memchr(at, '\n', t.end))
        return end;
    const bool last = at[t.begin + 1] == '/' || at[t.end + strspn(at + t.end, " ")] == '\n';
    return last ? end + t.end : end;
}
