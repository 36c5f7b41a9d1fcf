/*
 * export_loops.c - launches in loops, as CUDA C++. Each launch is written with its own numbers and buffers;
 * then repetitions become a loop. So the text has the tuned launches, whatever the declaration says.
 */
#include "compile/sequence.h"
#include "export/export_internal.h"

#include "lang/render_pragmas.h"

#include <stdlib.h>
#include <string.h>

typedef struct texts {
    const atx_launcher *l;
    const atx_sequence *sequence;
    const char *before; /* the definition of the kernels, whose types arguments are cast to */
    atx_str all;
    size_t *begins; /* of each launch in it; one more, its end */
    int count;
} texts;

static at_status add_launch(void *context, const atx_sequence_launch *one, at_error *err)
{
    texts *t = context;
    const atx_sequence *s = t->sequence;
    atx_launcher l = *t->l;
    ATX_LOCAL(atx_str) kernel = { 0 }, text = { 0 };
    const size_t before = strlen(t->before);
    atx_geometry g = { 0 };
    int args[ATX_MAX_ARGS];
    bool has_status = true;
    const int count = atx_sequence_args(args, s, one);
    const atx_launch *launch = s->t ? &s->t->call.steps[one->step].launch : &s->op->expected.launch;
    l.slots = one->slots;
    if (!s->t)
        atx_str_add(&kernel, s->op->expected.reference);
    else if (one->step == 0)
        atx_str_add(&kernel, l.kernel);
    else
        atx_render_kernel(&kernel, s->t, s->t->call.steps[one->step].kernel, one->slots);
    atx_str_add_bytes(&text, t->before, before);
    t->begins[t->count++] = t->all.len;
    at_status status = atx_geometry_of(&g, launch, one->slots, err);
    ATX_THEN(status, atx_export_launch(&text, &l, &(atx_passed){ atx_str_text(&kernel), args, count, !s->t },
                                       &g, &has_status, err));
    ATX_THEN(status, atx_str_status(&text, err));
    if (status == AT_OK)
        atx_str_add_bytes(&t->all, text.data + before, text.len - before);
    t->begins[t->count] = t->all.len;
    return status;
}

static bool are_same(const texts *t, int a, int b, int count)
{
    const size_t length = t->begins[a + count] - t->begins[a];
    return t->begins[b + count] - t->begins[b] == length &&
           memcmp(t->all.data + t->begins[a], t->all.data + t->begins[b], length) == 0;
}

/* How often the `period` launches from one on follow each other. */
static int times_of(const texts *t, int from, int period)
{
    int times = 1;
    while (from + (times + 1) * period <= t->count && are_same(t, from, from + times * period, period))
        times++;
    return times;
}

enum { LONGEST = 8 }; /* period */

static void add_loops(atx_str *out, const texts *t)
{
    for (int i = 0; i < t->count;) {
        int period = 1, times = times_of(t, i, 1);
        for (int p = 2; p <= LONGEST && i + p <= t->count; p++)
            if (times_of(t, i, p) > 1 && times_of(t, i, p) * p > times * period) {
                times = times_of(t, i, p);
                period = p;
            }
        if (times > 1)
            atx_str_addf(out, "    for (int i = 0; i < %d; i++) {\n", times);
        atx_str_add_bytes(out, t->all.data + t->begins[i], t->begins[i + period] - t->begins[i]);
        atx_str_add(out, times > 1 ? "    }\n" : "");
        i += times * period;
    }
}

at_status atx_export_loop_launches(atx_str *out, const atx_launcher *l, bool of_reference, at_error *err)
{
    const atx_sequence sequence = { l->op, of_reference ? NULL : l->t,
                                    of_reference ? &l->op->expected.loops : &l->t->call.loops };
    texts t = { .l = l, .sequence = &sequence, .before = atx_str_text(out) };
    t.begins = calloc(ATX_MAX_LAUNCHES + 1, sizeof *t.begins);
    if (!t.begins)
        return atx_no_memory(err);
    at_status status = atx_sequence_walk(&sequence, l->slots, add_launch, &t, err);
    ATX_THEN(status, atx_str_status(&t.all, err));
    if (status == AT_OK)
        add_loops(out, &t);
    atx_str_clear(&t.all);
    free(t.begins);
    return status;
}
