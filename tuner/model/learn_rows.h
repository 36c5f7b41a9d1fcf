/*
 * learn_rows.h - trials of stores as samples, and those of an op as rows of features, of one device and of
 * all others. Private to learn*.c.
 */
#pragma once

#include "db/store.h"
#include "lang/catalog.h"
#include "model/model_features.h"
#include "model/model_internal.h"

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

/* Of a store: learning takes time and memory by their number. */
#define ATX_MOST_SAMPLES 300000

/*
 * Timed trials, cold, of ops that are tuned for time, whose templates are in the catalog as they were. Of a
 * store that has more than `most` each problem has an equal share: its fastest trials, and as many evenly
 * from the others.
 */
at_status atx_samples_read(atx_samples *out, atx_store *store, const atx_catalog *catalog, size_t most,
                           at_error *err) AT_MUST_CHECK;
void atx_samples_clear(atx_samples *s);

#define ATX_LEAST_TRIALS 100

/* One op on one device. */
typedef struct atx_group {
    const atx_samples *samples;
    const atx_catalog *catalog;
    const atx_op *op;
    int device;
    int *rows, row_count;        /* samples                                  */
    int own_count;               /* of them of this device                   */
    char (*names)[ATX_MAX_NAME]; /* of all features; the op's model keeps those that tell something */
    int name_count;
    float *numbers; /* rows x names, then x features; NAN: absent */
    uint8_t *bins;  /* rows x features                            */
    float *slower;  /* of each row                              */
    float *weights, *left;
    uint8_t *used;
    double *best; /* of each problem, seconds; those of other devices are problems of their own */
    int *first;   /* row of it; -1: none                          */
    int *problem; /* of each row                                  */
    int problem_count;
    int most_leaves; /* of a tree of members */
    atx_cancel *cancel;
    atx_op_model *known;
} atx_group;

/* Those of the op, of all devices; none where those of this device are too few. */
at_status atx_take_rows(atx_group *g, at_error *err) AT_MUST_CHECK;

/* Templates get their names in the op's model, features in the group: the model's, then all others. */
at_status atx_name_templates(atx_group *g, at_error *err) AT_MUST_CHECK;

/* Which of the op model's features each is; -1: none. */
void atx_find_names(int16_t *to, const atx_op_model *p, const atx_model_features *v);

/* Room for all that is said of rows; atx_clear_group frees it. */
at_status atx_allocate_rows(atx_group *g, at_error *err) AT_MUST_CHECK;
void atx_clear_group(atx_group *g);

/* The numbers of each row; those that are not valid are left out. */
at_status atx_number_rows(atx_group *g, at_error *err) AT_MUST_CHECK;

/* The op's model gets the features that differ between rows, as far as it has room, and rows their numbers
 * alone.
 */
void atx_choose_features(atx_group *g);

/* Their bins; edges are found for all features but the first `known`. */
at_status atx_bin_rows(atx_group *g, int known, at_error *err) AT_MUST_CHECK;

/* A sample's problem, on its device. */
at_status atx_bind_sample(int64_t *slots, const atx_group *g, const atx_sample *s,
                          at_error *err) AT_MUST_CHECK;
