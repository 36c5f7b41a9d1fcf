/*
 * meaning.c - one pass over the text as a compiler's first phases take it: a backslash at the end of a line
 * joins it with the next, then come comments and tokens. The reader passes over such joints wherever it
 * stands, but in raw strings.
 *
 * Tokens are not told apart to the last: signs are single characters here. Two of them that might be one
 * token, as in `++`, stay beside each other or apart as they are; between all others stands one blank. Where
 * a macro makes text of its argument (#x) and in lines of the preprocessor, a blank shows: there it is
 * neither added nor taken away, only made of more white space.
 *
 * The declaration is read by lines, not by tokens, and found as a text: every marker must be found by both.
 */
#include "source/meaning.h"

#include "source/part_line.h"

#include <string.h>

static const char MARKER[] = "!autotune";
#define MARKER_LEN (sizeof MARKER - 1)

typedef struct reader {
    atx_str *out;
    const char *at, *end; /* of the part that is read; `at` is never on a joint */
    const char *const *left_out;
    bool keep_blanks; /* in code, too: see above */
    bool shows_text;  /* a macro makes text of an argument: fold again, with keep_blanks */
    bool doubt;
    bool line_start, directive, line_open; /* line_open: something of it is written */
    bool blank;                            /* before what comes next */
    bool token_open;                       /* a word, or what a word would go on, came last */
    char last;                             /* the last character written of a sign; else 0 */
    char once[64][25];                     /* which generated guards were met, in their order */
    int once_count;
    size_t markers; /* declarations that were read */
} reader;

/* ---- characters ---- */

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Also what is no ASCII, and the $ that compilers allow. */
static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
           c >= 0x80;
}

/* Past the joints at `at`. Blanks behind the backslash: compilers differ. */
static const char *pass_joints(reader *r, const char *at)
{
    while (at < r->end && *at == '\\') {
        const char *after = at + 1;
        while (after < r->end && is_blank((unsigned char)*after))
            after++;
        if (after == r->end || *after != '\n')
            return at;
        r->doubt |= after - at > 2 || (after - at == 2 && at[1] != '\r');
        at = after + 1;
    }
    return at;
}

/* The character at the reader's place; -1: the end. */
static int here(const reader *r)
{
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

static int next(reader *r)
{
    const char *at = r->at < r->end ? pass_joints(r, r->at + 1) : r->end;
    return at < r->end ? (unsigned char)*at : -1;
}

static void step(reader *r)
{
    r->at = pass_joints(r, r->at + 1);
}

/* All is written byte by byte: most find room. */
static void write_char(const reader *r, int c)
{
    atx_str *out = r->out;
    if (out->failed || out->len + 1 >= out->cap) {
        atx_str_add_bytes(out, &(char){ (char)c }, 1);
        return;
    }
    out->data[out->len++] = (char)c;
    out->data[out->len] = '\0';
}

/* The character here goes into what is written. */
static void take(reader *r)
{
    write_char(r, here(r));
    step(r);
}

/* ---- between tokens ---- */

static void end_line(reader *r)
{
    if (r->line_open)
        write_char(r, '\n');
    r->line_open = r->blank = r->token_open = false;
    r->last = 0;
}

/* Might both be in one token? */
static bool may_join(char a, char b)
{
    static const char PAIRS[][3] = { "::", "..", ".*", "->", ">*", "++", "--", "<<", ">>", "<=", ">=",
                                     "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=", "&=",
                                     "|=", "=>", "##", "<:", ":>", "<%", "%>", "%:", ":%", "//", "/*" };
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
        if (PAIRS[i][0] == a && PAIRS[i][1] == b)
            return true;
    return false;
}

/* Before a token that begins with c: a blank or none. */
static void begin_token(reader *r, int c, bool word)
{
    bool exact = r->directive || r->keep_blanks;
    bool touches = !r->blank && (word ? r->token_open : r->last && may_join(r->last, (char)c));
    if (r->line_open && (exact ? r->blank : !touches))
        write_char(r, ' ');
    r->line_open = true;
    r->blank = r->line_start = r->token_open = false;
    r->last = 0;
}

/* ---- comments ---- */

static void skip_line_comment(reader *r)
{
    const char *end = r->at;
    do {
        r->at = end;
        end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        end = end ? end : r->end;
        const char *last = end;
        while (last > r->at && is_blank((unsigned char)last[-1]))
            last--;
        if (last == r->at || last[-1] != '\\' || end == r->end)
            break;
        end = pass_joints(r, last - 1);
    } while (end < r->end);
    r->at = end;
    r->blank = true;
}

static void skip_comment(reader *r)
{
    step(r);
    step(r);
    while (here(r) >= 0 && !(here(r) == '*' && next(r) == '/')) {
        const char *star = memchr(r->at + 1, '*', (size_t)(r->end - r->at - 1));
        r->at = star ? star : r->end;
    }
    r->doubt |= here(r) < 0;
    step(r);
    step(r);
    r->blank = true;
}

/* Blanks and comments within a line of the preprocessor. */
static void skip_white(reader *r)
{
    for (;;) {
        if (is_blank(here(r)))
            step(r);
        else if (here(r) == '/' && next(r) == '*')
            skip_comment(r);
        else
            break;
    }
    r->blank = false;
}

/* ---- declarations ---- */

static bool begins_with(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len > n && memcmp(line, word, n) == 0 && is_blank((unsigned char)line[n]);
}

static bool is_left_out(const reader *r, const char *line, size_t len)
{
    bool found = false;
    for (const char *const *word = r->left_out; word && *word && !found; word++)
        found = begins_with(line, len, *word);
    return found;
}

/* The end of a line of the declaration, which a backslash continues, and of what stands before its '#'. */
static const char *find_line_end(const char **text_end, const char *at, const char *end)
{
    *text_end = NULL;
    for (;;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
        const char *mark = *text_end ? NULL : memchr(at, '#', (size_t)(stop - at)), *last = stop;
        if (mark)
            *text_end = mark;
        while (last > at && is_blank((unsigned char)last[-1]))
            last--;
        if (!newline || last == at || last[-1] != '\\') {
            *text_end = *text_end ? *text_end : stop;
            return stop;
        }
        at = newline + 1;
    }
}

/* How much white space there is, ends of lines that a backslash continues among it. */
static size_t white(const char *at, const char *end)
{
    size_t n = 0;
    for (;;) {
        size_t more = n + (at + n < end && at[n] == '\\');
        while (at + more < end && is_blank((unsigned char)at[more]))
            more++;
        if (at[n] == '\\' && (at + more == end || at[more++] != '\n'))
            return n;
        if (more == n)
            return n;
        n = more;
    }
}

/* What is quoted stays. */
static void write_line(const reader *r, const char *at, const char *end)
{
    const char *quote = memchr(at, '"', (size_t)(end - at)), *stop = quote ? quote : end;
    while (at < stop) {
        size_t n = white(at, stop);
        write_char(r, n ? ' ' : *at);
        at += n ? n : 1;
    }
    atx_str_add_bytes(r->out, at, (size_t)(end - at));
    write_char(r, '\n');
}

static void read_declaration(reader *r)
{
    const char *at = r->at + 2 + MARKER_LEN;
    const char *end = at < r->end ? memmem(at, (size_t)(r->end - at), "*/", 2) : NULL;
    r->doubt |= r->directive || !end || memmem(at, (size_t)(end - at), "*\\", 2);
    if (r->doubt)
        return;
    end_line(r);
    r->markers++;
    atx_str_add(r->out, "/*!autotune\n");
    while (at < end) {
        const char *text_end, *stop = find_line_end(&text_end, at, end);
        at += white(at, text_end);
        while (text_end > at && (is_blank((unsigned char)text_end[-1]) || strchr("\n\\", text_end[-1])))
            text_end--;
        if (at < text_end && !is_left_out(r, at, (size_t)(text_end - at)))
            write_line(r, at, text_end);
        at = stop < end ? stop + 1 : end;
    }
    atx_str_add(r->out, "*/\n");
    r->at = pass_joints(r, end + 2);
    r->blank = true;
}

/* ---- literals ---- */

static void read_quoted(reader *r)
{
    const int quote = here(r);
    take(r);
    while (here(r) >= 0 && here(r) != quote && here(r) != '\n') {
        if (here(r) == '\\')
            take(r);
        if (here(r) >= 0 && here(r) != '\n') /* after a joint there may be one */
            take(r);
    }
    r->doubt |= here(r) != quote;
    if (here(r) == quote)
        take(r);
    r->token_open = true; /* 1_km, "text"_s */
}

/* From the quote behind R on. Nothing is joined in it. */
static void read_raw(reader *r)
{
    const char *open = r->at + 1;
    size_t n = 0;
    while (open + n < r->end && n < 17 && !strchr(" ()\\\t\v\f\r\n\"", open[n]))
        n++;
    const char *body = open + n, *close = NULL;
    if (body == r->end || *body != '(' || n > 16) {
        r->doubt = true;
        return;
    }
    for (const char *at = body; !close && (at = memchr(at, ')', (size_t)(r->end - at))) != NULL; at++)
        if ((size_t)(r->end - at) > n + 1 && memcmp(at + 1, open, n) == 0 && at[n + 1] == '"')
            close = at + n + 2;
    if (!close || (r->directive && memchr(open, '\n', (size_t)(close - open)))) {
        r->doubt = true;
        return;
    }
    atx_str_add_bytes(r->out, r->at, (size_t)(close - r->at));
    r->at = pass_joints(r, close);
    r->token_open = true;
}

/* ---- words ---- */

/* A number takes all that may stand in one: 0x1p-3f, 1'000, and 0xE+1, which is one token. */
static void read_number(reader *r)
{
    int before = 0;
    while (is_word(here(r)) || here(r) == '.' || (here(r) == '\'' && is_word(next(r))) ||
           ((here(r) == '+' || here(r) == '-') && before && strchr("eEpP", before))) {
        before = here(r);
        take(r);
    }
    r->token_open = true;
}

static bool is_one_of(const char *word, size_t len, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == len && memcmp(*words, word, len) == 0)
            return true;
    return false;
}

/* The guard of a header that was put into the text is named after all its bytes (declare_gather.c): only
 * which are the same counts. No text holds the byte that is written. */
static bool fold_guard(reader *r, size_t begin, size_t len)
{
    static const char GUARD[] = "AUTOTUNE_ONCE_";
    const size_t head = sizeof GUARD - 1, most = sizeof r->once / sizeof *r->once;
    const char *word = r->out->data + begin, *digits = word + head;
    if (len != head + 24 || memcmp(word, GUARD, head) != 0 || strspn(digits, "0123456789abcdef") != 24)
        return false;
    size_t i = 0;
    while (i < (size_t)r->once_count && memcmp(r->once[i], digits, 24) != 0)
        i++;
    if (i == most)
        return false;
    if (i == (size_t)r->once_count)
        memcpy(r->once[r->once_count++], digits, 24);
    r->out->len = begin;
    atx_str_addf(r->out, "\xff%zu", i);
    return true;
}

static void read_word(reader *r)
{
    static const char *const RAW[] = { "R", "LR", "uR", "UR", "u8R", NULL };
    static const char *const SEES[] = { "__LINE__",
                                        "__builtin_LINE",
                                        "__builtin_COLUMN",
                                        "__has_include",
                                        "__has_include_next",
                                        "__has_embed",
                                        "source_location",
                                        "__builtin_source_location",
                                        NULL };
    const size_t begin = r->out->len;
    while (is_word(here(r)))
        take(r);
    r->token_open = true;
    if (r->out->failed)
        return;
    const char *word = r->out->data + begin;
    const size_t len = r->out->len - begin;
    if (here(r) == '"' && is_one_of(word, len, RAW))
        read_raw(r);
    else if (is_one_of(word, len, SEES))
        r->doubt = true;
    else
        fold_guard(r, begin, len);
}

/* ---- lines of the preprocessor ---- */

/* What is included is named by any characters between its quotes or angles. */
static void read_named_file(reader *r)
{
    skip_white(r);
    const int close = here(r) == '<' ? '>' : '"';
    r->doubt |= here(r) != '<' && here(r) != '"';
    if (r->doubt)
        return;
    write_char(r, ' ');
    do
        take(r);
    while (here(r) >= 0 && here(r) != '\n' && here(r) != close);
    r->doubt |= here(r) != close;
    if (here(r) == close)
        take(r);
    r->token_open = false;
}

/* From the '#' on, to its first word. */
static void begin_directive(reader *r)
{
    static const char *const FILES[] = { "include", "include_next", "import", "embed", NULL };
    end_line(r);
    r->directive = r->line_open = true;
    r->line_start = false;
    take(r);
    skip_white(r);
    const size_t begin = r->out->len;
    while (is_word(here(r)))
        take(r);
    r->token_open = true;
    if (!r->out->failed && is_one_of(r->out->data + begin, r->out->len - begin, FILES))
        read_named_file(r);
}

/* ---- all of it ---- */

static void read_newline(reader *r)
{
    if (r->directive)
        end_line(r);
    r->directive = false;
    r->line_start = r->blank = true;
    step(r);
}

static void read_sign(reader *r)
{
    const int c = here(r);
    r->doubt |= c < ' ' || c == 0x7f || strchr("\\@`", c) || (c == '#' && !r->directive) ||
                (c == '%' && next(r) == ':') || (c == '?' && next(r) == '?');
    const bool pastes = c == '#' && next(r) == '#';
    r->shows_text |= c == '#' && !pastes;
    begin_token(r, c, false);
    r->last = (char)c;
    take(r);
    if (pastes)
        take(r);
}

static void read_token(reader *r)
{
    const int c = here(r);
    if (is_digit(c) || (c == '.' && is_digit(next(r)))) {
        bool joins = c == '.' && !r->blank && r->last == '.'; /* ...5 */
        begin_token(r, c, !joins);
        read_number(r);
    } else if (is_word(c)) {
        begin_token(r, c, true);
        read_word(r);
    } else if (c == '"' || c == '\'') {
        begin_token(r, c, true);
        read_quoted(r);
    } else {
        read_sign(r);
    }
}

static void read_one(reader *r)
{
    const int c = here(r);
    if (c == '\n')
        read_newline(r);
    else if (is_blank(c)) {
        r->blank = true;
        step(r);
    } else if (c == '/' && next(r) == '/')
        skip_line_comment(r);
    else if ((size_t)(r->end - r->at) >= 2 + MARKER_LEN && memcmp(r->at, "/*", 2) == 0 &&
             memcmp(r->at + 2, MARKER, MARKER_LEN) == 0)
        read_declaration(r);
    else if (c == '/' && next(r) == '*')
        skip_comment(r);
    else if (c == '#' && r->line_start)
        begin_directive(r);
    else
        read_token(r);
}

/* How often the text has the marker, which must be where declarations were read. */
static size_t count_markers(const char *text, size_t len)
{
    size_t count = 0;
    for (const char *end = text + len, *at = text;
         at < end && (at = memmem(at, (size_t)(end - at), MARKER, MARKER_LEN)) != NULL; at += MARKER_LEN)
        count++;
    return count;
}

/* One file, or a piece of one. */
static void fold_part(reader *r, const char *text, size_t len)
{
    const size_t mark = len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *last = text + len - (len && text[len - 1] == '\n');
    while (last > text && is_blank((unsigned char)last[-1]))
        last--;
    r->doubt |= last > text && last[-1] == '\\'; /* what comes behind this part would belong to it */
    r->end = text + len;
    r->at = pass_joints(r, text + mark);
    r->line_start = true;
    r->directive = false;
    r->markers = 0;
    while (r->at < r->end && !r->doubt)
        read_one(r);
    end_line(r);
    r->doubt |= r->markers != count_markers(text, len);
}

/* The parts, each behind a line with its name; nothing of theirs can look like one. */
static void fold_bundle(reader *r, const char *text, size_t len)
{
    const char *end = text + len;
    atx_part_line part;
    while (text < end && atx_part_line_read(&part, text, end) && !r->doubt) {
        atx_str_add(r->out, "\xff");
        if (part.line < 0)
            atx_str_add_bytes(r->out, text, (size_t)(part.text - text));
        else
            atx_str_addf(r->out, "%s %s\n", part.line ? "source" : "common", part.name);
        r->keep_blanks |= part.line == ATX_HEADERS_LINE; /* macros of headers that are not here */
        fold_part(r, part.text, part.len);
        text = part.text + part.len;
    }
    atx_str_add(r->out, "\xffown\n");
    fold_part(r, text, (size_t)(end - text));
}

/* Texts that might be read by other rules: without raw strings, with trigraphs. */
static bool is_old(const char *text, size_t len)
{
    return memmem(text, len, "++03", 4) || memmem(text, len, "++98", 4) || memmem(text, len, "??", 2);
}

bool atx_meaning_fold(atx_str *out, const char *text, size_t len, const char *const *left_out)
{
    const size_t begin = out->len;
    reader r = { .out = out, .left_out = left_out, .doubt = is_old(text, len) };
    if (!r.doubt)
        fold_bundle(&r, text, len);
    if (!r.doubt && r.shows_text && !r.keep_blanks && !out->failed) {
        out->len = begin;
        r = (reader){ .out = out, .left_out = left_out, .keep_blanks = true };
        fold_bundle(&r, text, len);
    }
    if (r.doubt && begin < out->len && !out->failed) {
        out->len = begin;
        out->data[begin] = '\0';
    }
    return !r.doubt;
}

/* What it is a hash of is a part of it, so that no text has the hash of another's fold. */
at_status atx_meaning_hash(char hash[ATX_HASH_TEXT], const char *text, size_t len,
                           const char *const *left_out, at_error *err)
{
    atx_str folded = { 0 };
    atx_sha256 sum;
    const bool is_folded = atx_meaning_fold(&folded, text, len, left_out);
    at_status status = atx_str_status(&folded, err);
    atx_sha256_init(&sum);
    atx_sha256_add(&sum, is_folded ? "fold 1\n" : "text 1\n", 7);
    atx_sha256_add(&sum, is_folded ? atx_str_text(&folded) : text, is_folded ? folded.len : len);
    atx_sha256_text(&sum, hash);
    atx_str_clear(&folded);
    return status;
}
