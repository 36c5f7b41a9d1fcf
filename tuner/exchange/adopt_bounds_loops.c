/* adopt_bounds_loops.c - loops of a kernel: how often they run, and the last value of what they count. */
#include "exchange/adopt_bounds_place.h"

static const atx_range UNKNOWN = { .known = false };

/* From its first to its last value, both of the same block: a <= first + n - 1 is n - 1. */
static bool span_of(atx_poly *out, place *p, const atx_for_header *h)
{
    atx_bounding *b = p->b;
    const int before = b->blockidx;
    const size_t body = atx_guards_statement(p->f->t, h->close + 1, p->f->body.end) - 1;
    b->blockidx = ATX_ALL_AXES;
    const atx_range last =
        atx_place_bound(p, (atx_span){ h->name, h->name + 1 }, h->close + 1 < body ? h->close + 1 : body);
    const atx_range first = atx_place_read(p, p->f->t, h->first);
    b->blockidx = before;
    if (!last.known || !first.known)
        return false;
    *out = first.exact ? atx_poly_add(&last.most, &first.most, -1) : last.most;
    return !out->bad && !atx_bounds_of_grid(b, out);
}

static atx_range loop_trips(place *p, size_t loop)
{
    atx_for_header h;
    atx_poly span;
    if (!atx_guards_for(&h, p->f->t, loop) || !span_of(&span, p, &h))
        return UNKNOWN;
    const atx_range by = h.step.begin < h.step.end ? atx_place_read(p, p->f->t, h.step) : UNKNOWN;
    if (by.exact)
        span = atx_poly_divide(&p->b->symbols, &span, &by.most);
    return atx_range_and_one(atx_range_up_to(span));
}

/* for (k = 0; k < n; k += STEP): the last multiple of STEP below n. */
atx_range atx_place_stepped(place *p, atx_range last, size_t declared, size_t at)
{
    const atx_tokens *t = p->f->t;
    atx_for_header h;
    atx_poly span;
    size_t loop = atx_guards_loop(t, p->f->body.begin, at);
    while (loop != SIZE_MAX && loop > declared)
        loop = atx_guards_loop(t, p->f->body.begin, loop);
    if (loop == SIZE_MAX || !last.known || !atx_guards_for(&h, t, loop) || h.name != declared ||
        h.step.begin >= h.step.end)
        return last;
    const atx_range by = atx_place_read(p, t, h.step), first = atx_place_read(p, t, h.first);
    p->b->blockidx = ATX_ALL_AXES;
    const bool exact = atx_place_read(p, t, h.first).exact; /* in all threads of a block */
    p->b->blockidx = -1;
    if (!by.exact || !exact || !first.known || !span_of(&span, p, &h))
        return last;
    span = atx_poly_divide(&p->b->symbols, &span, &by.most);
    span = atx_poly_multiply(&p->b->symbols, &span, &by.most);
    last.most = atx_poly_add(&first.most, &span, 1);
    return last;
}

bool atx_place_set(const place *p, size_t declared, size_t loop, size_t at)
{
    const atx_tokens *t = p->f->t;
    for (size_t i = loop + 1; i < at; i++)
        if (atx_tokens_is(t, i + 1, "=") && atx_code_same(t, i, declared) && atx_code_open(t, i, at) &&
            (atx_tokens_is(t, i - 1, ";") || atx_tokens_is(t, i - 1, "{") || atx_tokens_is(t, i - 1, "}")) &&
            atx_tokens_find(t, i, at, ";") < at)
            return true;
    return false;
}

atx_range atx_place_moved(place *p, size_t name, size_t from, size_t at)
{
    const atx_tokens *t = p->f->t;
    atx_range all = atx_range_exactly(atx_poly_number(0));
    for (size_t i = from; i + 1 < at && all.known; i++) {
        const bool one = atx_tokens_is(t, i + 1, "++") || atx_tokens_is(t, i - 1, "++");
        if (!atx_code_same(t, i, name) || atx_guards_member(t, i) || !(one || atx_tokens_is(t, i + 1, "+=")))
            continue;
        const size_t around = atx_guards_around(t, p->f->body.begin, i);
        const size_t loop = atx_guards_loop(t, p->f->body.begin, i);
        if ((around != SIZE_MAX && atx_tokens_is(t, around, "(")) || !atx_code_open(t, i, at))
            continue; /* for (...; i += n); in another branch */
        if (loop != SIZE_MAX && loop > from)
            return UNKNOWN;
        const size_t end = atx_code_comma(t, i + 2, atx_tokens_find(t, i, p->f->body.end, ";"));
        const atx_range by =
            one ? atx_range_exactly(atx_poly_number(1)) : atx_place_read(p, t, (atx_span){ i + 2, end });
        all.known = by.known;
        all.most = by.known ? atx_poly_add(&all.most, &by.most, 1) : all.most;
    }
    return all;
}

/* p += a; in one branch of an if and p += b; in the other one: the larger step. */
void atx_bounds_step(atx_bounding *b, const atx_frame *f, atx_bound_name *p, size_t i, atx_range all,
                     atx_range other)
{
    const atx_arm arm = atx_guards_arm(f->t, f->body, i);
    const bool beside = arm.of && arm.of == p->arm.of && arm.begin != p->arm.begin;
    p->before = beside ? p->before : p->from;
    p->from = beside ? atx_range_larger(&b->symbols, p->from, other) : all;
    p->arm = arm;
}

/* All loops around token `at` that begin behind `from`. */
atx_range atx_place_trips(place *p, size_t at, size_t from)
{
    atx_range all = atx_range_exactly(atx_poly_number(1));
    size_t loop = atx_guards_loop(p->f->t, p->f->body.begin, at);
    for (; loop != SIZE_MAX && loop > from && all.known;
         loop = atx_guards_loop(p->f->t, p->f->body.begin, loop)) {
        atx_range one = loop_trips(p, loop);
        if (!one.known)
            return UNKNOWN;
        if (at < atx_tokens_match(p->f->t, loop + 1)) /* for (...; at): the last time nothing follows */
            one = atx_range_below(one.most);
        all = atx_range_up_to(atx_poly_multiply(&p->b->symbols, &all.most, &one.most));
    }
    return all;
}
