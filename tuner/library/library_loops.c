/*
 * library_loops.c - the launches of an answer whose template has loops: each of them, for whoever launches
 * them himself. What they take are the arguments of the answer, but for scalars that an iteration gives a
 * value.
 */
#include "library/library.h"

#include "compile/sequence.h"

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

static const at_arg *taken(atx_unrolled *u, const atx_found_parts *f, const at_arg *usual,
                           const struct atx_kernel_arg *arg)
{
    if (arg->buffer >= 0)
        return f->shown.buffers[arg->buffer];
    if (arg->value == usual->value)
        return usual;
    at_arg *own = &u->scalars[u->scalar_count++];
    *own = *usual;
    own->value = arg->value;
    return own;
}

static void show_turn(atx_found_parts *f, const atx_kernel_turn *turn, const at_arg **args)
{
    atx_unrolled *u = &f->unrolled;
    at_launch *usual = &f->launches[turn->step], *shown = &u->launches[u->count];
    if (turn->geometry.shared_bytes > usual->dynamic_shared_bytes)
        usual->dynamic_shared_bytes = turn->geometry.shared_bytes; /* kernels are loaded for the most */
    *shown = *usual;
    memcpy(shown->grid, turn->geometry.grid, sizeof shown->grid);
    memcpy(shown->block, turn->geometry.block, sizeof shown->block);
    shown->dynamic_shared_bytes = turn->geometry.shared_bytes;
    shown->args = args;
    for (int i = 0; i < turn->arg_count; i++)
        args[i] = taken(u, f, f->launches[turn->step].args[i], &turn->args[i]);
    u->steps[u->count] = turn->step;
    u->list[u->count++] = shown;
}

static at_status make_room(atx_unrolled *u, const atx_kernel *k, at_error *err)
{
    atx_kernel_turn turn;
    size_t launches = 0, args = 0;
    for (size_t at = 0; atx_kernel_next(&turn, k, &at); launches++)
        args += (size_t)turn.arg_count;
    u->launches = calloc(launches + 1, sizeof *u->launches);
    u->list = calloc(launches + 1, sizeof *u->list);
    u->steps = calloc(launches + 1, sizeof *u->steps);
    u->taken = calloc(args + 1, sizeof *u->taken);
    u->scalars = calloc(args + 1, sizeof *u->scalars);
    return u->launches && u->list && u->steps && u->taken && u->scalars ? AT_OK : atx_no_memory(err);
}

at_status atx_finding_unroll(atx_found_parts *f, const int64_t *slots, at_error *err)
{
    const atx_sequence sequence = { f->problem.op, f->t, &f->t->call.loops };
    atx_str turns = { 0 };
    at_status status = atx_sequence_write(&turns, &sequence, slots, err);
    const atx_kernel k = { .more_count = f->t->call.step_count - 1,
                           .turns = turns.data,
                           .turns_len = turns.len };
    if (status == AT_OK)
        status = make_room(&f->unrolled, &k, err);
    size_t at = 0, args = 0;
    for (atx_kernel_turn turn; status == AT_OK && atx_kernel_next(&turn, &k, &at);
         args += (size_t)turn.arg_count)
        show_turn(f, &turn, f->unrolled.taken + args);
    f->shown.launch_count = f->unrolled.count;
    f->shown.launches = f->unrolled.list;
    atx_str_clear(&turns);
    return status;
}
