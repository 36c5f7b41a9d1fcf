/*
 * adopt_sizes_host.c - what the host does with the buffers of a launch, where that says more than the kernel:
 * how large they are where an index is not understood, that they hold zeros or nothing before, and numbers
 * that functions around the launch pass on.
 */
#include "exchange/adopt_sizes.h"

#include <stdio.h>
#include <string.h>

/* Buffers that the kernel writes: zeros before each launch, or nothing that it could read. */
static void set_role(atx_draft *d, int k, const atx_host_buffer *host)
{
    atx_draft_arg *a = &d->args[k];
    if (!a->written || !host->allocated || !host->complete || d->loop_count)
        return;
    a->zeroed = host->zeroed;
    if (a->read && (a->fresh || a->lost) && !a->atomic && !host->filled && !host->zeroed)
        a->read = false;
}

void atx_draft_read_host(atx_draft *d, atx_sizing *z)
{
    atx_bounding *b = &z->bounds;
    for (int k = 0; k < d->arg_count; k++) {
        atx_reach *reach = &z->reach[k];
        if (!d->args[k].stars || d->args[k].field || d->several)
            continue;
        atx_host_buffer *host = &z->hosts[k];
        b->budget = 2000;
        const long each = atx_draft_bytes(d, &d->args[k].type);
        *host = atx_host_buffer_of(b, k, d->args[k].type.targ >= 0 ? -each : each);
        set_role(d, k, host);
        if ((reach->any && !reach->unknown) || !host->sized)
            continue;
        *reach = (atx_reach){ .most = host->elements, .any = true };
        d->args[k].allocated = host->allocated;
    }
}

void atx_draft_host_values(atx_draft *d)
{
    for (int k = 0; k < d->arg_count && !d->several; k++) {
        atx_draft_arg *a = &d->args[k];
        char number[ATX_MAX_WORD];
        if (a->stars || a->structure || a->dim || a->value[0] || a->own || !a->type.dtype)
            continue;
        atx_host_scalar(number, d, k);
        if (atx_draft_is_real(a->type.dtype) || !strpbrk(number, ".e"))
            snprintf(a->value, sizeof a->value, "%s", number);
    }
}
