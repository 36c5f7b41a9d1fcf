/*
 * includes_hidden.c - the one reader of C++ that does not use tokens (source/lex.h). Whether a comment, a
 * string or an #if hides a directive depends on the compiler and its dialect (raw strings, trigraphs, blanks
 * behind a backslash, byte order marks), so a text from outside must not decide it: a directive is found
 * wherever it may be one. This needs only the ways to spell a directive: %: for #, comments between its
 * words, lines that a backslash joins.
 */
#include "compile/includes_hidden.h"

#include <string.h>

static const char BLANKS[] = " \t\f\v\xef\xbb\xbf"; /* and a byte order mark */
static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* The bytes from a backslash to behind the end of the line that it continues; 0: it continues none. */
static size_t joint(const char *at, bool widely)
{
    size_t mark = *at == '\\' ? 1 : widely && strncmp(at, "?\?/", 3) == 0 ? 3 : 0;
    size_t gap = mark ? mark + strspn(at + mark, widely ? " \t\f\v\r" : "\r") : 0;
    return gap && at[gap] == '\n' ? gap + 1 : 0;
}

static void join(atx_str *out, const char *text, bool widely)
{
    size_t owed = 0;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, widely ? "\\?\n" : "\\\n");
        atx_str_add_bytes(out, at, len);
        at += len;
        size_t gap = joint(at, widely);
        if (gap) {
            owed++;
            at += gap;
        } else if (*at) {
            bool end = *at == '\n';
            atx_str_add_bytes(out, at++, 1);
            for (; end && owed; owed--)
                atx_str_add(out, "\n");
        }
    }
}

void atx_hidden_join(atx_str *out, const char *text)
{
    join(out, text, false);
}

void atx_hidden_join_widely(atx_str *out, const char *text)
{
    join(out, text, true);
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, BLANKS);
        const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        if (!end)
            return at;
        at = end + 2;
    }
}

/* Is there nothing before it in its line but blanks and the end of a comment? */
static bool begins_line(const char *text, const char *at)
{
    while (at > text && strchr(BLANKS, at[-1]))
        at--;
    return at == text || strchr("\r\n", at[-1]) || (at - text >= 2 && at[-1] == '/' && at[-2] == '*');
}

static bool is_word(const char *at, const char *const *words)
{
    size_t len = strspn(at, LETTERS);
    for (; *words; words++)
        if (strlen(*words) == len && memcmp(*words, at, len) == 0)
            return true;
    return false;
}

/* The text between quotes or angles, on one line. */
static void read_name(atx_hidden *d, const char *at)
{
    size_t len = *at == '"' ? strcspn(at + 1, "\"\r\n") : *at == '<' ? strcspn(at + 1, ">\r\n") : 0;
    bool whole = (*at == '"' || *at == '<') && at[len + 1] == (*at == '"' ? '"' : '>');
    d->name = whole ? at + 1 : NULL;
    d->len = len;
    d->end = whole ? at + len + 2 : at;
}

/* The directives that name a file. */
static bool read_directive(atx_hidden *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "include", "include_next", "import", "embed", NULL };
    size_t mark = at[0] == '#' ? 1 : strncmp(at, "%:", 2) == 0 ? 2 : strncmp(at, "?\?=", 3) == 0 ? 3 : 0;
    if (!mark || !begins_line(text, at))
        return false;
    const char *word = skip_blanks(at + mark);
    if (!is_word(word, WORDS))
        return false;
    *out = (atx_hidden){ .begin = at };
    read_name(out, skip_blanks(word + strspn(word, LETTERS)));
    return true;
}

/* "defined(__has_include)" and "#ifdef __has_include" name no file. */
static bool is_asked_for(const char *text, const char *at)
{
    static const char *const WORDS[] = { "defined", "ifdef", "ifndef", "elifdef", "elifndef", NULL };
    while (at > text && (at[-1] == '(' || strchr(BLANKS, at[-1])))
        at--;
    while (at > text && at[-1] && strchr(LETTERS, at[-1]))
        at--;
    return is_word(at, WORDS);
}

static bool read_question(atx_hidden *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "__has_include", "__has_include_next", "__has_embed", NULL };
    bool inside = at > text && strchr(LETTERS, at[-1]);
    if (*at != '_' || inside || !is_word(at, WORDS) || is_asked_for(text, at))
        return false;
    const char *open = skip_blanks(at + strspn(at, LETTERS));
    *out = (atx_hidden){ .begin = at, .end = open, .asks = true };
    if (*open == '(') {
        read_name(out, skip_blanks(open + 1));
        const char *close = out->name ? skip_blanks(out->end) : out->end + strcspn(out->end, ")\r\n");
        out->end = *close == ')' ? close + 1 : close;
    }
    return true;
}

bool atx_hidden_next(atx_hidden *out, const char *text, const char *from)
{
    for (const char *at = from; (at = strpbrk(at, "#%?_")) != NULL; at++)
        if (read_directive(out, text, at) || read_question(out, text, at))
            return true;
    return false;
}
