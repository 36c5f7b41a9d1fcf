/*
 * learn_samples.h - trials of stores as samples: what a model learns from. Private to learn*.c.
 */
#ifndef AUTOTUNE_LEARN_SAMPLES_H
#define AUTOTUNE_LEARN_SAMPLES_H

#include "db/store.h"
#include "lang/catalog.h"

typedef struct atx_sample {
    int problem, device;
    const atx_template *t;
    atx_config config;
    double seconds;
} atx_sample;

typedef struct atx_sampled_device {
    char name[128];
    int64_t cc, sms, memory_mib;
} atx_sampled_device;

typedef struct atx_samples {
    atx_sample *items;
    size_t count, cap;
    atx_problem *problems;
    size_t problem_count, problem_cap;
    atx_sampled_device *devices;
    size_t device_count, device_cap;
} atx_samples;

/* Timed trials, cold, of ops that are tuned for time, whose templates are in the catalog as they were. */
at_status atx_samples_read(atx_samples *out, atx_store *store, const atx_catalog *catalog,
                           at_error *err) AT_MUST_CHECK;
void atx_samples_clear(atx_samples *s);

#endif
