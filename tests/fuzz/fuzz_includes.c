/*
 * fuzz_includes.c - any bytes as a rendered template: no file outside is read, and what is compiled
 * instead of it needs no second look.
 */
#include "compile/includes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static atx_str check(const char *source)
{
    atx_str safe = { 0 };
    at_error err = { 0 };
    const atx_include_folders folders = { .cuda = { "/usr/include/cuda" } };
    if (atx_includes_check(&safe, source, "/no/such/folder/fuzzed.cu", &folders, &err) != AT_OK)
        abort();
    return safe;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *source = atx_text_copy((const char *)data, size);
    atx_str once = check(source), again = check(atx_str_text(&once)), log = { 0 };
    const atx_include_folders folders = { .own = NULL };
    if (again.len && !strstr(atx_str_text(&once), "#error")) /* which quotes what it refuses */
        abort();
    atx_str_add(&log, source);
    atx_includes_hide(&log, source, "fuzzed.cu", &folders);
    free(source);
    atx_str_clear(&once);
    atx_str_clear(&again);
    atx_str_clear(&log);
    return 0;
}
