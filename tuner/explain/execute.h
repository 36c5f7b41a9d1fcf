/*
 * execute.h - runs sampled configurations of templates on the machine, without a GPU, and reports their
 * faults: wrong results, and faults that no result shows.
 */
#pragma once

#include "device/verdict.h"
#include "explain/instance.h"
#include "lang/catalog.h"
#include "util/rng.h"

#include <stdatomic.h>

/* A flaw, the first configuration that has it, and how many do. */
typedef struct atx_executed_flaw {
    atx_flaw flaw;
    char problem[100]; /* "33x31 f32" */
    char *config;
    int64_t configs;
} atx_executed_flaw;

enum { ATX_MOST_EXECUTED_FLAWS = 32 };

/* The result of one template. Zero it before use; clear it after. */
typedef struct atx_executed {
    const atx_template *t;
    int64_t configs, problems; /* that were run; how many different problems             */
    int64_t checked;           /* launches whose outputs were compared with the right ones */
    int64_t wrong;             /* configurations with a flaw                              */
    int64_t refused;           /* not run: code that the machine does not know, or too large a problem */
    int64_t left_out;          /* problems that were not named and take too much */
    char why[400];             /* ... of the first                                        */
    atx_str ran;               /* the problems: "1000 f32, 33x31 f16"                     */
    atx_executed_flaw flaws[ATX_MOST_EXECUTED_FLAWS];
    int flaw_count;
} atx_executed;

/* The flaw that says most; NULL: there is none. */
const atx_executed_flaw *atx_executed_first(const atx_executed *executed);

/* The verdict on that flaw, in words of trials. false: there is none, and not all could be run. */
bool atx_executed_verdict(atx_verdict *verdict, const atx_executed *executed);
void atx_executed_clear(atx_executed *executed);

typedef struct atx_execute atx_execute;

typedef struct atx_execute_options {
    const atx_catalog *catalog; /* borrowed, as the two below */
    atx_nvrtc *nvrtc;
    const atomic_int *cancel; /* not 0: give up */
    int cc;
    uint64_t seed;
    int64_t configs; /* of each template; all where it has fewer */
} atx_execute_options;

at_status atx_execute_open(atx_execute **out, const atx_execute_options *options,
                           at_error *err) AT_MUST_CHECK;
void atx_execute_close(atx_execute *execute); /* NULL is allowed */

/*
 * One more problem, all of them of one op; one that the device's limits do not allow is left out. Before the
 * first template. `named`: a user wants it, and it may take what memory there is and a long time; without
 * that for it its configurations are not run. Others are left out where they take more than 256 MiB, or the
 * reference 2^28 instructions.
 */
at_status atx_execute_add(atx_execute *execute, const atx_problem *problem, bool named,
                          at_error *err) AT_MUST_CHECK;

/* Shapes to try where none was named, one or several words: small, ragged against every tile, narrow,
 * batched, with pitches, round. Of any op: its own reader says which it takes. false: there are no more. */
bool atx_execute_shape(const char **out, int index);

/* The problems that were left out so far, and why: "20000 f32 (it takes 27 GB of memory)". */
void atx_execute_left_out(atx_str *out, const atx_execute *execute);

/*
 * The first and the last valid configuration, the default one and random ones, each on another problem. A
 * configuration that is wrong is no error. AT_ERR_INPUT: the op's own reference does not run; AT_ERR_DEVICE:
 * NVRTC.
 */
at_status atx_execute_template(atx_executed *out, atx_execute *execute, const atx_template *t,
                               at_error *err) AT_MUST_CHECK;
