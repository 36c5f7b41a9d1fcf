/*
 * gain.h - what a normal variable is expected to gain, from tables: a search asks a thousand times a
 * proposal.
 */
#pragma once

#define ATX_GAIN_REACH 8   /* deviations; beyond, nothing or all */
#define ATX_GAIN_STEPS 100 /* a deviation                        */
#define ATX_GAIN_COUNT (2 * ATX_GAIN_REACH * ATX_GAIN_STEPS + 2)

typedef struct atx_gain {
    double expected[ATX_GAIN_COUNT], below[ATX_GAIN_COUNT];
} atx_gain;

void atx_gain_fill(atx_gain *gain);

/* By how much the variable is below `best`, in the mean: zero where it is above. */
double atx_gain_of(const atx_gain *gain, double best, double mean, double deviation);

/* The chance that it is below `bound`. */
double atx_gain_chance(const atx_gain *gain, double bound, double mean, double deviation);
