/*
 * surrogate.h - a Gaussian process: what is expected of configurations that were not tried, and how sure that
 * is, from those that were.
 *
 * Its kernel is a product over features of r + (1 - r) exp(-distance / length): with r near one a feature
 * does not matter, and so all orders of interaction are in it. r, length and the noise are learned by
 * climbing the marginal likelihood. Values may be unknown yet: what was proposed lowers the uncertainty
 * around it at once. Knows features as levels only, no configurations.
 */
#ifndef AUTOTUNE_SURROGATE_H
#define AUTOTUNE_SURROGATE_H

#include "search/features.h"

typedef struct at__surrogate at__surrogate;

/* Up to `rows` observations and `slots` candidates. Borrows the features. */
at_status at__surrogate_open(at__surrogate **out, const at__features *features, int rows, int slots,
                             at_error *err) AT_MUST_CHECK;
void at__surrogate_close(at__surrogate *s);

int at__surrogate_rows(const at__surrogate *s);
void at__surrogate_clear(at__surrogate *s); /* forgets the observations, not what it learned of the kernel */

/* Adds an observation without a value; returns its row. There must be room. Learns nothing. */
int at__surrogate_add(at__surrogate *s, const uint8_t *levels);
void at__surrogate_set(at__surrogate *s, int row, double value);

/* Forgets one observation: later ones move up. */
void at__surrogate_remove(at__surrogate *s, int row);

/* Mean and standard deviation of a row that has no value yet, from the rows before it. At least one value. */
void at__surrogate_predict_row(at__surrogate *s, double *mean, double *deviation, int row);

/* Puts a candidate into a slot. */
void at__surrogate_place(at__surrogate *s, int slot, const uint8_t *levels);

/* Climbs the likelihood of the observations that have values. */
void at__surrogate_learn(at__surrogate *s, int steps);

/* Mean and standard deviation of the first `count` slots, in the unit of the values. At least one value. */
void at__surrogate_predict(at__surrogate *s, double *mean, double *deviation, int count);

/* The mean alone, with `values` in place of those that were set: one for each row, NAN where unknown. */
void at__surrogate_predict_other(at__surrogate *s, double *mean, const double *values, int count);

#endif
