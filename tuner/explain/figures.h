/*
 * figures.h - what one configuration costs on a problem: run on the machine, or a sample of its blocks, and
 * counted; with what the compiler and the table of architectures say of it.
 */
#ifndef AUTOTUNE_EXPLAIN_FIGURES_H
#define AUTOTUNE_EXPLAIN_FIGURES_H

#include "explain/program.h"
#include "explain/scene.h"
#include "lang/arch.h"
#include "machine/tally.h"

typedef struct at__figures {
    const at__template *t;
    at__str config;
    at__program program;
    at__tally *tally;
    at__sample sample;     /* which blocks of how many were run                       */
    at__tally_line all;    /* of the whole launch: counts of a sample are multiplied */
    at__tally_line *lines; /* likewise, by file and line                             */
    size_t line_count;
    at__occupancy occupancy; /* warps 0: several launches, or registers are not known  */
    double stored_s;         /* as it was measured somewhere; 0: not known             */
} at__figures;

/* What configurations are run on. Borrowed. */
typedef struct at__figures_setting {
    at__scene *scene;
    at__nvrtc *nvrtc;
    const at__problem *problem; /* of the scene      */
    const int64_t *slots;       /* bound for the op  */
    int cc;
    int64_t most_blocks; /* at most so many of a single launch are run; 0: all */
} at__figures_setting;

/*
 * Zero *out before, close it in any case. AT_ERR_INPUT: the configuration does not suit the problem, does not
 * compile, or the machine stopped it, with its words.
 */
at_status at__figures_of(at__figures *out, const at__figures_setting *on, const at__template *t,
                         const at__config *config, at_error *err) AT_MUST_CHECK;
void at__figures_close(at__figures *figures);

/* What a device can do at most: of its multiprocessors together, in a second. */
typedef struct at__device_rates {
    char name[128];
    int64_t cc, sms;
    double clock_hz;         /* 0: unknown                                            */
    double dram_bytes_per_s; /* as published; 0: unknown                              */
    double copy_bytes_per_s; /* as a stored copy ceiling reached it; 0: none          */
} at__device_rates;

/* The times that its parts need at least; 0: not known. */
typedef struct at__least_times {
    double dram_s, l2_s, shared_s, issue_s;
} at__least_times;
at__least_times at__least_times_of(const at__figures *figures, int64_t traffic_bytes,
                                   const at__device_rates *rates);

#endif
