/*
 * import_triton.c - what Triton's autotuner keeps with cache_results=True, KERNEL.autotune.json: pairs of a
 * Config and its times in milliseconds, median first; a configuration that failed has infinity. The file
 * names no device.
 */
#include "exchange/import_results.h"

/* kwargs are the kernel's own parameters; the rest of a Config are numbers, but for functions, which JSON has
 * as null. */
static at_status look(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t config = json->nodes[node].kind == ATX_JSON_ARRAY ? atx_json_first(json, node) : 0;
    uint32_t times = config ? atx_json_next(json, config) : 0;
    if (!times || json->nodes[config].kind != ATX_JSON_OBJECT)
        return atx_json_fail(json, node, 0, err,
                             "found no pair of a configuration and its times; expected one");
    atx_import_add_settings(out, json, atx_json_member(json, config, "kwargs"));
    for (uint32_t at = atx_json_first(json, config); at; at = atx_json_next(json, at))
        if (json->nodes[at + 1].kind == ATX_JSON_NUMBER)
            atx_import_add_setting(out, at, at + 1);
    out->time = json->nodes[times].kind == ATX_JSON_ARRAY ? atx_json_first(json, times) : times;
    return AT_OK;
}

const atx_import_format atx_import_triton = { .tool = "Triton autotuner",
                                              .looks_like = "a cache file of Triton's autotuner",
                                              .has = { "configs_timings" },
                                              .look = look };
