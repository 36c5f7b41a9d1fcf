/*
 * record.h - the words that whoever measures, stores, searches or reports shares: what became of a trial, how
 * long it took, what its kernel uses, and under which conditions.
 *
 * Plain data: copied freely, safe to share between threads. Below zero means unknown wherever a count or a
 * clock can be. A stored figure is a member here and a row in db/columns.h.
 */
#ifndef AUTOTUNE_RECORD_H
#define AUTOTUNE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

typedef enum at__outcome {
    AT__TIMED,
    AT__COMPILE_FAILED,
    AT__LAUNCH_FAILED,
    AT__WRONG_RESULT,
    AT__CRASHED,
    AT__TIMED_OUT,
    AT__OUTCOMES
} at__outcome;

const char *at__outcome_name(at__outcome outcome); /* "timed", "compile_failed", ...; never NULL */

/* A word that is none reads as crashed, which nobody takes for a result. */
at__outcome at__outcome_of(const char *name);

/* The samples of one kernel on one problem, a launch each (or a batch of short ones, divided). */
typedef struct at__timing {
    double median_s; /* what decides; 0: not timed                        */
    double min_s;
    double spread; /* (p90 - p10) / median of the samples, no unit      */
    int64_t samples;
    double joules; /* of a launch, by the device's counter; 0: not measured */
} at__timing;

/*
 * What a compiled kernel uses. The three kinds of memory behind registers are three figures: the stack frame
 * holds arrays that are indexed at run time and spilled registers; spilling is also counted by its accesses;
 * local memory is what the driver sets aside for a thread, the frame and what the calls need.
 */
typedef struct at__resources {
    int64_t registers;    /* a thread                                                  */
    int64_t shared_bytes; /* a block, static and dynamic together                      */
    int64_t stack_bytes;  /* stack frame of a thread, as ptxas says                    */
    int64_t spill_bytes;  /* spill stores and spill loads together, as ptxas says      */
    int64_t local_bytes;  /* local memory of a thread, as the driver says once loaded  */
} at__resources;

#define AT__RESOURCES_UNKNOWN ((at__resources){ -1, -1, -1, -1, -1 })

/* Local memory of a thread from whoever knows it, the driver before ptxas; -1: nobody does. */
int64_t at__local_bytes(const at__resources *resources);

/* Clocks and so on, sampled while a problem was measured. */
typedef struct at__conditions {
    int64_t sm_clock_mhz, memory_clock_mhz, temperature_c, power_w;
    int64_t throttle_reasons; /* NVML's bit mask */
} at__conditions;

#define AT__CONDITIONS_UNKNOWN ((at__conditions){ -1, -1, -1, -1, -1 })

/* What a figure depends on besides the problem and the configuration. Compared column by column. */
typedef struct at__fingerprint {
    char device[128]; /* "NVIDIA H200"                     */
    int64_t cc;       /* 90                                */
    int64_t sms;
    int64_t memory_mib;
    char driver[32]; /* "580.159.04", or the CUDA version it supports when NVML is missing */
    char nvrtc[16];  /* "13.0"                            */
    char tool[32];   /* autotune's version                */
    bool cold;       /* inputs outside the L2 cache       */
} at__fingerprint;

/* In all columns. */
bool at__fingerprint_equal(const at__fingerprint *a, const at__fingerprint *b);

/* How a ceiling that no copy was, but a rate, is named: a number of these. */
#define AT__PEAK_UNIT " GFLOP/s"

/* Of a stored ceiling's name. */
bool at__ceiling_is_rate(const char *name);

/* The name of a device begins so when its results were replayed, not measured. */
#define AT__REPLAY_NAME "replay of "

#endif
