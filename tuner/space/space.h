/*
 * space.h - the valid configurations of one template for one problem on one device.
 *
 * Opening a space walks the parameters in an order of its own, testing each requirement as soon as its last
 * name is bound. Parameters that share no requirement form separate groups; only each group's valid rows are
 * kept, and the space is their product. So counting, indexing and sampling cost nothing after opening, and a
 * space of 10^9 valid configurations in independent groups takes little memory. Indices run from 0 to
 * count-1; the order is fixed for equal declarations and problems. Read-only after opening (and
 * at__space_keep): thread-safe.
 */
#ifndef AUTOTUNE_SPACE_H
#define AUTOTUNE_SPACE_H

#include "lang/problem.h"
#include "util/cancel.h"
#include "util/rng.h"

typedef struct at__space at__space;

/* A user's `--fix TEMPLATE.PARAM=VALUE`. */
typedef struct at__fix {
    char template_name[AT__MAX_NAME];
    char param[AT__MAX_NAME];
    char value[AT__MAX_NAME]; /* a number or a label */
} at__fix;

/* Reads "tile_rows.PAD=1". */
at_status at__fix_parse(at__fix *out, const char *text, at_error *err) AT_MUST_CHECK;

/* A group that would keep more rows than this is refused with a message (AT_ERR_INPUT). */
#define AT__SPACE_MAX_ROWS ((int64_t)50000000)

/*
 * `slots` holds the op's slots, bound for the problem and device; copied. Fixes for other templates are
 * ignored; one that names an unknown parameter or value is AT_ERR_INPUT. A space may be empty: that is no
 * error. A requirement or a let it reads that cannot be evaluated (overflow, division by zero) is
 * AT_ERR_INPUT with its place and the values, unless another requirement refuses that configuration: the
 * result does not depend on the order of the walk.
 */
at_status at__space_open(at__space **out, const at__template *t, const int64_t *slots, const at__fix *fixes,
                         int fix_count, at_error *err) AT_MUST_CHECK;

/*
 * The same for someone who may lose patience: requirements that refuse too little too late can make it walk
 * for minutes. AT_ERR_CANCELLED.
 */
at_status at__space_open_until(at__space **out, const at__template *t, const int64_t *slots,
                               const at__fix *fixes, int fix_count, at__cancel *cancel,
                               at_error *err) AT_MUST_CHECK;
void at__space_close(at__space *space);

/*
 * Leaves only the listed configurations, of those that are valid: the space of a recording. None may be
 * listed twice.
 */
at_status at__space_keep(at__space *space, const at__config *configs, size_t count,
                         at_error *err) AT_MUST_CHECK;

const at__template *at__space_template(const at__space *space);
int64_t at__space_count(const at__space *space);    /* valid configurations; saturates at INT64_MAX */
double at__space_raw_count(const at__space *space); /* product of the values, as a double           */

/*
 * Beyond INT64_MAX configurations, the first INT64_MAX have indices and can be found and sampled;
 * at__space_find gives -1 for the others.
 */

/* The requirement that refused most, for an empty space: "PAD <= TILE (reason)"; NULL when not empty. */
const char *at__space_refusal(const at__space *space);

/*
 * Requirements that hold for all values of their parameters, and so refuse nothing; those of parameters with
 * one value aside. NULL: there are no more.
 */
const at__require *at__space_idle(const at__space *space, int index);

void at__space_config(at__config *out, const at__space *space, int64_t index); /* 0 <= index < count */
int64_t at__space_find(const at__space *space, const at__config *config);      /* -1: not valid      */
int64_t at__space_sample(const at__space *space, at__rng *rng);                /* uniform; count > 0 */

/*
 * A configuration as a strategy computes with it: for each parameter the place of its value in the declared
 * list. Places of one parameter are as far apart as the list says, whatever the values are.
 */
typedef struct at__places {
    uint16_t of[AT__MAX_PARAMS];
} at__places;

void at__space_places(at__places *out, const at__space *space, int64_t index); /* 0 <= index < count */

/* -1: not valid. Places outside of a parameter's list are not valid either. */
int64_t at__space_find_places(const at__space *space, const at__places *places);

/* How many places of a parameter are allowed, and the first of them: one where it is fixed. */
int at__space_allowed(int *first, const at__space *space, int param);

/*
 * Writes the values of configurations first .. first+count-1, one after the other, each as param_count
 * numbers in the order of declaration: many times faster than one by one. 0 <= first, first + count <=
 * at__space_count.
 */
void at__space_rows(int64_t *out, const at__space *space, int64_t first, int64_t count);

/* Groups of parameters that depend on each other, and the bytes that the space takes. */
int at__space_group_count(const at__space *space);
size_t at__space_bytes(const at__space *space);

typedef enum at__neighbourhood {
    AT__HAMMING,  /* exactly one parameter differs                                */
    AT__ADJACENT, /* one parameter moves to the next lower or higher listed value */
    AT__NEAREST   /* the same, passing over values that are not valid here        */
} at__neighbourhood;

/*
 * Writes up to `max` indices of valid neighbours of `index`, by parameter and value as declared; returns how
 * many there are in all. out may be NULL when max is 0.
 */
int64_t at__space_neighbours(int64_t *out, int64_t max, const at__space *space, int64_t index,
                             at__neighbourhood kind);

#endif
