/* columns.c - see columns.h. */
#include "device/columns.h"

#include "declare/data.h"

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
