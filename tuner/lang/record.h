/*
 * record.h - types shared by measuring, storing, searching and reporting: the outcome of a trial, how
 * long it took, what its kernel uses, and under which conditions.
 *
 * Plain data: copied freely, safe to share between threads. Below zero means unknown wherever a count or a
 * clock can be. A stored figure is a member here and a row in db/columns.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum atx_outcome {
    ATX_TIMED,
    ATX_COMPILE_FAILED,
    ATX_LAUNCH_FAILED,
    ATX_WRONG_RESULT,
    ATX_CRASHED,
    ATX_TIMED_OUT,
    ATX_OUTCOMES
} atx_outcome;

const char *atx_outcome_name(atx_outcome outcome); /* "timed", "compile_failed", ...; never NULL */

/* A word that is none reads as crashed, which is never taken for a result. */
atx_outcome atx_outcome_of(const char *name);

/* The samples of one kernel on one problem, a launch each (or a batch of short ones, divided). */
typedef struct atx_timing {
    double median_s; /* what decides; 0: not timed                        */
    double min_s;
    double spread; /* (p90 - p10) / median of the samples, no unit      */
    int64_t samples;
    double joules; /* of a launch, by the device's counter; 0: not measured */
} atx_timing;

/*
 * The resources of a compiled kernel. The three kinds of memory behind registers are three figures: the stack
 * frame holds arrays that are indexed at run time and spilled registers; spilling is also counted by its
 * accesses; local memory is what the driver sets aside for a thread, the frame and what the calls need.
 */
typedef struct atx_resources {
    int64_t registers;    /* a thread                                                  */
    int64_t shared_bytes; /* a block, static and dynamic together                      */
    int64_t stack_bytes;  /* stack frame of a thread, as ptxas says                    */
    int64_t spill_bytes;  /* spill stores and spill loads together, as ptxas says      */
    int64_t local_bytes;  /* local memory of a thread, as the driver says once loaded  */
} atx_resources;

#define ATX_RESOURCES_UNKNOWN ((atx_resources){ -1, -1, -1, -1, -1 })

/* Local memory of a thread, from the driver if it is known, else from ptxas; -1: unknown. */
int64_t atx_local_bytes(const atx_resources *resources);

/* Clocks and so on, sampled while a problem was measured. */
typedef struct atx_conditions {
    int64_t sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
    int64_t power_limit_w;    /* that the driver keeps to; autotune never sets it */
    int64_t throttle_reasons; /* NVML's bit mask */
} atx_conditions;

#define ATX_CONDITIONS_UNKNOWN ((atx_conditions){ -1, -1, -1, -1, -1, -1 })

/* The conditions of a measurement besides problem and configuration. Compared column by column. */
typedef struct atx_fingerprint {
    char device[128]; /* "NVIDIA H200"                     */
    int64_t cc;       /* 90                                */
    int64_t sms;
    int64_t memory_mib;
    char driver[32]; /* "580.159.04", or the CUDA version it supports when NVML is missing */
    char nvrtc[16];  /* "13.0"                            */
    char tool[32];   /* autotune's version                */
    bool cold;       /* inputs outside the L2 cache       */
} atx_fingerprint;

/* In all columns. */
bool atx_fingerprint_equal(const atx_fingerprint *a, const atx_fingerprint *b);

/* How a ceiling that no copy was, but a rate, is named: a number of these. */
#define ATX_PEAK_UNIT " GFLOP/s"

/* Of a stored ceiling's name. */
bool atx_ceiling_is_rate(const char *name);

/* The name of a device begins so when its results were replayed, not measured. */
#define ATX_REPLAY_NAME "replay of "
