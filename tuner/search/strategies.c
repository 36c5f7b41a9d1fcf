/*
 * strategies.c - the table of strategies: the order is that of `autotune list strategies`.
 */
#include "search/strategy.h"

#include <string.h>

const at__strategy *const at__strategies[] = {
    &at__strategy_exhaustive,
    &at__strategy_random,
    &at__strategy_model,
    NULL,
};

const at__strategy *at__strategy_find(const char *name)
{
    for (const at__strategy *const *s = at__strategies; *s; s++)
        if (strcmp((*s)->name, name) == 0)
            return *s;
    return NULL;
}
