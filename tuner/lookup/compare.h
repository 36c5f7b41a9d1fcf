/*
 * compare.h - two stores, problem by problem: after a driver update, on another GPU, with other templates.
 *
 * Of each problem the winners to use (the view `best`) are held against each other. Their finals were not
 * interleaved, so what differs between runs as such (clocks, temperature, the card) is in the ratio; the
 * tolerance is what that may amount to.
 */
#ifndef AUTOTUNE_LOOKUP_COMPARE_H
#define AUTOTUNE_LOOKUP_COMPARE_H

#include "db/store.h"

typedef enum at__difference {
    AT__DIFF_SLOWER, /* the whole interval lies beyond the tolerance              */
    AT__DIFF_FASTER,
    AT__DIFF_UNCLEAR, /* it reaches over the tolerance's edge, or is not known     */
    AT__DIFF_SAME,    /* it lies within                                            */
    AT__DIFFERENCES
} at__difference;

const char *at__difference_name(at__difference difference); /* "slower", ... */

/* A problem that both have. */
typedef struct at__compared {
    at__answer before, after; /* owned */
    double ratio;             /* time after / time before: 1.05 is 5 % slower     */
    double low, high;         /* 95 % interval of the ratio; both 0: not known    */
    at__difference difference;
} at__compared;

typedef struct at__comparison {
    at__compared *items; /* slower ones first, within a difference the largest change first */
    size_t count;
    size_t only_before, only_after; /* problems that the other does not have */
    size_t differences[AT__DIFFERENCES];
    double mean_ratio; /* geometric; 0 when there is none in common */
} at__comparison;

/*
 * The interval of the ratio of two medians. The standard error of a median of n samples is 1.2533 s / sqrt(n)
 * for a normal distribution (Kendall and Stuart, The Advanced Theory of Statistics, volume 1, section 10.10),
 * and s is taken from the middle four fifths: spread = (p90 - p10) / median = 2.563 s / median. The two are
 * independent, so the relative errors add as squares; 1.96 of them are 95 %. false: fewer than 6 samples.
 */
bool at__ratio_interval(double *low, double *high, const at__timing *before, const at__timing *after);

at__difference at__difference_of(double ratio, double low, double high, double tolerance);

/*
 * Compares winners of the device with the name `before_device` (NULL: of any) with those of `after_device`.
 * Where both stores know the same device models, each is compared with itself; else each must have one model,
 * and these are compared. AT_ERR_USAGE: which models there are, and that one is to be chosen.
 */
at_status at__compare_stores(at__comparison *out, at__store *before, const char *before_device,
                             at__store *after, const char *after_device, double tolerance,
                             at_error *err) AT_MUST_CHECK;
void at__comparison_clear(at__comparison *comparison);

#endif
