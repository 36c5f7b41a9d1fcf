/*
 * learn_portfolio.h - the configurations of an op that is being learned. Private to learn*.c.
 */
#pragma once

#include "model/learn_rows.h"
#include "model/model_internal.h"

/*
 * Those that were near the best of their problem, few enough and several for each. `rows`: samples of the
 * known, `slower`: of each row the logarithm of its time over the best of its problem. Templates are named
 * before.
 */
at_status atx_learn_portfolio(atx_op_model *known, const atx_samples *samples, const int *rows,
                              const float *slower, int row_count, at_error *err) AT_MUST_CHECK;

/* Adds what an older portfolio has and this has not, of templates that are as they were then. */
at_status atx_keep_portfolio(atx_op_model *known, const atx_op_model *older, at_error *err) AT_MUST_CHECK;

/* A configuration that was tried, on a problem: how much slower than the best there (a logarithm). */
typedef struct atx_tried {
    int config, problem;
    float slower;
} atx_tried;

typedef struct atx_portfolio_rules {
    double near; /* within so much of its problem's best a configuration is worth a place */
    int times;   /* so many of those for each problem, or all that there are ... */
    int most;    /* ... unless so many are chosen before */
} atx_portfolio_rules;

/* Marks chosen[0 .. configs). */
at_status atx_portfolio_choose(unsigned char *chosen, const atx_tried *tried, int count, int configs,
                               int problems, const atx_portfolio_rules *rules, at_error *err) AT_MUST_CHECK;
