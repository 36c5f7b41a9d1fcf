/* loops.h - loops of the host around the launches of a reference or a template: see declare_loop.c. */
#pragma once

#include "declare/limits.h"
#include "expr/expr.h"

/* Two buffers that are exchanged after each iteration of a loop; `from`: see declare_loop.c, -1: none. */
typedef struct atx_swap {
    int a, b, from; /* arguments of the op */
} atx_swap;

/* A loop of the host around launches. Those within it follow it, and end before it. */
#define ATX_MAX_LOOP_SWAPS 4
typedef struct atx_loop {
    char name[ATX_MAX_NAME];
    int slot;
    atx_expr *first, *last; /* both included; first NULL: from 0, so often as `last` says */
    bool down;              /* from first down to last */
    int begin, end;         /* which launches; end is behind the last */
    atx_swap swaps[ATX_MAX_LOOP_SWAPS];
    int swap_count;
    atx_where where;
} atx_loop;

typedef struct atx_loops {
    atx_loop items[ATX_MAX_LOOPS];
    int count;
} atx_loops;

/* Does the expression name an iteration? NULL does not. */
bool atx_loops_read_by(const atx_loops *loops, const atx_expr *expr);
