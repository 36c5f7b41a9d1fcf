/* pack_map.c - maps of a pack by asking it, spots by walking its tree. */
#include "pack/pack_map.h"

#include "pack/pack_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- maps ---- */

static atx_bounds bounds_of(const atx_pack_ranges *ranges)
{
    atx_bounds all = ranges->items[0];
    for (int i = 1; i < ranges->count; i++) {
        all.low = ranges->items[i].low < all.low ? ranges->items[i].low : all.low;
        all.high = ranges->items[i].high > all.high ? ranges->items[i].high : all.high;
    }
    return all;
}

/* The dimension with the widest range, not `but`; -1: none varies. */
static int widest(const atx_pack_domain *d, int but)
{
    int best = -1;
    double most = 1;
    for (int i = d->op->shape.dim_count - 1; i >= 0; i--) {
        const atx_bounds range = bounds_of(&d->dims[i]);
        const double factor = (double)range.high / (double)range.low;
        if (i != but && factor > most) {
            most = factor;
            best = i;
        }
    }
    return best;
}

static int64_t even_or_odd(int64_t size, bool odd, atx_bounds range)
{
    int64_t step = 64;
    while (step > size)
        step /= 2;
    size = size / step * step + odd;
    return size < range.low ? range.low : size > range.high ? range.high : size;
}

/* Different sizes, the least first; returns how many. */
static int spread(int64_t *sizes, int most, atx_bounds range, bool odd)
{
    const double low = log((double)range.low), high = log((double)range.high);
    int count = 0;
    for (int i = 0; i < most; i++) {
        const double at = most > 1 ? low + (high - low) * i / (most - 1) : low;
        const int64_t size = even_or_odd((int64_t)(exp(at) + 0.5), odd, range);
        if (count == 0 || size > sizes[count - 1])
            sizes[count++] = size;
    }
    return count;
}

static int kernel_at(const atx_pack *pack, const int64_t *sizes)
{
    atx_geometry unused;
    atx_problem problem;
    const atx_op *op = pack->domain.op;
    return atx_problem_init(&problem, op, pack->domain.type, sizes, op->shape.dim_count, NULL) == AT_OK
               ? atx_pack_find(&unused, pack, &problem)
               : -1;
}

void atx_pack_map_fill(atx_pack_map *map, const atx_pack *pack, int width, int height, bool odd)
{
    const atx_pack_domain *d = &pack->domain;
    int64_t sizes[ATX_MAX_DIMS];
    const int first = widest(d, -1), second = first < 0 ? -1 : widest(d, first);
    *map = (atx_pack_map){ .x = first > second ? first : second, .y = first > second ? second : first };
    for (int i = 0; i < d->op->shape.dim_count; i++)
        sizes[i] = bounds_of(&d->dims[i]).low;
    map->x = map->x < 0 ? d->op->shape.dim_count - 1 : map->x;
    map->width = spread(map->xs, width, bounds_of(&d->dims[map->x]), odd);
    map->height = map->y < 0 ? 1 : spread(map->ys, height, bounds_of(&d->dims[map->y]), odd);
    for (int y = 0; y < map->height; y++)
        for (int x = 0; x < map->width; x++) {
            sizes[map->x] = map->xs[x];
            if (map->y >= 0)
                sizes[map->y] = map->ys[y];
            map->kernels[y][x] = (short)kernel_at(pack, sizes);
        }
}

/* ---- spots ---- */

static void add_comparison(atx_str *out, const atx_op *op, const atx_pack_node *node, bool holds)
{
    if (out->len)
        atx_str_add(out, ", ");
    if (node->test == ATX_PACK_AT_MOST && node->which < -1)
        atx_pack_add_product(out, op, node->which);
    else if (node->test == ATX_PACK_AT_MOST)
        atx_str_add(out, node->which < 0 ? "all sizes' product" : atx_pack_number_name(op, node->which));
    if (node->test == ATX_PACK_AT_MOST)
        atx_str_addf(out, " %s %" PRId64, holds ? "<=" : ">", node->value);
    else if (node->test == ATX_PACK_MULTIPLE)
        atx_str_addf(out, "%s %% %" PRId64 " %s 0", atx_pack_number_name(op, node->which), node->value,
                     holds ? "=" : "!=");
    else
        atx_str_addf(out, "%s %saligned to %" PRId64, op->args[op->shape.aligns[node->which].arg].name,
                     holds ? "" : "not ", node->value);
}

typedef struct walk {
    const atx_pack *pack;
    atx_pack_spot *spots;
    int most, count;
} walk;

static double lost(const atx_pack_node *leaf)
{
    return leaf->loss * leaf->problems;
}

/* In its place, if it is among the worst. */
static void insert(walk *w, const atx_pack_node *leaf, const atx_str *where)
{
    int at = w->count;
    while (at > 0 && lost(w->spots[at - 1].leaf) < lost(leaf))
        at--;
    if (at == w->most)
        return;
    if (w->count == w->most)
        atx_str_clear(&w->spots[--w->count].where);
    memmove(&w->spots[at + 1], &w->spots[at], (size_t)(w->count - at) * sizeof *w->spots);
    w->spots[at] = (atx_pack_spot){ .leaf = leaf };
    atx_str_add(&w->spots[at].where, atx_str_text(where));
    w->count++;
}

static void visit(walk *w, int node,
                  const atx_str *where) // NOLINT(misc-no-recursion): nodes go on to later ones
{
    const atx_pack_node *n = &w->pack->nodes[node];
    if (n->test == ATX_PACK_LEAF) {
        insert(w, n, where);
        return;
    }
    for (int holds = 1; holds >= 0; holds--) {
        atx_str longer = { 0 };
        atx_str_add(&longer, atx_str_text(where));
        add_comparison(&longer, w->pack->domain.op, n, holds);
        visit(w, holds ? n->yes : n->no, &longer);
        atx_str_clear(&longer);
    }
}

int atx_pack_spots(atx_pack_spot *out, int most, const atx_pack *pack)
{
    const atx_str everywhere = { 0 };
    walk w = { pack, out, most, 0 };
    visit(&w, 0, &everywhere);
    return w.count;
}
