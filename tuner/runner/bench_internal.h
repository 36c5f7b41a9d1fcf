/*
 * bench_internal.h - definitions shared by the files behind bench.h: the bench itself, places of buffers, and
 * launches of the kernels of verify.cu and fill.cu. Private to bench*.c
 */
#pragma once

#include "device/columns.h"
#include "device/kernel_args.h"
#include "device/layout.h"
#include "runner/bench.h"

#include "util/rng.h"

typedef enum atx_check_kernel {
    ATX_FILL,
    ATX_POISON,
    ATX_SWEEP,
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
enum {
    ATX_FOUND_EACH = 12,
    ATX_FOUND_WORDS = ATX_FOUND_EACH * (ATX_MAX_ARGS + 1),
    ATX_CHECK_PARAMS = 9,
    ATX_MOST_CHECK_PARAMS = 12
};

/* For tiny problems: beyond this many sets launch overhead dominates anyway. */
#define ATX_MAX_SETS    1024
#define ATX_MAX_ANSWERS 8

/* The right outputs for one set of inputs, as the reference makes them, masked: see verify.cu. */
typedef struct atx_known_answer {
    int set;
    bool chosen;                    /* the set is: it stays when contents are renewed */
    uint64_t key, lock;             /* of the mask */
    atx_ptr expected[ATX_MAX_ARGS]; /* 0 for inputs */
    atx_ptr inverse[ATX_MAX_ARGS];  /* of outputs with gaps: see bench_answers.c */
} atx_known_answer;

struct atx_bench {
    atx_gpu *gpu;
    atx_setup setup;   /* without borrowed code; of kernels that stay loaded the launches */
    atx_bench *copies; /* with buffers of their own; NULL: they run on these */
    void *launches;    /* the reference's, of loops */
    atx_module *reference;
    atx_ptr variables[ATX_MAX_ARGS]; /* of the reference's code, in their order */
    atx_module *validator;
    bool has_answer; /* a reference's, or a file's; copies are compared with what they copy */
    atx_module *checks[ATX_CHECK_KERNELS];
    atx_layout layout;
    int sets;
    int fewest;       /* of them that leave the L2 between two launches on one */
    int most_answers; /* that memory has room for */
    atx_ptr arena;
    atx_ptr sweep; /* so many bytes, which hold nothing; 0: none */
    int64_t sweep_bytes;
    atx_known_answer answers[ATX_MAX_ANSWERS];
    int answer_count;
    short answer_of[ATX_MAX_SETS]; /* for each set of inputs: which answer is its, plus 1; 0: unknown */
    short holds[ATX_MAX_SETS];     /* for each set of outputs: to which inputs it holds the answer, plus 1; 0:
                                      none */
    uint64_t
        written[ATX_MAX_SETS];   /* for each set of outputs: to which inputs answers were written, by bits */
    atx_ptr kept[ATX_MAX_ARGS];  /* of inputs from files: what they hold */
    atx_ptr shown[ATX_MAX_ARGS]; /* where a validator finds the right answer */
    atx_ptr found;               /* ATX_FOUND_WORDS                       */
    int first_in, first_out;     /* -1: none                              */
    bool alike;                  /* all sets have the same inputs */
    bool moved;    /* see atx_bench_move: outputs to verify are then right in pieces, and wrong in others */
    bool suspect;  /* a kernel ran that may have damaged inputs or guards, not yet checked        */
    uint64_t lock; /* see verify_fill */
    uint64_t seed; /* of the random bits */
    atx_rng rng;   /* of tests; else the operating system is asked each time */
};

/* Random bits that no kernel can foresee; never 0. */
uint64_t atx_bench_secret(atx_bench *b);

/* A buffer of a set, for one kernel: a copy begins where the buffer would if it were aligned. */
atx_ptr atx_bench_buffer(const atx_bench *b, int set, int buffer);
atx_ptr atx_bench_place(const atx_bench *b, int set, int buffer, bool is_copy);

/* The set from which a launch has this buffer: inputs of one, outputs of the other. */
static inline int atx_bench_set_of(const atx_bench *b, atx_sets sets, int buffer)
{
    const atx_role role = b->setup.buffers[buffer].role;
    return role == ATX_INPUT || role == ATX_INOUT ? sets.in : sets.out;
}

/* Enqueues a check kernel over `bytes` with up to ATX_MOST_CHECK_PARAMS 8-byte arguments. */
at_status atx_bench_run_check(atx_bench *b, atx_check_kernel which, int64_t bytes, const uint64_t *values,
                              int count, at_error *err);

/* The place of the findings of a buffer; of buffer ATX_MAX_ARGS: the room behind. */
static inline atx_ptr atx_bench_found(const atx_bench *b, int buffer)
{
    return b->found + 8u * ATX_FOUND_EACH * (unsigned)buffer;
}

/* The words of what is found of a buffer that a validator counts in: how many are wrong, and the first of
 * them.
 */
enum { ATX_FOUND_BY = 6 };

/* The comparison: a launch of this kind on these sets, with this answer (NULL: none is known). */
typedef struct atx_checked {
    atx_sets sets;
    bool is_copy;
    bool timed; /* nothing was prepared for it */
    const atx_known_answer *answer;
} atx_checked;
atx_checked atx_bench_checked(const atx_bench *b, atx_sets sets, bool is_copy);

/*
 * bench_validator.c: enqueues that a kernel of the op's validates what outputs hold, if this one is its
 * buffer; and whether it can tell right from wrong at all, else AT_ERR_INPUT.
 */
at_status atx_validator_ask(atx_bench *b, const atx_checked *c, int buffer, at_error *err) AT_MUST_CHECK;
at_status atx_validator_prove(atx_bench *b, at_error *err) AT_MUST_CHECK;

/* bench_answers.c: chooses inputs, as many as time and memory allow, and has the reference answer them.
 * `first`: for the first time. AT_ERR_INPUT: the answer could not tell right from wrong. */
at_status atx_answers_make(atx_bench *b, bool first, at_error *err) AT_MUST_CHECK;
void atx_answers_free(atx_bench *b);

/* bench_contents.c: what buffers hold. All of it is enqueued. */
at_status atx_contents_bits(atx_bench *b, atx_ptr to, int64_t bytes, uint64_t seed,
                            at_error *err) AT_MUST_CHECK;

/* Changes to an answer on its way: the mask that lies over it, and the arguments of verify_poison. */
enum { ATX_AS_IT_IS = 0, ATX_COMPLEMENT = 1 };
typedef struct atx_flip {
    uint64_t key, lock, how, leave;
} atx_flip;
at_status atx_contents_flip(atx_bench *b, atx_ptr to, atx_ptr from, int64_t bytes, atx_flip flip,
                            at_error *err) AT_MUST_CHECK;

at_status atx_contents_fill(atx_bench *b, int set, int buffer, at_error *err) AT_MUST_CHECK;
at_status atx_contents_fill_guards(atx_bench *b, int buffer, at_error *err) AT_MUST_CHECK;

/* Copies a file's data to the device. AT_ERR_INPUT: it cannot be read, or is shorter than it was. */
at_status atx_contents_load(atx_bench *b, atx_ptr to, const atx_data_file *from, int64_t bytes,
                            at_error *err) AT_MUST_CHECK;

/* Outputs become wrong everywhere, or zero; what is read and written what it was. Nothing is found. */
at_status atx_contents_poison(atx_bench *b, const atx_checked *c, at_error *err) AT_MUST_CHECK;
at_status atx_contents_compare(atx_bench *b, const atx_checked *c, bool thorough,
                               at_error *err) AT_MUST_CHECK;

/* How numbers of this output are compared: for atx_bench_run_check, with its place and the right answer's. */
void atx_contents_comparison(uint64_t values[ATX_CHECK_PARAMS], const atx_bench *b, const atx_checked *c,
                             int buffer, int column, atx_ptr found);

/* bench_reference.c: AT_ERR_INPUT: the reference's answer could not tell right from wrong. Its outputs are in
 * `set`; what these buffers held before, in `before`. */
at_status atx_reference_check(atx_bench *b, int set, const atx_ptr *before, at_error *err) AT_MUST_CHECK;

/* bench_verdict.c: from findings to a verdict, and its words. */
at_status atx_verdict_describe(atx_seen *out, atx_bench *b, const uint64_t *found, const atx_checked *c,
                               at_error *err) AT_MUST_CHECK;
