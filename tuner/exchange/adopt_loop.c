/*
 * adopt_loop.c - loops of the host around the launch, as `repeat` lines. What differs between iterations
 * makes a loop one of the candidate's: its counter in the launch, or buffers that change places in it. One in
 * which every launch is the same may only measure, and is asked about.
 *
 * A counter that goes up or down by one is the iteration itself. Of any other the iteration counts from 0,
 * and the counter is an expression of it: i *= 2 from 1 is 1 << i_step.
 */
#include "exchange/adopt_draft.h"

#include "util/chars.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 4, MOST_TIMES = 1024, MOST_TEXT = 50 };

/* ---- the head of a loop ---- */

/* for (counter = first; counter SIGN limit; counter changes by `by`) */
typedef struct head {
    atx_span first, limit, by;
    char sign[ATX_MAX_WORD], change[ATX_MAX_WORD]; /* "+=", "*=", "<<", ">>" ... */
    bool down, strict;                             /* strict: the limit itself is outside */
} head;

/* "i++", "--i", "i += 2", "i = i * 2", "i >>= 1" */
static bool read_change(head *h, const atx_draft *d, const char *counter, size_t begin, size_t end)
{
    static const char *const SIGNS[] = { "+=", "-=", "*=", "/=", NULL };
    const atx_tokens *t = &d->code;
    size_t at = begin + atx_tokens_is(t, begin, counter);
    const bool one = end == begin + 2;
    if (one && (atx_tokens_is(t, begin, "++") || atx_tokens_is(t, begin + 1, "++"))) {
        strcpy(h->change, "++");
        return true;
    }
    if (one && (atx_tokens_is(t, begin, "--") || atx_tokens_is(t, begin + 1, "--"))) {
        strcpy(h->change, "--");
        return true;
    }
    if (atx_tokens_is(t, at, "=") && atx_tokens_is(t, at + 1, counter))
        at += 2; /* i = i * 2 */
    if (at == begin || at + 1 >= end)
        return false;
    atx_draft_word(h->change, t, at);
    h->by = (atx_span){ at + 1 + atx_tokens_is(t, at + 1, "="), end };
    if (atx_token_is_one_of(t->text, &t->items[at], SIGNS))
        h->change[1] = '\0';
    return h->change[0] && strchr("+-*/<>", h->change[0]);
}

static bool read_head(head *h, atx_draft_loop *loop, const atx_draft *d)
{
    static const char *const SIGNS[] = { "<", "<=", ">", ">=", "!=", NULL };
    const atx_tokens *t = &d->code;
    const size_t open = loop->head + 1, close = atx_tokens_match(t, open);
    const size_t one = atx_tokens_find(t, open + 1, close, ";"),
                 two = atx_tokens_find(t, one + 1, close, ";");
    const size_t equal = atx_tokens_find(t, open + 1, one, "=");
    if (!atx_tokens_is(t, loop->head, "for") || two >= close || equal >= one || equal <= open + 1)
        return false;
    atx_draft_word(loop->counter, t, equal - 1);
    h->first = (atx_span){ equal + 1, atx_code_comma(t, equal + 1, one) };
    if (!loop->counter[0] || !atx_tokens_is(t, one + 1, loop->counter) || one + 3 >= two ||
        !atx_token_is_one_of(t->text, &t->items[one + 2], SIGNS))
        return false;
    atx_draft_word(h->sign, t, one + 2);
    h->limit = (atx_span){ one + 3, two };
    h->strict = !h->sign[1] || h->sign[0] == '!';
    return read_change(h, d, loop->counter, two + 1, close);
}

/* ---- as expressions of declarations ---- */

/* In brackets, if it is more than a name or a number. */
static const char *wrapped(char out[ATX_DRAFT_EXPR], const char *text)
{
    bool plain = true;
    for (const char *at = text; *at; at++)
        plain = plain && atx_is_word_part(*at);
    snprintf(out, ATX_DRAFT_EXPR, plain ? "%s" : "(%.180s)", text);
    return out;
}

static bool express(char out[ATX_DRAFT_EXPR], const atx_draft *d, atx_span span)
{
    atx_str text = { 0 };
    long value;
    bool good = true;
    if (atx_draft_number(&value, d, &d->code, span))
        atx_str_addf(&text, "%ld", value);
    else
        good = atx_draft_expression(&text, d, span, 0);
    good = good && !text.failed && text.len < MOST_TEXT;
    snprintf(out, ATX_DRAFT_EXPR, "%s", good ? atx_str_text(&text) : "");
    atx_str_clear(&text);
    return good;
}

/* What only the host knows, a single name, becomes a size of the problem. */
static bool express_limit(char out[ATX_DRAFT_EXPR], atx_draft *d, atx_span span)
{
    char word[ATX_MAX_WORD];
    if (express(out, d, span))
        return true;
    if (span.end != span.begin + 1 || !atx_tokens_is_word(&d->code, span.begin))
        return false;
    atx_draft_word(word, &d->code, span.begin);
    int k = 0;
    while (k < d->extra_count && strcmp(d->extra[k], word) != 0)
        k++;
    if (k == ATX_DRAFT_EXTRA || !word[0])
        return false;
    if (k == d->extra_count) {
        atx_draft_free_name(d->extra_name[k], d, word);
        memcpy(d->extra[k], word, sizeof word);
        d->extra_counts[k] = true;
        d->extra_count++;
    }
    snprintf(out, ATX_DRAFT_EXPR, "%s", d->extra_name[k]);
    return true;
}

/* i++ and i--: the counter is the iteration. */
static void count_by_one(atx_draft *d, atx_draft_loop *loop, const head *h, const char *first,
                         const char *limit)
{
    char whole[ATX_DRAFT_EXPR], name[ATX_MAX_WORD];
    long value = 0;
    const bool number = atx_draft_number(&value, d, &d->code, h->limit);
    loop->down = h->change[0] == '-';
    atx_draft_free_name(name, d, loop->counter);
    memcpy(loop->name, name, sizeof name);
    snprintf(loop->first, sizeof loop->first, "%s", first);
    if (!h->strict)
        snprintf(loop->last, sizeof loop->last, "%s", limit);
    else if (number)
        snprintf(loop->last, sizeof loop->last, "%ld", loop->down ? value + 1 : value - 1);
    else
        snprintf(loop->last, sizeof loop->last, "%.180s %s 1",
                 strpbrk(limit, "<>=&|?") ? wrapped(whole, limit) : limit, loop->down ? "+" : "-");
    snprintf(loop->value, sizeof loop->value, "%s", name);
}

/* i += by, i -= by */
static void count_by_steps(atx_draft_loop *loop, const head *h, const char *first, const char *limit,
                           const char *by)
{
    char a[ATX_DRAFT_EXPR], b[ATX_DRAFT_EXPR], c[ATX_DRAFT_EXPR], name[ATX_MAX_WORD];
    const bool down = h->change[0] == '-', zero = strcmp(first, "0") == 0;
    const char *from = wrapped(a, down ? limit : first), *to = wrapped(b, down ? first : limit);
    const bool none = strcmp(from, "0") == 0;
    snprintf(loop->last, sizeof loop->last,
             h->strict ? "ceil_div(%.72s%s%.72s, %.40s) - 1" : "(%.72s%s%.72s) / %.40s", to,
             none ? "" : " - ", none ? "" : from, h->strict ? by : wrapped(c, by));
    memcpy(name, loop->name, sizeof name);
    if (zero && !down)
        snprintf(loop->value, sizeof loop->value, "%s * %.72s", name, wrapped(c, by));
    else
        snprintf(loop->value, sizeof loop->value, "%.56s %s %s * %.56s", down ? b : a, down ? "-" : "+", name,
                 wrapped(c, by));
}

/* i *= 2, i <<= 1, i /= 2, i >>= 1 */
static bool count_by_doubling(atx_draft_loop *loop, const head *h, const char *first, const char *limit,
                              const char *by)
{
    char a[ATX_DRAFT_EXPR], b[ATX_DRAFT_EXPR], from[ATX_DRAFT_EXPR], name[ATX_MAX_WORD];
    const bool shifts = strchr("<>", h->change[0]) != NULL, down = strchr("/>", h->change[0]) != NULL;
    if (strcmp(by, shifts ? "1" : "2") != 0)
        return false;
    wrapped(from, first);
    wrapped(a, limit);
    if (!down && h->strict)
        snprintf(b, sizeof b, "(%.72s - 1)", a);
    else if (down && h->strict && strcmp(limit, "0") != 0)
        snprintf(b, sizeof b, "(%.72s + 1)", a);
    else
        snprintf(b, sizeof b, "%.72s", strcmp(limit, "0") == 0 ? "1" : a);
    const char *most = down ? from : b, *least = down ? b : from;
    if (strcmp(least, "1") == 0)
        snprintf(loop->last, sizeof loop->last, "log2(max(%.72s, 1))", most);
    else
        snprintf(loop->last, sizeof loop->last, "log2(max(%.72s / %.72s, 1))", most, least);
    memcpy(name, loop->name, sizeof name);
    snprintf(loop->value, sizeof loop->value, "%.72s %s %s", from, down ? ">>" : "<<", name);
    return true;
}

/* The range of a loop; `last` stays empty where it is not understood. */
static void read_range(atx_draft *d, atx_draft_loop *loop)
{
    head h = { .sign = "" };
    char first[ATX_DRAFT_EXPR], limit[ATX_DRAFT_EXPR], by[ATX_DRAFT_EXPR], name[ATX_MAX_WORD + 8];
    if (!read_head(&h, loop, d) || !express(first, d, h.first) || !express_limit(limit, d, h.limit))
        return;
    if (strcmp(h.change, "++") == 0 || strcmp(h.change, "--") == 0) {
        count_by_one(d, loop, &h, first, limit);
        return;
    }
    if (!express(by, d, h.by))
        return;
    snprintf(name, sizeof name, "%.50s_step", loop->counter);
    atx_draft_free_name(loop->name, d, name);
    strcpy(loop->first, "0");
    if (strchr("+-", h.change[0]))
        count_by_steps(loop, &h, first, limit, by);
    else if (!count_by_doubling(loop, &h, first, limit, by))
        loop->last[0] = '\0';
}

/* ---- which loops ---- */

/* Whether tokens name the counter, or what the loop makes of it. */
static bool mentions(const atx_draft *d, const atx_draft_loop *loop, atx_span span, int depth)
{
    const atx_tokens *t = &d->code;
    for (size_t i = span.begin; i < span.end; i++) {
        char name[ATX_MAX_WORD];
        atx_span value;
        if (!atx_tokens_is_word(t, i))
            continue;
        if (loop->counter[0] && atx_tokens_is(t, i, loop->counter))
            return true;
        atx_draft_word(name, t, i);
        if (depth < MOST_DEPTH && atx_draft_definition(&value, d, name, d->launch.at) &&
            value.begin > loop->head && value.end <= loop->end && mentions(d, loop, value, depth + 1))
            return true;
    }
    return false;
}

/* Whether the counter itself is the block's size: a loop that tries some. */
static bool tries_blocks(const atx_draft *d, const atx_draft_loop *loop)
{
    const atx_tokens *t = &d->code;
    const size_t begin = d->launch.config[1][0], end = d->launch.config[1][1];
    char name[ATX_MAX_WORD];
    atx_span value = { begin, end };
    atx_draft_word(name, t, begin);
    if (end == begin + 1 && !atx_tokens_is(t, begin, loop->counter) &&
        !atx_draft_definition(&value, d, name, d->launch.at))
        return false;
    return loop->counter[0] && atx_tokens_is(t, value.begin, loop->counter) &&
           (value.end == value.begin + 1 || atx_tokens_is(t, value.begin + 1, ","));
}

/* Whether each iteration has a problem of its own: it allocates. */
static bool allocates(const atx_draft *d, const atx_draft_loop *loop)
{
    static const char *const CALLS[] = {
        "cudaMalloc",    "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaMallocPitch",
        "cudaHostAlloc", "cudaHostRegister",  "hipMalloc",       "hipHostMalloc",  NULL
    };
    for (size_t i = loop->head; i < loop->end; i++)
        if (atx_token_is_one_of(d->code.text, &d->code.items[i], CALLS))
            return true;
    return false;
}

/* Of an argument without what chooses a buffer, or a record of the host's: d[i], plan[i].n. */
static bool mentions_argument(const atx_draft *d, const atx_draft_loop *loop, int k)
{
    const atx_tokens *t = &d->code;
    const size_t end = d->launch.args[k][1];
    bool is = false;
    for (size_t i = d->launch.args[k][0]; i < end; i++) {
        const size_t close = atx_tokens_is(t, i + 1, "[") ? atx_tokens_match(t, i + 1) : end;
        if (close < end && (atx_tokens_is(t, close + 1, ".") || atx_tokens_is(t, close + 1, "->") ||
                            (close + 1 == end && k < d->arg_count && d->args[k].stars)))
            i = close;
        else
            is = is || mentions(d, loop, (atx_span){ i, i + 1 }, 0);
    }
    return is;
}

static bool is_counted(const atx_draft *d, const atx_draft_loop *loop)
{
    bool is = false;
    if (tries_blocks(d, loop) || allocates(d, loop))
        return false;
    for (int i = 0; i < d->launch.config_count && i < 3; i++)
        is = is || mentions(d, loop, (atx_span){ d->launch.config[i][0], d->launch.config[i][1] }, 0);
    for (int i = 0; i < d->launch.arg_count; i++)
        is = is || mentions_argument(d, loop, i);
    return is;
}

/* Whether two arguments of the launch are the same but for the variables at tokens x and y. */
static bool are_exchanged(const atx_draft *d, int a, int b, size_t x, size_t y)
{
    const atx_tokens *t = &d->code;
    const size_t n = d->launch.args[a][1] - d->launch.args[a][0];
    bool any = false;
    if (n != d->launch.args[b][1] - d->launch.args[b][0])
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t p = d->launch.args[a][0] + i, q = d->launch.args[b][0] + i;
        if (atx_code_same(t, p, x) && atx_code_same(t, q, y))
            any = true;
        else if (!atx_code_same(t, p, q))
            return false;
    }
    return any;
}

static bool are_alike(const atx_draft *d, int a, int b)
{
    const atx_draft_type *x = &d->args[a].type, *y = &d->args[b].type;
    return d->args[a].stars && d->args[b].stars && x->targ == y->targ &&
           d->args[a].structure == d->args[b].structure &&
           (!x->dtype || !y->dtype ? x->dtype == y->dtype : strcmp(x->dtype, y->dtype) == 0);
}

static void add_swap(const atx_draft *d, atx_draft_loop *loop, size_t x, size_t y)
{
    const int count = d->launch.arg_count < d->arg_count ? d->launch.arg_count : d->arg_count;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            if (a == b || !are_alike(d, a, b) || !are_exchanged(d, a, b, x, y) ||
                loop->swap_count == ATX_DRAFT_SWAPS)
                continue;
            loop->swaps[loop->swap_count][0] = a;
            loop->swaps[loop->swap_count++][1] = b;
        }
}

/* std::swap(a, b); or t = a; a = b; b = t; not in the next loop within. */
static void find_swaps(const atx_draft *d, atx_draft_loop *loop, size_t begin, atx_span inner)
{
    const atx_tokens *t = &d->code;
    for (size_t i = begin; i < loop->end; i++) {
        if (i >= inner.begin && i < inner.end)
            continue;
        if (atx_tokens_is(t, i, "swap") && atx_tokens_is(t, i + 1, "(") && atx_tokens_is(t, i + 3, ",") &&
            atx_tokens_is(t, i + 5, ")"))
            add_swap(d, loop, i + 2, i + 4);
        if (i + 10 < t->count && atx_tokens_is(t, i + 1, "=") && atx_tokens_is(t, i + 3, ";") &&
            atx_tokens_is(t, i + 5, "=") && atx_tokens_is(t, i + 7, ";") && atx_tokens_is(t, i + 9, "=") &&
            atx_code_same(t, i, i + 10) && atx_code_same(t, i + 2, i + 4) && atx_code_same(t, i + 6, i + 8))
            add_swap(d, loop, i + 2, i + 6);
    }
}

static bool is_larger(const char *text, long than)
{
    long value = 0;
    return text[strspn(text, "0123456789")] == '\0' && sscanf(text, "%ld", &value) == 1 && value > than;
}

/* The loops around the launch from the outermost one on by which its iterations differ: itself, or the heads
 * of such loops in it. How many there are. */
static int choose_loops(atx_draft *d, atx_draft_loop all[ATX_HOST_LOOPS])
{
    const atx_host_launch *launch = &d->launch;
    int first = launch->loop_count;
    for (int i = launch->loop_count; i-- > 0;) {
        atx_span inner = { 0, 0 };
        head h = { .sign = "" };
        if (i + 1 < launch->loop_count)
            inner = (atx_span){ launch->loops[i + 1], launch->bodies[i + 1][0] };
        all[i] = (atx_draft_loop){ .head = launch->loops[i], .end = launch->bodies[i][1] };
        (void)read_head(&h, &all[i], d);
        find_swaps(d, &all[i], launch->bodies[i][0],
                   (atx_span){ inner.begin, inner.begin ? all[i + 1].end : 0 });
        if (all[i].swap_count || is_counted(d, &all[i]) || (first == i + 1 && mentions(d, &all[i], inner, 0)))
            first = i;
    }
    memmove(all, all + first, (size_t)(launch->loop_count - first) * sizeof *all);
    return launch->loop_count - first;
}

void atx_draft_loops(atx_draft *d)
{
    atx_draft_loop all[ATX_HOST_LOOPS];
    atx_host_find_loops(&d->launch, &d->code);
    const int count = choose_loops(d, all);
    d->in_loop = d->launch.loop_count > 0 && !count;
    for (int i = 0; i < count; i++) {
        atx_draft_loop *loop = &d->loops[d->loop_count++];
        *loop = all[i];
        read_range(d, loop);
        if (is_larger(loop->last, MOST_TIMES))
            loop->last[0] = '\0';
    }
}

bool atx_draft_launches_with(const atx_draft *d, const char *name)
{
    for (int k = 0; k < 3; k++)
        if (atx_draft_names_word(d->grid[k], name) || atx_draft_names_word(d->block[k], name))
            return true;
    for (int i = 0; i < d->loop_count; i++)
        if (atx_draft_names_word(d->loops[i].first, name) || atx_draft_names_word(d->loops[i].last, name))
            return true;
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].own && atx_draft_names_word(d->args[i].value, name))
            return true;
    return atx_draft_names_word(d->shared_bytes, name);
}

/* Whether what is written differs between the iterations of any loop. */
static bool differs(const atx_draft *d)
{
    bool is = false;
    for (int i = 0; i < d->loop_count; i++)
        is = is || d->loops[i].swap_count ||
             (d->loops[i].name[0] && atx_draft_launches_with(d, d->loops[i].name));
    return is;
}

/* The larger one of two sizes; where nobody knows which that is, what both need. */
static void take_larger(char size[ATX_DRAFT_EXPR], const char *other)
{
    char both[ATX_DRAFT_EXPR];
    const bool numbers =
        other[strspn(other, "0123456789")] == '\0' && size[strspn(size, "0123456789")] == '\0';
    const size_t n = strlen(size) + strlen(other) + strlen("max(, )");
    if (strcmp(size, other) == 0 || !other[0] || (numbers && !is_larger(other, strtol(size, NULL, 10))))
        return;
    if (!numbers && size[0] && n < sizeof both)
        snprintf(both, sizeof both, "max(%s, %s)", size, other);
    else if (numbers || !size[0] || strlen(size) < strlen(other))
        snprintf(both, sizeof both, "%s", other);
    else
        return;
    memcpy(size, both, sizeof both);
}

void atx_draft_finish_loops(atx_draft *d)
{
    if (!differs(d))
        atx_draft_forget_loops(d);
    for (int k = 0; k < d->arg_count && d->loop_count; k++) /* an iteration may write a part of it */
        if (d->args[k].written && !d->args[k].atomic) {
            d->args[k].read = true;
            d->args[k].zeroed = false;
        }
    for (int i = 0; i < d->loop_count; i++)
        for (int k = 0; k < d->loops[i].swap_count; k++) {
            atx_draft_arg *a = &d->args[d->loops[i].swaps[k][0]], *b = &d->args[d->loops[i].swaps[k][1]];
            a->read = a->written = b->read = b->written = true;
            a->zeroed = b->zeroed = false;
            a->dims = b->dims = a->dims | b->dims;
            take_larger(a->size, b->size);
            memcpy(b->size, a->size, sizeof b->size);
        }
}

void atx_draft_forget_loops(atx_draft *d)
{
    for (int i = 0; i < d->arg_count; i++)
        if (d->args[i].own && atx_draft_is_of_iteration(d, d->args[i].value)) {
            d->args[i].own = false;
            d->args[i].value[0] = '\0';
        }
    d->in_loop = d->in_loop || d->loop_count;
    d->loop_count = 0;
}

void atx_draft_write_loops(atx_draft *d)
{
    atx_str *out = &d->out->t;
    for (int i = 0; i < d->loop_count; i++) {
        const atx_draft_loop *loop = &d->loops[i];
        if (loop->last[0])
            atx_str_addf(out, "repeat    %s = %s..%s%s", loop->name, loop->first, loop->last,
                         loop->down ? " down" : "");
        else
            atx_str_add(out, "repeat    4");
        for (int k = 0; k < loop->swap_count; k++)
            atx_str_addf(out, " swap %s %s", d->args[loop->swaps[k][0]].name,
                         d->args[loop->swaps[k][1]].name);
        if (loop->last[0])
            atx_str_addf(out, "  # line %d\n", atx_draft_line(d, &d->code.items[loop->head]));
        else
            atx_draft_ask(d, out, "how often does the host launch it? its loop was not understood");
    }
}
