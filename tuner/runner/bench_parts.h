/*
 * bench_parts.h - what the files behind bench.h share: the bench itself, where buffers are, and launches of
 * the kernels of verify.cu and fill.cu. Private to bench*.c
 */
#ifndef AUTOTUNE_BENCH_PARTS_H
#define AUTOTUNE_BENCH_PARTS_H

#include "device/layout.h"
#include "runner/bench.h"

typedef enum at__check_kernel {
    AT__FILL,
    AT__POISON,
    AT__EQUAL,
    AT__RANDOM,
    AT__GUARD_FILL,
    AT__GUARD,
    AT__GENERATE,
    AT__GENERATED,
    AT__AWAY,
    AT__CLOSE,
    AT__WORST,
    AT__WHERE,
    AT__JUDGE,
    AT__CHECK_KERNELS
} at__check_kernel;

/*
 * What checks find, in 8-byte words for each buffer: how many are wrong and the complement of the first, of
 * its bytes or numbers, of the guard before it and of that behind it; six more for sums. Behind all of them
 * as much room again.
 */
enum { AT__FOUND_EACH = 12, AT__FOUND_WORDS = AT__FOUND_EACH * (AT__MAX_ARGS + 1), AT__CHECK_PARAMS = 7 };

struct at__bench {
    at__gpu *gpu;
    at__setup setup;   /* its reference without the borrowed code and names */
    at__bench *copies; /* with buffers of their own; NULL: they run on these */
    at__module *reference;
    at__module *referee;
    bool has_answer; /* a reference's, or a file's; copies are compared with what they copy */
    at__module *checks[AT__CHECK_KERNELS];
    at__layout layout;
    int sets;
    int fewest; /* of them that leave the L2 between two launches on one */
    at__ptr arena;
    at__ptr expected[AT__MAX_ARGS]; /* the reference's outputs; 0 for inputs */
    at__ptr kept[AT__MAX_ARGS];     /* of inputs from files: what they hold */
    at__ptr inverse[AT__MAX_ARGS];  /* of outputs with gaps: see fill_gaps   */
    at__ptr found;                  /* AT__FOUND_WORDS                       */
    int first_in, first_out;        /* -1: none                              */
    bool suspect; /* a kernel ran that may have damaged inputs or guards, and nobody has looked  */
};

at__ptr at__bench_buffer(const at__bench *b, uint64_t set, int buffer);

/* The same for whoever runs on it: a copy begins where the buffer would, were it aligned. */
at__ptr at__bench_place(const at__bench *b, uint64_t set, int buffer, bool is_copy);

/* Enqueues a check kernel over `bytes` with up to AT__CHECK_PARAMS 8-byte arguments. */
at_status at__bench_check(at__bench *b, at__check_kernel which, int64_t bytes, const uint64_t *values,
                          int count, at_error *err) AT_MUST_CHECK;

/* Where what is found of a buffer is; of buffer AT__MAX_ARGS: the room behind. */
static inline at__ptr at__bench_found(const at__bench *b, int buffer)
{
    return b->found + 8u * AT__FOUND_EACH * (unsigned)buffer;
}

/* The words of what is found of a buffer that a referee counts in: how many are wrong, and the first of them.
 */
enum { AT__FOUND_BY = 6 };

/*
 * bench_referee.c: enqueues that a kernel of the op's judges what the outputs of set 0 hold, if this one is
 * its buffer; and whether it can tell right from wrong at all, else AT_ERR_INPUT.
 */
at_status at__referee_ask(at__bench *b, int buffer, at_error *err) AT_MUST_CHECK;
at_status at__referee_prove(at__bench *b, at_error *err) AT_MUST_CHECK;

at_status at__bench_run_reference(at__bench *b, at_error *err) AT_MUST_CHECK;

/* bench_contents.c: what buffers hold. All of it is enqueued. */
uint64_t at__contents_seed(const at__bench *b, uint64_t set, int buffer);
int64_t at__contents_numbers(const at__buffer *buffer);
at_status at__contents_bits(at__bench *b, at__ptr to, int64_t bytes, uint64_t seed,
                            at_error *err) AT_MUST_CHECK;
at_status at__contents_complement(at__bench *b, at__ptr to, at__ptr of, int64_t bytes,
                                  at_error *err) AT_MUST_CHECK;
at_status at__contents_fill(at__bench *b, uint64_t set, int buffer, at_error *err) AT_MUST_CHECK;
at_status at__contents_fill_guards(at__bench *b, int buffer, at_error *err) AT_MUST_CHECK;

/* Copies a file's data to the device. AT_ERR_INPUT: it cannot be read, or is shorter than it was. */
at_status at__contents_load(at__bench *b, at__ptr to, const at__data_file *from, int64_t bytes,
                            at_error *err) AT_MUST_CHECK;

/* Outputs of set 0 become wrong everywhere, or zero; what is read and written what it was. Nothing is found.
 */
at_status at__contents_poison(at__bench *b, bool is_copy, at_error *err) AT_MUST_CHECK;
at_status at__contents_compare(at__bench *b, bool is_copy, at_error *err) AT_MUST_CHECK;

/* How numbers of this output are compared: for at__bench_check, with its place and the right answer's. */
void at__contents_comparison(uint64_t values[AT__CHECK_PARAMS], const at__bench *b, int buffer,
                             at__ptr found);

/* bench_judge.c: runs the reference. AT_ERR_INPUT: its answer could not tell right from wrong. */
at_status at__judge_reference(at__bench *b, at_error *err) AT_MUST_CHECK;

/* bench_verdict.c: from what was found to a verdict, and its words. */
at_status at__verdict_describe(at__verdict *out, at__bench *b, const uint64_t *found, bool is_copy,
                               at_error *err) AT_MUST_CHECK;

#endif
