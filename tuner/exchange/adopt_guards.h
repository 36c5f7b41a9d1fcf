/*
 * adopt_guards.h - Private to adopt*.c: comparisons in a body of code, and where each holds. "if (i < n) {
 * here }", "if (i >= n) return; here", "for (; i < n;) here", "i < n ? here : there".
 */
#pragma once

#include "exchange/adopt_draft.h"

#define ATX_GUARDS 96

typedef struct atx_guard {
    atx_span less, than; /* tokens of both sides: less < than           */
    bool inclusive;      /* less <= than                                */
    atx_span holds;      /* tokens where it does                        */
} atx_guard;

typedef struct atx_guards {
    atx_guard items[ATX_GUARDS];
    int count;
} atx_guards;

void atx_guards_read(atx_guards *out, const atx_tokens *t, atx_span body);

/* The open bracket around token i, from `begin` on; SIZE_MAX: none. */
size_t atx_guards_around(const atx_tokens *t, size_t begin, size_t i);

/* Behind the statement that begins at token i. */
size_t atx_guards_statement(const atx_tokens *t, size_t i, size_t end);

/* The loop of `for`, `while` or `do` around token i: its first token; SIZE_MAX: none. */
size_t atx_guards_loop(const atx_tokens *t, size_t begin, size_t i);

/* A branch of an if: the token of the first `if` of its chain, 0: it is none; where its statement begins. */
typedef struct atx_arm {
    size_t of, begin;
} atx_arm;

/* The innermost one around token i; if (a) here; else if (b) here; else here. */
atx_arm atx_guards_arm(const atx_tokens *t, atx_span body, size_t i);

/* Whether the name at token `name` of a declaration from token `begin` on is a pointer's: T *const NAME, auto
 * NAME. */
bool atx_guards_points(const atx_tokens *t, size_t begin, size_t name);

/* Whether the pointer at token i goes into a struct or an array, or is what a function returns: v = { NAME, n
 * }, v.p = NAME, return NAME + n. */
bool atx_guards_kept(const atx_tokens *t, size_t begin, size_t i);

/* How often the name at token `name` stands in a span. */
int atx_guards_uses(const atx_tokens *t, size_t name, atx_span in);

/* float *q = x + i; if (i < n) *q = 1: what guards every use of the pointer that a statement makes, of one at
 * token i, guards the statement. false: nothing does. */
bool atx_guards_of_uses(atx_guards *out, const atx_guards *g, const atx_tokens *t, atx_span body, size_t i);

/* Whether the name at token i is declared there, in a body that begins at `begin`. */
bool atx_guards_declares(const atx_tokens *t, size_t i, size_t begin);

/* Whether the name at token i, declared at `declared`, is declared anew in between: int count; for an
 * argument `count`. */
bool atx_guards_another(const atx_tokens *t, size_t begin, size_t declared, size_t i);

/* Whether the author's numbers leave out what stands at token i: SKIP ? p[i] : 0, where SKIP is 0. */
bool atx_draft_is_off(const atx_draft *d, const atx_tokens *t, atx_span body, size_t i);

/* Whether a statement of its own gives the name at token `name` another value between two tokens. */
bool atx_guards_given(const atx_tokens *t, size_t name, size_t from, size_t at);

/* Whether the name at token i is that of a member: p.x. */
static inline bool atx_guards_member(const atx_tokens *t, size_t i)
{
    return i && (atx_tokens_is(t, i - 1, ".") || atx_tokens_is(t, i - 1, "->"));
}

/* Whether the name at token `name` is given another value, or stepped, between two tokens. */
bool atx_guards_changed(const atx_tokens *t, size_t name, size_t from, size_t to);

/* The last declaration of a name before token `at` whose block is open there; SIZE_MAX: none. */
size_t atx_guards_declaration(const atx_tokens *t, size_t begin, const char *name, size_t at);

/* Whether a comparison that holds at `at` begins behind a declaration, and nothing changes in between what
 * the declared value is made of: int i = y * n + x; if (x < n) here. */
bool atx_guards_later(const atx_guards *g, const atx_tokens *t, size_t declared, size_t at);

/* Of the name that is declared at a token: int row = i / w; if (row < h) i < h * w here: h, and w, or its
 * number where bits are shifted. false: there is no such comparison. */
typedef struct atx_quotient {
    atx_span than, by;
    long number; /* 0: `by` */
} atx_quotient;
bool atx_guards_quotient(atx_quotient *out, const atx_guards *g, const atx_tokens *t, size_t begin,
                         size_t declared, size_t at);

/* x - q * d at token x, where q is declared as x / d, and x - (x / d) * d: the token of the last d; 0: it is
 * neither. */
size_t atx_guards_remainder(const atx_tokens *t, size_t begin, size_t x, size_t end);

/* for (int NAME = FIRST; ...; NAME += STEP): the header of the loop at token `loop`. Without a step of that
 * form it is empty. false: it is no such loop. */
typedef struct atx_for_header {
    size_t name, close; /* tokens: of the name, of its closing bracket */
    atx_span first, step;
} atx_for_header;
bool atx_guards_for(atx_for_header *out, const atx_tokens *t, size_t loop);

/* auto NAME = [&](int a, int b) { ... }: the lambda's name, where it ends, and which of its parameters a name
 * is that token `at` in it has. false: it is none. */
typedef struct atx_lambda {
    size_t name, end;
    int param;
} atx_lambda;
bool atx_guards_lambda(atx_lambda *out, const atx_tokens *t, size_t begin, const char *name, size_t at);

/* b * s at token i of b * s + r, where b = x / s and r = x % s: tokens of x and s. */
bool atx_guards_paired(size_t *x, size_t *s, const atx_tokens *t, size_t begin, size_t i, size_t end);

/* a + f at token i, where f < e - a holds, or f < n of n = e - a: the tokens of e. */
bool atx_guards_rest(atx_span *than, const atx_guards *g, const atx_tokens *t, size_t begin, size_t i,
                     size_t end);

bool atx_guards_same(const atx_tokens *t, atx_span a, atx_span b);     /* of the same tokens */
bool atx_guards_same_sum(const atx_tokens *t, atx_span a, atx_span b); /* in any order of what is added */

/* Of "if (x >= than) x = ...;" at the token of the second x: what the statement is run for. */
typedef struct atx_clamp {
    size_t head; /* the token of `if`, or of `while`          */
    atx_span than;
    bool above;     /* x > than, or x >= than; else x < than     */
    bool equal;     /* x == than                                 */
    bool inclusive; /* x >= than, x <= than                      */
} atx_clamp;
bool atx_guards_clamp(atx_clamp *out, const atx_tokens *t, size_t begin, size_t i);

/* Of the name that is declared at token x: int k = x + rest; if (k < than) here. */
typedef struct atx_guard_sum {
    atx_span rest, than;
    bool inclusive; /* k <= than */
} atx_guard_sum;
bool atx_guards_sum(atx_guard_sum *out, const atx_guards *g, const atx_tokens *t, size_t begin, size_t x,
                    size_t at);
