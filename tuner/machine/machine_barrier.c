/*
 * machine_barrier.c - lanes that wait: for the threads of the block, for the blocks of the cluster, for the
 * lanes of their warp.
 *
 * A node waits as a whole; its instruction is the one before its pc. A barrier of all threads lets go when
 * every thread that has not ended waits at it; one of a number of threads, when so many have come, a warp's
 * ended lanes counted with the others, as the hardware counts whole warps.
 */
#include "machine/machine_internal.h"

/* ---- of the block ---- */

static const atx_decoded *waiting_at(const atx_exec *x, const atx_node *n)
{
    return &x->program->functions[n->function].code[n->pc - 1];
}

static uint32_t lanes_at(const atx_warp *w, int state, int barrier)
{
    uint32_t lanes = 0;
    for (int32_t i = 0; i < w->node_count; i++)
        if (w->nodes[i].state == state && w->nodes[i].barrier == barrier)
            lanes |= w->nodes[i].mask;
    return lanes;
}

static bool all_have_come(const atx_exec *x, int number)
{
    const atx_barrier *b = &x->block->barriers[number];
    int32_t come = b->arrivals;
    bool all = true;
    for (int32_t i = 0; i < x->warp_count; i++) {
        const atx_warp *w = &x->block->warps[i];
        const uint32_t lanes = lanes_at(w, ATX_NODE_AT_BARRIER, number);
        all = all && (lanes & w->alive) == w->alive;
        come += lanes ? __builtin_popcount(lanes) + ATX_LANES - __builtin_popcount(w->alive) : 0;
    }
    return b->expected ? come >= b->expected : all;
}

/* The result of bar.red over the predicates of all that wait. */
static uint32_t reduce(const atx_exec *x, int number, int action, uint32_t *threads)
{
    uint32_t count = 0;
    *threads = 0;
    for (int32_t i = 0; i < x->warp_count; i++) {
        const atx_warp *w = &x->block->warps[i];
        for (int32_t k = 0; k < w->node_count; k++) {
            const atx_node *n = &w->nodes[k];
            if (n->state != ATX_NODE_AT_BARRIER || n->barrier != number)
                continue;
            const atx_decoded *d = waiting_at(x, n);
            const int g = d->ptx->group_count - 1;
            if (d->ptx->form != ATX_PTX_BAR_RED)
                continue;
            uint32_t p =
                (uint32_t)
                    w->registers[(size_t)(n->registers + (d->ref[d->at[g]] < 0 ? 0 : d->ref[d->at[g]])) *
                                 ATX_LANES];
            if (atx_ptx_group(x->program->functions[n->function].function, d->ptx, g)->negated)
                p = ~p;
            count += (uint32_t)__builtin_popcount(p & n->mask);
            *threads += (uint32_t)__builtin_popcount(n->mask);
        }
    }
    return action == ATX_PTX_DO_POPC ? count : action == ATX_PTX_DO_AND ? count == *threads : count > 0;
}

static void put_reduced(const atx_exec *x, atx_warp *w, const atx_node *n, uint32_t value)
{
    const atx_decoded *d = waiting_at(x, n);
    if (d->ptx->form != ATX_PTX_BAR_RED || d->ref[d->at[0]] < 0)
        return;
    uint64_t *to = w->registers + (size_t)(n->registers + d->ref[d->at[0]]) * ATX_LANES;
    if (d->ptx->action == ATX_PTX_DO_POPC)
        ATX_EACH_LANE(n->mask, to[l] = value);
    else
        *to = (*to & ~(uint64_t)n->mask) | (value ? n->mask : 0);
}

static void release(atx_exec *x, int number)
{
    atx_barrier *b = &x->block->barriers[number];
    uint32_t threads = 0, values[3];
    static const int ACTIONS[3] = { ATX_PTX_DO_AND, ATX_PTX_DO_OR, ATX_PTX_DO_POPC };
    for (int k = 0; k < 3; k++)
        values[k] = reduce(x, number, ACTIONS[k], &threads);
    for (int32_t i = 0; i < x->warp_count; i++) {
        atx_warp *w = &x->block->warps[i];
        for (int32_t k = 0; k < w->node_count; k++) {
            atx_node *n = &w->nodes[k];
            if (n->state != ATX_NODE_AT_BARRIER || n->barrier != number)
                continue;
            const int action = waiting_at(x, n)->ptx->action;
            put_reduced(x, w, n, values[action == ATX_PTX_DO_AND ? 0 : action == ATX_PTX_DO_OR ? 1 : 2]);
            n->state = ATX_NODE_RUNS;
        }
    }
    *b = (atx_barrier){ 0 };
    atx_event(x, ATX_EVENT_BARRIER_RELEASE, 0, number);
}

void atx_check_barriers(atx_exec *x)
{
    for (int k = 0; k < ATX_MAX_BARRIERS && !x->stop; k++)
        if (x->block->barriers[k].open && all_have_come(x, k))
            release(x, k);
}

/* Where the count of threads stands: behind the barrier's number. */
static int32_t wanted_threads(atx_exec *x, const atx_decoded *d)
{
    const int first = d->ptx->form == ATX_PTX_BAR_RED ? 1 : 0;
    const int extra = d->ptx->form == ATX_PTX_BAR_RED ? 1 : 0;
    if (d->ptx->group_count < first + extra + 2)
        return 0;
    return (int32_t)atx_group(x, d, first + 1)[atx_first_lane(x->node->mask)];
}

static void bar(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const int lane = atx_first_lane(mask);
    const uint64_t number = atx_group(x, d, d->ptx->form == ATX_PTX_BAR_RED ? 1 : 0)[lane];
    const int32_t wanted = wanted_threads(x, d);
    if (number >= ATX_MAX_BARRIERS || wanted < 0 || wanted % ATX_LANES) {
        atx_find_fault(x, ATX_FINDING_INVALID, lane,
                       "barrier %llu of %d threads; there are 16, of multiples of 32 threads",
                       (unsigned long long)number, wanted);
        return;
    }
    atx_barrier *b = &x->block->barriers[number];
    if (b->open && b->expected != wanted) {
        atx_find_fault(x, ATX_FINDING_BARRIER, lane, "barrier %llu of %d threads, where others wait for %d",
                       (unsigned long long)number, wanted, b->expected);
        return;
    }
    b->open = true;
    b->expected = wanted;
    if (!atx_event(x, ATX_EVENT_BARRIER_ARRIVE, mask, (int64_t)number))
        return;
    if (d->ptx->form == ATX_PTX_BAR_ARRIVE)
        b->arrivals += __builtin_popcount(mask) + ATX_LANES - __builtin_popcount(x->warp->alive);
    else {
        x->node->state = ATX_NODE_AT_BARRIER;
        x->node->barrier = (uint8_t)number;
    }
    atx_check_barriers(x);
}

/* ---- of the cluster ---- */

/* A cluster's barrier has two halves: a thread arrives, and later waits until all have. */
static bool cluster_has_come(const atx_exec *x)
{
    for (int32_t k = 0; k < x->block_count; k++)
        for (int32_t i = 0; i < x->warp_count; i++) {
            const atx_warp *w = &x->blocks[k].warps[i];
            if ((w->cluster_arrived & w->alive) != w->alive)
                return false;
        }
    return true;
}

void atx_check_cluster(atx_exec *x)
{
    bool any = false;
    if (!cluster_has_come(x))
        return;
    for (int32_t k = 0; k < x->block_count; k++)
        for (int32_t i = 0; i < x->warp_count; i++) {
            atx_warp *w = &x->blocks[k].warps[i];
            any = any || w->cluster_arrived;
            w->cluster_arrived = 0;
            w->cluster_phase++;
            for (int32_t n = 0; n < w->node_count; n++)
                if (w->nodes[n].state == ATX_NODE_AT_CLUSTER)
                    w->nodes[n].state = ATX_NODE_RUNS;
        }
    if (any)
        atx_event(x, ATX_EVENT_CLUSTER_RELEASE, 0, 0);
}

static void cluster_arrive(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    if (!atx_event(x, ATX_EVENT_CLUSTER_ARRIVE, mask, 0))
        return;
    x->warp->cluster_arrived |= mask;
    x->warp->cluster_waits |= mask;
    x->warp->cluster_target = x->warp->cluster_phase + 1;
    atx_check_cluster(x);
}

static void cluster_wait(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    if (mask & ~x->warp->cluster_waits) {
        atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(mask & ~x->warp->cluster_waits),
                       "barrier.cluster.wait without an arrive before it");
        return;
    }
    x->warp->cluster_waits &= ~mask;
    if (x->warp->cluster_phase < x->warp->cluster_target)
        x->node->state = ATX_NODE_AT_CLUSTER;
}

/* ---- of the warp ---- */

static void bar_warp(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    atx_event(x, ATX_EVENT_WARP_SYNC, mask, 0);
}

static uint32_t lanes_waiting(const atx_warp *w, const atx_node *n, bool anywhere)
{
    uint32_t lanes = 0;
    for (int32_t k = 0; k < w->node_count; k++) {
        const atx_node *o = &w->nodes[k];
        if (o->state == ATX_NODE_AT_WARP && (anywhere || (o->pc == n->pc && o->function == n->function)))
            lanes |= o->mask;
    }
    return lanes;
}

/* Executes the waiting instruction of the nodes at this place together. */
static void go_on_together(atx_exec *x, atx_node *n)
{
    atx_warp *w = x->warp;
    const uint32_t wanted = n->wanted;
    const int32_t pc = n->pc, function = n->function;
    const atx_code *code = &x->program->functions[function];
    const atx_decoded *d = &code->code[pc];
    const bool anywhere = d->ptx->op == ATX_PTX_BAR;
    uint32_t lanes = 0;
    for (int32_t k = 0; k < w->node_count; k++) {
        atx_node *o = &w->nodes[k];
        if (o->state != ATX_NODE_AT_WARP || !(o->mask & wanted) ||
            !(anywhere || (o->pc == pc && o->function == function)))
            continue;
        lanes |= o->mask;
        o->state = ATX_NODE_RUNS;
        o->pc++;
    }
    if (d->guard >= 0) {
        const uint32_t p = (uint32_t)w->registers[(size_t)(n->registers + d->guard) * ATX_LANES];
        lanes &= d->guard_negated ? ~p : p;
    }
    x->node = n;
    x->code = code;
    x->registers = w->registers + (size_t)n->registers * ATX_LANES;
    x->at.function = code->function;
    x->at.instruction = d->ptx;
    x->at.index = pc;
    x->at.mask = lanes;
    if (lanes)
        d->run(x, d, lanes);
}

bool atx_release_warp(atx_exec *x)
{
    atx_warp *w = x->warp;
    bool any = false;
    for (int32_t k = 0; k < w->node_count && !x->stop; k++) {
        atx_node *n = &w->nodes[k];
        if (n->state != ATX_NODE_AT_WARP)
            continue;
        const bool anywhere = x->program->functions[n->function].code[n->pc].ptx->op == ATX_PTX_BAR;
        if ((n->wanted & w->alive & ~lanes_waiting(w, n, anywhere)) == 0) {
            go_on_together(x, n);
            any = true;
        }
    }
    return any;
}

/* ---- choosing ---- */

atx_handler *atx_select_barrier(const atx_ptx_instruction *i)
{
    if (i->op != ATX_PTX_BAR)
        return NULL;
    switch (i->form) {
    case ATX_PTX_BAR_SYNC:
        return i->group_count == 1 || i->group_count == 2 ? bar : NULL;
    case ATX_PTX_BAR_ARRIVE:
        return i->group_count == 2 ? bar : NULL;
    case ATX_PTX_BAR_RED:
        return (i->group_count == 3 || i->group_count == 4) &&
                       (i->action == ATX_PTX_DO_AND || i->action == ATX_PTX_DO_OR ||
                        i->action == ATX_PTX_DO_POPC)
                   ? bar
                   : NULL;
    case ATX_PTX_BAR_WARP:
        return i->group_count == 1 ? bar_warp : NULL;
    case ATX_PTX_BAR_CLUSTER_ARRIVE:
        return cluster_arrive;
    case ATX_PTX_BAR_CLUSTER_WAIT:
        return cluster_wait;
    default:
        return NULL;
    }
}
