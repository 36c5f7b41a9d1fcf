/*
 * adopt_bounds.h - Private to adopt*.c: the largest value of an expression at its place in a kernel, by what
 * its names are given and compared with, and by the launch.
 */
#pragma once

#include "exchange/adopt_guards.h"
#include "exchange/adopt_range.h"

#define ATX_BOUND_NAMES 48

/* What symbols are: `tag` of atx_poly_entry. */
enum {
    ATX_TAG_ARG = 0,       /* + which scalar argument                          */
    ATX_TAG_EXTRA = 100,   /* + which size of the host's                       */
    ATX_TAG_PARAM = 200,   /* a parameter of the template                      */
    ATX_TAG_GRID = 300,    /* + axis: blocks of a grid of unknown size         */
    ATX_TAG_ELEMENT = 400, /* + which buffer: its integers are below that      */
    ATX_TAG_OTHER = 900,
    ATX_TAG_HOST = 1000 /* a name of the host's alone */
};

/* A name of a body that stands for a value, or points into a buffer. */
typedef struct atx_bound_name {
    char name[ATX_MAX_WORD];
    atx_range value;
    int arg;          /* -1: no pointer                                          */
    atx_range from;   /* how many elements it is ahead of the buffer's first     */
    long bytes;       /* of what it points to; 0: the buffer's own type          */
    size_t declared;  /* its token; 0: it is an argument */
    atx_arm arm;      /* of the last step of a pointer     */
    atx_range before; /* what it had before that */
} atx_bound_name;

typedef struct atx_frame {
    const struct atx_frame *outer; /* of a macro: where its other names are known */
    size_t outer_at;
    const atx_tokens *t;
    atx_span body;
    atx_bound_name *names;
    int count;
    int depth;
    atx_guards *guards;
} atx_frame;

enum { ATX_ALL_AXES = 3 };

/* Bits of `seen`: a type, no type; a name that the file does not define. */
enum { ATX_SEEN_TYPE = 1, ATX_SEEN_NO_TYPE = 2, ATX_SEEN_UNKNOWN = 4 };

typedef struct atx_bounding {
    atx_draft *d;
    atx_poly_table symbols;
    atx_poly block[3], grid[3];
    bool grid_known[3];
    unsigned char
        *seen; /* of each token of the code: what a search of the whole file found; 0: none was made */
    struct {
        char name[ATX_MAX_WORD];
        long value;
    } numbers[ATX_BOUND_NAMES]; /* constants of the file that were looked up */
    int number_count;
    int budget;   /* look-ups of names: fewer than that */
    int blockidx; /* the axis whose block is a symbol of its own, of ATX_TAG_OTHER; ATX_ALL_AXES; -1: none */
    int depth;
} atx_bounding;

void atx_bounds_begin(atx_bounding *b, atx_draft *d);

/* A text of declarations, such as the grid. */
atx_range atx_bounds_text_range(atx_bounding *b, const char *text);
bool atx_bounds_text(atx_poly *out, atx_bounding *b, const char *text);

/* threadIdx.x, blockDim.y ... at token i of `t`; symbolic: the block is a symbol of its own. */
bool atx_bounds_builtin(atx_range *out, bool *symbolic, atx_bounding *b, const atx_tokens *t, size_t i);

/* warp.thread_rank() and its kin of cooperative groups, at token i of `t`. */
bool atx_bounds_group(atx_range *out, atx_bounding *b, const atx_frame *f, const atx_tokens *t, size_t i);

/* min(n, first + CHUNK): n, where the other one is of a grid of unknown size. */
atx_range atx_bounds_smaller(atx_bounding *b, atx_range x, atx_range y);

/* The smaller one; where it is unknown, the bound, but not one that data makes. */
atx_range atx_bounds_limited(const atx_bounding *b, atx_range bound, atx_range value);

/* A constant of the file at token i of `t`; false: the name is none. */
bool atx_bounds_number(long *out, atx_bounding *b, const char *name, const atx_tokens *t, size_t i);

/* "p.n" at token i, of a struct by value: a size, or a number. false: it is neither. */
bool atx_bounds_field(atx_range *out, atx_bounding *b, const atx_tokens *t, size_t i);
bool atx_bounds_extent(atx_range *out, atx_bounding *b, const atx_tokens *t, size_t i); /* "x.size(0)" */
atx_range atx_bounds_argument(atx_bounding *b,
                              const char *name); /* a whole number that the kernel is given */

/* sizeof(float), sizeof(T); whether the word at token i is the type of an integer, as in Index_t(8). */
atx_range atx_bounds_sizeof(atx_bounding *b, const atx_tokens *t, size_t begin, size_t end);
bool atx_bounds_type(atx_bounding *b, const atx_tokens *t, size_t i);

atx_range atx_bounds_byte(atx_bounding *b, const atx_tokens *t, size_t declared); /* unsigned char x: 255 */

/* Whether a grid of unknown size, or an integer of a buffer, is in it. */
bool atx_bounds_of_grid(const atx_bounding *b, const atx_poly *p);

bool atx_bounds_of_sizes(const atx_bounding *b, const atx_poly *p); /* products of arguments alone */

bool atx_bounds_of_data(const atx_bounding *b, const atx_poly *p); /* an integer of a buffer alone */

/* An integer that is read of a buffer: p[i], *p, __ldg(&p[i]). */
atx_range atx_bounds_element(atx_bounding *b, const atx_bound_name *name);

/* What tokens of the frame are made of; and no more than what they are compared with where they stand. */
atx_range atx_bounds_value(atx_bounding *b, const atx_frame *f, atx_span span);
atx_range atx_bounds_of(atx_bounding *b, const atx_frame *f, atx_span span);

/* What the name at token i stands for; NULL: nothing that the frame was told. */
atx_bound_name *atx_bounds_name(const atx_frame *f, const atx_tokens *t, size_t i);
atx_bound_name *atx_bounds_add(atx_frame *f, const char *name);

/* A step of a pointer at token i: to `all`; behind one in another branch of the same if to no more than
 * `other`, of what the pointer had before these. */
void atx_bounds_step(atx_bounding *b, const atx_frame *f, atx_bound_name *p, size_t i, atx_range all,
                     atx_range other);

/* How often a statement within loops runs, at most, of those loops that begin behind token `from`. */
atx_range atx_bounds_trips(atx_bounding *b, const atx_frame *f, size_t at, size_t from);

/* "int i = blockIdx.x * S + ...", and i < n: n, and S. false: the kernel does not say it. */
bool atx_bounds_axis(atx_poly *size, atx_poly *step, atx_bounding *b, const atx_frame *f, int axis);
