/*
 * scale_sim.h - a simulation of tuning a list of problems, or one large space, on many GPUs.
 */
#pragma once

#include "bench_spaces.h"

/* What things take; see bench_scale's options. */
typedef struct scale_settings {
    int64_t cores, problems, max_trials, message_us, start_ms, next_ms, setup_ms, remeasure_ms, seed;
    const atx_strategy *strategy;
    double worth, noise;
    int step;
    bool hints; /* searches begin with those of the spaces */
} scale_settings;

/* Shares are of all GPUs' time; `thread`: the busiest problem's, with its strategy. */
typedef struct scale_result {
    double wall_s, loss, worst, busy, setup, starved, idle, supervisor, thread;
    int64_t trials;
} scale_result;

/* Of the spaces in turn, set->problems of them. AT_ERR_MEMORY. */
at_status scale_simulate(scale_result *out, const scale_settings *set, const atx_bench_space *spaces,
                         size_t count, int gpus, at_error *err);
