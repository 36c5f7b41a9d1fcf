/*
 * bench_noise.h - recorded spaces made harder in a known way: equally fast near the optimum, and measured
 * with noise.
 */
#ifndef AUTOTUNE_BENCH_NOISE_H
#define AUTOTUNE_BENCH_NOISE_H

#include "bench_spaces.h"

/*
 * Times less than 1 + plateau of the fastest become equal to it, slower ones are divided by 1 + plateau. Then
 * each time is multiplied by exp(noise x), x normal and drawn once for each configuration: what a single
 * measurement would have said. Scores count these times, so the optimum is a lucky draw.
 */
void atx_bench_blur(atx_bench_spaces *spaces, double plateau, double noise);

#endif
