/* adopt_sizes_fragment.c - how far wmma's loads and stores reach: rows of the stride that they are given, as
 * many and as long as the fragment's type says. */
#include "exchange/adopt_host.h"
#include "exchange/adopt_sizes.h"

enum { USUAL = 16 }; /* rows and columns of a fragment whose type is not found */

static bool has(const atx_tokens *t, atx_span span, const char *word)
{
    while (span.begin < span.end && !atx_tokens_is(t, span.begin, word))
        span.begin++;
    return span.begin < span.end;
}

/* The '<' of the type of the fragment that is named at token i: "fragment<...> f", "auto f =
 * fragment<...>()". 0: it is not found. */
static size_t type_of(const atx_frame *f, size_t i)
{
    const atx_tokens *t = f->t;
    char name[ATX_MAX_WORD];
    atx_draft_word(name, t, i);
    const size_t declared = name[0] ? atx_guards_declaration(t, f->body.begin, name, i - 1) : SIZE_MAX;
    if (declared == SIZE_MAX)
        return 0;
    size_t angle = atx_tokens_find(t, declared, atx_tokens_find(t, declared, i, ";"), "<");
    for (size_t k = declared; k-- > f->body.begin && !atx_tokens_is(t, k, ";") && !atx_tokens_is(t, k, "{");)
        if (atx_tokens_is(t, k, ">") && t->items[k].pair < k)
            angle = t->items[k].pair;
    return angle && atx_tokens_is(t, angle - 1, "fragment") ? angle : 0;
}

/* The numbers of rows and of columns, as they lie in memory. false: not found. */
static bool shape_of(atx_range *rows, atx_range *columns, atx_bounding *b, const atx_frame *f, size_t open)
{
    const atx_tokens *t = f->t;
    size_t angle = 0;
    for (int n = 0; n < 2 && !angle; n++) /* load(fragment, p, stride), store(p, fragment, stride) */
        if (atx_tokens_is_word(t, atx_host_nth(t, open, n).begin))
            angle = type_of(f, atx_host_nth(t, open, n).begin);
    if (!angle)
        return false;
    const atx_span kind = atx_host_nth(t, angle, 0);
    const bool is_a = has(t, kind, "matrix_a"), is_b = has(t, kind, "matrix_b");
    const bool swap =
        has(t, is_a || is_b ? atx_host_nth(t, angle, 5) : atx_host_nth(t, open, 3), "mem_col_major") ||
        has(t, is_a || is_b ? atx_host_nth(t, angle, 5) : atx_host_nth(t, open, 3), "col_major");
    const atx_range m = atx_bounds_of(b, f, atx_host_nth(t, angle, is_b ? 3 : 1));
    const atx_range n = atx_bounds_of(b, f, atx_host_nth(t, angle, is_a ? 3 : 2));
    *rows = swap ? n : m;
    *columns = swap ? m : n;
    return m.exact && n.exact;
}

atx_range atx_draft_fragment(atx_bounding *b, const atx_frame *f, size_t open)
{
    const atx_poly one = atx_poly_number(1);
    atx_range rows = atx_range_exactly(atx_poly_number(USUAL)), columns = rows;
    atx_range all = atx_bounds_of(b, f, atx_host_nth(f->t, open, 2));
    if (!shape_of(&rows, &columns, b, f, open))
        rows = columns = atx_range_exactly(atx_poly_number(USUAL));
    rows.most = atx_poly_add(&rows.most, &one, -1);
    columns.most = atx_poly_add(&columns.most, &one, -1);
    all.most = atx_poly_multiply(&b->symbols, &all.most, &rows.most);
    all.most = atx_poly_add(&all.most, &columns.most, 1);
    all.exact = false;
    return all;
}
