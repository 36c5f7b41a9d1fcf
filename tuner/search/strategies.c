/*
 * strategies.c - the table of strategies: the order is that of `autotune list strategies`.
 */
#include "search/strategy.h"

#include <string.h>

const atx_strategy *const atx_strategies[] = {
    &atx_strategy_exhaustive,
    &atx_strategy_random,
    &atx_strategy_model,
    NULL,
};

const atx_strategy *atx_strategy_find(const char *name)
{
    for (const atx_strategy *const *s = atx_strategies; *s; s++)
        if (strcmp((*s)->name, name) == 0)
            return *s;
    return NULL;
}
