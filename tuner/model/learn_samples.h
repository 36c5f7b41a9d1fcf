/*
 * learn_samples.h - trials of stores as samples: what a model learns from. Private to learn*.c.
 */
#ifndef AUTOTUNE_LEARN_SAMPLES_H
#define AUTOTUNE_LEARN_SAMPLES_H

#include "db/store.h"
#include "lang/catalog.h"

typedef struct at__sample {
    int problem, device;
    const at__template *t;
    at__config config;
    double seconds;
} at__sample;

typedef struct at__sampled_device {
    char name[128];
    int64_t cc, sms, memory_mib;
} at__sampled_device;

typedef struct at__samples {
    at__sample *items;
    size_t count, cap;
    at__problem *problems;
    size_t problem_count, problem_cap;
    at__sampled_device *devices;
    size_t device_count, device_cap;
} at__samples;

/* Timed trials, cold, of ops that are tuned for time, whose templates are in the catalog as they were. */
at_status at__samples_read(at__samples *out, at__store *store, const at__catalog *catalog,
                           at_error *err) AT_MUST_CHECK;
void at__samples_clear(at__samples *s);

#endif
