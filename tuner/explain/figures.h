/*
 * figures.h - the cost of one configuration on a problem: run on the machine, or a sample of its blocks, and
 * counted; with figures of the compiler and of the table of architectures.
 */
#pragma once

#include "explain/program.h"
#include "explain/instance.h"
#include "lang/arch.h"
#include "machine/tally.h"

typedef struct atx_figures {
    const atx_template *t;
    atx_str config;
    atx_program program;
    atx_tally *tally;
    atx_sample sample;     /* which blocks of how many were run                       */
    atx_tally_line all;    /* of the whole launch: counts of a sample are multiplied */
    atx_tally_line *lines; /* likewise, by file and line                             */
    size_t line_count;
    atx_occupancy occupancy; /* warps 0: several launches, or registers are not known  */
    double stored_s;         /* as it was measured somewhere; 0: not known             */
} atx_figures;

/* The context of running configurations. Borrowed. */
typedef struct atx_figures_setting {
    atx_instance *instance;
    atx_nvrtc *nvrtc;
    const atx_problem *problem; /* of the problem instance      */
    const int64_t *slots;       /* bound for the op  */
    int cc;
    int64_t most_blocks; /* at most so many of a single launch are run; 0: all */
} atx_figures_setting;

/*
 * Zero *out before, close it in any case. AT_ERR_INPUT: the configuration does not suit the problem, does not
 * compile, or the machine stopped it, with its words.
 */
at_status atx_figures_of(atx_figures *out, const atx_figures_setting *on, const atx_template *t,
                         const atx_config *config, at_error *err) AT_MUST_CHECK;
void atx_figures_close(atx_figures *figures);

/* The peak rates of a device: of its multiprocessors together, in a second. */
typedef struct atx_device_rates {
    char name[128];
    int64_t cc, sms;
    double clock_hz;         /* 0: unknown                                            */
    double dram_bytes_per_s; /* as published; 0: unknown                              */
    double copy_bytes_per_s; /* as a stored copy ceiling reached it; 0: none          */
} atx_device_rates;

/* The times that its parts need at least; 0: not known. */
typedef struct atx_least_times {
    double dram_s, l2_s, shared_s, issue_s;
} atx_least_times;
atx_least_times atx_least_times_of(const atx_figures *figures, int64_t traffic_bytes,
                                   const atx_device_rates *rates);
