/*
 * fuzz_ptx.c - any text as a kernel's PTX. What parses is run, each of its entries with one small block and
 * few instructions, and is inspected: it ends, with a finding or without, and nothing outside of its memory
 * is touched.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/inspect.h"
#include "util/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 20, MOST_REGISTERS = 2000 };

/* What would only take long. */
static bool is_large(const atx_ptx_module *m)
{
    int64_t bytes = m->shared_bytes;
    for (int i = 0; i < m->variable_count; i++)
        bytes += m->variables[i].bytes;
    for (int i = 0; i < m->function_count; i++)
        if (m->functions[i].register_count > MOST_REGISTERS)
            return true;
    return bytes > MOST_BYTES;
}

static void run_entry(const atx_ptx_module *m, int32_t function)
{
    const atx_ptx_function *f = &m->functions[function];
    atx_machine *machine = NULL;
    atx_inspector *inspector = NULL;
    atx_machine_result result;
    unsigned char *arguments = calloc(1, (size_t)f->param_bytes + 8);
    int region = 0;
    if (!arguments || atx_machine_open(&machine, m, NULL) != AT_OK)
        goto done;
    if (atx_machine_add_buffer(&region, machine, &(atx_machine_buffer){ "b", 4096, 256, 0, NULL }, NULL) !=
        AT_OK)
        abort();
    for (int64_t at = 0; at + 8 <= f->param_bytes; at += 8)
        memcpy(arguments + at, &atx_machine_region_at(machine, region)->address, 8);
    if (atx_inspector_open(&inspector, m, machine, NULL) != AT_OK)
        goto done;
    atx_machine_launch launch = { .function = function,
                                  .grid = { 2, 1, 1 },
                                  .block = { 48, 1, 1 },
                                  .cluster = { 2, 1, 1 },
                                  .shared_bytes = 256,
                                  .arguments = arguments,
                                  .argument_bytes = f->param_bytes,
                                  .warp_budget = 2000 };
    launch.watch = atx_inspector_watch(inspector, &launch);
    if (atx_machine_run(&result, machine, &launch, NULL) == AT_OK && result.finding.kind &&
        !result.finding.text[0])
        abort();
done:
    atx_inspector_close(inspector);
    atx_machine_close(machine);
    free(arguments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_ptx_module *m = NULL;
    at_error err = { 0 };
    char *text = atx_text_copy((const char *)data, size); /* exact: a sanitizer sees one byte beyond */
    if (text && atx_ptx_parse(&m, text, size, &err) == AT_OK) {
        for (int32_t i = 0; i < m->function_count && !is_large(m); i++)
            if (m->functions[i].is_entry && m->functions[i].has_body)
                run_entry(m, i);
        atx_ptx_close(m);
    } else if (text && !err.text[0])
        abort();
    free(text);
    return 0;
}
