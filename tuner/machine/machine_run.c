/*
 * machine_run.c - a launch: clusters one after the other, the warps of their blocks in turn. A warp runs
 * until it waits, ends, or has had its turn, so that one that waits for another by looking does not keep it
 * from coming.
 */
#include "machine/machine_mbarrier.h"

#include <stdlib.h>

enum { TURN = 20000 }; /* instructions */

#define DEFAULT_WARP_BUDGET ((int64_t)1 << 28)

/* ---- the shape of a launch ---- */

static bool is_size(const uint32_t size[3], const uint32_t limit[3])
{
    for (int k = 0; k < 3; k++)
        if (size[k] < 1 || size[k] > limit[k])
            return false;
    return true;
}

static at_status take_shape(atx_exec *x, at_error *err)
{
    static const uint32_t GRID[3] = { INT32_MAX, 65535, 65535 }, BLOCK[3] = { 1024, 1024, 64 };
    const atx_machine_launch *l = x->launch;
    const atx_ptx_function *f = &x->machine->module->functions[l->function];
    const bool own = !l->cluster[0];
    for (int k = 0; k < 3; k++) {
        x->grid[k] = l->grid[k];
        x->size[k] = l->block[k];
        x->cluster[k] = own ? (uint32_t)(f->cluster[k] ? f->cluster[k] : 1) : l->cluster[k];
    }
    if (!is_size(x->grid, GRID) || !is_size(x->size, BLOCK) || x->size[0] * x->size[1] * x->size[2] > 1024) {
        atx_fail(err, AT_ERR_USAGE, "a grid of %ux%ux%u blocks of %ux%ux%u threads cannot be launched",
                 x->grid[0], x->grid[1], x->grid[2], x->size[0], x->size[1], x->size[2]);
        return AT_ERR_USAGE;
    }
    x->thread_count = (int32_t)(x->size[0] * x->size[1] * x->size[2]);
    x->warp_count = (x->thread_count + ATX_LANES - 1) / ATX_LANES;
    const int32_t most = f->block[0] ? f->block[0] * f->block[1] * f->block[2] : 1024;
    if (x->thread_count > most || (f->block_required && x->thread_count != most)) {
        atx_fail(err, AT_ERR_USAGE, "blocks of %d threads; kernel '%s' says %s%d", x->thread_count, f->name,
                 f->block_required ? "" : "at most ", most);
        return AT_ERR_USAGE;
    }
    return AT_OK;
}

static at_status take_cluster(atx_exec *x, at_error *err)
{
    uint64_t blocks = 1;
    for (int k = 0; k < 3; k++) {
        blocks *= x->cluster[k];
        if (!x->cluster[k] || blocks > ATX_MAX_CLUSTER || x->grid[k] % x->cluster[k]) {
            atx_fail(err, AT_ERR_USAGE,
                     "clusters of %ux%ux%u blocks; expected at most %d, that divide the grid of %ux%ux%u",
                     x->cluster[0], x->cluster[1], x->cluster[2], ATX_MAX_CLUSTER, x->grid[0], x->grid[1],
                     x->grid[2]);
            return AT_ERR_USAGE;
        }
    }
    x->block_count = (int32_t)blocks;
    return AT_OK;
}

static at_status take_memory(atx_exec *x, at_error *err)
{
    const atx_machine_launch *l = x->launch;
    const atx_ptx_function *f = &x->machine->module->functions[l->function];
    if (l->argument_bytes != f->param_bytes) {
        atx_fail(err, AT_ERR_USAGE, "%lld bytes of arguments; kernel '%s' takes %lld",
                 (long long)l->argument_bytes, f->name, (long long)f->param_bytes);
        return AT_ERR_USAGE;
    }
    if (l->shared_bytes < 0 || f->shared_bytes + l->shared_bytes > (1 << 20)) {
        atx_fail(err, AT_ERR_USAGE, "%lld bytes of shared memory; expected at most 2^20",
                 (long long)(f->shared_bytes + l->shared_bytes));
        return AT_ERR_USAGE;
    }
    x->shared_bytes = l->shared_bytes ? (f->shared_bytes + 15) / 16 * 16 + l->shared_bytes : f->shared_bytes;
    if (x->program->uses_reserved) /* behind all that the kernel knows of */
        x->shared_bytes = (x->shared_bytes + 127) / 128 * 128 + ATX_RESERVED_BYTES;
    return AT_OK;
}

/* ---- blocks ---- */

static bool warp_open(atx_exec *x, atx_warp *w, int32_t number)
{
    const atx_code *code = &x->program->functions[x->launch->function];
    w->number = number;
    w->slots = code->slots;
    w->local_bytes = code->function->local_bytes;
    w->registers = calloc((size_t)code->slots * ATX_LANES, sizeof *w->registers);
    w->local = w->local_bytes ? calloc(ATX_LANES, (size_t)w->local_bytes) : NULL;
    for (uint32_t lane = 0; lane < ATX_LANES; lane++) {
        const uint32_t thread = (uint32_t)number * ATX_LANES + lane;
        w->tid[0][lane] = thread % x->size[0];
        w->tid[1][lane] = thread / x->size[0] % x->size[1];
        w->tid[2][lane] = thread / x->size[0] / x->size[1];
    }
    return w->registers && (w->local || !w->local_bytes);
}

static void warp_begin(atx_exec *x, atx_warp *w)
{
    const int32_t lanes = x->thread_count - w->number * ATX_LANES;
    w->alive = lanes >= ATX_LANES ? UINT32_MAX : (1u << lanes) - 1;
    w->current = 0;
    w->node_count = 1;
    w->nodes[0] = (atx_node){
        .state = ATX_NODE_RUNS, .mask = w->alive, .function = x->launch->function, .join = -1, .above = -1
    };
    w->executed = 0;
    w->carry = w->cluster_arrived = w->cluster_waits = 0;
    w->cluster_phase = w->cluster_target = 0;
    w->copy_count = 0;
    memset(w->committed, 0, sizeof w->committed);
    memset(w->bulk_committed, 0, sizeof w->bulk_committed);
    w->awaited_when = 0;
}

static bool blocks_open(atx_exec *x)
{
    for (int32_t k = 0; k < x->block_count; k++) {
        atx_block *b = &x->blocks[k];
        b->rank = k;
        b->shared = calloc(1, (size_t)x->shared_bytes + 16);
        b->warps = calloc((size_t)x->warp_count, sizeof *b->warps);
        if (!b->shared || !b->warps)
            return false;
        for (int32_t i = 0; i < x->warp_count; i++)
            if (!warp_open(x, &b->warps[i], i))
                return false;
    }
    return true;
}

static void blocks_close(atx_exec *x)
{
    for (int32_t k = 0; k < ATX_MAX_CLUSTER; k++) {
        atx_block *b = &x->blocks[k];
        for (int32_t i = 0; b->warps && i < x->warp_count; i++) {
            free(b->warps[i].registers);
            free(b->warps[i].local);
            free(b->warps[i].copies);
        }
        free(b->warps);
        free(b->shared);
    }
}

static void look_at(atx_exec *x, atx_block *b)
{
    x->block = b;
    x->at.block = b->number;
    memcpy(x->at.block_at, b->at, sizeof b->at);
    x->at.rank = b->rank;
    x->at.warp_count = x->warp_count;
    x->at.thread_count = x->thread_count;
    x->at.shared_bytes = x->shared_bytes;
}

static bool tell_block(atx_exec *x, bool (*callback)(void *, const atx_machine_at *))
{
    if (!callback)
        return true;
    x->at.function = &x->machine->module->functions[x->launch->function];
    x->at.instruction = NULL;
    x->at.index = -1;
    x->at.warp = 0;
    x->at.mask = 0;
    if (callback(x->watch->context, &x->at))
        return true;
    x->warp = &x->block->warps[0];
    return atx_find_fault(x, ATX_FINDING_STOPPED, 0, "the watch has ended the launch");
}

static bool block_begin(atx_exec *x, atx_block *b, const uint32_t at[3])
{
    memcpy(b->at, at, sizeof b->at);
    b->number = at[0] + (int64_t)x->grid[0] * (at[1] + (int64_t)x->grid[1] * at[2]);
    if (!x->launch->leftover || x->result->blocks < x->block_count)
        memset(b->shared, 0xcd ^ x->launch->swapped, (size_t)x->shared_bytes);
    memset(b->barriers, 0, sizeof b->barriers);
    for (int32_t i = 0; i < x->warp_count; i++)
        warp_begin(x, &b->warps[i]);
    look_at(x, b);
    x->result->blocks++;
    return tell_block(x, x->watch ? x->watch->block_begin : NULL);
}

/* ---- a warp's turn ---- */

/* A node that can go on; the one that did, if it can. NULL: all wait, or none is left. */
static atx_node *next_node(atx_exec *x, bool another)
{
    atx_warp *w = x->warp;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < w->node_count; i++) {
            const int32_t k = (w->current + i + another) % w->node_count;
            if (w->nodes[k].state == ATX_NODE_RUNS) {
                w->current = k;
                return &w->nodes[k];
            }
        }
        if (!atx_release_warp(x) || x->stop)
            return NULL;
    }
    return NULL;
}

static void enter_node(atx_exec *x, atx_node *n)
{
    x->node = n;
    x->code = &x->program->functions[n->function];
    x->registers = x->warp->registers + (size_t)n->registers * ATX_LANES;
    x->at.function = x->code->function;
}

static uint32_t lanes_of(const uint64_t *members, uint32_t mask, int lane)
{
    uint32_t same = 0;
    for (int l = 0; l < ATX_LANES; l++)
        same |= (uint32_t)((mask >> l & 1) && (uint32_t)members[l] == (uint32_t)members[lane]) << l;
    return same;
}

/*
 * An instruction of all lanes that its last operand names, which may be others of each lane: tiles of a warp
 * each name their own. Those whose lanes are all there run; others wait, and go apart where they must.
 */
static void run_together(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t members[ATX_LANES];
    const uint32_t there = x->node->mask;
    memcpy(members, atx_group(x, d, d->ptx->group_count - 1), sizeof members);
    while (mask && !x->stop) {
        const int lane = atx_first_lane(mask);
        const uint32_t same = lanes_of(members, mask, lane),
                       wanted = (uint32_t)members[lane] & x->warp->alive;
        const uint32_t lacking = wanted & ~same;
        mask &= ~same;
        x->at.mask = same;
        if (lacking & there)
            atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(lacking & there),
                           "%s.sync of lanes 0x%08x, of which 0x%08x do not take part",
                           atx_ptx_op_name(d->ptx->op), wanted, lacking);
        else if (!lacking)
            d->run(x, d, same);
        else if (same != x->node->mask)
            atx_diverge(x, same, x->node->pc - 1, -1);
        else {
            x->node->state = ATX_NODE_AT_WARP;
            x->node->wanted = wanted;
            x->node->pc--;
        }
    }
}

static bool blocks_lanes(const atx_decoded *d)
{
    return d->ptx->op == ATX_PTX_BAR && d->ptx->form != ATX_PTX_BAR_WARP &&
           d->ptx->form != ATX_PTX_BAR_ARRIVE;
}

static bool spent(atx_exec *x, uint32_t mask)
{
    atx_machine_result *r = x->result;
    r->warp_instructions++;
    r->thread_instructions += __builtin_popcount(mask);
    r->steps += ATX_LANES;
    if (++x->warp->executed <= x->warp_budget && (!x->launch->budget || r->steps <= x->launch->budget))
        return false;
    atx_find_fault(x, ATX_FINDING_ENDLESS, mask ? atx_first_lane(mask) : 0,
                   "it has not ended after %lld instructions of a warp and %lld of all threads",
                   (long long)x->warp->executed - 1, (long long)r->thread_instructions);
    atx_mbarrier_tell_lack(x);
    return true;
}

/* One instruction of the node. */
static void step(atx_exec *x)
{
    atx_node *n = x->node;
    const atx_decoded *d = &x->code->code[n->pc];
    uint32_t mask = n->mask;
    if (d->guard >= 0) {
        const uint32_t p = (uint32_t)x->registers[(size_t)d->guard * ATX_LANES];
        mask &= d->guard_negated ? ~p : p;
    }
    x->at.instruction = d->ptx;
    x->at.index = n->pc;
    x->at.mask = mask;
    x->at.alive = x->warp->alive;
    if (spent(x, mask))
        return;
    if (x->watch && x->watch->issue && !x->watch->issue(x->watch->context, &x->at)) {
        atx_find_fault(x, ATX_FINDING_STOPPED, 0, "the watch has ended the launch");
        return;
    }
    n->pc++;
    if (!mask)
        return;
    if (mask != n->mask && blocks_lanes(d)) { /* only some of them wait: the others go on without */
        atx_diverge(x, n->mask & ~mask, n->pc, -1);
        if (x->stop)
            return;
    }
    if (d->ptx->flags & ATX_PTX_INEXACT)
        x->result->inexact = true;
    if (d->syncs && d->ptx->group_count > 0)
        run_together(x, d, mask);
    else
        d->run(x, d, mask);
}

/* false: nothing of it could run. */
static bool warp_turn(atx_exec *x, atx_warp *w)
{
    x->warp = w;
    x->at.warp = w->number;
    x->yield = false;
    atx_node *n = next_node(x, true);
    if (!n)
        return false;
    enter_node(x, n);
    for (int i = 0; i < TURN && !x->stop && !x->yield; i++) {
        n = x->node;
        if (n->state == ATX_NODE_RUNS && n->pc == n->join)
            atx_end_node(x, (int32_t)(n - w->nodes));
        if (n->state != ATX_NODE_RUNS || n->pc == n->join) {
            if (!(n = next_node(x, false)))
                return true;
            enter_node(x, n);
            continue;
        }
        step(x);
        if (x->node->state != ATX_NODE_RUNS) {
            if (x->stop || !(n = next_node(x, false)))
                return true;
            enter_node(x, n);
        }
    }
    return true;
}

/* ---- a cluster ---- */

/* The waiting warps and their barriers, when none goes on. */
static void find_deadlock(atx_exec *x, atx_block *b, atx_warp *w, atx_node *n)
{
    look_at(x, b);
    x->warp = w;
    enter_node(x, n);
    x->at.warp = w->number;
    x->at.index = n->state == ATX_NODE_AT_WARP ? n->pc : n->pc - 1;
    x->at.instruction = x->code->code[x->at.index].ptx;
    const int lane = atx_first_lane(n->mask ? n->mask : 1);
    if (n->state == ATX_NODE_AT_WARP)
        atx_find_fault(x, ATX_FINDING_BARRIER, lane,
                       "lanes 0x%08x of a warp wait for lanes 0x%08x, which never come", n->mask,
                       n->wanted & w->alive & ~n->mask);
    else if (n->state == ATX_NODE_AT_CLUSTER)
        atx_find_fault(x, ATX_FINDING_BARRIER, lane,
                       "a barrier of the cluster that not all of its threads reach");
    else
        atx_find_fault(x, ATX_FINDING_BARRIER, lane, "barrier %d, which not all threads of the block reach",
                       n->barrier);
}

static bool someone_waits(atx_exec *x)
{
    for (int32_t k = 0; k < x->block_count; k++)
        for (int32_t i = 0; i < x->warp_count; i++) {
            atx_warp *w = &x->blocks[k].warps[i];
            for (int32_t n = 0; n < w->node_count && w->alive; n++)
                if (w->nodes[n].state >= ATX_NODE_AT_BARRIER) {
                    find_deadlock(x, &x->blocks[k], w, &w->nodes[n]);
                    return true;
                }
        }
    return false;
}

static void run_cluster(atx_exec *x, const uint32_t first[3])
{
    for (int32_t k = 0; k < x->block_count && !x->stop; k++) {
        const uint32_t c[3] = { (uint32_t)k % x->cluster[0], (uint32_t)k / x->cluster[0] % x->cluster[1],
                                (uint32_t)k / x->cluster[0] / x->cluster[1] };
        block_begin(x, &x->blocks[k],
                    (const uint32_t[3]){ first[0] + c[0], first[1] + c[1], first[2] + c[2] });
    }
    for (bool any = true; any && !x->stop;) {
        any = false;
        for (int32_t k = 0; k < x->block_count && !x->stop; k++) {
            look_at(x, &x->blocks[k]);
            for (int32_t i = 0; i < x->warp_count && !x->stop; i++)
                if (x->block->warps[i].alive)
                    any = warp_turn(x, &x->block->warps[i]) || any;
        }
    }
    if (x->stop || someone_waits(x))
        return;
    for (int32_t k = 0; k < x->block_count && !x->stop; k++) {
        look_at(x, &x->blocks[k]);
        tell_block(x, x->watch ? x->watch->block_end : NULL);
    }
}

/* ---- a launch ---- */

static int64_t clusters_in(const atx_exec *x, int axis)
{
    return x->grid[axis] / x->cluster[axis];
}

static void cluster_at(uint32_t out[3], const atx_exec *x, int64_t cluster)
{
    const int64_t w = clusters_in(x, 0), h = clusters_in(x, 1);
    out[0] = (uint32_t)(cluster % w) * x->cluster[0];
    out[1] = (uint32_t)(cluster / w % h) * x->cluster[1];
    out[2] = (uint32_t)(cluster / w / h) * x->cluster[2];
}

static int64_t cluster_of(const atx_exec *x, int64_t block)
{
    const int64_t at[3] = { block % x->grid[0], block / x->grid[0] % x->grid[1],
                            block / x->grid[0] / x->grid[1] };
    return at[0] / x->cluster[0] +
           clusters_in(x, 0) * (at[1] / x->cluster[1] + clusters_in(x, 1) * (at[2] / x->cluster[2]));
}

static void run_blocks(atx_exec *x)
{
    const int64_t all = clusters_in(x, 0) * clusters_in(x, 1) * clusters_in(x, 2);
    const int64_t count = x->launch->blocks ? x->launch->block_count : all;
    const int64_t block_limit = (int64_t)x->grid[0] * x->grid[1] * x->grid[2];
    int64_t last = -1;
    for (int64_t i = 0; i < count && !x->stop; i++) {
        uint32_t first[3];
        if (x->launch->blocks && (x->launch->blocks[i] < 0 || x->launch->blocks[i] >= block_limit))
            continue;
        const int64_t cluster = x->launch->blocks       ? cluster_of(x, x->launch->blocks[i])
                                : x->launch->descending ? all - 1 - i
                                                        : i;
        if (cluster == last)
            continue;
        last = cluster;
        cluster_at(first, x, cluster);
        run_cluster(x, first);
    }
}

static at_status take_launch(atx_exec *x, at_error *err)
{
    const atx_ptx_module *m = x->machine->module;
    const int32_t f = x->launch->function;
    if (f < 0 || f >= m->function_count || !m->functions[f].is_entry || !m->functions[f].has_body) {
        atx_fail(err, AT_ERR_USAGE, "function %d is no kernel of the module", f);
        return AT_ERR_USAGE;
    }
    ATX_TRY(atx_decode(x->machine, f, err));
    ATX_TRY(take_shape(x, err));
    ATX_TRY(take_cluster(x, err));
    return take_memory(x, err);
}

at_status atx_machine_run(atx_machine_result *out, atx_machine *machine, const atx_machine_launch *launch,
                          at_error *err)
{
    atx_exec *x = calloc(1, sizeof *x);
    atx_machine_result result = { .finding = { .region = -1 } };
    if (!x)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for a launch");
    x->machine = machine;
    x->launch = launch;
    x->watch = launch->watch;
    x->result = &result;
    x->program = &machine->program;
    x->warp_budget = launch->warp_budget ? launch->warp_budget : DEFAULT_WARP_BUDGET;
    at_status status = take_launch(x, err);
    if (status == AT_OK) {
        x->no_memory = !blocks_open(x);
        if (!x->no_memory)
            run_blocks(x);
        blocks_close(x);
        if (x->no_memory)
            status = atx_fail(err, AT_ERR_MEMORY, "out of memory for the blocks of a launch");
    }
    free(x);
    if (status == AT_OK)
        *out = result;
    return status;
}
