/* geometry.c - a launch's expressions, evaluated: see problem.h. */
#include "lang/problem.h"

#include <inttypes.h>

static at_status eval(int64_t *out, const atx_expr *expr, int64_t least, int64_t most, const char *what,
                      const int64_t *slots, at_error *err)
{
    int64_t value = 0;
    ATX_TRY(atx_expr_eval(&value, expr, slots, err));
    if (value < least || value > most)
        return atx_fail_at(err, atx_expr_where(expr),
                           "%s '%s' is %" PRId64 "; expected %" PRId64 " to %" PRId64, what,
                           atx_expr_text(expr), value, least, most);
    *out = value;
    return AT_OK;
}

/* Not declared: the least there can be. */
static at_status eval_size(int64_t *out, const atx_expr *expr, int64_t least, const char *what,
                           const int64_t *slots, at_error *err)
{
    *out = least;
    return expr ? eval(out, expr, least, INT32_MAX, what, slots, err) : AT_OK;
}

/* Clusters divide the grid in each of its directions. */
static at_status eval_cluster(atx_geometry *g, const atx_launch *launch, const int64_t *slots, at_error *err)
{
    enum { MOST = 32 };
    for (int i = 0; i < 3 && launch->cluster[0]; i++) {
        g->cluster[i] = 1;
        if (launch->cluster[i])
            ATX_TRY(eval(&g->cluster[i], launch->cluster[i], 1, MOST, "cluster", slots, err));
        if (g->grid[i] % g->cluster[i] != 0)
            ATX_TRY(atx_fail_at(err, atx_expr_where(launch->cluster[i]),
                                "a grid of %" PRId64 " in %c; expected a multiple of the cluster's %" PRId64,
                                g->grid[i], 'x' + i, g->cluster[i]));
    }
    return AT_OK;
}

/* Not 0 is 1. */
static at_status eval_flag(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    int64_t value = 0;
    at_status status = expr ? atx_expr_eval(&value, expr, slots, err) : AT_OK;
    *out = value != 0;
    return status;
}

static at_status eval_attributes(atx_geometry *g, const atx_launch *launch, const int64_t *slots,
                                 at_error *err)
{
    at_status status = eval_cluster(g, launch, slots, err);
    ATX_THEN(status, eval_flag(&g->cooperative, launch->cooperative, slots, err));
    ATX_THEN(status, eval_flag(&g->programmatic, launch->programmatic, slots, err));
    if (status == AT_OK && launch->carveout) {
        status = eval(&g->carveout, launch->carveout, 0, 100, "carveout", slots, err);
        g->carveout++;
    }
    return status;
}

at_status atx_geometry_of(atx_geometry *out, const atx_launch *launch, const int64_t *slots, at_error *err)
{
    atx_geometry g = { 0 };
    for (int i = 0; i < 3; i++) {
        ATX_TRY(eval_size(&g.grid[i], launch->grid[i], 1, "grid", slots, err));
        ATX_TRY(eval_size(&g.block[i], launch->block[i], 1, "block", slots, err));
    }
    ATX_TRY(eval_size(&g.shared_bytes, launch->shared, 0, "shared", slots, err));
    ATX_TRY(eval_attributes(&g, launch, slots, err));
    *out = g;
    return AT_OK;
}
