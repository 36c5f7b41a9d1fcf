/*
 * bench_noise.h - recorded spaces made harder in a known way: equally fast near the optimum, and measured
 * with the noise of a device.
 */
#pragma once

#include "bench_spaces.h"

/* Times less than 1 + plateau of the fastest become equal to it, slower ones are divided by 1 + plateau. */
void atx_bench_flatten(atx_bench_spaces *spaces, double plateau);

/*
 * What a trial says over what is true, drawn for a configuration and a run's seed: exp(noise x), x normal.
 * One trial of 40 was disturbed and is slower by 10 noise in the mean, one of 500 by several times.
 */
double atx_bench_noise(double noise, uint64_t seed, int64_t index);
