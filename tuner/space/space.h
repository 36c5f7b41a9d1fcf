/*
 * space.h - the valid configurations of one template for one problem on one device.
 *
 * Opening a space walks the parameters in an order of its own, testing each requirement as soon as its last
 * name is bound. Parameters that share no requirement form separate groups; only each group's valid rows are
 * kept, and the space is their product. So counting, indexing and sampling cost nothing after opening, and a
 * space of 10^9 valid configurations in independent groups takes little memory. Indices run from 0 to
 * count-1; the order is fixed for equal declarations and problems. Read-only after opening (and
 * atx_space_keep): thread-safe.
 */
#pragma once

#include "lang/problem.h"
#include "util/cancel.h"
#include "util/rng.h"

typedef struct atx_space atx_space;

/* A user's `--fix TEMPLATE.PARAM=VALUE`. */
typedef struct atx_fix {
    char template_name[ATX_MAX_NAME];
    char param[ATX_MAX_NAME];
    char value[ATX_MAX_NAME]; /* a number or a label */
} atx_fix;

/* Reads "tile_rows.PAD=1". */
at_status atx_fix_parse(atx_fix *out, const char *text, at_error *err) AT_MUST_CHECK;

/* A group that would keep more rows than this is refused with a message (AT_ERR_INPUT). */
#define ATX_SPACE_MAX_ROWS ((int64_t)50000000)

/*
 * `slots` holds the op's slots, bound for the problem and device; copied. Fixes for other templates are
 * ignored; one that names an unknown parameter or value is AT_ERR_INPUT. A space may be empty: that is no
 * error. A requirement or a let it reads that cannot be evaluated (overflow, division by zero) is
 * AT_ERR_INPUT with its place and the values, unless another requirement refuses that configuration: the
 * result does not depend on the order of the walk.
 */
at_status atx_space_open(atx_space **out, const atx_template *t, const int64_t *slots, const atx_fix *fixes,
                         int fix_count, at_error *err) AT_MUST_CHECK;

/* The same until it is cancelled (AT_ERR_CANCELLED): requirements that refuse too little too late can make it
 * walk for minutes. */
at_status atx_space_open_until(atx_space **out, const atx_template *t, const int64_t *slots,
                               const atx_fix *fixes, int fix_count, atx_cancel *cancel,
                               at_error *err) AT_MUST_CHECK;
void atx_space_close(atx_space *space);
ATX_CLOSES(atx_space)

/*
 * Leaves only the listed configurations, of those that are valid: the space of a recording. None may be
 * listed twice.
 */
at_status atx_space_keep(atx_space *space, const atx_config *configs, size_t count,
                         at_error *err) AT_MUST_CHECK;

const atx_template *atx_space_template(const atx_space *space);
int64_t atx_space_count(const atx_space *space);    /* valid configurations; saturates at INT64_MAX */
double atx_space_raw_count(const atx_space *space); /* product of the values, as a double           */

/*
 * Beyond INT64_MAX configurations, the first INT64_MAX have indices and can be found and sampled;
 * atx_space_find gives -1 for the others.
 */

/* The requirement that refused most, for an empty space: "PAD <= TILE (reason)"; NULL when not empty. */
const char *atx_space_refusal(const atx_space *space);

/*
 * Requirements that hold for all values of their parameters, and so refuse nothing; those of parameters with
 * one value aside. NULL: there are no more.
 */
const atx_require *atx_space_idle(const atx_space *space, int index);

void atx_space_config(atx_config *out, const atx_space *space, int64_t index); /* 0 <= index < count */
int64_t atx_space_find(const atx_space *space, const atx_config *config);      /* -1: not valid      */
int64_t atx_space_sample(const atx_space *space, atx_rng *rng);                /* uniform; count > 0 */

/*
 * A configuration as a strategy computes with it: for each parameter the place of its value in the declared
 * list. Places of one parameter are as far apart as the list says, whatever the values are.
 */
typedef struct atx_places {
    uint16_t of[ATX_MAX_PARAMS];
} atx_places;

void atx_space_places(atx_places *out, const atx_space *space, int64_t index); /* 0 <= index < count */

/* -1: not valid. Places outside of a parameter's list are not valid either. */
int64_t atx_space_find_places(const atx_space *space, const atx_places *places);

/* How many places of a parameter are allowed, and the first of them: one where it is fixed. */
int atx_space_allowed(int *first, const atx_space *space, int param);

/*
 * Writes the values of configurations first .. first+count-1, one after the other, each as param_count
 * numbers in the order of declaration: many times faster than one by one. 0 <= first, first + count <=
 * atx_space_count.
 */
void atx_space_rows(int64_t *out, const atx_space *space, int64_t first, int64_t count);

/* Groups of parameters that depend on each other, and the bytes that the space takes. */
int atx_space_group_count(const atx_space *space);
size_t atx_space_bytes(const atx_space *space);

typedef enum atx_neighbourhood {
    ATX_HAMMING,  /* exactly one parameter differs                                */
    ATX_ADJACENT, /* one parameter moves to the next lower or higher listed value */
    ATX_NEAREST   /* the same, passing over values that are not valid here        */
} atx_neighbourhood;

/*
 * Writes up to `max` indices of valid neighbours of `index`, by parameter and value as declared; returns how
 * many there are in all. out may be NULL when max is 0.
 */
int64_t atx_space_neighbours(int64_t *out, int64_t max, const atx_space *space, int64_t index,
                             atx_neighbourhood kind);
