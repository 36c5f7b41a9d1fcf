/* adopt_bounds_axis.c - a grid that no launch gives: by what the kernel compares its indices with. */
#include "exchange/adopt_bounds.h"

#include <string.h>

/* The number of times that a symbol is in a sum of products. */
static atx_poly part_of(const atx_poly *p, int symbol)
{
    atx_poly step = { .count = 0 };
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->terms[i].degree; k++)
            if (p->terms[i].of[k] == symbol) {
                atx_poly one = { .count = 1, .terms = { p->terms[i] } };
                atx_poly_term *term = &one.terms[0];
                memmove(&term->of[k], &term->of[k + 1], (size_t)(term->degree - k - 1) * sizeof *term->of);
                term->degree--;
                step = atx_poly_add(&step, &one, 1);
                break;
            }
    return step;
}

/* The parameters and numbers of a step: BLOCK of width * BLOCK. */
static atx_poly params_of(const atx_bounding *b, const atx_poly *p)
{
    atx_poly step = { .count = 1, .terms = { { .factor = p->terms[0].factor } } };
    const atx_poly_term *from = &p->terms[0];
    for (int k = 0; k < from->degree; k++) {
        const atx_poly_entry *entry = &b->symbols.items[from->of[k]];
        if (entry->kind == ATX_SYMBOL_NAME && entry->tag == ATX_TAG_PARAM)
            step.terms[0].of[step.terms[0].degree++] = from->of[k];
    }
    return step;
}

/* The step of blockIdx in any expression of the kernel, where no comparison has it. */
static void any_step(atx_poly *step, atx_bounding *b, const atx_frame *f, int symbol)
{
    const atx_tokens *t = f->t;
    for (size_t i = f->body.begin; i + 2 < f->body.end && !step->count; i++) {
        if (!atx_tokens_is(t, i, "=") || !atx_tokens_is_word(t, i - 1))
            continue;
        const size_t end = atx_tokens_find(t, i + 1, f->body.end, ";");
        const atx_range value = atx_bounds_value(b, f, (atx_span){ i + 1, atx_code_comma(t, i + 1, end) });
        atx_poly part = part_of(&value.most, symbol);
        long number;
        if (!value.known || !part.count || atx_bounds_of_grid(b, &part))
            continue;
        part = params_of(b, &part);
        if (!(atx_poly_is_number(&number, &part) && number == 1))
            *step = part;
    }
}

bool atx_bounds_of_sizes(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < p->count; i++) {
        bool sizes = p->terms[i].factor == 1 && p->terms[i].degree;
        for (int k = 0; k < p->terms[i].degree && sizes; k++) {
            const atx_poly_entry *of = &b->symbols.items[p->terms[i].of[k]];
            sizes = of->kind == ATX_SYMBOL_NAME && of->tag < ATX_DRAFT_ARGS && b->d->args[of->tag].dim;
        }
        if (!sizes)
            return false;
    }
    return p->count > 0;
}

/* Whether it is larger for larger sizes, and not for parameters alone: a rest below VEC. */
static bool grows(const atx_bounding *b, const atx_poly *p)
{
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->terms[i].degree && p->terms[i].factor > 0; k++)
            if (b->symbols.items[p->terms[i].of[k]].tag != ATX_TAG_PARAM)
                return true;
    return false;
}

/* What a name is given first, as one that a loop without a beginning changes: for (; i < n; i += step). */
static atx_range first_value(atx_bounding *b, const atx_frame *f, atx_span span)
{
    const atx_tokens *t = f->t;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, span.begin);
    const size_t declared =
        span.end == span.begin + 1 ? atx_guards_declaration(t, f->body.begin, name, span.begin) : SIZE_MAX;
    if (declared == SIZE_MAX || !atx_tokens_is(t, declared + 1, "="))
        return (atx_range){ .known = false };
    const size_t end = atx_tokens_find(t, declared, f->body.end, ";");
    return atx_bounds_value(b, f, (atx_span){ declared + 2, atx_code_comma(t, declared + 2, end) });
}

/* a / b, which is all of p, rounded down, or up and less 1; NULL: it is something else. */
static const atx_poly_entry *quotient_of(const atx_bounding *b, const atx_poly *p)
{
    const atx_poly_entry *found = NULL;
    bool whole = p->count == 1 || p->count == 2;
    for (int i = 0; i < p->count && whole; i++) {
        const atx_poly_term *term = &p->terms[i];
        const atx_poly_entry *of = term->degree == 1 ? &b->symbols.items[term->of[0]] : NULL;
        const bool divides = of && (of->kind == ATX_SYMBOL_FLOOR || of->kind == ATX_SYMBOL_CEIL);
        whole = divides ? term->factor == 1 && !found : !term->degree && term->factor == -1;
        found = divides ? of : found;
    }
    return whole ? found : NULL;
}

bool atx_bounds_axis(atx_poly *size, atx_poly *step, atx_bounding *b, const atx_frame *f, int axis)
{
    static const char *const NAMES[] = { "block.x", "block.y", "block.z" };
    const int symbol = atx_poly_named(&b->symbols, NAMES[axis], ATX_TAG_OTHER);
    bool found = false;
    *step = (atx_poly){ .count = 0 };
    for (int k = 0; k < (f->guards ? f->guards->count : 0) && !found; k++) {
        const atx_guard *g = &f->guards->items[k];
        b->blockidx = axis;
        atx_range less = atx_bounds_value(b, f, g->less);
        less = less.known ? less : first_value(b, f, g->less);
        b->blockidx = -1;
        atx_range than = atx_bounds_value(b, f, g->than);
        atx_poly part = part_of(&less.most, symbol);
        const atx_poly_entry *quotient = quotient_of(b, &less.most);
        if (less.known && !part.count && quotient && than.known) { /* i / w < h: i < h * w */
            part = part_of(&quotient->a, symbol);
            than.most = atx_poly_multiply(&b->symbols, &than.most, &quotient->b);
        }
        if (!less.known || !part.count)
            continue;
        if (!than.known || atx_bounds_of_grid(b, &than.most) || !grows(b, &than.most))
            continue;
        *step = part;
        *size = g->inclusive ? atx_range_and_one(than).most : than.most;
        if (axis && atx_bounds_of_grid(b, &part)) /* rows of blocks: what x alone covers */
            *size = *step = atx_poly_number(1);
        found = true;
    }
    b->blockidx = axis;
    if (!found)
        any_step(step, b, f, symbol);
    b->blockidx = -1;
    return found;
}
