/*
 * moves.h - every template that moves data, on the machine: which problems, which configurations, and their
 * kernels, many of them in one compilation.
 */
#pragma once

#include "explain/instance.h"
#include "space/space.h"

enum { MOST_PROBLEMS = 64, MOST_PICKS = 4 };

/* What all templates of one operation are tried on, in one type. */
typedef struct problems {
    struct tried {
        atx_problem problem;
        int64_t slots[ATX_MAX_SLOTS];
        bool constant_sizes;    /* as in a real run; else they are passed, so that problems share kernels */
        bool few;               /* not the first and the last configuration */
        atx_instance *instance; /* NULL: nobody wanted it yet */
    } items[MOST_PROBLEMS];
    int count;
} problems;

/* One kernel on one problem. */
typedef struct trial {
    int problem;
    size_t text;
    atx_kernel kernel;
    bool changed; /* into a variant */
    char *words;  /* its configuration and variant */
} trial;

typedef struct group {
    const atx_template *t;
    problems *on;
    trial *trials;
    size_t trial_count, trial_cap;
    char **texts;             /* rendered, none twice */
    atx_ptx_module **modules; /* of each batch of texts */
    size_t text_count, text_cap;
    atx_config pool[8]; /* random ones, which other problems try too */
    int pool_count;
    atx_rng rng;
} group;

enum { TEXTS_OF_A_BATCH = 12 };

extern const atx_limits
    few_multiprocessors; /* so that small shapes are large enough for kernels that take turns */

/* Ends the program with the error's text where the status is one. */
void must(at_status status, const at_error *err);

/* each: takes each so many-th pair of the shapes; 1: all. */
void problems_of(problems *out, const atx_op *op, atx_dtype type, int each);
void problems_clear(problems *p);

/* The problems for a template; clear them after. */
void group_collect(group *g, const atx_template *t, problems *on);
void group_compile(group *g, atx_nvrtc *nvrtc, int cc);
void group_clear(group *g);
