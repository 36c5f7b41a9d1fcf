/*
 * compare.h - compares two stores, problem by problem: after a driver update, on another GPU, with other
 * templates.
 *
 * For each problem the best winners (the view `best`) are compared. They were not measured in one interleaved
 * re-measurement, so the ratio includes differences between runs (clocks, temperature, the card); the
 * tolerance must cover these.
 */
#pragma once

#include "db/store.h"

typedef enum atx_difference {
    ATX_DIFF_SLOWER, /* the whole interval lies beyond the tolerance              */
    ATX_DIFF_FASTER,
    ATX_DIFF_UNCLEAR, /* it reaches over the tolerance's edge, or is not known     */
    ATX_DIFF_SAME,    /* it lies within                                            */
    ATX_DIFFERENCES
} atx_difference;

const char *atx_difference_name(atx_difference difference); /* "slower", ... */

/* A problem that both have. */
typedef struct atx_compared {
    atx_answer before, after; /* owned */
    double ratio;             /* time after / time before: 1.05 is 5 % slower     */
    double low, high;         /* 95 % interval of the ratio; both 0: not known    */
    atx_difference difference;
} atx_compared;

typedef struct atx_comparison {
    atx_compared *items; /* slower ones first, within a difference the largest change first */
    size_t count;
    size_t only_before, only_after; /* problems that the other does not have */
    size_t differences[ATX_DIFFERENCES];
    double mean_ratio; /* geometric; 0 when there is none in common */
} atx_comparison;

/*
 * The interval of the ratio of two medians. The standard error of a median of n samples is 1.2533 s / sqrt(n)
 * for a normal distribution (Kendall and Stuart, The Advanced Theory of Statistics, volume 1, section 10.10),
 * and s is taken from the middle four fifths: spread = (p90 - p10) / median = 2.563 s / median. The two are
 * independent, so the relative errors add as squares; 1.96 of them are 95 %. false: fewer than 6 samples.
 */
bool atx_ratio_interval(double *low, double *high, const atx_timing *before, const atx_timing *after);

atx_difference atx_difference_of(double ratio, double low, double high, double tolerance);

/*
 * Compares winners of the device with the name `before_device` (NULL: of any) with those of `after_device`.
 * Where both stores know the same device models, each is compared with itself; else each must have one model,
 * and these are compared. AT_ERR_USAGE: which models there are, and that one is to be chosen.
 */
at_status atx_compare_stores(atx_comparison *out, atx_store *before, const char *before_device,
                             atx_store *after, const char *after_device, double tolerance,
                             at_error *err) AT_MUST_CHECK;
void atx_comparison_clear(atx_comparison *comparison);
