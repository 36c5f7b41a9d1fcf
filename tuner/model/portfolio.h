/*
 * portfolio.h - which configurations a model chooses from: few, but some of them good for each problem.
 */
#ifndef AUTOTUNE_PORTFOLIO_H
#define AUTOTUNE_PORTFOLIO_H

#include "util/fail.h"

/* A configuration that was tried, on a problem: how much slower than the best there (a logarithm). */
typedef struct atx_tried {
    int config, problem;
    float slower;
} atx_tried;

/*
 * Marks chosen[0 .. configs): greedily, until each problem has `times` configurations that are within `near`
 * of its best, or all that there are, or `most` are chosen.
 */
at_status atx_portfolio_choose(unsigned char *chosen, const atx_tried *tried, int count, int configs,
                               int problems, double near, int times, int most, at_error *err) AT_MUST_CHECK;

#endif
