/*
 * inspect_tell.c - texts of flaws: places in the words of the source; and the barrier at an address, which is
 * made at the first access.
 */
#include "machine/inspect_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void thread_at(int64_t out[3], const atx_inspector *in, int thread)
{
    out[0] = thread % (int64_t)in->dims[0];
    out[1] = thread / (int64_t)in->dims[0] % (int64_t)in->dims[1];
    out[2] = thread / ((int64_t)in->dims[0] * in->dims[1]);
}

/* In the kernel's own text, where a function was inlined. */
void atx_inspect_line(atx_flaw *f, const atx_inspector *in, const atx_ptx_instruction *i)
{
    if (i->outer_file >= 0 && i->outer_file < in->module->file_count)
        snprintf(f->file, sizeof f->file, "%s", in->module->files[i->outer_file]);
    f->line = i->outer_line;
}

atx_issued atx_inspect_issued(const atx_machine_at *at, int lane)
{
    return (atx_issued){ .instruction = at->instruction,
                         .index = at->index,
                         .thread = at->warp * ATX_LANES + lane,
                         .block_at = { at->block_at[0], at->block_at[1], at->block_at[2] } };
}

void atx_inspect_place(atx_flaw *f, const atx_inspector *in, const atx_issued *issued)
{
    f->instruction = issued->index;
    atx_inspect_line(f, in, issued->instruction);
    for (int d = 0; d < 3; d++)
        f->block[d] = issued->block_at[d];
    thread_at(f->thread, in, issued->thread);
}

const char *atx_inspect_plain_name(const char *name)
{
    const char *best = name;
    for (const char *at = strncmp(name, "_Z", 2) == 0 ? name : ""; *at; at++) {
        char *end = NULL;
        const long len = *at >= '1' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (len > 0 && strlen(end) == (size_t)len)
            best = end;
    }
    return best;
}

void atx_inspect_shared_place(char *out, size_t size, const atx_inspector *in, uint64_t offset)
{
    for (int v = 0; v < in->module->variable_count; v++) {
        const atx_ptx_variable *var = &in->module->variables[v];
        if (var->space == ATX_PTX_SHARED && !var->external && offset >= (uint64_t)var->offset &&
            offset < (uint64_t)(var->offset + var->bytes)) {
            snprintf(out, size, "byte %" PRIu64 " of shared '%.60s'", offset - (uint64_t)var->offset,
                     atx_inspect_plain_name(var->name));
            return;
        }
    }
    snprintf(out, size, "byte %" PRIu64 " of shared memory", offset);
}

/* Bytes that come by themselves: which barrier tells of them. */
static void tell_barrier(atx_flaw *f, const atx_inspector *in, const atx_block_seen *b, int barrier,
                         const char *where)
{
    char which[110];
    atx_inspect_shared_place(which, sizeof which, in, b->mbarriers[barrier].offset);
    snprintf(f->what, sizeof f->what,
             "%.100s is used by a thread that has not waited for the mbarrier at %.100s, which tells when a "
             "copy is done with it",
             where, which);
}

/* Unwritten memory: of an output, of scratch memory, or of shared memory. */
static void tell_unwritten(atx_flaw *f, const atx_machine_region *r, const char *where)
{
    snprintf(f->what, sizeof f->what, "%.100s is read%s", where,
             !r ? ", and was never written"
             : r->flags & ATX_REGION_OUTPUT
                 ? " before the kernel writes it: what an output held before is "
                   "undefined; an operation that needs it declares the argument inout"
                 : " before the kernel writes it: what scratch memory held before is undefined");
}

void atx_inspect_tell(atx_inspector *in, const atx_machine_at *at, const atx_hazard *h, int region)
{
    static const struct {
        atx_flaw_kind kind;
        const char *text; /* NULL: the other thread does not matter */
    } KINDS[] = {
        [ATX_HAZARD_UNWRITTEN] = { ATX_FLAW_UNWRITTEN, NULL },
        [ATX_HAZARD_STALE] = { ATX_FLAW_STALE_READ, NULL },
        [ATX_HAZARD_NOT_AWAITED] = { ATX_FLAW_COPY_NOT_AWAITED,
                                     "is used while an asynchronous copy by thread" },
        [ATX_HAZARD_WRITE_WRITE] = { ATX_FLAW_RACE_WRITES,
                                     "is written, and was given another value by thread" },
        [ATX_HAZARD_READ_WRITE] = { ATX_FLAW_RACE_READ_WRITE, "is written, and was read by thread" },
        [ATX_HAZARD_NOT_FENCED] = { ATX_FLAW_RACE_READ_WRITE,
                                    "is read by a bulk copy, and was written by thread" },
        [ATX_HAZARD_WRITE_READ] = { ATX_FLAW_RACE_READ_WRITE, "is read, and was written by thread" },
    };
    const atx_issued issued = atx_inspect_issued(at, h->lane);
    const atx_machine_region *r = region >= 0 ? atx_machine_region_at(in->machine, region) : NULL;
    atx_flaw f = { .kind = KINDS[h->kind].kind,
                   .address = h->offset,
                   .may_not_matter = !r && h->kind == ATX_HAZARD_UNWRITTEN };
    int64_t other[3];
    char where[110];
    if (r && r->kind == ATX_REGION_BUFFER)
        snprintf(f.buffer, sizeof f.buffer, "%.63s", r->name);
    if (r)
        snprintf(where, sizeof where, "byte %" PRIu64 " of '%.60s'", h->offset, r->name);
    else
        atx_inspect_shared_place(where, sizeof where, in, h->offset);
    atx_inspect_place(&f, in, &issued);
    thread_at(other, in, h->other);
    if (h->kind == ATX_HAZARD_STALE)
        snprintf(f.what, sizeof f.what,
                 "%.100s is read by ld.global.nc, which may give what lay there before this launch wrote it",
                 where);
    else if (!KINDS[h->kind].text)
        tell_unwritten(&f, r, where);
    else if (h->other < 0)
        tell_barrier(&f, in, &in->blocks[at->rank], ~h->other, where);
    else
        snprintf(f.what, sizeof f.what, "%s %s %" PRId64 ",%" PRId64 ",%" PRId64 "%s", where,
                 KINDS[h->kind].text, other[0], other[1], other[2],
                 h->kind == ATX_HAZARD_NOT_AWAITED  ? " may not have brought it"
                 : h->kind == ATX_HAZARD_NOT_FENCED ? " with no fence.proxy.async between"
                                                    : " with no barrier between");
    atx_flaws_add(&in->flaws, &f);
}

atx_mbarrier *atx_inspect_mbarrier(atx_block_seen *b, uint64_t offset)
{
    for (int i = 0; i < b->mbarrier_count; i++)
        if (b->mbarriers[i].offset == offset)
            return &b->mbarriers[i];
    const int engine = atx_shadow_order_engine(&b->order);
    if (engine < 0)
        return NULL;
    b->mbarriers[engine] = (atx_mbarrier){ .offset = offset };
    b->mbarrier_count = engine + 1;
    return &b->mbarriers[engine];
}
