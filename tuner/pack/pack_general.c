/* pack_general.c - a template as a pack has it compiled: `fixed` is off, and its constants are a kernel's
 * numbers. */
#include "pack/pack_internal.h"

#include "lang/render.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find_none(const void *context, const char *name, size_t len)
{
    (void)context;
    (void)name;
    (void)len;
    return -1;
}

static at_status add_number(atx_expr **expr, atx_pack_general *g, int64_t value, at_error *err)
{
    const atx_scope scope = { .find = find_none };
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    at_status status =
        atx_expr_compile(&g->numbers[g->count], text, strlen(text), &scope, (atx_where){ "", 1, 1 }, err);
    if (status == AT_OK)
        *expr = g->numbers[g->count++];
    return status;
}

at_status atx_pack_general_open(atx_pack_general *g, const atx_pack_kernel *k, at_error *err)
{
    const size_t count = k->t->scope.let_count;
    int n = 0;
    *g = (atx_pack_general){ .t = *k->t, /* borrows all that it points to */
                             .lets = calloc(count + 1, sizeof *g->lets),
                             .numbers = calloc(count + 1, sizeof *g->numbers) };
    at_status status = AT_OK;
    if (!g->lets || !g->numbers)
        return atx_no_memory(err);
    if (count)
        memcpy(g->lets, k->t->scope.lets, count * sizeof *g->lets);
    for (size_t i = 0; i < count && status == AT_OK; i++)
        if (g->lets[i].rendered) {
            status = add_number(&g->lets[i].expr, g, k->consts[n++], err);
        }
    if (status == AT_OK && k->t->scope.fixed)
        status = add_number(&g->t.scope.fixed, g, 0, err);
    for (int i = 0; i < g->t.scope.param_count; i++)
        g->t.scope.params[i].absent = g->t.scope.params[i].general;
    g->t.scope.lets = g->lets;
    g->t.scope.narrow = k->narrow;
    return status;
}

void atx_pack_general_close(atx_pack_general *g)
{
    for (size_t i = 0; g->numbers && i < g->count; i++)
        atx_expr_close(g->numbers[i]);
    free(g->numbers);
    free(g->lets);
    *g = (atx_pack_general){ .count = 0 };
}

at_status atx_pack_render(atx_str *out, const atx_pack *pack, int kernel, at_error *err)
{
    return atx_pack_render_kernel(out, &pack->kernels[kernel], &pack->limits, err);
}

bool atx_pack_same_code(const atx_pack_kernel *a, const atx_pack_kernel *b)
{
    bool same = a->t == b->t && a->narrow == b->narrow && memcmp(a->consts, b->consts, sizeof a->consts) == 0;
    for (int i = 0; i < a->t->scope.param_count && same; i++)
        same = a->t->scope.params[i].general || a->config.values[i] == b->config.values[i];
    return same;
}

/* What is the launch's alone has its first value: kernels of one code have one source. */
static atx_config config_of_code(const atx_pack_kernel *k)
{
    atx_config config = k->config;
    for (int i = 0; i < k->t->scope.param_count; i++)
        if (k->t->scope.params[i].general)
            config.values[i] = k->t->scope.params[i].values[0];
    return config;
}

at_status atx_pack_render_kernel(atx_str *out, const atx_pack_kernel *k, const atx_limits *limits,
                                 at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    atx_pack_general general;
    const atx_config config = config_of_code(k);
    at_status status = atx_pack_general_open(&general, k, err);
    ATX_THEN(status, atx_problem_bind(slots, &k->example, limits, err));
    ATX_THEN(status, atx_render(out, &general.t, k->example.type, &config, slots, err));
    atx_pack_general_close(&general);
    return status;
}
