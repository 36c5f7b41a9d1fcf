/*
 * execute.h - runs sampled configurations of templates on the machine, without a GPU, and says what is wrong
 * with them: their results, and what they did that no result shows.
 */
#ifndef AUTOTUNE_EXPLAIN_EXECUTE_H
#define AUTOTUNE_EXPLAIN_EXECUTE_H

#include "explain/scene.h"
#include "lang/catalog.h"
#include "util/rng.h"

#include <stdatomic.h>

/* A flaw, the first configuration that has it, and how many do. */
typedef struct at__executed_flaw {
    at__flaw flaw;
    char problem[100]; /* "33x31 f32" */
    char *config;
    int64_t configs;
} at__executed_flaw;

enum { AT__MOST_EXECUTED_FLAWS = 32 };

/* What came of one template. Zero it before use; clear it after. */
typedef struct at__executed {
    const at__template *t;
    int64_t configs, problems; /* that were run; how many different problems             */
    int64_t wrong;             /* configurations with a flaw                              */
    int64_t refused;           /* not run: what the machine does not know, or too large a problem */
    char why[400];             /* ... of the first                                        */
    at__str ran;               /* the problems: "1000 f32, 33x31 f16"                     */
    at__executed_flaw flaws[AT__MOST_EXECUTED_FLAWS];
    int flaw_count;
} at__executed;
void at__executed_clear(at__executed *executed);

typedef struct at__execute at__execute;

typedef struct at__execute_options {
    const at__catalog *catalog; /* borrowed, as the two below */
    at__nvrtc *nvrtc;
    const atomic_int *cancel; /* not 0: give up */
    int cc;
    uint64_t seed;
    int64_t configs; /* of each template; all where it has fewer */
} at__execute_options;

at_status at__execute_open(at__execute **out, const at__execute_options *options,
                           at_error *err) AT_MUST_CHECK;
void at__execute_close(at__execute *execute); /* NULL is allowed */

/*
 * One more problem, all of them of one op; one that the device's limits do not allow is left out. Before the
 * first template. `named`: a user wants it, and it may take what memory there is and a long time; without
 * that for it its configurations are not run. Others are left out where they take more than 256 MiB, or the
 * reference 2^28 instructions.
 */
at_status at__execute_add(at__execute *execute, const at__problem *problem, bool named,
                          at_error *err) AT_MUST_CHECK;

/* Shapes to try where nobody named any, one or several words: small, ragged against every tile, narrow,
 * batched, with pitches, round. Of any op: its own reader says which it takes. false: there are no more. */
bool at__execute_shape(const char **out, int index);

/* The problems that were left out so far, and why: "20000 f32 (it takes 27 GB of memory)". */
void at__execute_left_out(at__str *out, const at__execute *execute);

/*
 * The first and the last valid configuration, the default one and random ones, each on another problem. A
 * configuration that is wrong is no error. AT_ERR_INPUT: the op's own reference does not run; AT_ERR_DEVICE:
 * NVRTC.
 */
at_status at__execute_template(at__executed *out, at__execute *execute, const at__template *t,
                               at_error *err) AT_MUST_CHECK;

#endif
