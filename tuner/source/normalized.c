/*
 * normalized.c - tokens are written one after the other. Two signs that might be one token, as in `++`, keep
 * or lack the space between them; one blank is between all others. Where a macro makes text of its argument
 * (#x), and in preprocessor lines, white space matters: it is not added or removed there, only shortened to
 * one blank.
 *
 * The declaration is read by lines, not by tokens, and found as a text: every marker must be found by both.
 */
#include "source/normalized.h"

#include "source/lex.h"
#include "source/part_line.h"
#include "util/chars.h"

#include <string.h>

static const char MARKER[] = "!autotune";
#define MARKER_LEN (sizeof MARKER - 1)

typedef struct reader {
    atx_str *out;
    const char *text; /* of the part that is read */
    const char *const *left_out;
    bool keep_blanks; /* in code, too: see above */
    bool shows_text;  /* a macro makes text of an argument: fold again, with keep_blanks */
    bool unsure;
    bool line_open;    /* something of it is written */
    bool word_open;    /* the last token was a word, or one that a word would continue */
    char last;         /* the last character written of a sign; else 0 */
    int place;         /* how many tokens of a directive were written; 0: in none */
    bool names_file;   /* the next token of the directive must do so */
    char once[64][25]; /* which generated guards were met, in their order */
    int once_count;
    size_t markers; /* declarations that were read */
} reader;

/* ---- between tokens ---- */

static void end_line(reader *r)
{
    if (r->line_open)
        atx_str_add(r->out, "\n");
    r->unsure |= r->names_file;
    r->line_open = r->word_open = r->names_file = false;
    r->last = 0;
    r->place = 0;
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

/* A blank or none. */
static void begin_token(reader *r, const atx_token *t)
{
    const bool exact = t->directive || r->keep_blanks;
    const bool touches =
        !t->blank &&
        (t->kind != ATX_TOKEN_SIGN ? r->word_open : r->last && may_join(r->last, r->text[t->begin]));
    const bool blank = r->names_file || (exact ? t->blank && r->place != 1 : !touches);
    if (r->line_open && blank)
        atx_str_add(r->out, " ");
    r->line_open = true;
}

/* ---- declarations ---- */

static bool begins_with(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);
    return len > n && memcmp(line, word, n) == 0 && atx_is_blank(line[n]);
}

/* `general` changes neither a kernel nor a space: no hash has it. */
static bool is_left_out(const reader *r, const char *line, size_t len)
{
    bool found = begins_with(line, len, "general");
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
        while (last > at && atx_is_blank(last[-1]))
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
        while (at + more < end && atx_is_blank(at[more]))
            more++;
        if (at[n] == '\\' && (at + more == end || at[more++] != '\n'))
            return n;
        if (more == n)
            return n;
        n = more;
    }
}

/* Quoted text stays. `prefer` and `require` make the same space. */
static void write_line(const reader *r, const char *at, const char *end)
{
    static const char PREFER[] = "prefer";
    if (begins_with(at, (size_t)(end - at), PREFER)) {
        atx_str_add(r->out, "require");
        at += sizeof PREFER - 1;
    }
    const char *quote = memchr(at, '"', (size_t)(end - at)), *stop = quote ? quote : end;
    while (at < stop) {
        size_t n = white(at, stop);
        atx_str_add_bytes(r->out, n ? " " : at, 1);
        at += n ? n : 1;
    }
    atx_str_add_bytes(r->out, at, (size_t)(end - at));
    atx_str_add(r->out, "\n");
}

static void read_declaration(reader *r, const atx_token *t)
{
    const char *at = r->text + t->begin + 2 + MARKER_LEN, *end = r->text + t->end - 2;
    r->unsure |=
        t->directive || at > end || memcmp(end, "*/", 2) != 0 || memmem(at, (size_t)(end - at), "*\\", 2);
    if (r->unsure)
        return;
    end_line(r);
    r->markers++;
    atx_str_add(r->out, "/*!autotune\n");
    while (at < end) {
        const char *text_end, *stop = find_line_end(&text_end, at, end);
        at += white(at, text_end);
        while (text_end > at && (atx_is_blank(text_end[-1]) || strchr("\n\\", text_end[-1])))
            text_end--;
        if (at < text_end && !is_left_out(r, at, (size_t)(text_end - at)))
            write_line(r, at, text_end);
        at = stop < end ? stop + 1 : end;
    }
    atx_str_add(r->out, "*/\n");
}

/* ---- tokens ---- */

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

static void check_word(reader *r, const atx_token *t, size_t begin)
{
    static const char *const SEES[] = { "__LINE__",
                                        "__builtin_LINE",
                                        "__builtin_COLUMN",
                                        "__has_include",
                                        "__has_include_next",
                                        "__has_embed",
                                        "source_location",
                                        "__builtin_source_location",
                                        NULL };
    static const char *const FILES[] = { "include", "include_next", "import", "embed", NULL };
    r->unsure |= r->place != 1 && atx_token_is_one_of(r->text, t, SEES);
    r->names_file = r->place == 1 && atx_token_is_one_of(r->text, t, FILES);
    if (!r->out->failed && r->place != 1)
        fold_guard(r, begin, r->out->len - begin);
}

static void check_sign(reader *r, const atx_token *t)
{
    const unsigned char c = (unsigned char)r->text[t->begin];
    r->unsure |= c < ' ' || c == 0x7f || strchr("\\@`", c) || (c == '#' && !t->directive) ||
                 atx_token_is(r->text, t, "%:");
    r->shows_text |= t->kind == ATX_TOKEN_SIGN && atx_token_is(r->text, t, "#");
    r->last = r->text[t->end - 1];
}

static void write_token(reader *r, const atx_token *t)
{
    const char *at = r->text + t->begin, *end = r->text + t->end;
    r->unsure |= t->raw && t->spliced;
    for (size_t joint; t->spliced && at < end; at += joint ? joint : 1)
        if (!(joint = atx_lexer_joint(at, end)))
            atx_str_add_bytes(r->out, at, 1);
    atx_str_add_bytes(r->out, at, (size_t)(end - at));
}

static void read_token(reader *r, const atx_token *t)
{
    if (t->kind == ATX_TOKEN_DIRECTIVE || (r->place && !t->directive))
        end_line(r);
    begin_token(r, t);
    r->unsure |= r->names_file && (t->kind != ATX_TOKEN_TEXT || t->raw || r->text[t->begin] == '\'');
    r->names_file = false;
    r->word_open = t->kind != ATX_TOKEN_SIGN;
    r->last = 0;
    const size_t begin = r->out->len;
    write_token(r, t);
    if (t->kind == ATX_TOKEN_WORD)
        check_word(r, t, begin);
    else if (t->kind == ATX_TOKEN_SIGN || t->kind == ATX_TOKEN_DIRECTIVE)
        check_sign(r, t);
    r->place += t->directive && r->place < 3;
}

static bool is_declaration(const char *text, const atx_token *t)
{
    return t->kind == ATX_TOKEN_COMMENT && t->end - t->begin >= 2 + MARKER_LEN &&
           memcmp(text + t->begin, "/*", 2) == 0 && memcmp(text + t->begin + 2, MARKER, MARKER_LEN) == 0;
}

/* ---- all of it ---- */

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
    const char *last = text + len - (len && text[len - 1] == '\n');
    atx_lexer lexer = { .text = text, .len = len, .options = { .comments = true } };
    while (last > text && atx_is_blank(last[-1]))
        last--;
    r->unsure |= last > text && last[-1] == '\\'; /* the text behind this part would belong to it */
    r->text = text;
    r->markers = 0;
    for (atx_token t; !r->unsure && atx_lexer_next(&t, &lexer);)
        if (is_declaration(text, &t))
            read_declaration(r, &t);
        else if (t.kind != ATX_TOKEN_COMMENT)
            read_token(r, &t);
    end_line(r);
    r->unsure |= lexer.open || lexer.unsure || r->markers != count_markers(text, len);
}

/* The parts, each behind a line with its name; nothing of theirs can look like one. */
static void fold_bundle(reader *r, const char *text, size_t len)
{
    const char *end = text + len;
    char last[sizeof((atx_part_line *)0)->name] = ""; /* one file may be in many pieces */
    atx_part_line part;
    while (text < end && atx_part_line_read(&part, text, end) && !r->unsure) {
        if (part.line < 0) {
            atx_str_add(r->out, "\xff");
            atx_str_add_bytes(r->out, text, (size_t)(part.text - text));
        } else if (strcmp(part.name, last) != 0) {
            atx_str_addf(r->out, "\xff%s %s\n", part.line ? "source" : "common", part.name);
        }
        strcpy(last, part.line > 0 ? part.name : "");
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

bool atx_normalized_fold(atx_str *out, const char *text, size_t len, const char *const *left_out)
{
    const size_t begin = out->len;
    reader r = { .out = out, .left_out = left_out, .unsure = is_old(text, len) };
    if (!r.unsure)
        fold_bundle(&r, text, len);
    if (!r.unsure && r.shows_text && !r.keep_blanks && !out->failed) {
        out->len = begin;
        r = (reader){ .out = out, .left_out = left_out, .keep_blanks = true };
        fold_bundle(&r, text, len);
    }
    if (r.unsure && begin < out->len && !out->failed) {
        out->len = begin;
        out->data[begin] = '\0';
    }
    return !r.unsure;
}

/* What it is a hash of is a part of it, so that no text has the hash of another's fold. */
at_status atx_normalized_hash(char hash[ATX_HASH_TEXT], const char *text, size_t len,
                              const char *const *left_out, at_error *err)
{
    ATX_LOCAL(atx_str) folded = { 0 };
    atx_sha256 sum;
    const bool is_folded = atx_normalized_fold(&folded, text, len, left_out);
    at_status status = atx_str_status(&folded, err);
    atx_sha256_init(&sum);
    atx_sha256_add(&sum, is_folded ? "fold 1\n" : "text 1\n", 7);
    atx_sha256_add(&sum, is_folded ? atx_str_text(&folded) : text, is_folded ? folded.len : len);
    atx_sha256_text(&sum, hash);
    return status;
}
