/* base64.c - three bytes are four characters of 64. */
#include "util/base64.h"

#include <stdint.h>
#include <string.h>

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void atx_base64_add(atx_str *out, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i += 3) {
        const size_t have = count - i < 3 ? count - i : 3;
        const uint32_t group = (uint32_t)from[i] << 16 | (have > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                               (have > 2 ? (uint32_t)from[i + 2] : 0);
        const char four[] = { DIGITS[group >> 18], DIGITS[group >> 12 & 63],
                              have > 1 ? DIGITS[group >> 6 & 63] : '=', have > 2 ? DIGITS[group & 63] : '=' };
        atx_str_add_bytes(out, four, sizeof four);
    }
}

bool atx_base64_read(atx_str *out, const char *text, size_t len)
{
    enum { NONE = 64 };
    unsigned char values[256];
    memset(values, NONE, sizeof values);
    for (int i = 0; i < NONE; i++)
        values[(unsigned char)DIGITS[i]] = (unsigned char)i;
    if (len % 4)
        return false;
    for (size_t i = 0; i < len; i += 4) {
        const bool last = i + 4 == len;
        const size_t have = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 1 : 2) : 3;
        uint32_t group = 0;
        for (size_t k = 0; k <= have; k++) {
            const uint32_t value = values[(unsigned char)text[i + k]];
            if (value == NONE)
                return false;
            group |= value << (18 - 6 * k);
        }
        const char three[] = { (char)(group >> 16), (char)(group >> 8 & 255), (char)(group & 255) };
        atx_str_add_bytes(out, three, have);
    }
    return true;
}
