/*
 * sequence.c - see sequence.h. A loop that swaps buffers changes their names: `holds` maps the name of an
 * argument to the argument whose buffer it has. As in a program that swaps two pointers, this stays so behind
 * the loop, except for a swap with `from`: after its last iteration each name has its own buffer again.
 */
#include "compile/sequence.h"

#include "lang/launches.h"

#include <inttypes.h>
#include <string.h>

typedef struct walk {
    const atx_sequence *of;
    int64_t slots[ATX_MAX_SLOTS];
    int holds[ATX_MAX_ARGS];
    int count, rounds;
    atx_launch_visitor *visit;
    void *context;
} walk;

#define MAX_ROUNDS (16 * ATX_MAX_LAUNCHES) /* iterations, of which some may launch nothing */

static at_status too_many(const walk *w, at_error *err)
{
    return atx_fail_at(
        err, w->of->loops->items[0].where,
        "found more than %d launches of one candidate; expected fewer: a smaller shape, or more work in "
        "each launch",
        ATX_MAX_LAUNCHES);
}

static at_status walk_launch(walk *w, int step, at_error *err)
{
    const atx_sequence_launch one = { step, w->slots, w->holds };
    return w->count++ < ATX_MAX_LAUNCHES ? w->visit(w->context, &one, err) : too_many(w, err);
}

static at_status walk_steps(walk *w, int loop, int begin, int end, at_error *err);

static void exchange(walk *w, const atx_swap *swap)
{
    const int a = w->holds[swap->a];
    w->holds[swap->a] = w->holds[swap->b];
    w->holds[swap->b] = a;
}

/* Iteration i of `count`. */
static at_status walk_iteration(walk *w, int loop, int64_t i, int64_t count, at_error *err)
{
    const atx_loop *l = &w->of->loops->items[loop];
    int before[ATX_MAX_ARGS];
    memcpy(before, w->holds, sizeof before);
    for (int k = 0; k < l->swap_count; k++)
        if (l->swaps[k].from >= 0 && i == 0)
            w->holds[l->swaps[k].b] = before[l->swaps[k].from];
    at_status status = walk_steps(w, loop + 1, l->begin, l->end, err);
    for (int k = 0; k < l->swap_count; k++) {
        if (l->swaps[k].from >= 0 && i == 0)
            w->holds[l->swaps[k].b] = before[l->swaps[k].b];
        if (l->swaps[k].from < 0 || i + 1 < count)
            exchange(w, &l->swaps[k]);
    }
    return status;
}

/* Buffers that take each other's place have as many elements. */
static at_status check_sizes(const walk *w, const atx_loop *l, at_error *err)
{
    for (int k = 0; k < l->swap_count; k++) {
        const int three[] = { l->swaps[k].a, l->swaps[k].b, l->swaps[k].from };
        int64_t elements[3] = { 0 };
        for (int i = 0; i < 3; i++) {
            const atx_expr *size = w->of->op->args[three[i] < 0 ? three[0] : three[i]].expr;
            ATX_TRY(atx_expr_eval(&elements[i], size, w->slots, err));
        }
        if (elements[0] != elements[1] || elements[0] != elements[2])
            return atx_fail_at(err, l->where,
                               "found %" PRId64 ", %" PRId64 " and %" PRId64
                               " elements in buffers that are swapped; expected the same number",
                               elements[0], elements[1], elements[2]);
    }
    return AT_OK;
}

static at_status walk_loop(walk *w, int loop, at_error *err)
{
    const atx_loop *l = &w->of->loops->items[loop];
    int64_t first = 0, last = 0;
    ATX_TRY(l->first ? atx_expr_eval(&first, l->first, w->slots, err) : AT_OK);
    ATX_TRY(atx_expr_eval(&last, l->last, w->slots, err));
    ATX_TRY(check_sizes(w, l, err));
    last -= !l->first && last > INT64_MIN;
    const int64_t low = l->down ? last : first, high = l->down ? first : last;
    const int64_t count = low > high                                   ? 0
                          : high - low >= 0 && high - low < MAX_ROUNDS ? high - low + 1
                                                                       : MAX_ROUNDS + 1;
    for (int k = 0; k < l->swap_count; k++)
        if (l->swaps[k].from >= 0 && count % 2 == 0 && count > 0)
            exchange(w, &l->swaps[k]);
    for (int64_t i = 0; i < count; i++) {
        w->slots[l->slot] = l->down ? first - i : first + i;
        ATX_TRY(w->rounds++ < MAX_ROUNDS ? walk_iteration(w, loop, i, count, err) : too_many(w, err));
    }
    return AT_OK;
}

/* `loop`: the first of the loops that may begin there. */
static at_status walk_steps(walk *w, int loop, int begin, int end, at_error *err)
{
    const atx_loops *loops = w->of->loops;
    for (int step = begin; step < end;) {
        while (loop < loops->count && loops->items[loop].begin < step)
            loop++;
        const bool is_loop = loop < loops->count && loops->items[loop].begin == step;
        ATX_TRY(is_loop ? walk_loop(w, loop, err) : walk_launch(w, step, err));
        step = is_loop ? loops->items[loop].end : step + 1;
    }
    return AT_OK;
}

at_status atx_sequence_walk(const atx_sequence *s, const int64_t *slots, atx_launch_visitor *visit,
                            void *context, at_error *err)
{
    walk w = { .of = s, .visit = visit, .context = context };
    const atx_symbols *symbols = s->t ? &s->t->scope.symbols : &s->op->scope.symbols;
    memcpy(w.slots, slots, (size_t)symbols->count * sizeof *slots);
    for (int i = 0; i < ATX_MAX_ARGS; i++)
        w.holds[i] = i;
    at_status status = walk_steps(&w, 0, 0, s->t ? s->t->call.step_count : 1, err);
    return status == AT_OK && w.count == 0
               ? atx_fail_at(err, s->loops->items[0].where, "found no launch at all; expected one at least")
               : status;
}

int atx_sequence_args(int args[ATX_MAX_ARGS], const atx_sequence *s, const atx_sequence_launch *one)
{
    const int count = s->t ? s->t->call.steps[one->step].arg_count : s->op->arg_count;
    for (int i = 0; i < count; i++) {
        const int index = s->t ? s->t->call.steps[one->step].args[i] : i;
        args[i] = index < s->op->arg_count ? one->holds[index] : index;
    }
    return count;
}

/* ---- as a kernel has them ---- */

typedef struct writer {
    const atx_sequence *of;
    const atx_kernel *kernel;
    atx_str *launches;
} writer;

/* A struct by value is made once: it cannot follow iterations. */
static at_status check_struct(const atx_sequence *s, const atx_sequence_launch *seen, const atx_arg *arg,
                              at_error *err)
{
    const atx_struct *of = atx_arg_struct(s->op, arg);
    bool changes = false;
    for (int i = 0; of && i < of->field_count; i++) {
        const atx_field *f = &of->fields[i];
        changes = changes || (f->pointer && seen->holds[f->arg] != f->arg);
        for (int64_t k = 0; k < f->value_count; k++)
            changes = changes || atx_loops_read_by(s->loops, f->values[k].expr);
    }
    return changes
               ? atx_fail_at(err, arg->where,
                             "found a struct by value that changes from one iteration to another, in a field "
                             "or a buffer that is swapped; expected scalars and buffers for what changes")
               : AT_OK;
}

const atx_arg *atx_sequence_scalar(const atx_sequence *s, int index)
{
    const atx_arg *arg = s->t ? atx_template_arg(s->t, index) : &s->op->args[index];
    const bool plain = arg->role == ATX_SCALAR && !arg->structure && !arg->map;
    return plain && atx_loops_read_by(s->loops, arg->expr) ? arg : NULL;
}

/* A scalar that names an iteration, as this one makes it. */
static at_status write_scalar(struct atx_kernel_arg *out, const atx_arg *arg, const int64_t *slots,
                              at_error *err)
{
    ATX_TRY(atx_scalar_check(arg, slots, err));
    return atx_scalar_value(&out->value, arg, slots, err);
}

static at_status write_launch(void *context, const atx_sequence_launch *seen, at_error *err)
{
    writer *w = context;
    const atx_sequence *s = w->of;
    const atx_kernel *k = w->kernel;
    atx_kernel_launch one = { .step = seen->step };
    int args[ATX_MAX_ARGS] = { 0 };
    one.arg_count = atx_sequence_args(args, s, seen);
    memcpy(one.args, seen->step ? k->more[seen->step - 1].args : k->args, sizeof one.args);
    const atx_launch *launch = s->t ? &s->t->call.steps[seen->step].launch : &s->op->expected.launch;
    ATX_TRY(atx_geometry_of(&one.geometry, launch, seen->slots, err));
    for (int i = 0; i < one.arg_count; i++) {
        const atx_arg *scalar = atx_sequence_scalar(s, args[i]);
        if (scalar)
            ATX_TRY(write_scalar(&one.args[i], scalar, seen->slots, err));
        else if (one.args[i].is_struct)
            ATX_TRY(check_struct(s, seen, &s->op->args[args[i]], err));
        else if (args[i] < s->op->arg_count && s->op->args[args[i]].role != ATX_SCALAR)
            one.args[i].buffer = atx_arg_buffer(s->op, args[i]);
    }
    atx_launches_add(w->launches, &one);
    return AT_OK;
}

at_status atx_sequence_write(atx_str *launches, const atx_sequence *s, const atx_kernel *kernel,
                             const int64_t *slots, at_error *err)
{
    writer w = { s, kernel, launches };
    at_status status = atx_sequence_walk(s, slots, write_launch, &w, err);
    ATX_THEN(status, atx_str_status(launches, err));
    if (status != AT_OK)
        atx_str_reset(launches);
    return status;
}
