/*
 * bench_parts.h - what the files behind bench.h share: the bench itself, where buffers are, and launches of
 * the kernels of verify.cu and fill.cu. Private to bench*.c
 */
#ifndef AUTOTUNE_BENCH_PARTS_H
#define AUTOTUNE_BENCH_PARTS_H

#include "device/layout.h"
#include "runner/bench.h"

typedef enum atx_check_kernel {
    ATX_FILL,
    ATX_POISON,
    ATX_EQUAL,
    ATX_RANDOM,
    ATX_GUARD_FILL,
    ATX_GUARD,
    ATX_GENERATE,
    ATX_GENERATED,
    ATX_AWAY,
    ATX_CLOSE,
    ATX_WORST,
    ATX_WHERE,
    ATX_VALIDATE,
    ATX_CHECK_KERNELS
} atx_check_kernel;

/*
 * What checks find, in 8-byte words for each buffer: how many are wrong and the complement of the first, of
 * its bytes or numbers, of the guard before it and of that behind it; six more for sums. Behind all of them
 * as much room again.
 */
enum { ATX_FOUND_EACH = 12, ATX_FOUND_WORDS = ATX_FOUND_EACH * (ATX_MAX_ARGS + 1), ATX_CHECK_PARAMS = 7 };

struct atx_bench {
    atx_gpu *gpu;
    atx_setup setup;   /* its reference without the borrowed code and names */
    atx_bench *copies; /* with buffers of their own; NULL: they run on these */
    atx_module *reference;
    atx_module *validator;
    bool has_answer; /* a reference's, or a file's; copies are compared with what they copy */
    atx_module *checks[ATX_CHECK_KERNELS];
    atx_layout layout;
    int sets;
    int fewest; /* of them that leave the L2 between two launches on one */
    atx_ptr arena;
    atx_ptr expected[ATX_MAX_ARGS]; /* the reference's outputs; 0 for inputs */
    atx_ptr kept[ATX_MAX_ARGS];     /* of inputs from files: what they hold */
    atx_ptr inverse[ATX_MAX_ARGS];  /* of outputs with gaps: see fill_gaps   */
    atx_ptr found;                  /* ATX_FOUND_WORDS                       */
    int first_in, first_out;        /* -1: none                              */
    bool suspect; /* a kernel ran that may have damaged inputs or guards, and nobody has looked  */
};

atx_ptr atx_bench_buffer(const atx_bench *b, uint64_t set, int buffer);

/* The same for whoever runs on it: a copy begins where the buffer would, were it aligned. */
atx_ptr atx_bench_place(const atx_bench *b, uint64_t set, int buffer, bool is_copy);

/* Enqueues a check kernel over `bytes` with up to ATX_CHECK_PARAMS 8-byte arguments. */
at_status atx_bench_check(atx_bench *b, atx_check_kernel which, int64_t bytes, const uint64_t *values,
                          int count, at_error *err) AT_MUST_CHECK;

/* Where what is found of a buffer is; of buffer ATX_MAX_ARGS: the room behind. */
static inline atx_ptr atx_bench_found(const atx_bench *b, int buffer)
{
    return b->found + 8u * ATX_FOUND_EACH * (unsigned)buffer;
}

/* The words of what is found of a buffer that a validator counts in: how many are wrong, and the first of
 * them.
 */
enum { ATX_FOUND_BY = 6 };

/*
 * bench_validator.c: enqueues that a kernel of the op's validates what the outputs of set 0 hold, if this one
 * is its buffer; and whether it can tell right from wrong at all, else AT_ERR_INPUT.
 */
at_status atx_validator_ask(atx_bench *b, int buffer, at_error *err) AT_MUST_CHECK;
at_status atx_validator_prove(atx_bench *b, at_error *err) AT_MUST_CHECK;

at_status atx_bench_run_reference(atx_bench *b, at_error *err) AT_MUST_CHECK;

/* bench_contents.c: what buffers hold. All of it is enqueued. */
uint64_t atx_contents_seed(const atx_bench *b, uint64_t set, int buffer);
int64_t atx_contents_numbers(const atx_buffer *buffer);
at_status atx_contents_bits(atx_bench *b, atx_ptr to, int64_t bytes, uint64_t seed,
                            at_error *err) AT_MUST_CHECK;
at_status atx_contents_complement(atx_bench *b, atx_ptr to, atx_ptr of, int64_t bytes,
                                  at_error *err) AT_MUST_CHECK;
at_status atx_contents_fill(atx_bench *b, uint64_t set, int buffer, at_error *err) AT_MUST_CHECK;
at_status atx_contents_fill_guards(atx_bench *b, int buffer, at_error *err) AT_MUST_CHECK;

/* Copies a file's data to the device. AT_ERR_INPUT: it cannot be read, or is shorter than it was. */
at_status atx_contents_load(atx_bench *b, atx_ptr to, const atx_data_file *from, int64_t bytes,
                            at_error *err) AT_MUST_CHECK;

/* Outputs of set 0 become wrong everywhere, or zero; what is read and written what it was. Nothing is found.
 */
at_status atx_contents_poison(atx_bench *b, bool is_copy, at_error *err) AT_MUST_CHECK;
at_status atx_contents_compare(atx_bench *b, bool is_copy, at_error *err) AT_MUST_CHECK;

/* How numbers of this output are compared: for atx_bench_check, with its place and the right answer's. */
void atx_contents_comparison(uint64_t values[ATX_CHECK_PARAMS], const atx_bench *b, int buffer,
                             atx_ptr found);

/* bench_validate.c: runs the reference. AT_ERR_INPUT: its answer could not tell right from wrong. */
at_status atx_validate_reference(atx_bench *b, at_error *err) AT_MUST_CHECK;

/* bench_verdict.c: from what was found to a verdict, and its words. */
at_status atx_verdict_describe(atx_seen *out, atx_bench *b, const uint64_t *found, bool is_copy,
                               at_error *err) AT_MUST_CHECK;

#endif
