/*
 * library_loops.c - the launches of an answer whose template has loops, one by one, for programs that launch
 * them themselves.
 */
#include "library/library.h"

#include "compile/sequence.h"
#include "lang/problem.h"

#include <stdlib.h>
#include <string.h>

void atx_unrolled_clear(atx_unrolled *u)
{
    free(u->launches);
    free(u->list);
    free(u->taken);
    free(u->scalars);
    free(u->steps);
    *u = (atx_unrolled){ .count = 0 };
}

/* One more launch. Room is made for as many as there may be. */
typedef struct showing {
    atx_found_parts *f;
    const atx_sequence *sequence;
    size_t args;
} showing;

/* Argument `index` of a launch, which may have a value of its own there. */
static at_status show_arg(const at_arg **out, showing *s, int index, const int64_t *slots, at_error *err)
{
    const atx_arg *arg = atx_sequence_scalar(s->sequence, index);
    *out = &s->f->args[index];
    if (!arg)
        return AT_OK;
    at_arg *own = &s->f->unrolled.scalars[s->f->unrolled.scalar_count++];
    *own = s->f->args[index];
    *out = own;
    return atx_scalar_value(&own->value, arg, slots, err);
}

static at_status show_launch(void *context, const atx_sequence_launch *one, at_error *err)
{
    showing *s = context;
    atx_unrolled *u = &s->f->unrolled;
    at_launch *usual = &s->f->launches[one->step], *shown = &u->launches[u->count];
    atx_geometry g = { 0 };
    int args[ATX_MAX_ARGS];
    at_status status = atx_geometry_of(&g, &s->f->t->call.steps[one->step].launch, one->slots, err);
    if (status != AT_OK)
        return status;
    if (g.shared_bytes > usual->dynamic_shared_bytes)
        usual->dynamic_shared_bytes = g.shared_bytes; /* kernels are loaded for the most */
    *shown = *usual;
    memcpy(shown->grid, g.grid, sizeof shown->grid);
    memcpy(shown->block, g.block, sizeof shown->block);
    shown->dynamic_shared_bytes = g.shared_bytes;
    shown->args = u->taken + s->args;
    shown->arg_count = atx_sequence_args(args, s->sequence, one);
    for (int i = 0; i < shown->arg_count && status == AT_OK; i++)
        status = show_arg(&u->taken[s->args++], s, args[i], one->slots, err);
    u->steps[u->count] = one->step;
    u->list[u->count++] = shown;
    return status;
}

typedef struct counts {
    const atx_sequence *sequence;
    size_t launches, args;
} counts;

static at_status count_launch(void *context, const atx_sequence_launch *one, at_error *err)
{
    counts *c = context;
    (void)err;
    c->launches++;
    c->args += (size_t)c->sequence->t->call.steps[one->step].arg_count;
    return AT_OK;
}

static at_status make_room(atx_unrolled *u, const counts *c, at_error *err)
{
    u->launches = calloc(c->launches + 1, sizeof *u->launches);
    u->list = calloc(c->launches + 1, sizeof *u->list);
    u->steps = calloc(c->launches + 1, sizeof *u->steps);
    u->taken = calloc(c->args + 1, sizeof *u->taken);
    u->scalars = calloc(c->args + 1, sizeof *u->scalars);
    return u->launches && u->list && u->steps && u->taken && u->scalars ? AT_OK : atx_no_memory(err);
}

at_status atx_finding_unroll(atx_found_parts *f, const int64_t *slots, at_error *err)
{
    const atx_sequence sequence = { f->problem.op, f->t, &f->t->call.loops };
    counts c = { .sequence = &sequence };
    showing s = { f, &sequence, 0 };
    at_status status = atx_sequence_walk(&sequence, slots, count_launch, &c, err);
    ATX_THEN(status, make_room(&f->unrolled, &c, err));
    ATX_THEN(status, atx_sequence_walk(&sequence, slots, show_launch, &s, err));
    f->shown.launch_count = f->unrolled.count;
    f->shown.launches = f->unrolled.list;
    return status;
}
