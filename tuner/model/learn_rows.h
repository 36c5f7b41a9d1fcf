/*
 * learn_rows.h - trials of an op as rows of traits, on one device and on those that know more. Private to
 * learn*.c.
 */
#ifndef AUTOTUNE_LEARN_ROWS_H
#define AUTOTUNE_LEARN_ROWS_H

#include "model/learn_samples.h"
#include "model/model_parts.h"
#include "model/traits.h"

#define AT__LEAST_TRIALS 100

/* One op on one device. */
typedef struct at__group {
    const at__samples *samples;
    const at__catalog *catalog;
    const at__op *op;
    int device;
    int *rows, row_count;        /* samples                                  */
    int own_count;               /* of them of this device                   */
    char (*names)[AT__MAX_NAME]; /* of all traits; the part keeps those that tell something */
    int name_count;
    float *numbers; /* rows x names, then x traits; NAN: absent */
    uint8_t *bins;  /* rows x traits                            */
    float *slower;  /* of each row                              */
    float *weights, *left;
    uint8_t *used;
    double *best; /* of each problem, seconds; those of other devices are problems of their own */
    int *first;   /* row of it; -1: none                          */
    int problem_count;
    at__cancel *cancel;
    at__part_of_model *part;
} at__group;

/* Those of the op and device; with them other devices', of which there are more. None where they are too few.
 */
at_status at__take_rows(at__group *g, at_error *err) AT_MUST_CHECK;

/* Templates get their names in the part, traits in the group: the part's, then all others. */
at_status at__name_templates(at__group *g, at_error *err) AT_MUST_CHECK;

/* Which of the part's traits each is; -1: none. */
void at__find_names(int16_t *to, const at__part_of_model *p, const at__traits *v);

/* Room for all that is said of rows; at__clear_group frees it. */
at_status at__allocate_rows(at__group *g, at_error *err) AT_MUST_CHECK;
void at__clear_group(at__group *g);

/* The numbers of each row; those that are not valid are left out. */
at_status at__number_rows(at__group *g, at_error *err) AT_MUST_CHECK;

/* The part gets the traits that differ between rows, as far as it has room, and rows their numbers alone. */
void at__choose_traits(at__group *g);

/* Their bins; edges are found for all traits but the first `known`. */
at_status at__bin_rows(at__group *g, int known, at_error *err) AT_MUST_CHECK;

/* A sample's problem, on its device. */
at_status at__bind_sample(int64_t *slots, const at__group *g, const at__sample *s,
                          at_error *err) AT_MUST_CHECK;

#endif
