/*
 * machine_regions.c - the memory of a machine: regions far from each other; the address contains the region's
 * number.
 */
#include "machine/machine_internal.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t region_base(size_t region)
{
    return ((uint64_t)ATX_MACHINE_FIRST_REGION + region) << ATX_MACHINE_REGION_SHIFT;
}

at_status atx_region_add(atx_machine *m, const atx_machine_buffer *b, int kind, at_error *err)
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

at_status atx_machine_add_buffer(int *region, atx_machine *machine, const atx_machine_buffer *buffer,
                                 at_error *err)
{
    const int64_t align = buffer->align;
    if (align < 1 || align > 1 << 19 || (align & (align - 1)))
        return atx_fail(err, AT_ERR_USAGE,
                        "buffer '%s' at a multiple of %lld bytes; expected a power of two up to 2^19",
                        buffer->name, (long long)align);
    const at_status status = atx_region_add(machine, buffer, ATX_REGION_BUFFER, err);
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
