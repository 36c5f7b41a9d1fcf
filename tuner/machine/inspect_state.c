/*
 * inspect_state.c - the shadow of a region, made at the first access; variables of the module that are
 * read before a launch writes them, and hold something else when all launches have ended: the next launch
 * finds what these left. One that ends as it began, such as a counter that the last block sets back, keeps
 * nothing.
 */
#include "machine/inspect_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool open_state(atx_inspector *in, int region)
{
    const atx_machine_region *r = atx_machine_region_at(in->machine, region);
    if (r->kind != ATX_REGION_GLOBAL_VARIABLE)
        return true;
    in->variables[region].before = malloc((size_t)r->bytes + 1);
    if (in->variables[region].before)
        memcpy(in->variables[region].before, r->data, (size_t)r->bytes);
    return in->variables[region].before != NULL;
}

static void note_read(atx_inspector *in, const atx_machine_at *at, const atx_hazard *h, int region)
{
    atx_variable_seen *v = &in->variables[region];
    if (v->is_read)
        return;
    v->is_read = true;
    v->offset = h->offset;
    v->issued = atx_inspect_issued(at, h->lane);
}

atx_shadow *atx_inspect_region(atx_inspector *in, int region)
{
    if (region >= ATX_MOST_REGIONS)
        return NULL;
    if (!in->regions[region]) {
        const atx_machine_region *r = atx_machine_region_at(in->machine, region);
        const bool written = r->kind == ATX_REGION_CONST_VARIABLE ||
                             (r->kind == ATX_REGION_BUFFER && (r->flags & ATX_REGION_INITIALISED));
        in->regions[region] = atx_shadow_open((size_t)r->bytes, written);
        in->failed = in->failed || !in->regions[region] || !open_state(in, region);
    }
    return in->regions[region];
}

void atx_inspect_hazard(atx_inspector *in, const atx_machine_at *at, const atx_hazard *h, int region)
{
    if (h->kind == ATX_HAZARD_UNWRITTEN && region >= 0 && in->variables[region].before)
        note_read(in, at, h, region);
    else if (h->kind != ATX_HAZARD_NONE)
        atx_inspect_tell(in, at, h, region);
}

static void tell_heap(atx_inspector *in)
{
    const atx_ptx_instruction *call;
    const int64_t bytes = atx_machine_heap_taken(in->machine, &call);
    atx_flaw f = { .kind = ATX_FLAW_KEPT_STATE };
    if (!bytes)
        return;
    f.instruction = -1;
    if (call)
        atx_inspect_line(&f, in, call);
    snprintf(f.what, sizeof f.what,
             "%" PRId64 " bytes of the device's heap are taken and not given back: later launches have less",
             bytes);
    atx_flaws_add(&in->flaws, &f);
}

void atx_inspect_state_tell(atx_inspector *in)
{
    tell_heap(in);
    for (int i = 0; i < ATX_MOST_REGIONS; i++) {
        const atx_variable_seen *v = &in->variables[i];
        if (!v->is_read)
            continue;
        const atx_machine_region *r = atx_machine_region_at(in->machine, i);
        if (memcmp(v->before, r->data, (size_t)r->bytes) == 0)
            continue;
        atx_flaw f = { .kind = ATX_FLAW_KEPT_STATE, .address = v->offset };
        atx_inspect_place(&f, in, &v->issued);
        snprintf(f.what, sizeof f.what,
                 "byte %" PRIu64 " of variable '%.60s' is read before the launch writes it, and the variable "
                 "holds something else at the end: the next launch depends on this one",
                 v->offset, atx_inspect_plain_name(r->name));
        atx_flaws_add(&in->flaws, &f);
    }
}

void atx_inspect_state_close(atx_inspector *in)
{
    for (int i = 0; i < ATX_MOST_REGIONS; i++)
        free(in->variables[i].before);
}
