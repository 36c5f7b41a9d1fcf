/*
 * portfolio.c - a greedy cover: the configuration that helps most problems which still need one comes next.
 * Of equals the one that was met first, so that equal input gives an equal choice.
 */
#include "model/portfolio.h"

#include <stdlib.h>
#include <string.h>

static int most_helpful(const int *helps, const unsigned char *chosen, int configs)
{
    int best = -1;
    for (int i = 0; i < configs; i++)
        if (!chosen[i] && helps[i] > 0 && (best < 0 || helps[i] > helps[best]))
            best = i;
    return best;
}

at_status atx_portfolio_choose(unsigned char *chosen, const atx_tried *tried, int count, int configs,
                               int problems, double near, int times, int most, at_error *err)
{
    int *helps = calloc((size_t)configs + 1, sizeof *helps);
    int *needs = calloc((size_t)problems + 1, sizeof *needs);
    if (!helps || !needs) {
        free(helps);
        free(needs);
        atx_no_memory(err);
        return AT_ERR_MEMORY;
    }
    memset(chosen, 0, (size_t)configs);
    for (int i = 0; i < problems; i++)
        needs[i] = times;
    for (int done = 0; done < most; done++) {
        memset(helps, 0, (size_t)configs * sizeof *helps);
        for (int i = 0; i < count; i++)
            helps[tried[i].config] += (double)tried[i].slower <= near && needs[tried[i].problem] > 0;
        int best = most_helpful(helps, chosen, configs);
        if (best < 0)
            break;
        chosen[best] = 1;
        for (int i = 0; i < count; i++)
            if (tried[i].config == best && (double)tried[i].slower <= near && needs[tried[i].problem] > 0)
                needs[tried[i].problem]--;
    }
    free(helps);
    free(needs);
    return AT_OK;
}
