/* explained.h - how `autotune explain` prints what explain/ found. */
#ifndef AUTOTUNE_CLI_EXPLAINED_H
#define AUTOTUNE_CLI_EXPLAINED_H

#include "explain/advice.h"
#include "lookup/lookup.h"

/* One configuration. */
typedef struct at__explained {
    at__figures figures;
    at__least_times least;
    at__advice advice[AT__MOST_ADVICE];
    int advice_count;
    const char *origin; /* "the winner", ...; NULL: it was named */
} at__explained;

typedef struct at__explained_problem {
    const at__problem *problem;
    const char *shape;
    int64_t traffic_bytes;
    const at__device_rates *rates;
    const at__found *found; /* NULL: nothing is known of the problem */
} at__explained_problem;

void at__explained_text(const at__explained_problem *problem, const at__explained *sides, int count);
void at__explained_json(const at__explained_problem *problem, const at__explained *sides, int count);

#endif
