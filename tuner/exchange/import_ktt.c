/* import_ktt.c - results that the Kernel Tuning Toolkit saves as JSON. The unit of times is in their
 * metadata. */
#include "exchange/import_results.h"

/* One file is about one kernel: the first result names it. */
static bool read_about(atx_import_file *file)
{
    const atx_json *json = &file->json;
    uint32_t metadata = atx_json_member(json, 0, "Metadata"), results = atx_json_member(json, 0, "Results");
    uint32_t first = json->nodes[results].kind == ATX_JSON_ARRAY ? atx_json_first(json, results) : 0;
    return atx_import_copy_text(file->device, sizeof file->device, json,
                                atx_json_member(json, metadata, "Device")) &&
           atx_import_copy_text(file->kernel, sizeof file->kernel, json,
                                first ? atx_json_member(json, first, "KernelName") : 0);
}

static at_status look(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t pairs = atx_json_member(json, node, "Configuration"),
             ended = atx_json_member(json, node, "Status");
    bool list = pairs && json->nodes[pairs].kind == ATX_JSON_ARRAY;
    for (uint32_t at = list ? atx_json_first(json, pairs) : 0; at; at = atx_json_next(json, at)) {
        uint32_t name = atx_json_member(json, at, "Name"), value = atx_json_member(json, at, "Value");
        if (!name || !value)
            return atx_json_fail(json, at, 0, err, "found a parameter without Name or Value; expected both");
        atx_import_add_setting(out, name, value);
    }
    out->time = atx_json_member(json, node, "TotalDuration");
    out->failure = ended && !atx_json_is(json, ended, "Ok") ? ended : 0;
    uint32_t unit = atx_json_member(json, atx_json_member(json, 0, "Metadata"), "TimeUnit");
    return atx_import_read_unit(&out->unit_s, json, unit, err);
}

const atx_import_format atx_import_ktt = { .tool = "KTT results",
                                           .looks_like = "results of KTT",
                                           .has = { "Metadata", "Results" },
                                           .about = read_about,
                                           .look = look };
