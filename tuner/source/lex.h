/*
 * lex.h - CUDA C++ source as tokens. All other readers of such a text read these, not bytes.
 *
 * A backslash at the end of a line joins it to the next one anywhere except in raw strings: a token may be
 * `spliced`, and is compared without such joints. A line that begins with '#' is a directive up to the end of
 * its line. Text that #if 0, the other branches of #if 1, and conditions about `defined` leave out is
 * `inactive`. Any text has tokens: an unknown byte is a sign of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum atx_token_kind {
    ATX_TOKEN_WORD,
    ATX_TOKEN_NUMBER,
    ATX_TOKEN_TEXT,    /* a string or character, a raw string with its R; the "name" or <name> of a header */
    ATX_TOKEN_COMMENT, /* only where comments are asked for */
    ATX_TOKEN_DIRECTIVE, /* the '#' that begins a directive; with `lines` all of it, without its line end */
    ATX_TOKEN_SIGN       /* one character, "..." or one of the operators of two */
} atx_token_kind;

typedef struct atx_token {
    atx_token_kind kind;
    bool blank;     /* white space or a comment stands before it */
    bool directive; /* is in one, its '#' among it */
    bool inactive;
    bool attribute; /* of [[...]] */
    bool spliced;
    bool raw; /* a raw string */
    int line; /* where it begins, from 1 */
    size_t begin, end;
    size_t pair; /* in atx_tokens: the bracket, or angle, that belongs to this one; SIZE_MAX: none */
} atx_token;

typedef struct atx_lex_options {
    bool comments; /* those become tokens */
    bool lines;    /* a directive is one token */
    bool active;   /* inactive text has no tokens */
    bool code;     /* directives have none */
    bool version;  /* what is asked of CUDA's version is decided, where all that are supported agree, and
                      #ifdef of other compilers and systems */
    const char *defined; /* a macro that #ifdef finds; NULL: no such condition is decided */
} atx_lex_options;

/* ---- one after the other ---- */

enum { ATX_LEX_LEVELS = 64 }; /* of #if whose branches are told apart */

/* Begin with { .text, .len, .options }. The other members are read, not written. */
typedef struct atx_lexer {
    const char *text;
    size_t len;
    atx_lex_options options;
    bool open;   /* a comment or string that is active does not end */
    bool unsure; /* compilers may read the text in another way, or refuse it */

    size_t at, end; /* where it is, and where what it took last ends: between them are joints alone */
    size_t counted; /* ends of lines are counted up to there */
    int newlines;
    bool begun, blank;
    bool in_line; /* a token stands on this line */
    bool in_directive, directive_inactive;
    int words, names; /* of the directive: its tokens so far; how far the name of a header is off, 0: none */
    int depth, dead;  /* of #if; that of the branch that is left out, 0: none */
    uint64_t taken;   /* bit n: a branch of level n is certain to be taken */
    int attribute;    /* open brackets of [[...]] */
} atx_lexer;

/* false: the text has ended. */
bool atx_lexer_next(atx_token *out, atx_lexer *lexer);

/* The tokens of a directive that is one token, behind its '#'. */
atx_lexer atx_lexer_inside(const char *text, const atx_token *directive);

/* Is it this word or sign? */
bool atx_token_is(const char *text, const atx_token *token, const char *what);
bool atx_token_is_one_of(const char *text, const atx_token *token, const char *const *words);

/* Its text without joints, and how long that is; cut where there is no room. */
size_t atx_token_copy(char *out, size_t size, const char *text, const atx_token *token);

/* The bytes of the joint at `at` (a backslash, the end of its line); 0: none is there. */
size_t atx_lexer_joint(const char *at, const char *end);

/* ---- all of them ---- */

/* Behind the last token lie as many empty ones, which are no word and no sign: a reader may look ahead from
 * any token, and from the end that an unmatched bracket has. */
enum { ATX_TOKENS_BEHIND = 8 };

/* The tokens of a text, which is borrowed. */
typedef struct atx_tokens {
    const char *text;
    size_t len;
    atx_token *items;
    size_t count, cap;
    bool open; /* see atx_lexer */
} atx_tokens;

/* false: out of memory, and nothing has to be cleared. */
bool atx_tokens_read(atx_tokens *out, const char *text, size_t len, const atx_lex_options *options);
void atx_tokens_clear(atx_tokens *tokens);

/* Is token i (which may be past the end) this word or sign? */
bool atx_tokens_is(const atx_tokens *t, size_t i, const char *what);
bool atx_tokens_is_word(const atx_tokens *t, size_t i);
bool atx_tokens_opens(const atx_tokens *t, size_t i); /* a bracket: ( [ or { */

/* From an opening bracket, or a '<', to the closing one that belongs to it; count when there is none. */
size_t atx_tokens_match(const atx_tokens *t, size_t i);

/* The next sign between begin and end that no bracket encloses, or end. */
size_t atx_tokens_find(const atx_tokens *t, size_t begin, size_t end, const char *sign);
