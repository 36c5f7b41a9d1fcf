/* adopt_sizes.h - Private to adopt_sizes*.c: how far a kernel reaches into its buffers. */
#pragma once

#include "exchange/adopt_host.h"

typedef struct atx_reach {
    atx_poly most; /* elements                                     */
    bool any;
    bool unknown;        /* an access whose index is not understood      */
    bool doubtful;       /* one by a pointer to a type of unknown size: it is taken for the buffer's own */
    bool before;         /* an index that may be below 0                    */
    int writes, partial; /* how often it is written, and not all of it */
    int nulls;           /* how often zeros are written                */
} atx_reach;

typedef struct atx_sizing {
    atx_bounding bounds;
    atx_reach reach[ATX_DRAFT_ARGS + 1];   /* the last one: its dynamic shared memory */
    atx_host_buffer hosts[ATX_DRAFT_ARGS]; /* what the host says of them              */
    atx_draft_type shared;                 /* of what the kernel takes that for       */
    atx_bound_name names[ATX_BOUND_NAMES]; /* of the kernel's frame */
    atx_guards guards;
    atx_frame frame;
} atx_sizing;

enum { ATX_SHARED = ATX_DRAFT_ARGS }; /* as an argument */

/* How far the kernel reaches: z->reach. */
void atx_draft_walk(atx_sizing *z);

/* How far a load or a store of a fragment, called at a bracket, reaches behind its pointer. */
atx_range atx_draft_fragment(atx_bounding *b, const atx_frame *f, size_t open);

/* Whether the access at token i, in brackets, leaves elements: it begins behind the first one, y[first + j],
 * or is under i > 0, or under mask[i], or data chooses it. */
bool atx_draft_leaves_some(atx_bounding *b, const atx_frame *f, size_t i);

/* Before anything is measured: sizes of the host's that the kernel's own comparisons make unneeded. */
void atx_draft_forget_extras(atx_draft *d, atx_sizing *z);

/* What the host says: sizes where the kernel's index is not understood, roles. */
void atx_draft_read_host(atx_draft *d, atx_sizing *z);
void atx_draft_host_values(atx_draft *d); /* of what is no size: after the sizes are chosen */

/* The author's value of a parameter; the largest of its values, `value` at least. */
bool atx_draft_param_value(long *out, const atx_draft *d, const char *name);
/* Whether the file does not define it. */
bool atx_draft_guesses_param(const atx_draft *d, const char *name);
long atx_draft_largest(const atx_draft *d, const char *name, long value);

/* How many elements integers of buffer k choose among, in a row of another one: n of x[row * n + i[k]], or of
 * x[(row * n + i[k]) * c]. Empty: there is no such. */
atx_poly atx_draft_row(const atx_draft *d, const atx_sizing *z, int k);

/* A buffer whose indices are not understood is as large as one that has more of the problem's sizes than the
 * grid. */
void atx_draft_take_largest(atx_draft *d, int k);
int atx_draft_count_dims(uint64_t dims); /* sizes of the problem: a bit each */

/* NAME as its number in a text of the draft. */
void atx_draft_replace_word(char *text, size_t size, const char *name, const char *number);

/* Whether a buffer's size depends on how many blocks a grid has in that direction. */
bool atx_draft_is_of_grid(const atx_draft *d, const atx_sizing *z, int axis);

/* Of the parameters in `size`, how far a kernel reaches: `own` are those whose author's number the size has,
 * `fixed` those that become numbers. */
void atx_draft_keep_params(bool own[ATX_POLY_SYMBOLS], bool fixed[ATX_POLY_SYMBOLS], atx_draft *d,
                           atx_poly_table *symbols, const atx_poly *size, bool written);

/* Whether symbol a / b, times b, may stand for a in a size: it is no more than a, and b is no parameter,
 * which would have to divide it. */
bool atx_draft_may_round(const atx_poly_table *symbols, const atx_poly *size, int id);

#define ATX_WHY_WITHIN "its buffers hold no more"
#define ATX_WHY_EQUAL  "as many results as the file's own numbers make"
/* Without such lines in which no parameter is left. */
void atx_draft_drop_rules(atx_draft *d);

/* Results that depend on a parameter, such as one for each block: it is what its author has it to be. */
void atx_draft_fix_param(atx_draft *d, const char *name);
/* With the numbers that parameters have in the file. */
atx_poly atx_draft_as_author(atx_bounding *b, const atx_poly *p);
/* k<<<1, 8>>>(x, 8), of a kernel that asks where its elements end: as many blocks as they need. */
void atx_draft_forget_block(atx_draft *d, atx_sizing *z);
void atx_draft_fix_block(atx_draft *d); /* where the grid is of numbers that go with it */

/* A line `require`, once; false: there is no room. `why` lives as long as the draft. */
bool atx_draft_add_rule(atx_draft *d, const char *text, const char *why);
/* What parameters must be for the kernel's code to compile: d->rules. */
void atx_draft_read_rules(atx_draft *d, atx_sizing *z);
/* What sizes must be for its own arrays: d->rules. After the sizes are settled. */
void atx_draft_read_limits(atx_draft *d, atx_sizing *z);
/* Is a sum made of sizes of the problem alone? */
bool atx_draft_has_sizes(const atx_sizing *z, const atx_poly *p);
/* What its block must be, by how it uses threadIdx: d->rules. After the sizes are settled. */
void atx_draft_read_block(atx_draft *d, atx_sizing *z);

/* What of that is written: sizes that the problem has, a grid for unknown ones. */
void atx_draft_settle_sizes(atx_draft *d, atx_sizing *z);
