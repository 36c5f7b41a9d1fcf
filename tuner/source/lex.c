/* lex.c - the lexer's position is never on a joint (a backslash at the end of a line), so readers of tokens
 * see none. Conditions are decided at the '#' of their line: a copy of the lexer reads ahead to the end of
 * that line. Every byte of the text is in at most one token, in order. */
#include "source/lex.h"

#include "util/chars.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>

/* ---- characters ---- */

size_t atx_lexer_joint(const char *at, const char *end)
{
    const char *after = at + 1;
    if (at >= end || *at != '\\')
        return 0;
    while (after < end && *after == '\r')
        after++;
    return after < end && *after == '\n' ? (size_t)(after + 1 - at) : 0;
}

static size_t skip_joints(const atx_lexer *l, size_t at)
{
    size_t n;
    while (at < l->len && (n = atx_lexer_joint(l->text + at, l->text + l->len)) != 0)
        at += n;
    return at;
}

/* -1: the end. */
static int char_at(const atx_lexer *l, size_t at)
{
    return at < l->len ? (unsigned char)l->text[at] : -1;
}

static int here(const atx_lexer *l)
{
    return char_at(l, l->at);
}

static int after(const atx_lexer *l)
{
    return l->at < l->len ? char_at(l, skip_joints(l, l->at + 1)) : -1;
}

static void move_to(atx_lexer *l, size_t end)
{
    l->end = end;
    l->at = end < l->len && l->text[end] == '\\' ? skip_joints(l, end) : end;
}

static void step(atx_lexer *l)
{
    move_to(l, l->at + 1);
}

/* Also bytes outside ASCII, and the $ that compilers allow. */
static bool is_word(int c)
{
    return atx_is_word_part(c) || c == '$' || c >= 0x80;
}

static void skip_blanks(atx_lexer *l)
{
    for (; atx_is_blank(here(l)); step(l))
        l->blank = true;
}

/* ---- comments ---- */

/* Blanks behind the backslash at its end: NVRTC joins no such lines, others do. */
static void read_line_comment(atx_lexer *l)
{
    do {
        const char *from = l->text + l->at, *newline = memchr(from, '\n', l->len - l->at);
        size_t last = newline ? (size_t)(newline - l->text) : l->len;
        l->end = last;
        while (last > l->at && l->text[last - 1] == '\r')
            last--;
        l->at = newline && last > l->at && l->text[last - 1] == '\\' ? l->end + 1 : l->end;
        while (last > 0 && atx_is_blank(l->text[last - 1]))
            last--;
        l->unsure |= l->at == l->end && newline && l->text[last - 1] == '\\';
    } while (l->at > l->end);
}

static void read_block_comment(atx_lexer *l)
{
    step(l);
    step(l);
    while (here(l) >= 0 && !(here(l) == '*' && after(l) == '/')) {
        const char *star = memchr(l->text + l->at + 1, '*', l->len - l->at - 1);
        l->at = star ? (size_t)(star - l->text) : l->len;
    }
    l->open |= here(l) < 0;
    if (here(l) >= 0)
        step(l);
    move_to(l, l->at < l->len ? l->at + 1 : l->len);
}

/* ---- literals ---- */

static void read_quoted(atx_lexer *l)
{
    const int quote = here(l);
    for (step(l); here(l) >= 0 && here(l) != quote && here(l) != '\n'; step(l))
        if (here(l) == '\\' && after(l) >= 0 && after(l) != '\n')
            step(l);
    if (here(l) == quote) {
        step(l);
        return;
    }
    l->unsure = true;
    l->open |= !l->in_directive && !l->dead;
}

/* From the quote behind R on. Nothing is joined in it. */
static void read_raw(atx_lexer *l)
{
    const char *open = l->text + l->at + 1, *end = l->text + l->len, *close = NULL;
    size_t n = 0;
    while (open + n < end && n <= 16 && !strchr(" ()\\\t\v\f\r\n\"", open[n]))
        n++;
    if (n > 16 || open + n == end || open[n] != '(') {
        l->unsure = true;
        read_quoted(l);
        return;
    }
    for (const char *at = open + n; !close && (at = memchr(at, ')', (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) > n + 1 && memcmp(at + 1, open, n) == 0 && at[n + 1] == '"')
            close = at + n + 2;
    l->open |= !close;
    close = close ? close : end;
    l->unsure |= l->in_directive && memchr(open, '\n', (size_t)(close - open));
    move_to(l, (size_t)(close - l->text));
}

/* <name> or "name", in which nothing is escaped. false: it is none. */
static bool read_header_name(atx_lexer *l)
{
    const int close = here(l) == '<' ? '>' : '"';
    atx_lexer ahead = *l;
    if (here(l) != '<' && here(l) != '"')
        return false;
    for (step(&ahead); here(&ahead) >= 0 && here(&ahead) != '\n' && here(&ahead) != close;)
        step(&ahead);
    if (here(&ahead) != close)
        return false;
    step(&ahead);
    *l = ahead;
    return true;
}

/* It goes on over letters, points, quotes and signs behind an exponent. */
static void read_number(atx_lexer *l)
{
    int before = 0;
    while (is_word(here(l)) || here(l) == '.' || (here(l) == '\'' && is_word(after(l))) ||
           ((here(l) == '+' || here(l) == '-') && before && strchr("eEpP", before))) {
        before = here(l);
        step(l);
    }
}

static void read_sign(atx_lexer *l)
{
    static const char TWO[][3] = { "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "->",
                                   "::", "+=", "-=", "*=", "/=", "%=", "^=", "|=", "&=", "##", "%:" };
    const int c = here(l), next = after(l);
    step(l);
    for (size_t i = 0; i < sizeof TWO / sizeof *TWO; i++)
        if (c == TWO[i][0] && next == TWO[i][1]) {
            step(l);
            return;
        }
    if (c == '.' && next == '.' && after(l) == '.') {
        step(l);
        step(l);
    }
}

/* ---- conditions ---- */

static void read_one(atx_token *out, atx_lexer *l);

/* Another token of the directive; false: its line has ended. */
static bool next_on_line(atx_token *out, atx_lexer *l)
{
    do {
        skip_blanks(l);
        if (here(l) < 0 || here(l) == '\n')
            return false;
        read_one(out, l);
    } while (out->kind == ATX_TOKEN_COMMENT);
    return true;
}

typedef enum truth { NO, YES, UNKNOWN } truth;

static const char *const ABSENT[] = { "_MSC_VER", "_WIN32", "_WIN64", "__APPLE__", NULL };

/* "(CUDART_VERSION >= 11050)", whose answer is the same for every CUDA that is supported, and
 * "defined(_WIN32)", alone or with more that must hold. */
static truth decide_version(atx_lexer l)
{
    static const char *const LONG[] = { "CUDART_VERSION", "CUDA_VERSION", NULL };
    atx_token t[3] = { { 0 } }, token;
    int count = 0;
    bool either = false;
    for (; next_on_line(&token, &l); either = either || atx_token_is(l.text, &token, "||"))
        if (!atx_token_is(l.text, &token, "(") && !atx_token_is(l.text, &token, ")") && count++ < 3)
            t[count - 1] = token;
    if (atx_token_is(l.text, &t[0], "defined") && atx_token_is_one_of(l.text, &t[1], ABSENT))
        return !either && (count == 2 || atx_token_is(l.text, &t[2], "&&")) ? NO : UNKNOWN;
    const bool version = atx_token_is_one_of(l.text, &t[0], LONG);
    if (count != 3 || t[2].kind != ATX_TOKEN_NUMBER ||
        !(version || atx_token_is(l.text, &t[0], "__CUDACC_VER_MAJOR__")))
        return UNKNOWN;
    const long than = strtol(l.text + t[2].begin, NULL, 10), least = version ? 12000 : 12;
    return atx_token_is(l.text, &t[1], ">=") && than <= least  ? YES
           : atx_token_is(l.text, &t[1], ">") && than < least  ? YES
           : atx_token_is(l.text, &t[1], "<") && than <= least ? NO
           : atx_token_is(l.text, &t[1], "<=") && than < least ? NO
                                                               : UNKNOWN;
}

/* The rest of a condition behind its word; *l reads ahead. */
static truth decide(atx_lexer *l, const char *word)
{
    static const char *const TRUE[] = { "1", "true", NULL }, *const FALSE[] = { "0", "false", NULL };
    atx_token value, more;
    const bool asks = strcmp(word, "if") == 0 || strcmp(word, "elif") == 0;
    if (strcmp(word, "else") == 0)
        return YES;
    const truth version = asks && l->options.version ? decide_version(*l) : UNKNOWN;
    if (version != UNKNOWN)
        return version;
    if (!next_on_line(&value, l))
        return UNKNOWN;
    if (!asks && l->options.defined && atx_token_is(l->text, &value, l->options.defined))
        return strstr(word, "ndef") ? NO : YES;
    if (!asks && l->options.version && atx_token_is_one_of(l->text, &value, ABSENT))
        return strstr(word, "ndef") ? YES : NO;
    if (!asks || next_on_line(&more, l))
        return UNKNOWN;
    return atx_token_is_one_of(l->text, &value, TRUE)    ? YES
           : atx_token_is_one_of(l->text, &value, FALSE) ? NO
                                                         : UNKNOWN;
}

static uint64_t bit_of(int depth)
{
    return depth < ATX_LEX_LEVELS ? (uint64_t)1 << depth : 0;
}

/* Behind the '#' of a directive. */
static void enter_directive(atx_lexer *l)
{
    static const char *const BEGIN[] = { "if", "ifdef", "ifndef", NULL }, *const TURN[] = { "elif", "elifdef",
                                                                                            "elifndef",
                                                                                            "else", NULL };
    atx_lexer ahead = *l;
    atx_token word;
    char name[12];
    l->directive_inactive = l->dead != 0;
    if (!next_on_line(&word, &ahead) || word.kind != ATX_TOKEN_WORD)
        return;
    const bool begins = atx_token_is_one_of(l->text, &word, BEGIN),
               turns = l->depth && atx_token_is_one_of(l->text, &word, TURN),
               ends = l->depth && atx_token_is(l->text, &word, "endif");
    atx_token_copy(name, sizeof name, l->text, &word);
    if (begins)
        l->taken &= ~bit_of(++l->depth);
    else if (turns || ends)
        l->directive_inactive = l->dead && l->dead < l->depth;
    if ((turns || ends) && l->dead == l->depth)
        l->dead = 0;
    if ((begins || turns) && !l->dead) {
        const truth value = decide(&ahead, name);
        if (value == NO || (l->taken & bit_of(l->depth)))
            l->dead = l->depth;
        else if (value == YES)
            l->taken |= bit_of(l->depth);
    }
    l->depth -= ends;
}

/* ---- tokens ---- */

/* This word of a directive is followed by a file's name. */
static void expect_name(atx_lexer *l, const atx_token *t)
{
    static const char *const FILES[] = { "include", "include_next", "import", "embed", NULL },
                             *const ASKS[] = { "__has_include", "__has_include_next", "__has_embed", NULL };
    l->names -= l->names > 0;
    if (t->kind == ATX_TOKEN_WORD && l->words == 1 && atx_token_is_one_of(l->text, t, FILES))
        l->names = 1;
    else if (t->kind == ATX_TOKEN_WORD && atx_token_is_one_of(l->text, t, ASKS))
        l->names = 2;
    else if (l->names && !atx_token_is(l->text, t, "("))
        l->names = 0;
}

static void read_word(atx_token *out, atx_lexer *l)
{
    static const char *const RAW[] = { "R", "LR", "uR", "UR", "u8R", NULL };
    out->kind = ATX_TOKEN_WORD;
    while (is_word(here(l)))
        step(l);
    out->end = l->end;
    if (here(l) != '"' || !atx_token_is_one_of(l->text, out, RAW))
        return;
    out->kind = ATX_TOKEN_TEXT;
    out->raw = true;
    read_raw(l);
}

static void read_code(atx_token *out, atx_lexer *l)
{
    const int c = here(l);
    if (l->names == 1 && read_header_name(l)) {
        out->kind = ATX_TOKEN_TEXT;
    } else if (atx_is_digit(c) || (c == '.' && atx_is_digit(after(l)))) {
        out->kind = ATX_TOKEN_NUMBER;
        read_number(l);
    } else if (is_word(c)) {
        read_word(out, l);
    } else if (c == '"' || c == '\'') {
        out->kind = ATX_TOKEN_TEXT;
        read_quoted(l);
    } else {
        read_sign(l);
    }
}

static bool opens_attribute(const atx_lexer *l)
{
    size_t next = l->at;
    while (atx_is_blank(char_at(l, next)))
        next = skip_joints(l, next + 1);
    return char_at(l, next) == '[';
}

/* Counts the brackets of [[...]], which no statement may end in. */
static void follow_attribute(atx_token *t, atx_lexer *l)
{
    const char c = l->text[t->begin];
    if (c == ';' || c == '{' || c == '}')
        l->attribute = 0;
    l->attribute += c == '[' && (l->attribute || opens_attribute(l));
    t->attribute = l->attribute > 0;
    l->attribute -= c == ']' && l->attribute;
}

static bool has_joint(const char *at, const char *end)
{
    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL && !atx_lexer_joint(at, end))
        at++;
    return at != NULL;
}

/* The token at the lexer's place, which is no white space. */
static void read_one(atx_token *out, atx_lexer *l)
{
    const int c = here(l), next = after(l);
    for (; l->counted < l->at; l->counted++)
        l->newlines += l->text[l->counted] == '\n';
    *out = (atx_token){ .kind = ATX_TOKEN_SIGN, .blank = l->blank, .begin = l->at, .line = l->newlines + 1 };
    l->blank = false;
    if (c == '/' && (next == '/' || next == '*')) {
        out->kind = ATX_TOKEN_COMMENT;
        if (next == '/')
            read_line_comment(l);
        else
            read_block_comment(l);
        l->blank = true;
    } else if (!l->in_line && (c == '#' || (c == '%' && next == ':'))) {
        out->kind = ATX_TOKEN_DIRECTIVE;
        step(l);
        if (c == '%')
            step(l);
        out->end = l->end;
        l->in_directive = l->in_line = true;
        l->words = l->names = l->attribute = 0;
        enter_directive(l);
    } else {
        read_code(out, l);
        l->in_line = true;
        out->end = l->end;
        l->words++;
        if (l->in_directive)
            expect_name(l, out);
    }
    out->end = l->end;
    out->directive = l->in_directive;
    out->inactive = l->in_directive ? l->directive_inactive : l->dead != 0;
    out->spliced =
        out->end - out->begin > 2 && !out->raw && has_joint(l->text + out->begin, l->text + out->end);
    if (out->kind != ATX_TOKEN_COMMENT)
        follow_attribute(out, l);
}

/* Goes to the next token; the ends of lines on the way end directives. */
static bool skip_white(atx_lexer *l)
{
    static const char MARK[] = "\xef\xbb\xbf";
    if (!l->begun)
        move_to(l, l->len >= 3 && memcmp(l->text, MARK, 3) == 0 ? 3 : 0);
    l->begun = true;
    for (skip_blanks(l); here(l) == '\n'; skip_blanks(l)) {
        l->attribute = l->in_directive ? 0 : l->attribute;
        l->in_line = l->in_directive = false;
        l->blank = true;
        step(l);
    }
    return here(l) >= 0;
}

static void take_line(atx_token *out, atx_lexer *l)
{
    atx_token inner;
    while (next_on_line(&inner, l))
        ;
    out->end = l->at;
    out->spliced = has_joint(l->text + out->begin, l->text + out->end);
}

bool atx_lexer_next(atx_token *out, atx_lexer *l)
{
    do {
        if (!skip_white(l))
            return false;
        read_one(out, l);
        if (out->kind == ATX_TOKEN_DIRECTIVE && l->options.lines)
            take_line(out, l);
    } while ((out->kind == ATX_TOKEN_COMMENT && !l->options.comments) ||
             (out->inactive && l->options.active) || (out->directive && l->options.code));
    return true;
}

atx_lexer atx_lexer_inside(const char *text, const atx_token *directive)
{
    atx_token mark;
    atx_lexer inner = { .text = text + directive->begin, .len = directive->end - directive->begin };
    atx_lexer_next(&mark, &inner);
    return inner;
}

/* ---- their texts ---- */

size_t atx_token_copy(char *out, size_t size, const char *text, const atx_token *t)
{
    size_t n = 0, joint;
    for (size_t at = t->begin; at < t->end; at += joint ? joint : 1) {
        joint = t->spliced ? atx_lexer_joint(text + at, text + t->end) : 0;
        if (!joint && n++ + 1 < size)
            out[n - 1] = text[at];
    }
    if (size)
        out[n < size ? n : size - 1] = '\0';
    return n;
}

bool atx_token_is(const char *text, const atx_token *t, const char *what)
{
    char word[40];
    if (t->kind == ATX_TOKEN_TEXT || t->kind == ATX_TOKEN_COMMENT || (!t->spliced && text[t->begin] != *what))
        return false;
    const size_t n = strlen(what);
    if (!t->spliced)
        return t->end - t->begin == n && memcmp(text + t->begin, what, n) == 0;
    return n < sizeof word && atx_token_copy(word, sizeof word, text, t) == n && memcmp(word, what, n) == 0;
}

bool atx_token_is_one_of(const char *text, const atx_token *t, const char *const *words)
{
    while (*words && !atx_token_is(text, t, *words))
        words++;
    return *words != NULL;
}

/* ---- all of them ---- */

bool atx_tokens_opens(const atx_tokens *t, size_t i)
{
    return i < t->count && t->items[i].kind == ATX_TOKEN_SIGN && strchr("([{", t->text[t->items[i].begin]) &&
           t->text[t->items[i].begin];
}

/* Of brackets that are open each has the one around it as its pair; this one now has none. */
static void leave_open(atx_tokens *t, size_t *top)
{
    const size_t outer = t->items[*top].pair;
    t->items[*top].pair = SIZE_MAX;
    *top = outer;
}

static void leave_angles_open(atx_tokens *t, size_t *top)
{
    while (*top != SIZE_MAX && t->text[t->items[*top].begin] == '<')
        leave_open(t, top);
}

static void close_with(atx_tokens *t, size_t *top, size_t i)
{
    const size_t open = *top, outer = t->items[open].pair;
    t->items[i].pair = open;
    t->items[open].pair = i;
    *top = outer;
}

/* An angle belongs to one of the same brackets and statement, if to any. */
static void pair_one(atx_tokens *t, size_t *top, size_t i)
{
    const size_t n = t->items[i].end - t->items[i].begin;
    const char c = t->text[t->items[i].begin];
    if (atx_tokens_opens(t, i) || (c == '<' && n == 1)) {
        t->items[i].pair = *top;
        *top = i;
    } else if (c == '>' && (n == 1 || t->text[t->items[i].end - 1] == '>')) {
        for (size_t k = 0; k < n && *top != SIZE_MAX && t->text[t->items[*top].begin] == '<'; k++)
            close_with(t, top, i);
    } else if (c == ';' || (c && strchr(")]}", c))) {
        leave_angles_open(t, top);
        if (c != ';' && *top != SIZE_MAX)
            close_with(t, top, i);
    }
}

/* Brackets of a directive, and of inactive text, match among themselves only. */
static void pair_brackets(atx_tokens *t)
{
    size_t tops[2] = { SIZE_MAX, SIZE_MAX };
    for (size_t i = 0; i < t->count; i++) {
        atx_token *token = &t->items[i];
        const bool apart = token->directive || token->inactive;
        while ((!apart || token->kind == ATX_TOKEN_DIRECTIVE) && tops[1] != SIZE_MAX)
            leave_open(t, &tops[1]);
        token->pair = SIZE_MAX;
        if (token->kind == ATX_TOKEN_SIGN)
            pair_one(t, &tops[apart], i);
    }
    for (int i = 0; i < 2; i++)
        while (tops[i] != SIZE_MAX)
            leave_open(t, &tops[i]);
}

bool atx_tokens_read(atx_tokens *out, const char *text, size_t len, const atx_lex_options *options)
{
    atx_tokens t = { .text = text, .len = len };
    atx_lexer lexer = { .text = text, .len = len, .options = *options };
    do {
        if (!atx_grow(&t.items, &t.cap, t.count + ATX_TOKENS_BEHIND, sizeof *t.items)) {
            free(t.items);
            return false;
        }
    } while (atx_lexer_next(&t.items[t.count], &lexer) && ++t.count);
    for (size_t i = 0; i < ATX_TOKENS_BEHIND; i++)
        t.items[t.count + i] = (atx_token){ .kind = ATX_TOKEN_COMMENT, .pair = SIZE_MAX };
    t.open = lexer.open;
    pair_brackets(&t);
    *out = t;
    return true;
}

void atx_tokens_clear(atx_tokens *tokens)
{
    free(tokens->items);
    *tokens = (atx_tokens){ 0 };
}

bool atx_tokens_is(const atx_tokens *t, size_t i, const char *what)
{
    return i < t->count && (t->items[i].kind == ATX_TOKEN_WORD || t->items[i].kind == ATX_TOKEN_SIGN) &&
           atx_token_is(t->text, &t->items[i], what);
}

bool atx_tokens_is_word(const atx_tokens *t, size_t i)
{
    return i < t->count && t->items[i].kind == ATX_TOKEN_WORD;
}

size_t atx_tokens_match(const atx_tokens *t, size_t i)
{
    return i < t->count && t->items[i].pair != SIZE_MAX ? t->items[i].pair : t->count;
}

size_t atx_tokens_find(const atx_tokens *t, size_t begin, size_t end, const char *sign)
{
    for (size_t i = begin; i < end; i++) {
        if (atx_tokens_is(t, i, sign))
            return i;
        if (atx_tokens_opens(t, i))
            i = atx_tokens_match(t, i);
    }
    return end;
}
