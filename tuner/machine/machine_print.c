/*
 * machine_print.c - printf of a kernel: vprintf takes the address of the format and of a buffer with the
 * arguments one after the other, each aligned to its size. Lanes print one after the other.
 */
#include "machine/machine_internal.h"

#include <stdio.h>

enum { MOST_PRINTED = 1 << 20, MOST_TEXT = 4096 };

/* Bytes at a generic address of this lane; false: a finding. */
static bool fetch(void *out, atx_exec *x, uint64_t address, int bytes, int lane)
{
    atx_request r = { .kind = ATX_ACCESS_LOAD,
                      .space = ATX_PTX_GENERIC,
                      .mask = 1u << lane,
                      .bytes = bytes,
                      .element_bytes = bytes };
    r.address[lane] = address;
    if (!atx_reach(x, &r))
        return false;
    memcpy(out, r.at[lane], (size_t)bytes);
    return true;
}

static bool fetch_text(char out[MOST_TEXT], atx_exec *x, uint64_t address, int lane)
{
    for (int i = 0; i < MOST_TEXT - 1; i++) {
        if (!fetch(out + i, x, address + (uint64_t)i, 1, lane))
            return false;
        if (!out[i])
            return true;
    }
    out[MOST_TEXT - 1] = '\0';
    return true;
}

/* "%-8.3f" from its sign on, without the length of its type: the conversion's letter is the last of `len`. */
typedef struct conversion {
    char flags[24];
    char letter;
    bool wide; /* an integer of 64 bits */
    size_t len;
} conversion;

static bool is_wide(const char *digits, size_t len)
{
    size_t run = 0;
    for (size_t i = 0; i < len; i++) {
        run = digits[i] >= '0' && digits[i] <= '9' ? run + 1 : 0;
        if (run > 2)
            return true;
    }
    return false;
}

/* false: none that is known; fields of a hundred characters and more are not. */
static bool read_conversion(conversion *c, const char *at)
{
    size_t n = 1 + strspn(at + 1, "-+ #0123456789.");
    if (n >= sizeof c->flags - 4 || is_wide(at, n))
        return false;
    memcpy(c->flags, at, n);
    c->flags[n] = '\0';
    const size_t size = strspn(at + n, "hlzjt");
    c->wide = size > 0 && at[n] != 'h';
    c->letter = at[n + size];
    c->len = n + size + 1;
    return c->letter && strchr("diuoxXcsfFeEgGaAp%", c->letter);
}

static void print_number(atx_str *out, conversion *c, uint64_t bits)
{
    char text[400] = "";
    const bool is_signed = c->letter == 'd' || c->letter == 'i';
    const size_t n = strlen(c->flags);
    if (strchr("fFeEgGaA", c->letter)) {
        snprintf(c->flags + n, sizeof c->flags - n, "%c", c->letter);
        snprintf(text, sizeof text, c->flags, atx_f64(bits));
    } else if (c->letter == 'c')
        snprintf(text, sizeof text, "%c", (int)(bits & 255));
    else {
        const bool pointer = c->letter == 'p';
        snprintf(c->flags + n, sizeof c->flags - n, "ll%c", pointer ? 'x' : c->letter);
        const long long value = is_signed && !c->wide ? (int32_t)bits : (long long)bits;
        atx_str_add(out, pointer ? "0x" : "");
        snprintf(text, sizeof text, c->flags, value);
    }
    atx_str_add(out, text);
}

static bool print_argument(atx_exec *x, conversion *c, uint64_t *arguments, int lane)
{
    const bool large = c->wide || strchr("sfFeEgGaAp", c->letter);
    const uint64_t size = large ? 8 : 4;
    char text[MOST_TEXT];
    uint64_t bits = 0;
    *arguments = (*arguments + size - 1) & ~(size - 1);
    if (!fetch(&bits, x, *arguments, (int)size, lane))
        return false;
    *arguments += size;
    if (c->letter != 's') {
        print_number(&x->machine->printed, c, bits);
        return true;
    }
    if (!fetch_text(text, x, bits, lane))
        return false;
    atx_str_add(&x->machine->printed, text);
    return true;
}

static bool print_lane(atx_exec *x, uint64_t format, uint64_t arguments, int lane)
{
    char text[MOST_TEXT];
    if (!fetch_text(text, x, format, lane))
        return false;
    for (const char *at = text; *at && x->machine->printed.len < MOST_PRINTED;) {
        conversion c = { .len = 1 };
        const bool known = *at == '%' && read_conversion(&c, at);
        if (!known || c.letter == '%')
            atx_str_add_bytes(&x->machine->printed, at, 1);
        else if (!print_argument(x, &c, &arguments, lane))
            return false;
        at += known ? c.len : 1;
    }
    return true;
}

void atx_print_lanes(atx_exec *x, const uint64_t *formats, const uint64_t *arguments, uint32_t mask)
{
    for (int l = 0; l < ATX_LANES; l++)
        if ((mask >> l & 1) && !print_lane(x, formats[l], arguments[l], l))
            return;
}
