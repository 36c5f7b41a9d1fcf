/*
 * bench.h - a problem laid out on a device: its buffers, their contents, and the proof that a kernel is
 * right.
 *
 * Buffers come in sets that launches rotate through, so that with enough sets each launch finds its inputs
 * outside the L2 cache. A launch takes its inputs from one set and writes its outputs into another one, and
 * never into one that already holds the answer to the same inputs. Any launch whose inputs have a known
 * answer may be checked; a generator that no kernel can read chooses these inputs. Places of sets:
 * device/layout.h. Copies, the ceiling, begin at the page: whatever the alignment of a kernel's buffers, it
 * is compared with a copy of aligned ones.
 *
 * Inputs hold the data that the op declares, random bits by default (another stream for each set and buffer),
 * so no run is fast because of its data.
 */
#pragma once

#include "runner/gpu.h"

typedef struct atx_bench atx_bench;

/*
 * Allocates, fills, and runs the reference. `setup` is borrowed for the call. AT_ERR_DEVICE: too large for
 * the device's free memory (says needed and free), or the reference fails. AT_ERR_INPUT: its answer proves
 * nothing.
 */
at_status atx_bench_open(atx_bench **out, atx_gpu *gpu, const atx_setup *setup, at_error *err) AT_MUST_CHECK;
void atx_bench_close(atx_bench *bench); /* NULL is allowed */

/* Where copies run, or everything else. */
atx_bench *atx_bench_for(atx_bench *bench, bool is_copy);

/* How many sets the launches rotate through; and so many suffice that each finds the L2 cold. */
int atx_bench_sets(const atx_bench *bench);
int atx_bench_fewest_sets(const atx_bench *bench);

/* Enqueues that nothing of any set is left in the L2, so that fewer launches find it cold. Returns whether it
 * can, which costs as long as some 50 launches. */
bool atx_bench_can_sweep(const atx_bench *bench);
at_status atx_bench_sweep(atx_bench *bench, at_error *err) AT_MUST_CHECK;

bool atx_bench_is_warm(const atx_bench *bench); /* launches need not find it cold */

/* A number below `bound`, at random, which a kernel can neither read nor foresee. */
int atx_bench_random(atx_bench *bench, int bound);

/* The kernel of a launch. Zero it, then set one member. */
typedef struct atx_loaded {
    const atx_module *module;
    const atx_kernel *kernel; /* NULL: the driver's copy of the first input to the first output */
    bool is_copy;             /* its first output must equal the first input, both from their page on */
    int inputs;               /* the set of inputs that its variables were filled from, plus 1; 0: none was */
    int64_t launches;         /* since it was loaded */
    int64_t checked;          /* of them compared with an answer */
} atx_loaded;

/* The set that a launch reads and the set that it writes. */
typedef struct atx_sets {
    int in, out;
} atx_sets;

/* Enqueues one launch. */
at_status atx_bench_launch(atx_bench *bench, const atx_loaded *what, atx_sets sets,
                           at_error *err) AT_MUST_CHECK;

/*
 * Enqueues filling the variables of a loaded module with the declared contents, of inputs that have an
 * answer. atx_bench_verify calls it; callers that launch without verifying must call it too.
 */
at_status atx_bench_fill_variables(atx_bench *bench, atx_loaded *what, at_error *err) AT_MUST_CHECK;

/* Whether launches change their initial state: zeroed outputs, buffers that are read and written. */
bool atx_bench_is_restored(const atx_bench *bench);

/* Would this launch find the answer in its outputs: the one that was last to be written there, or any, as
 * earlier launches may not have written theirs? */
typedef enum atx_found_there { ATX_LAST_ANSWER, ATX_ANY_ANSWER } atx_found_there;
bool atx_bench_finds_answer(const atx_bench *bench, atx_sets sets, atx_found_there which);

/* Another candidate begins: where there are many sets, nothing is known of answers that others left. */
void atx_bench_forget_answers(atx_bench *bench);

/* Enqueues what must be so before a launch: what launches change is restored, outputs that hold the answer
 * are filled with other random bits, and so is scratch memory. */
at_status atx_bench_prepare(atx_bench *bench, atx_sets sets, atx_found_there which,
                            at_error *err) AT_MUST_CHECK;

/* Enqueues that outputs which are not restored hold random bits. */
at_status atx_bench_refresh(atx_bench *bench, atx_sets sets, at_error *err) AT_MUST_CHECK;

/* Notes that a launch was enqueued that is not being recorded. */
void atx_bench_note(atx_bench *bench, atx_loaded *what, atx_sets sets);

/* Is the answer to these inputs known, for this kernel? And one of those of which it is, at random. */
bool atx_bench_has_answer(const atx_bench *bench, const atx_loaded *what, int in);
int atx_bench_choose_inputs(atx_bench *bench, const atx_loaded *what);

/* Enqueues filling all sets and guards with their contents. */
at_status atx_bench_fill(atx_bench *bench, at_error *err) AT_MUST_CHECK;

/* Everything as it was when it was opened: contents, guards, answers. */
at_status atx_bench_renew(atx_bench *bench, at_error *err) AT_MUST_CHECK;

/* The same with new inputs, where memory allows at addresses that none of its sets had. */
at_status atx_bench_move(atx_bench *bench, at_error *err) AT_MUST_CHECK;

/* What checking one launch found. */
typedef struct atx_seen {
    bool right;
    double seconds;      /* of the launch, where it was timed by itself */
    atx_verdict verdict; /* without its outcome and earlier checks          */
    char log[400];       /* why it is not right                         */
} atx_seen;

/*
 * Poisons the outputs of a set (each is wrong in every byte or number), launches once, and compares every
 * output with the answer as the op wants it, every input byte with what it was, and every guard byte. For a
 * copy the first output must equal the first input instead. A failure of the driver is AT_ERR_DEVICE.
 */
at_status atx_bench_verify(atx_seen *out, atx_bench *bench, atx_loaded *what, at_error *err) AT_MUST_CHECK;

/* Adds the number of the launch to the description of a fault. */
void atx_seen_name_launch(atx_seen *seen);

/*
 * The same of a launch that has been made, for inputs whose answer is known, where nothing was launched on
 * its outputs since. `thorough`: inputs and guards, too.
 */
at_status atx_bench_compare(atx_seen *out, atx_bench *bench, atx_loaded *what, atx_sets sets, bool thorough,
                            at_error *err) AT_MUST_CHECK;
