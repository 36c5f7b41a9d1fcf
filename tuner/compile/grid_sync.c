/* grid_sync.c - compiles one configuration to PTX, where the template's text gives reason to: see
 * grid_sync.h. */
#include "compile/grid_sync.h"

#include "compile/cubin.h"
#include "lang/render.h"

#include <string.h>

static bool gives_reason(const atx_template *t)
{
    static const char *const WORDS[] = { "cooperative_groups", "cudaCGGetIntrinsicHandle", "envreg" };
    bool any = false;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS && !any; i++)
        any = strstr(t->text.source, WORDS[i]) != NULL;
    return any;
}

/* From the kernel's entry to the next one. */
static bool waits_for_grid(const atx_str *ptx, const char *kernel)
{
    static const char ENTRY[] = ".entry ", REGISTER[] = "%envreg";
    const char *name = NULL, *at = atx_str_text(ptx);
    size_t len = 0;
    if (atx_cubin_name(&name, &len, ptx->data, ptx->len, kernel, NULL) != AT_OK)
        return false;
    while ((at = strstr(at, ENTRY)) != NULL) {
        at += sizeof ENTRY - 1;
        const char *next = strstr(at, ENTRY), *found = strstr(at, REGISTER);
        if (strncmp(at, name, len) == 0 && at[len] == '(')
            return found && (!next || found < next);
    }
    return false;
}

static at_status compile(atx_compiled *out, const atx_sensitivity_query *q, const atx_str *source,
                         at_error *err)
{
    ATX_TRY(atx_pool_submit(q->pool, 0, atx_str_text(source), q->t->text.file, q->cc, ATX_PTX, err));
    while (!atx_pool_take(q->pool, out) && !atx_cancel_due(q->cancel)) {
        atx_pool_wait(q->pool, NULL, 100);
        ATX_TRY(atx_pool_pump(q->pool, err));
    }
    return AT_OK;
}

static at_status look(int *step, const atx_sensitivity_query *q, const atx_config *config, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    ATX_LOCAL(atx_str) source = { 0 };
    ATX_LOCAL(atx_compiled) done = { 0 };
    memcpy(slots, q->slots, (size_t)q->t->op->scope.symbols.count * sizeof *slots);
    at_status status = atx_config_bind(slots, q->t, config, err);
    ATX_THEN(status, atx_render(&source, q->t, q->type, config, q->slots, err));
    ATX_THEN(status, compile(&done, q, &source, err));
    for (int i = 0; i < q->t->call.step_count && status == AT_OK && done.ok && *step < 0; i++) {
        atx_geometry g = { 0 };
        at_error ignored;
        if (atx_geometry_of(&g, &q->t->call.steps[i].launch, slots, &ignored) == AT_OK && !g.cooperative &&
            waits_for_grid(&done.code, q->t->call.steps[i].kernel))
            *step = i;
    }
    return status;
}

at_status atx_grid_sync_find(int *step, const atx_sensitivity_query *q, at_error *err)
{
    ATX_CLOSED(atx_space) *space = NULL;
    *step = -1;
    if (!gives_reason(q->t))
        return AT_OK;
    at_status status = atx_space_open_until(&space, q->t, q->slots, NULL, 0, q->cancel, err);
    if (status == AT_OK && atx_space_count(space) > 0) {
        atx_config config;
        atx_space_config(&config, space, 0);
        status = look(step, q, &config, err);
    }
    return status;
}
