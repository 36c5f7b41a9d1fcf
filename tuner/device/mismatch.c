/* mismatch.c - see mismatch.h; numbers as a user would write them, opaque bytes as their bits. */
#include "device/mismatch.h"

#include "declare/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t atx_mismatch_element(const atx_buffer *buffer, uint64_t number)
{
    const uint64_t each = (uint64_t)(buffer->element_bytes / atx_number_bytes(buffer->number));
    return number / (each ? each : 1);
}

void atx_mismatch_number(char *out, size_t size, uint64_t bits, int number)
{
    const int class = atx_number_class(number), spare = 64 - 8 * atx_number_bytes(number);
    if (class == ATX_UNSIGNED)
        snprintf(out, size, "%" PRIu64, bits);
    else if (class == ATX_SIGNED)
        snprintf(out, size, "%" PRId64, (int64_t)(bits << spare) >> spare);
    else
        snprintf(out, size, "%.9g", atx_number_value(bits, number));
}

void atx_mismatch_add(char *text, size_t size, uint64_t found, uint64_t expected, int number)
{
    char is[40], should[40];
    const size_t len = strlen(text);
    atx_mismatch_number(is, sizeof is, found, number);
    atx_mismatch_number(should, sizeof should, expected, number);
    snprintf(text + len, size - len, ": found %s, expected %s", is, should);
}
