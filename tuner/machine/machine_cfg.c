/*
 * machine_cfg.c - the place where the ways of a branch meet: the immediate post-dominator of its block, by
 * the iterative algorithm of Cooper, Harvey and Kennedy on the reversed graph.
 *
 * An early `return` would leave branches around it without such a place: all ways then only meet at the end.
 * So edges to blocks that are nothing but a ret are left out if the block has another way, and put back, the
 * last first, for blocks from which the end can then no longer be reached (a loop without another way out).
 */
#include "machine/machine_internal.h"

#include <stdlib.h>

typedef struct graph {
    const atx_ptx_function *f;
    int32_t *block_of;          /* of each instruction */
    int32_t *first;             /* instruction of each block, and one past the last */
    int32_t count;              /* of blocks; number `count` is the end */
    int32_t *start, *edges;     /* successors: edges[start[b] .. start[b + 1]) */
    bool *dropped;              /* of each edge */
    int32_t *into_start, *into; /* predecessors */
    int32_t *order, *place;     /* reverse post-order of the reversed graph; a block's place, -1: unreached */
    int32_t reached;
    int32_t *dominator;
} graph;

static bool ends_way(const atx_ptx_instruction *i)
{
    return i->guard < 0 && (i->op == ATX_PTX_RET || i->op == ATX_PTX_EXIT || i->op == ATX_PTX_TRAP ||
                            i->op == ATX_PTX_BRA || i->op == ATX_PTX_BRX);
}

static bool ends_block(const atx_ptx_instruction *i)
{
    return i->op == ATX_PTX_RET || i->op == ATX_PTX_EXIT || i->op == ATX_PTX_BRA || i->op == ATX_PTX_BRX ||
           i->op == ATX_PTX_TRAP;
}

/* Targets of a branch: *out is borrowed. */
static int targets_of(const int32_t **out, const atx_ptx_function *f, const atx_ptx_instruction *i)
{
    const atx_ptx_operand *o = &f->operands[i->first];
    if (i->op == ATX_PTX_BRA && i->group_count == 1 && i->width[0] == 1 && o->kind == ATX_PTX_LABEL) {
        *out = &o->index;
        return 1;
    }
    if (i->op == ATX_PTX_BRX && i->group_count == 2 && i->width[1] == 1 &&
        o[i->width[0]].kind == ATX_PTX_TABLE) {
        const atx_ptx_table *t = &f->tables[o[i->width[0]].index];
        *out = t->targets;
        return t->count;
    }
    return 0;
}

static void mark_starts(bool *starts, const atx_ptx_function *f)
{
    starts[0] = true;
    for (int32_t k = 0; k < f->instruction_count; k++) {
        const int32_t *targets = NULL;
        const int count = targets_of(&targets, f, &f->instructions[k]);
        for (int i = 0; i < count; i++)
            starts[targets[i]] = true;
        if (ends_block(&f->instructions[k]))
            starts[k + 1] = true;
    }
}

static bool make_blocks(graph *g)
{
    const int32_t n = g->f->instruction_count;
    ATX_FREED bool *starts = calloc((size_t)n + 1, sizeof *starts);
    if (!starts)
        return false;
    mark_starts(starts, g->f);
    for (int32_t k = 0; k < n; k++) {
        if (starts[k])
            g->first[g->count++] = k;
        g->block_of[k] = g->count - 1;
    }
    g->first[g->count] = n;
    g->block_of[n] = g->count;
    return true;
}

static const atx_ptx_instruction *last_of(const graph *g, int32_t b)
{
    return &g->f->instructions[g->first[b + 1] - 1];
}

/* Writes the edges of a block when `edges` is there; returns how many. */
static int32_t block_edges(int32_t *edges, const graph *g, int32_t b)
{
    const int32_t *targets = NULL;
    const atx_ptx_instruction *last = last_of(g, b);
    int32_t count = targets_of(&targets, g->f, last);
    for (int32_t i = 0; edges && i < count; i++)
        edges[i] = g->block_of[targets[i]];
    if (!ends_way(last)) {
        if (edges)
            edges[count] = b + 1;
        count++;
    } else if (count == 0) {
        if (edges)
            edges[0] = g->count;
        count = 1;
    }
    return count;
}

static bool make_edges(graph *g)
{
    int32_t total = 0;
    for (int32_t b = 0; b < g->count; b++) {
        g->start[b] = total;
        total += block_edges(NULL, g, b);
    }
    g->start[g->count] = total;
    g->edges = calloc((size_t)total + 1, sizeof *g->edges);
    g->dropped = calloc((size_t)total + 1, sizeof *g->dropped);
    g->into = calloc((size_t)total + 1, sizeof *g->into);
    if (!g->edges || !g->dropped || !g->into)
        return false;
    for (int32_t b = 0; b < g->count; b++)
        block_edges(g->edges + g->start[b], g, b);
    for (int32_t e = 0; e < total; e++)
        g->into_start[g->edges[e] + 1]++;
    for (int32_t b = 0; b <= g->count; b++)
        g->into_start[b + 1] += g->into_start[b];
    int32_t *next = g->order; /* not in use yet */
    for (int32_t b = 0; b <= g->count; b++)
        next[b] = g->into_start[b];
    for (int32_t b = 0; b < g->count; b++)
        for (int32_t e = g->start[b]; e < g->start[b + 1]; e++)
            g->into[next[g->edges[e]]++] = e;
    return true;
}

static int32_t source_of(const graph *g, int32_t edge)
{
    int32_t low = 0, high = g->count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (g->start[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Post-order from the end backwards, over edges that are not dropped; then turned round. */
static bool walk(graph *g)
{
    int32_t *stack = calloc(2 * ((size_t)g->count + 1), sizeof *stack), depth = 0, n = 0;
    if (!stack)
        return false;
    for (int32_t b = 0; b <= g->count; b++)
        g->place[b] = -1;
    stack[0] = g->count;
    stack[1] = g->into_start[g->count];
    g->place[g->count] = 0;
    for (depth = 1; depth > 0;) {
        const int32_t b = stack[2 * (depth - 1)];
        int32_t *e = &stack[2 * (depth - 1) + 1];
        if (*e == g->into_start[b + 1]) {
            g->order[n++] = b;
            depth--;
            continue;
        }
        const int32_t edge = g->into[(*e)++], from = source_of(g, edge);
        if (!g->dropped[edge] && g->place[from] < 0) {
            g->place[from] = 0;
            stack[2 * depth] = from;
            stack[2 * depth + 1] = g->into_start[from];
            depth++;
        }
    }
    for (int32_t i = 0; i < n / 2; i++) {
        const int32_t other = g->order[n - 1 - i];
        g->order[n - 1 - i] = g->order[i];
        g->order[i] = other;
    }
    for (int32_t i = 0; i < n; i++)
        g->place[g->order[i]] = i;
    g->reached = n;
    free(stack);
    return true;
}

static int32_t meet(const graph *g, int32_t a, int32_t b)
{
    while (a != b) {
        while (g->place[a] > g->place[b])
            a = g->dominator[a];
        while (g->place[b] > g->place[a])
            b = g->dominator[b];
    }
    return a;
}

static void find_dominators(graph *g)
{
    for (int32_t b = 0; b <= g->count; b++)
        g->dominator[b] = -1;
    g->dominator[g->count] = g->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 1; i < g->reached; i++) {
            const int32_t b = g->order[i];
            int32_t found = -1;
            for (int32_t e = g->start[b]; e < g->start[b + 1]; e++) {
                const int32_t to = g->edges[e];
                if (g->dropped[e] || g->place[to] < 0 || g->dominator[to] < 0)
                    continue;
                found = found < 0 ? to : meet(g, found, to);
            }
            changed = changed || found != g->dominator[b];
            g->dominator[b] = found;
        }
    }
}

static bool is_bare_end(const graph *g, int32_t b)
{
    if (b == g->count)
        return true;
    const atx_ptx_instruction *i = &g->f->instructions[g->first[b]];
    return g->first[b + 1] - g->first[b] == 1 && i->guard < 0 &&
           (i->op == ATX_PTX_RET || i->op == ATX_PTX_EXIT);
}

/* Leaves out edges to bare ends; see above. */
static bool drop_ends(graph *g)
{
    for (int32_t b = 0; b < g->count; b++) {
        bool other = false;
        for (int32_t e = g->start[b]; e < g->start[b + 1]; e++)
            other = other || !is_bare_end(g, g->edges[e]);
        for (int32_t e = g->start[b]; e < g->start[b + 1] && other; e++)
            g->dropped[e] = is_bare_end(g, g->edges[e]);
    }
    for (int32_t b = g->count - 1;;) {
        if (!walk(g))
            return false;
        bool back = false;
        for (; b >= 0 && !back; b--)
            for (int32_t e = g->start[b]; e < g->start[b + 1]; e++)
                if (g->place[b] < 0 && g->dropped[e]) {
                    g->dropped[e] = false;
                    back = true;
                }
        if (!back)
            return true;
    }
}

static void graph_clear(graph *g)
{
    free(g->block_of);
    free(g->first);
    free(g->start);
    free(g->edges);
    free(g->dropped);
    free(g->into_start);
    free(g->into);
    free(g->order);
    free(g->place);
    free(g->dominator);
}

static bool graph_make(graph *g)
{
    const size_t room = (size_t)g->f->instruction_count + 3;
    int32_t **const arrays[] = { &g->block_of, &g->first, &g->start,    &g->into_start,
                                 &g->order,    &g->place, &g->dominator };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = calloc(room, sizeof **arrays[i])))
            return false;
    return make_blocks(g) && make_edges(g) && drop_ends(g);
}

at_status atx_find_joins(int32_t **out, const atx_ptx_function *f, at_error *err)
{
    graph g = { .f = f };
    int32_t *joins = calloc((size_t)f->instruction_count + 1, sizeof *joins);
    if (!joins || (f->instruction_count > 0 && !graph_make(&g))) {
        free(joins);
        graph_clear(&g);
        atx_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's branches");
        return AT_ERR_MEMORY;
    }
    if (f->instruction_count > 0)
        find_dominators(&g);
    for (int32_t k = 0; k < f->instruction_count; k++) {
        const int32_t at = g.dominator[g.block_of[k]];
        joins[k] = at >= 0 && at < g.count ? g.first[at] : -1;
    }
    graph_clear(&g);
    *out = joins;
    return AT_OK;
}
