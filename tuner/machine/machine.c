/*
 * machine.c - see machine.h. The memory of a machine: regions far from each other, each with an address that
 * tells its number.
 */
#include "machine/machine_parts.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t region_base(size_t region)
{
    return ((uint64_t)ATX_MACHINE_FIRST_REGION + region) << ATX_MACHINE_REGION_SHIFT;
}

static at_status add_region(atx_machine *m, const atx_machine_buffer *b, int kind, at_error *err)
{
    const int64_t bytes = b->bytes;
    if (bytes < 0 || bytes > (int64_t)1 << 38)
        return atx_fail(err, AT_ERR_INPUT, "buffer '%s' of %lld bytes is too large", b->name,
                        (long long)bytes);
    unsigned char *data = atx_grow(&m->regions, &m->region_cap, m->region_count, sizeof *m->regions)
                              ? calloc(1, (size_t)bytes + ATX_REGION_FRONT + 16)
                              : NULL;
    if (!data || m->region_count > 4000) {
        free(data);
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for buffer '%s' of %lld bytes", b->name,
                        (long long)bytes);
    }
    memset(data, 0xa5, ATX_REGION_FRONT);
    atx_machine_region *r = &m->regions[m->region_count];
    *r = (atx_machine_region){ .kind = kind,
                               .flags = b->flags,
                               .bytes = bytes,
                               .data = data + ATX_REGION_FRONT,
                               .address = region_base(m->region_count) + ATX_MACHINE_REGION_START +
                                          (uint64_t)(b->align < 1 << 20 ? b->align : 0) };
    snprintf(r->name, sizeof r->name, "%s", b->name);
    if (b->initial)
        memcpy(r->data, b->initial, (size_t)bytes);
    m->region_count++;
    return AT_OK;
}

/* ---- variables ---- */

static bool has_region(const atx_ptx_variable *v)
{
    return v->space == ATX_PTX_GLOBAL || v->space == ATX_PTX_CONST;
}

static at_status add_variables(atx_machine *m, at_error *err)
{
    for (int i = 0; i < m->module->variable_count; i++) {
        const atx_ptx_variable *v = &m->module->variables[i];
        m->variable_regions[i] = -1;
        if (!has_region(v))
            continue;
        const bool constant = v->space == ATX_PTX_CONST;
        m->variable_regions[i] = (int32_t)m->region_count;
        const atx_machine_buffer holds = { v->name, v->bytes, v->align,
                                           ATX_REGION_INITIALISED | (constant ? ATX_REGION_READ_ONLY : 0),
                                           v->initial };
        const at_status status =
            add_region(m, &holds, constant ? ATX_REGION_CONST_VARIABLE : ATX_REGION_GLOBAL_VARIABLE, err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

/* Addresses of other variables, which are known when all have one. */
static at_status patch_variables(atx_machine *m, at_error *err)
{
    for (int i = 0; m->regions && i < m->module->variable_count; i++) {
        const atx_ptx_variable *v = &m->module->variables[i];
        for (int k = 0; k < v->patch_count && m->variable_regions[i] >= 0; k++) {
            const atx_ptx_patch *p = &v->patches[k];
            const int region = m->variable_regions[p->variable];
            if (region < 0) {
                atx_fail(err, AT_ERR_INPUT, "'%s' holds the address of '%s', which is no global variable",
                         v->name, m->module->variables[p->variable].name);
                return AT_ERR_INPUT;
            }
            const uint64_t address = m->regions[region].address + (uint64_t)p->addend;
            memcpy(m->regions[m->variable_regions[i]].data + p->offset, &address, sizeof address);
        }
    }
    return AT_OK;
}

at_status atx_machine_open(atx_machine **out, const atx_ptx_module *module, at_error *err)
{
    atx_machine *m = calloc(1, sizeof *m);
    int32_t *regions = calloc((size_t)module->variable_count + 1, sizeof *regions);
    if (!m || !regions) {
        free(m);
        free(regions);
        atx_fail(err, AT_ERR_MEMORY, "out of memory for a machine");
        return AT_ERR_MEMORY;
    }
    m->module = module;
    m->program.entry = ATX_PTX_NO_INDEX;
    m->variable_regions = regions;
    at_status status = add_variables(m, err);
    if (status == AT_OK)
        status = patch_variables(m, err);
    if (status == AT_OK)
        *out = m;
    else
        atx_machine_close(m);
    return status;
}

void atx_machine_close(atx_machine *machine)
{
    if (!machine)
        return;
    for (size_t i = 0; i < machine->region_count; i++)
        free(machine->regions[i].data - ATX_REGION_FRONT);
    atx_program_clear(&machine->program, machine->module);
    atx_str_clear(&machine->printed);
    free(machine->regions);
    free(machine->variable_regions);
    free(machine);
}

at_status atx_machine_add_buffer(int *region, atx_machine *machine, const atx_machine_buffer *buffer,
                                 at_error *err)
{
    const int64_t align = buffer->align;
    if (align < 1 || align > 1 << 19 || (align & (align - 1)))
        return atx_fail(err, AT_ERR_USAGE,
                        "buffer '%s' at a multiple of %lld bytes; expected a power of two up to 2^19",
                        buffer->name, (long long)align);
    const at_status status = add_region(machine, buffer, ATX_REGION_BUFFER, err);
    if (status == AT_OK)
        *region = (int)machine->region_count - 1;
    return status;
}

int atx_machine_region_count(const atx_machine *machine)
{
    return (int)machine->region_count;
}

const atx_machine_region *atx_machine_region_at(const atx_machine *machine, int region)
{
    return &machine->regions[region];
}

int atx_machine_region_of(const atx_machine *machine, uint64_t address)
{
    const uint64_t number = address >> ATX_MACHINE_REGION_SHIFT;
    const bool known =
        number >= ATX_MACHINE_FIRST_REGION && number - ATX_MACHINE_FIRST_REGION < machine->region_count;
    return known ? (int)(number - ATX_MACHINE_FIRST_REGION) : -1;
}

const char *atx_machine_printed(const atx_machine *machine)
{
    return atx_str_text(&machine->printed);
}
