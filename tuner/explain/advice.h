/*
 * advice.h - what figures mean, one sentence each, in the words of a CUDA programmer; what costs most comes
 * first. Pure.
 */
#pragma once

#include "explain/figures.h"

#define ATX_MOST_ADVICE 16

typedef struct atx_advice {
    const char *kind; /* "sectors", "conflicts", "occupancy", "spills", "waves", "idle_lanes", "narrow" */
    char text[400];
    double cycles; /* cost in cycles of a multiprocessor, about; sentences are ordered by it */
} atx_advice;

/* Returns how many; none where there is nothing to say. */
int atx_advise(atx_advice out[ATX_MOST_ADVICE], const atx_figures *figures, const atx_device_rates *rates);
