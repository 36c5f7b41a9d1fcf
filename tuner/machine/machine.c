/*
 * machine.c - see machine.h. A machine and the variables of its module.
 */
#include "machine/machine_internal.h"

#include <stdlib.h>

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
            atx_region_add(m, &holds, constant ? ATX_REGION_CONST_VARIABLE : ATX_REGION_GLOBAL_VARIABLE, err);
        if (status != AT_OK)
            return status;
    }
    return AT_OK;
}

/* Addresses of functions, and of other variables, which are known when all have one. */
static at_status patch_variables(atx_machine *m, at_error *err)
{
    for (int i = 0; m->regions && i < m->module->variable_count; i++) {
        const atx_ptx_variable *v = &m->module->variables[i];
        for (int k = 0; k < v->patch_count && m->variable_regions[i] >= 0; k++) {
            const atx_ptx_patch *p = &v->patches[k];
            unsigned char *at = m->regions[m->variable_regions[i]].data + p->offset;
            if (p->variable < 0) {
                const uint64_t function = atx_function_address(p->function);
                memcpy(at, &function, sizeof function);
                continue;
            }
            const int region = m->variable_regions[p->variable];
            if (region < 0) {
                atx_fail(err, AT_ERR_INPUT, "'%s' holds the address of '%s', which is no global variable",
                         v->name, m->module->variables[p->variable].name);
                return AT_ERR_INPUT;
            }
            const uint64_t address = m->regions[region].address + (uint64_t)p->addend;
            memcpy(at, &address, sizeof address);
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
    ATX_THEN(status, patch_variables(m, err));
    ATX_THEN(status, atx_heap_open(m, err));
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
    free(machine->pieces);
    free(machine);
}

const char *atx_machine_printed(const atx_machine *machine)
{
    return atx_str_text(&machine->printed);
}
