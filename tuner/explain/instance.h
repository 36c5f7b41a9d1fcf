/*
 * instance.h - a problem in memory: its inputs, as a runner fills them, and the right answer, which
 * the op's reference kernel makes on the machine. Each program runs on a copy of its own.
 */
#pragma once

#include "device/trial.h"
#include "explain/program.h"
#include "lang/catalog.h"
#include "machine/flaws.h"
#include "machine/machine.h"
#include "machine/tally.h"

typedef struct atx_instance atx_instance;

typedef struct atx_instance_options {
    const atx_catalog *catalog;
    atx_nvrtc *nvrtc;
    const atx_problem *problem;
    const int64_t *slots; /* bound for the op; borrowed for the call */
    int cc;
    uint64_t seed;
    bool answer;        /* run the reference: atx_instance_try needs it */
    int64_t most_steps; /* of all threads of the reference; 0: as long as it takes */
    int64_t
        most_filled_bytes; /* larger inputs of random bits stay zero, which no address depends on; 0: none */
} atx_instance_options;

/*
 * AT_ERR_INPUT: the op has no kernels here, its reference does not compile or run, or a file cannot be read.
 * The text of a flaw of the reference's own is in *err. AT_ERR_NOT_FOUND: the reference is not at its end
 * after `most_steps`.
 */
at_status atx_instance_open(atx_instance **out, const atx_instance_options *options,
                            at_error *err) AT_MUST_CHECK;
void atx_instance_close(atx_instance *instance); /* NULL is allowed */

/*
 * Runs all launches of a program, watched, and compares its outputs. What is wrong is added to *flaws. One
 * that takes 4096 times the instructions of the reference, or waits for what does not come, has no end; of
 * one that takes fewer, and still too many to wait for, nothing is known: AT_ERR_INPUT. AT_ERR_USAGE: no
 * device launches that.
 */
at_status atx_instance_try(atx_flaws *flaws, atx_instance *instance, const atx_program *program,
                           at_error *err) AT_MUST_CHECK;

/* Buffers in the order of the op's arguments. NULL: there is none of that number. `begin`: what it holds
 * at first; *begin NULL: zeroes. Valid as long as the problem instance. */
const atx_buffer *atx_instance_buffer(const unsigned char **begin, const atx_instance *instance, int buffer);

/*
 * Runs all launches of a program, unwatched; out[i]: what output i then holds, to be freed, others
 * NULL. AT_ERR_INPUT: the machine stopped it, with its words.
 */
at_status atx_instance_run(unsigned char *out[ATX_MAX_ARGS], atx_instance *instance,
                           const atx_program *program, at_error *err) AT_MUST_CHECK;

/* The share of a launch that ran, for counts that are a sample. */
typedef struct atx_sample {
    int64_t blocks, of; /* the most of any launch's */
} atx_sample;

/*
 * Runs at most `most_blocks` blocks of each launch and counts what they cost; 0: all. AT_ERR_INPUT: it ran
 * into what the machine calls a flaw.
 */
at_status atx_instance_count(atx_tally *tally, atx_sample *sample, atx_instance *instance,
                             const atx_program *program, int64_t most_blocks, at_error *err) AT_MUST_CHECK;
