/*
 * adopt_host.h - Private to adopt*.c: what the host's part of a file says about the arguments of a launch:
 * how much it allocates, what it copies there before, and which numbers it passes. Names are followed through
 * functions around the launch, to where the file calls them.
 */
#pragma once

#include "exchange/adopt_bounds.h"

/* A function of the host's, seen from the launch outwards. */
typedef struct atx_host_frame {
    const atx_draft_function *f;        /* NULL: none                                            */
    size_t at;                          /* the launch, or the call of inner->f: its name         */
    size_t open;                        /* the bracket of that call                              */
    const struct atx_host_frame *inner; /* the function that it calls, nearer to the launch      */
    bool launches;                      /* the launch stands in it                               */
    bool params;                        /* names of parameters are these, and not their numbers  */
    const struct atx_host_frame *outer; /* where it is called to find out what it returns, and   */
    size_t outer_open;                  /* the bracket of that call                              */
} atx_host_frame;

/* A number of the host's as a sum of products of the draft's sizes, and of names of the host's (ATX_TAG_HOST)
 * that are none. `element`: what sizeof of an unknown type is; below 0: of any, without the sign. */
atx_range atx_host_value(atx_bounding *b, const atx_host_frame *f, atx_span span, long element);

/* Such a sum without names of the host's, as far as what is passed on from the frame to the launch is made of
 * these. false: some are left. */
bool atx_host_express(atx_poly *p, atx_bounding *b, const atx_host_frame *f);

const atx_draft_function *atx_host_function_around(const atx_draft *d, size_t token);

/* Which parameter of a function a name is; -1: none. *token: where it stands in the list. */
int atx_host_parameter(size_t *token, const atx_draft *d, const atx_draft_function *f, size_t name);

atx_span atx_host_nth(const atx_tokens *t, size_t open,
                      int n); /* argument n of a call; empty: it has fewer */

/* The first token from `at` on with the text of another one; as many as there are: none. */
size_t atx_host_same(const atx_draft *d, size_t token, size_t at);

/* The next call of a function from token *at on, in the body of another one. */
bool atx_host_next_call(atx_host_frame *out, const atx_draft *d, const atx_draft_function *f, size_t *at);

typedef struct atx_host_buffer {
    size_t allocated; /* the token; 0: nowhere that is understood                        */
    bool sized;
    atx_poly elements;   /* of the argument's type, if `sized`                           */
    bool complete;       /* all that the host does with it before the launch is known    */
    bool filled, zeroed; /* it has contents then; these are zeros                        */
} atx_host_buffer;

/* Of a pointer among the arguments of the launch. `each`: the bytes of its elements, 0: not known; below 0:
 * they are of an argument of a template, and of any type. */
atx_host_buffer atx_host_buffer_of(atx_bounding *b, int arg, long each);

/* The number that the launch passes, where a function around it is given that. "": it is not known. */
void atx_host_scalar(char out[ATX_MAX_WORD], const atx_draft *d, int arg);

/* Does a name have this word, which is in lower case, in any case? "CUDA_Malloc" has "malloc". */
bool atx_host_contains(const char *text, const char *word);
bool atx_host_divides_up(const char *name); /* divUp, CEIL_DIV, iDivUp, cdiv, ceildiv, DIV_ROUND_UP */
