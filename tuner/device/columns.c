/* columns.c - see columns.h. */
#include "device/columns.h"

#include "declare/data.h"
#include "declare/placed.h"

int atx_column_count(const atx_buffer *buffer)
{
    return buffer->column_count ? buffer->column_count : 1;
}

atx_numbers atx_column_at(const atx_buffer *buffer, int column)
{
    if (buffer->column_count) {
        const atx_buffer_column *c = &buffer->columns[column];
        const int64_t each = (int64_t)(c->how >> 16 & 0xffff);
        return (atx_numbers){ c->name, buffer->bytes / buffer->element_bytes * each, c->how, c->filling };
    }
    const int number = buffer->number ? buffer->number : ATX_UNSIGNED * 16 + 1;
    return (atx_numbers){ "", buffer->bytes / atx_number_bytes(number),
                          (uint64_t)number | (uint64_t)buffer->how << 8, buffer->filling };
}

uint64_t atx_column_rule(uint64_t how, int rule)
{
    return (how & ~(uint64_t)0xff00) | (uint64_t)rule << 8;
}

int64_t atx_column_numbers(const atx_buffer *buffer)
{
    int64_t numbers = 0;
    for (int k = 0; k < atx_column_count(buffer); k++)
        numbers += atx_column_at(buffer, k).count;
    return numbers;
}

uint64_t atx_column_seed(uint64_t seed, int column)
{
    return column ? seed ^ atx_mix((atx_u64)column) : seed;
}

bool atx_is_by_number(const atx_buffer *buffer)
{
    return buffer->check.rule != ATX_BY && (buffer->check.rule != ATX_EXACT || buffer->column_count > 0);
}

/* Of a buffer: are numbers of it made, and any of rows or sorted? */
static void look_at_numbers(bool *any, bool *rows, const atx_buffer *buffer)
{
    for (int k = 0; k < atx_column_count(buffer); k++) {
        const int how = atx_how_rule(atx_column_at(buffer, k).how);
        *any = *any || how != ATX_BITS || buffer->column_count;
        *rows = *rows || atx_is_of_rows(how);
    }
}

bool atx_check_is_needed(const atx_setup *setup, atx_check_kind part)
{
    bool any = false, rows = false, tolerant = false;
    for (int i = 0; i < setup->buffer_count; i++) {
        look_at_numbers(&any, &rows, &setup->buffers[i]);
        tolerant = tolerant || atx_is_by_number(&setup->buffers[i]);
    }
    switch (part) {
    case ATX_CHECK_GENERATE:
    case ATX_CHECK_GENERATED:
        return any && !rows;
    case ATX_CHECK_GENERATE_ROWS:
    case ATX_CHECK_GENERATED_ROWS:
        return rows;
    case ATX_CHECK_CLOSE:
    case ATX_CHECK_WORST:
        return tolerant;
    default:
        return true;
    }
}
