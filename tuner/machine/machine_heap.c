/*
 * machine_heap.c - malloc and free of kernels: one region, as large as a device's heap unless a program sets
 * a larger one. Memory that was never taken comes first, so that one thread rarely gets at once what another
 * has freed: for the inspector these are the same bytes.
 */
#include "machine/machine_internal.h"

enum { HEAP_BYTES = 8 << 20, HEAP_ALIGN = 16 };

struct atx_heap_piece {
    int64_t offset, bytes;
    bool taken;
};

at_status atx_heap_open(atx_machine *m, at_error *err)
{
    static const atx_machine_buffer HEAP = { "heap of the device", HEAP_BYTES, 256, 0, NULL };
    m->heap_region = -1;
    for (int i = 0; i < m->module->function_count && m->heap_region < 0; i++) {
        const atx_ptx_function *f = &m->module->functions[i];
        if (f->has_body || strcmp(f->name, "malloc") != 0)
            continue;
        const at_status status = atx_machine_add_buffer(&m->heap_region, m, &HEAP, err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

static uint64_t take(const atx_machine *m, struct atx_heap_piece *piece)
{
    piece->taken = true;
    return m->regions[m->heap_region].address + (uint64_t)piece->offset;
}

uint64_t atx_heap_take(atx_machine *m, uint64_t bytes)
{
    if (m->heap_region < 0 || bytes > HEAP_BYTES)
        return 0;
    const int64_t wanted = bytes ? (int64_t)(bytes + HEAP_ALIGN - 1) / HEAP_ALIGN * HEAP_ALIGN : HEAP_ALIGN;
    if (wanted <= HEAP_BYTES - m->heap_used) {
        if (!atx_grow(&m->pieces, &m->piece_cap, m->piece_count, sizeof *m->pieces))
            return 0;
        m->pieces[m->piece_count] = (struct atx_heap_piece){ .offset = m->heap_used, .bytes = wanted };
        m->heap_used += wanted;
        return take(m, &m->pieces[m->piece_count++]);
    }
    for (size_t i = 0; i < m->piece_count; i++)
        if (!m->pieces[i].taken && m->pieces[i].bytes >= wanted)
            return take(m, &m->pieces[i]);
    return 0;
}

bool atx_heap_give(atx_machine *m, uint64_t address)
{
    size_t first = 0, end = m->piece_count; /* pieces lie in their order */
    if (address == 0)
        return true;
    if (m->heap_region < 0)
        return false;
    const int64_t offset = (int64_t)(address - m->regions[m->heap_region].address);
    while (first < end) {
        const size_t middle = (first + end) / 2;
        if (m->pieces[middle].offset < offset)
            first = middle + 1;
        else
            end = middle;
    }
    const bool known = first < m->piece_count && m->pieces[first].offset == offset && m->pieces[first].taken;
    if (known)
        m->pieces[first].taken = false;
    return known;
}

static const atx_ptx_instruction *find_call(const atx_ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++)
        for (int32_t k = 0; k < m->functions[f].instruction_count; k++) {
            const atx_ptx_instruction *i = &m->functions[f].instructions[k];
            if (i->op == ATX_PTX_CALL && atx_ptx_group(&m->functions[f], i, 1)->kind == ATX_PTX_FUNCTION &&
                strcmp(m->functions[atx_ptx_group(&m->functions[f], i, 1)->index].name, "malloc") == 0)
                return i;
        }
    return NULL;
}

int64_t atx_machine_heap_taken(const atx_machine *machine, const atx_ptx_instruction **call)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < machine->piece_count; i++)
        bytes += machine->pieces[i].taken ? machine->pieces[i].bytes : 0;
    *call = bytes ? find_call(machine->module) : NULL;
    return bytes;
}
