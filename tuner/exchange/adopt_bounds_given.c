/* adopt_bounds_given.c - what a kernel's name is given: by its declaration, by changes, by clamps. */
#include "exchange/adopt_bounds_place.h"

static const atx_range UNKNOWN = { .known = false };

/* id /= w: of what it had, or is compared with. */
static atx_range quotient(place *p, atx_range had, atx_span by)
{
    const atx_range divisor = atx_place_read(p, p->f->t, by);
    if (!had.known || !divisor.exact)
        return had;
    return atx_range_up_to(atx_poly_divide(&p->b->symbols, &had.most, &divisor.most));
}

/* Whether what a clamp leaves of a name is what it has at `at`: it stands before that, or at the end of the
 * loop. */
static bool reaches(const place *p, const atx_clamp *c, size_t at)
{
    const atx_tokens *t = p->f->t;
    const size_t begin = p->f->body.begin, loop = atx_guards_loop(t, begin, at);
    if (c->head < at)
        return atx_code_open(t, c->head, at);
    const size_t open = atx_guards_around(t, begin, c->head);
    return loop != SIZE_MAX && loop == atx_guards_loop(t, begin, c->head) && open < at &&
           at < atx_tokens_match(t, open);
}

static bool is_clamp(const place *p, size_t i, size_t at)
{
    atx_clamp c;
    return atx_guards_clamp(&c, p->f->t, p->f->body.begin, i) && reaches(p, &c, at);
}

/* if (x >= n) x = n - 1; if (x < 0) x += n; while (x >= n) x -= n. false: the change at token i is none. */
static bool clamped(atx_range *out, place *p, atx_range had, size_t i, atx_span value, size_t at)
{
    const atx_tokens *t = p->f->t;
    atx_clamp c;
    long number;
    const bool sets = atx_tokens_is(t, i + 1, "="), takes = atx_tokens_is(t, i + 1, "-=");
    if ((!sets && !takes && !atx_tokens_is(t, i + 1, "+=")) ||
        !atx_guards_clamp(&c, t, p->f->body.begin, i) || !reaches(p, &c, at))
        return false;
    const atx_range than = atx_place_read(p, t, c.than);
    atx_range given = atx_place_read(p, t, value), kept = had;
    if (!than.known || !given.known || (c.above ? !sets && !takes : takes))
        return false;
    if (c.equal && !(had.known && sets && atx_poly_within(&had.most, &than.most)))
        return false;
    if (c.above || c.equal)
        kept = atx_bounds_limited(
            p->b, c.above && !c.inclusive ? atx_range_up_to(than.most) : atx_range_below(than.most), had);
    if (takes) /* less than it had: what is left of a second round */
        given = had.known && given.exact && !atx_tokens_is(t, c.head, "while")
                    ? atx_range_up_to(atx_poly_add(&had.most, &given.most, -1))
                    : kept;
    else if (!sets)
        given = atx_range_below(given.most);
    const bool small = atx_poly_is_number(&number, &given.most) && !atx_poly_is_number(&number, &kept.most);
    *out = kept.known && !small ? atx_range_larger(&p->b->symbols, kept, given)
                                : kept; /* 0, where n is at least that */
    out->exact = false;
    out->least = c.above || c.equal ? had.least : 0;
    return true;
}

/* What a change of the name at token i, behind its declaration, gives it: the first is what it had. */
static atx_range changed(place *p, atx_range had, size_t i, size_t declared, size_t at)
{
    const atx_tokens *t = p->f->t;
    const size_t end = atx_tokens_find(t, i, p->f->body.end, ";");
    const size_t comma = atx_code_comma(t, i + 2, end);
    size_t close = i + 2; /* for (...; i = j) */
    while (close < comma && !atx_tokens_is(t, close, ")"))
        close = atx_tokens_opens(t, close) ? atx_tokens_match(t, close) + 1 : close + 1;
    const atx_span value = { i + 2, close < comma ? close : comma };
    const bool steps = atx_tokens_is(t, i + 1, "++") || (i && atx_tokens_is(t, i - 1, "++"));
    atx_range clamp;
    if (clamped(&clamp, p, had, i, value, at))
        return clamp;
    if (atx_tokens_is(t, i + 1, "=")) {
        const atx_range given = atx_place_read(p, t, value);
        const bool always =
            atx_tokens_is(t, i - 1, ";") || atx_tokens_is(t, i - 1, "{") || atx_tokens_is(t, i - 1, "}");
        if (always && i < at && atx_code_open(t, i, at))
            return given;
        return had.known ? atx_range_larger(&p->b->symbols, had, given) : given;
    }
    if (atx_tokens_is(t, i + 1, "/=") && i < at && atx_code_open(t, i, at) &&
        atx_guards_loop(t, p->f->body.begin, i) == SIZE_MAX)
        return quotient(p, atx_bounds_limited(p->b, atx_place_bound(p, (atx_span){ i, i + 1 }, i), had),
                        value);
    if (atx_tokens_is(t, i + 1, "%=") && i < at && atx_code_open(t, i, at)) {
        const atx_range divisor = atx_place_read(p, t, value), rest = atx_range_below(divisor.most);
        const bool less = had.known && atx_poly_within(&had.most, &rest.most);
        return divisor.known && !less ? rest : had;
    }
    if (!steps && !atx_tokens_is(t, i + 1, "+="))
        return atx_tokens_is(t, i + 1, "*=") || atx_tokens_is(t, i + 1, "|=") ? UNKNOWN : had;
    const atx_range by = steps ? atx_range_exactly(atx_poly_number(1)) : atx_place_read(p, t, value);
    const size_t own = atx_guards_loop(t, p->f->body.begin, declared);
    const bool counts = own != SIZE_MAX && own < declared && declared < atx_tokens_match(t, own + 1);
    atx_range times = atx_place_trips(p, i, counts ? own - 1 : declared);
    if (i > at && times.known) /* the last change is behind the last use */
        times = atx_range_below(times.most);
    if (!had.known || !by.known || !times.known)
        return UNKNOWN;
    const atx_poly more = atx_poly_multiply(&p->b->symbols, &by.most, &times.most);
    atx_range all = atx_range_up_to(atx_poly_add(&had.most, &more, 1));
    all.least = had.least;
    return all;
}

atx_range atx_place_given(place *p, atx_range *had, size_t declared, size_t at)
{
    static const char *const SIGNS[] = { "=", "+=", "-=", "*=", "/=", "%=", "++", "--", "|=", NULL };
    const atx_tokens *t = p->f->t;
    const atx_span name = { declared, declared + 1 };
    atx_range value = UNKNOWN;
    bool changes = false;
    atx_arm last = { 0, 0 };
    if (atx_tokens_is(t, declared + 1, "=")) {
        const size_t end = atx_tokens_find(t, declared, p->f->body.end, ";");
        value = atx_place_read(p, t, (atx_span){ declared + 2, atx_code_comma(t, declared + 2, end) });
    } else if (atx_tokens_is(t, declared + 1, "(") || atx_tokens_is(t, declared + 1, "{")) {
        value = atx_place_read(p, t, (atx_span){ declared + 2, atx_tokens_match(t, declared + 1) });
    } else if (declared < p->f->body.begin) {
        char word[ATX_MAX_WORD];
        atx_draft_word(word, t, declared);
        value = atx_bounds_argument(p->b, word);
    }
    const size_t loop = atx_guards_loop(t, p->f->body.begin, at);
    const bool own = loop == SIZE_MAX || loop < declared || atx_place_set(p, declared, loop, at);
    const size_t stop = own ? at : atx_guards_statement(t, loop, p->f->body.end);
    *had = UNKNOWN;
    for (size_t i = declared + 2; i < stop; i++)
        if (atx_guards_same(t, name, (atx_span){ i, i + 1 }) && !atx_guards_member(t, i) &&
            (atx_token_is_one_of(t->text, &t->items[i + 1], SIGNS) ||
             atx_token_is_one_of(t->text, &t->items[i - 1], SIGNS + 6)) &&
            !(i > declared + 2 && atx_guards_another(t, p->f->body.begin, declared, i))) {
            const atx_arm arm = atx_guards_arm(t, p->f->body, i);
            const bool beside = arm.of && arm.of == last.of && arm.begin != last.begin && !is_clamp(p, i, at);
            *had = beside ? *had : value;
            const atx_range next = changed(p, *had, i, declared, at);
            value = beside ? atx_range_larger(&p->b->symbols, value, next) : next;
            last = arm;
            changes = true;
        }
    value.exact = value.exact && !changes;
    return value;
}
