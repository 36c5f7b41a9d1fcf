/*
 * machine_control.c - where lanes go: nodes of a warp, branches, calls, ends.
 */
#include "machine/machine_internal.h"

#include <stdlib.h>

/* ---- nodes ---- */

/* -1: none left, a finding. */
static int32_t add_node(atx_exec *x, atx_node node)
{
    atx_warp *w = x->warp;
    for (int32_t i = 0; i < ATX_MAX_NODES; i++)
        if (i >= w->node_count || w->nodes[i].state == ATX_NODE_FREE) {
            w->nodes[i] = node;
            w->node_count = i >= w->node_count ? i + 1 : w->node_count;
            return i;
        }
    atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(node.mask),
                   "calls and branches are nested more than %d deep", ATX_MAX_NODES);
    return -1;
}

void atx_end_node(atx_exec *x, int32_t node)
{
    atx_warp *w = x->warp;
    while (node >= 0) {
        atx_node *n = &w->nodes[node];
        const int32_t above = n->above;
        n->state = ATX_NODE_FREE;
        if (above < 0 || --w->nodes[above].below > 0)
            return;
        w->nodes[above].state = ATX_NODE_RUNS;
        if (w->nodes[above].mask)
            return;
        node = above;
    }
}

void atx_diverge(atx_exec *x, uint32_t taken, int32_t target, int32_t join)
{
    const int32_t self = (int32_t)(x->node - x->warp->nodes);
    atx_node *n = x->node;
    atx_node other = *n, same = *n;
    other.mask = taken;
    other.pc = target;
    same.mask &= ~taken;
    other.below = same.below = 0;
    other.is_call = same.is_call = false;
    if (join < 0 || join == n->join) { /* they meet where this node ends, or nowhere: beside it */
        other.is_call = n->is_call;
        if (add_node(x, other) >= 0) {
            if (n->above >= 0)
                x->warp->nodes[n->above].below++;
            n->mask = same.mask;
        }
        return;
    }
    other.above = same.above = self;
    other.join = same.join = join;
    n->state = ATX_NODE_WAITS;
    n->below = 2;
    n->pc = join;
    if (add_node(x, other) >= 0)
        add_node(x, same);
}

/* Lanes end; `everywhere`: not only in this call. */
static void leave(atx_exec *x, uint32_t lanes, bool everywhere)
{
    atx_warp *w = x->warp;
    int32_t node = (int32_t)(x->node - w->nodes);
    const int32_t self = node;
    while (node >= 0) {
        w->nodes[node].mask &= ~lanes;
        if (w->nodes[node].is_call && !everywhere)
            break;
        node = w->nodes[node].above;
    }
    const bool from_kernel = node < 0;
    if (from_kernel) {
        w->alive &= ~lanes;
        atx_event(x, ATX_EVENT_EXIT, lanes, 0);
    }
    if (x->node->mask == 0)
        atx_end_node(x, self);
    if (from_kernel) {
        atx_check_barriers(x);
        atx_check_cluster(x);
    }
}

/* ---- branches ---- */

static void bra(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    if (mask == x->node->mask)
        x->node->pc = d->target;
    else
        atx_diverge(x, mask, d->target, d->join);
}

/* Lanes part by their target, one after the other; the last goes on in this node. */
static void brx(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    const atx_ptx_table *t = &x->code->function->tables[d->target];
    uint64_t index[ATX_LANES];
    memcpy(index, atx_group(x, d, 0), sizeof index);
    while (mask && !x->stop) {
        const int lane = atx_first_lane(mask);
        const uint32_t row = (uint32_t)index[lane];
        uint32_t same = 0;
        if (row >= (uint32_t)t->count) {
            atx_find_fault(x, ATX_FINDING_INVALID, lane, "a branch to row %u of a table of %d", row,
                           t->count);
            return;
        }
        for (int l = 0; l < ATX_LANES; l++)
            same |= (uint32_t)((mask >> l & 1) && (uint32_t)index[l] == row) << l;
        mask &= ~same;
        if (same == x->node->mask) {
            x->node->pc = t->targets[row];
            return;
        }
        const int32_t self = (int32_t)(x->node - x->warp->nodes);
        atx_diverge(x, same, t->targets[row], d->join);
        if (x->warp->nodes[self].state == ATX_NODE_WAITS) /* the rest is below: the one made last */
            for (int32_t i = 0; i < x->warp->node_count; i++)
                if (x->warp->nodes[i].state == ATX_NODE_RUNS && x->warp->nodes[i].above == self &&
                    !(x->warp->nodes[i].mask & same))
                    x->node = &x->warp->nodes[i];
    }
}

static void leave_function(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    leave(x, mask, d->ptx->op == ATX_PTX_EXIT);
}

static void trap(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    atx_find_fault(x, ATX_FINDING_TRAP, atx_first_lane(mask), "a trap, as of a failed assertion");
}

/* ---- calls ---- */

static unsigned char *frame_byte(const atx_exec *x, int64_t frame, int64_t offset, int lane)
{
    return x->warp->local + (int64_t)lane * x->warp->local_bytes + frame + offset;
}

/* Room for the frame of another call; false: a finding. */
static bool make_room(atx_exec *x, int32_t slots, int64_t local)
{
    atx_warp *w = x->warp;
    if (slots > w->slots) {
        uint64_t *grown = realloc(w->registers, (size_t)slots * ATX_LANES * sizeof *grown);
        if (!grown) {
            x->stop = x->no_memory = true;
            return false;
        }
        memset(grown + (size_t)w->slots * ATX_LANES, 0,
               (size_t)(slots - w->slots) * ATX_LANES * sizeof *grown);
        w->registers = grown;
        w->slots = slots;
    }
    if (local <= w->local_bytes)
        return true;
    if (local > 1 << 24)
        return atx_find_fault(x, ATX_FINDING_INVALID, atx_first_lane(x->node->mask),
                              "calls need a stack of more than 16 MiB");
    unsigned char *moved = calloc(ATX_LANES, (size_t)local);
    if (!moved) {
        x->stop = x->no_memory = true;
        return false;
    }
    for (int l = 0; l < ATX_LANES && w->local; l++)
        memcpy(moved + l * local, w->local + l * w->local_bytes, (size_t)w->local_bytes);
    free(w->local);
    w->local = moved;
    w->local_bytes = local;
    return true;
}

/* The caller's parameter variables become those of the callee; results the other way when it has returned. */
static void pass(atx_exec *x, uint32_t mask, int64_t from_frame, int32_t from, int64_t to_frame, int32_t to)
{
    const atx_ptx_variable *a = &x->machine->module->variables[from], *b = &x->machine->module->variables[to];
    const int64_t bytes = a->bytes < b->bytes ? a->bytes : b->bytes;
    for (int l = 0; l < ATX_LANES; l++)
        if (mask >> l & 1)
            memmove(frame_byte(x, to_frame, b->offset, l), frame_byte(x, from_frame, a->offset, l),
                    (size_t)bytes);
}

static int64_t round_frame(int64_t bytes)
{
    return (bytes + 15) & ~(int64_t)15;
}

/* The node that runs goes on when all calls that it has begun are over. */
static void begin_call(atx_exec *x, const atx_decoded *d, uint32_t mask, int32_t function)
{
    const atx_code *callee = &x->program->functions[function];
    const atx_ptx_function *f = &x->machine->module->functions[function];
    const atx_ptx_operand *given = atx_ptx_group(x->code->function, d->ptx, 2);
    atx_node n = { .state = ATX_NODE_RUNS, .is_call = true, .mask = mask, .function = function, .join = -1 };
    n.above = (int32_t)(x->node - x->warp->nodes);
    n.registers = x->node->registers + x->code->slots;
    n.local = round_frame(x->node->local + x->code->function->local_bytes);
    if (!make_room(x, n.registers + callee->slots, n.local + f->local_bytes))
        return;
    for (int k = 0; k < f->param_count && k < d->ptx->width[2]; k++)
        pass(x, mask, x->node->local, given[k].index, n.local, f->params[k]);
    x->node->state = ATX_NODE_WAITS;
    x->node->below++;
    add_node(x, n);
}

uint64_t atx_function_address(int32_t function)
{
    return ((uint64_t)ATX_FUNCTION_REGION << ATX_MACHINE_REGION_SHIFT) + 16 * ((uint64_t)function + 1);
}

/* The function that can be called at an address; -1: there is none. */
static int32_t function_at(const atx_exec *x, uint64_t address)
{
    const uint64_t number = (address - atx_function_address(0)) / 16;
    const bool known = address >= atx_function_address(0) && address % 16 == 0 &&
                       number < (uint64_t)x->machine->module->function_count;
    return known && x->program->functions[number].code && !x->machine->module->functions[number].is_entry
               ? (int32_t)number
               : -1;
}

/* Lanes part by the function that they call, and meet behind the call. */
void atx_call_address(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t address[ATX_LANES];
    memcpy(address, atx_group(x, d, 1), sizeof address);
    while (mask && !x->stop) {
        const int lane = atx_first_lane(mask);
        const int32_t function = function_at(x, address[lane]);
        uint32_t same = 0;
        if (function < 0) {
            atx_find_fault(x, ATX_FINDING_INVALID, lane, "a call of address 0x%llx, where no function is",
                           (unsigned long long)address[lane]);
            return;
        }
        for (int l = 0; l < ATX_LANES; l++)
            same |= (uint32_t)((mask >> l & 1) && address[l] == address[lane]) << l;
        mask &= ~same;
        begin_call(x, d, same, function);
    }
}

static void ret_from_call(atx_exec *x, uint32_t mask)
{
    /* Results are where the call says: of the node above the call's own. */
    int32_t node = (int32_t)(x->node - x->warp->nodes);
    while (node >= 0 && !x->warp->nodes[node].is_call)
        node = x->warp->nodes[node].above;
    if (node < 0)
        return;
    const atx_node *own = &x->warp->nodes[node], *caller = &x->warp->nodes[own->above];
    const atx_code *code = &x->program->functions[caller->function];
    const atx_decoded *d = &code->code[caller->pc - 1];
    const atx_ptx_function *f = &x->machine->module->functions[own->function];
    const atx_ptx_operand *wanted = atx_ptx_group(code->function, d->ptx, 0);
    for (int k = 0; k < f->result_count && k < d->ptx->width[0]; k++)
        pass(x, mask, own->local, f->results[k], caller->local, wanted[k].index);
}

static void ret(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    ret_from_call(x, mask);
    leave_function(x, d, mask);
}

/* ---- functions of the system ---- */

/* The two parameters of vprintf, of each lane; its result is how many were asked for. */
static void call_print(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    uint64_t given[2][ATX_LANES] = { 0 };
    const atx_ptx_operand *o = atx_ptx_group(x->code->function, d->ptx, 2);
    for (int k = 0; k < 2 && k < d->ptx->width[2]; k++) {
        const atx_ptx_variable *v = &x->machine->module->variables[o[k].index];
        for (int l = 0; l < ATX_LANES && v->bytes == 8; l++)
            memcpy(&given[k][l], frame_byte(x, x->node->local, v->offset, l), 8);
    }
    atx_print_lanes(x, given[0], given[1], mask);
}

/* The first parameter of 64 bits of a call, or its result, of one lane. */
static unsigned char *call_value(const atx_exec *x, const atx_decoded *d, int group, int lane)
{
    if (!d->ptx->width[group])
        return NULL;
    const atx_ptx_operand *o = atx_ptx_group(x->code->function, d->ptx, group);
    const atx_ptx_variable *v = &x->machine->module->variables[o->index];
    return v->bytes == 8 ? frame_byte(x, x->node->local, v->offset, lane) : NULL;
}

static void call_malloc(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    for (int l = 0; l < ATX_LANES; l++) {
        const unsigned char *from = call_value(x, d, 2, l);
        unsigned char *to = call_value(x, d, 0, l);
        uint64_t bytes, address;
        if (!(mask >> l & 1) || !from || !to)
            continue;
        memcpy(&bytes, from, sizeof bytes);
        address = atx_heap_take(x->machine, bytes);
        memcpy(to, &address, sizeof address);
    }
}

static void call_free(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    for (int l = 0; l < ATX_LANES && !x->stop; l++) {
        const unsigned char *from = call_value(x, d, 2, l);
        uint64_t address;
        if (!(mask >> l & 1) || !from)
            continue;
        memcpy(&address, from, sizeof address);
        if (!atx_heap_give(x->machine, address))
            atx_find_fault(x, ATX_FINDING_INVALID, l, "free of address 0x%llx, which malloc did not give",
                           (unsigned long long)address);
    }
}

static void call_assertion(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    atx_find_fault(x, ATX_FINDING_TRAP, atx_first_lane(mask), "an assertion has failed");
}

static atx_handler *system_function(const char *name)
{
    static const struct {
        const char *name;
        atx_handler *run;
    } FUNCTIONS[] = { { "__assertfail", call_assertion },
                      { "vprintf", call_print },
                      { "malloc", call_malloc },
                      { "free", call_free } };
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (strcmp(FUNCTIONS[i].name, name) == 0)
            return FUNCTIONS[i].run;
    return NULL;
}

bool atx_is_system_function(const char *name)
{
    return system_function(name) != NULL;
}

static void call_any(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    if (x->program->functions[d->target].code)
        begin_call(x, d, mask, d->target);
    else
        system_function(x->machine->module->functions[d->target].name)(x, d, mask);
}

/* ---- choosing ---- */

static void nothing(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)x;
    (void)d;
    (void)mask;
}

static void nanosleep_turn(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    (void)mask;
    x->yield = true;
}

static void fence(atx_exec *x, const atx_decoded *d, uint32_t mask)
{
    (void)d;
    atx_event(x, ATX_EVENT_FENCE, mask, d->ptx->scope);
}

atx_handler *atx_select_control(const atx_ptx_instruction *i)
{
    switch (i->op) {
    case ATX_PTX_BRA:
        return i->group_count == 1 ? bra : NULL;
    case ATX_PTX_BRX:
        return i->group_count == 2 ? brx : NULL;
    case ATX_PTX_RET:
        return ret;
    case ATX_PTX_EXIT:
        return leave_function;
    case ATX_PTX_TRAP:
    case ATX_PTX_BRKPT:
        return trap;
    case ATX_PTX_CALL:
        return i->group_count == 3 && i->width[1] == 1 ? call_any : NULL;
    case ATX_PTX_FENCE:
        return fence;
    case ATX_PTX_NANOSLEEP:
        return nanosleep_turn;
    case ATX_PTX_PMEVENT:
    case ATX_PTX_SETMAXNREG:
    case ATX_PTX_GRIDDEPCONTROL:
        return nothing;
    default:
        return NULL;
    }
}
