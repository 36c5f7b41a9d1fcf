/*
 * fuzz_includes.c - any bytes as a rendered template: no file outside is read, and what is compiled
 * instead of it needs no second look.
 */
#include "compile/includes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static at__str check(const char *source)
{
    at__str safe = { 0 };
    at_error err = { 0 };
    const at__include_folders folders = { .cuda = { "/usr/include/cuda" } };
    if (at__includes_check(&safe, source, "/no/such/folder/fuzzed.cu", &folders, &err) != AT_OK)
        abort();
    return safe;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *source = at__text_copy((const char *)data, size);
    at__str once = check(source), again = check(at__str_text(&once)), log = { 0 };
    const at__include_folders folders = { .own = NULL };
    if (again.len && !strstr(at__str_text(&once), "#error")) /* which quotes what it refuses */
        abort();
    at__str_add(&log, source);
    at__includes_hide(&log, source, "fuzzed.cu", &folders);
    free(source);
    at__str_clear(&once);
    at__str_clear(&again);
    at__str_clear(&log);
    return 0;
}
