/* explained.h - how `autotune explain` prints the findings of explain/. */
#pragma once

#include "explain/advice.h"
#include "lookup/lookup.h"

/* One configuration. */
typedef struct atx_explained {
    atx_figures figures;
    atx_least_times least;
    atx_advice advice[ATX_MOST_ADVICE];
    int advice_count;
    const char *origin; /* "the winner", ...; NULL: it was named */
} atx_explained;

typedef struct atx_explained_problem {
    const atx_problem *problem;
    const char *shape;
    int64_t traffic_bytes;
    const atx_device_rates *rates;
    const atx_found *found; /* NULL: nothing is known of the problem */
} atx_explained_problem;

void atx_explained_text(const atx_explained_problem *problem, const atx_explained *sides, int count);
void atx_explained_json(const atx_explained_problem *problem, const atx_explained *sides, int count);
