/*
 * fuzz_cut.c - any text as a rendered source. The same text comes out of it each time, and not a longer one
 * than a name makes it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void cut(atx_str *out, const char *text)
{
    atx_cutting cutting = { .rendered = text, .kernel = "k", .name = "kernel", .type_bytes = 4 };
    at_error err;
    if (atx_cut(out, &cutting, &err) != AT_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_str out = { 0 }, same = { 0 };
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    cut(&out, text);
    cut(&same, text);
    if (out.len != same.len || (out.len && memcmp(out.data, same.data, out.len) != 0))
        abort();
    if (out.len > 7 * strlen(text) + 100)
        abort();
    atx_str_clear(&out);
    atx_str_clear(&same);
    free(text);
    return 0;
}
