/*
 * surrogate.h - a Gaussian process: what is expected of configurations that were not tried, and how sure that
 * is, from those that were.
 *
 * Values may be unknown yet: what was proposed lowers the uncertainty around it at once. Knows features as
 * levels only, no configurations. Its kernel is that of kernel.h.
 */
#pragma once

#include "search/features.h"

typedef struct atx_surrogate atx_surrogate;

/* Up to `rows` observations and `slots` candidates. Borrows the features. */
at_status atx_surrogate_open(atx_surrogate **out, const atx_features *features, int rows, int slots,
                             at_error *err) AT_MUST_CHECK;
void atx_surrogate_close(atx_surrogate *s);

int atx_surrogate_rows(const atx_surrogate *s);
void atx_surrogate_clear(atx_surrogate *s); /* forgets the observations, not what it learned of the kernel */

/* Adds an observation without a value; returns its row. There must be room. Learns nothing. */
int atx_surrogate_add(atx_surrogate *s, const uint8_t *levels);
void atx_surrogate_set(atx_surrogate *s, int row, double value);

/* Forgets one observation: later ones move up. */
void atx_surrogate_remove(atx_surrogate *s, int row);

/* Mean and standard deviation of a row that has no value yet, from the rows before it. At least one value. */
void atx_surrogate_predict_row(atx_surrogate *s, double *mean, double *deviation, int row);

/* Puts a candidate into a slot. */
void atx_surrogate_place(atx_surrogate *s, int slot, const uint8_t *levels);

/* Climbs the likelihood of the observations that have values. */
void atx_surrogate_learn(atx_surrogate *s, int steps);

/* Mean and standard deviation of the first `count` slots, in the unit of the values. At least one value. */
void atx_surrogate_predict(atx_surrogate *s, double *mean, double *deviation, int count);

/* The mean alone, with `values` in place of those that were set: one for each row, NAN where unknown. */
void atx_surrogate_predict_other(atx_surrogate *s, double *mean, const double *values, int count);
