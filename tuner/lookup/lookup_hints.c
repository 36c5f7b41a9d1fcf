/* lookup_hints.c - where a search begins: what won for other problems, the nearest first. */
#include "lookup/lookup_parts.h"

#include <stdlib.h>
#include <string.h>

#define OTHER_TYPE 8.0 /* elements of another size, on any device */

static bool is_there(const atx_hint *list, int count, const atx_entry *e)
{
    for (int i = 0; i < count; i++)
        if (list[i].t == e->t && memcmp(&list[i].config, &e->config, sizeof e->config) == 0)
            return true;
    return false;
}

/* The winner as the present template reads it: for a start, another version of the template or the op will
 * do. */
static bool read_again(atx_entry *e, const atx_lookup *l)
{
    const atx_winner *w = &e->answer.winner;
    if (!e->t)
        e->t = atx_catalog_find_template(l->catalog, e->op, w->template_name);
    e->other_op = false;
    return e->t && atx_config_parse(&e->config, e->t, w->config, NULL) == AT_OK;
}

at_status atx_lookup_hints(atx_hint *out, int *count, int max, atx_lookup *l, const atx_problem *p,
                           const atx_target *target, at_error *err)
{
    const char *type_key = atx_dtype_key(p->type, p->op->storage);
    const double traffic = atx_traffic_of(p);
    const atx_gpu_model device = { .name = target->name, .cc = target->cc, .sms = target->sms };
    at_status status = atx_lookup_refresh(l, err);
    if (status == AT_OK)
        status = atx_own_add(l, p->op, NULL, err);
    if (status == AT_OK)
        status = atx_shipped_add(l, p->op, NULL, NULL, true, err); /* of all devices and types */
    if (status != AT_OK)
        return atx_lookup_forget(l, status);
    atx_ranked *list = malloc((l->index.count + 1) * sizeof *list);
    size_t found = 0;
    atx_geometry ignored;
    *count = 0;
    if (!list)
        return atx_no_memory(err);
    for (size_t i = 0; i < l->index.count; i++) {
        const atx_entry *e = &l->index.entries[i];
        if (e->hidden || e->answer.invalid || e->op != p->op || !atx_entry_may_answer(e, target->name))
            continue;
        double d =
            atx_shape_distance(e, p, traffic) + (strcmp(e->answer.type_key, type_key) == 0 ? 0 : OTHER_TYPE);
        d += atx_entry_is_on(e, target->name) ? 0 : 1 + atx_device_distance(e, &device);
        list[found++] = (atx_ranked){ i, d, e->order };
    }
    atx_rank(list, found);
    for (size_t i = 0; i < found && *count < max; i++) {
        atx_entry e = l->index.entries[list[i].entry];
        if (read_again(&e, l) && !is_there(out, *count, &e) &&
            atx_entry_fits(&ignored, &e, p, target->cc, target->sms, NULL) == AT_OK)
            out[(*count)++] = (atx_hint){ e.t, e.config, &l->index.entries[list[i].entry].answer };
    }
    free(list);
    return AT_OK;
}
