/* adopt_sizes_begin.c - the sizes of a draft's buffers, step by step. */
#include "exchange/adopt_sizes.h"

#include <stdlib.h>

/* extern __shared__ float s[]: the name, among those that point. */
static void add_shared(atx_sizing *z)
{
    const atx_tokens *t = z->frame.t;
    for (size_t i = z->frame.body.begin; i + 4 < z->frame.body.end; i++) {
        const size_t end = atx_tokens_find(t, i, z->frame.body.end, ";");
        const size_t open = atx_tokens_find(t, i, end, "[");
        if (!atx_tokens_is(t, i, "extern") || open + 2 != end || !atx_tokens_is(t, open + 1, "]"))
            continue;
        char name[ATX_MAX_WORD];
        atx_draft_word(name, t, open - 1);
        atx_draft_type_of(&z->shared, z->bounds.d, i + 1, open - 1);
        atx_bound_name *p = atx_bounds_add(&z->frame, name);
        if (p) {
            p->arg = ATX_SHARED;
            p->from = atx_range_exactly(atx_poly_number(0));
            p->declared = open - 1;
        }
        return;
    }
}

void atx_draft_sizes(atx_draft *d)
{
    atx_sizing *z = calloc(1, sizeof *z);
    if (!z)
        return;
    z->bounds.seen = calloc(d->code.count + 1, 1); /* NULL: without it all is slower */
    atx_bounds_begin(&z->bounds, d);
    const size_t begin = atx_tokens_match(&d->code, d->kernel_text.open) + 1;
    z->frame =
        (atx_frame){ .t = &d->code, .body = { begin, d->body_end }, .names = z->names, .guards = &z->guards };
    for (int k = 0; k < d->arg_count; k++) {
        atx_bound_name *p = d->args[k].stars ? atx_bounds_add(&z->frame, d->args[k].arg.name) : NULL;
        if (p) {
            p->arg = k;
            p->from = atx_range_exactly(atx_poly_number(0));
        }
    }
    add_shared(z);
    atx_guards_read(&z->guards, &d->code, z->frame.body);
    atx_draft_forget_extras(d, z);
    atx_draft_forget_block(d, z);
    atx_draft_read_rules(d, z);
    atx_bounds_begin(&z->bounds, d);
    atx_draft_walk(z);
    atx_draft_read_host(d, z);
    atx_draft_settle_sizes(d, z);
    atx_draft_fix_block(d);
    atx_draft_read_limits(d, z);
    atx_draft_read_block(d, z);
    free(z->bounds.seen);
    free(z);
}
