/*
 * advice.h - what figures mean, one sentence each, in the words of a CUDA programmer; what costs most comes
 * first. Pure.
 */
#ifndef AUTOTUNE_EXPLAIN_ADVICE_H
#define AUTOTUNE_EXPLAIN_ADVICE_H

#include "explain/figures.h"

#define AT__MOST_ADVICE 16

typedef struct at__advice {
    const char *kind; /* "sectors", "conflicts", "occupancy", "spills", "waves", "idle_lanes", "narrow" */
    char text[400];
    double cycles; /* of each multiprocessor that it costs, about; what it is ordered by */
} at__advice;

/* Returns how many; none where there is nothing to say. */
int at__advise(at__advice out[AT__MOST_ADVICE], const at__figures *figures, const at__device_rates *rates);

#endif
