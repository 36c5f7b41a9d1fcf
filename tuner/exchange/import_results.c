/*
 * import_results.c - formats that are a list of results: how such a list is read, and those of CLBlast, the
 * Kernel Tuning Toolkit and Triton.
 */
#include "exchange/import_results.h"

#include <math.h>
#include <stdlib.h>

void atx_import_add_setting(atx_import_result *out, uint32_t name, uint32_t value)
{
    if (out->count <= ATX_MAX_PARAMS)
        out->settings[out->count++] = (atx_import_setting){ name, value };
}

/* All members of an object. */
static void add_settings(atx_import_result *out, const atx_json *json, uint32_t object)
{
    if (!object || json->nodes[object].kind != ATX_JSON_OBJECT)
        return;
    for (uint32_t at = atx_json_first(json, object); at; at = atx_json_next(json, at))
        atx_import_add_setting(out, at, at + 1);
}

static at_status add_params(atx_import_file *file, const atx_import_result *r, uint32_t node, at_error *err)
{
    atx_import_param *param;
    if (!r->count)
        return atx_json_fail(&file->json, node, 0, err,
                             "found no configuration; expected parameters with their values");
    for (int i = 0; i < r->count; i++)
        ATX_TRY(atx_import_add_param(&param, file, r->settings[i].name, err));
    return AT_OK;
}

/* One that the first result has not would tell configurations apart that become one. */
static at_status check_names(const atx_import_file *file, const atx_import_result *r, at_error *err)
{
    const atx_json *json = &file->json;
    for (int i = 0; i < r->count; i++) {
        const atx_json_node *n = &json->nodes[r->settings[i].name];
        if (atx_import_find_param(file, json->text + n->begin, n->end - n->begin) < 0)
            return atx_json_fail(json, r->settings[i].name, 0, err,
                                 "found a parameter that the first result has not; expected the same ones");
    }
    return AT_OK;
}

static at_status read_result(atx_import_file *file, uint32_t node, const atx_import_result *r, at_error *err)
{
    atx_import_trial *trial = NULL;
    double time;
    ATX_TRY(file->param_count ? AT_OK : add_params(file, r, node, err));
    ATX_TRY(check_names(file, r, err));
    ATX_TRY(atx_import_add_trial(&trial, file, node, err));
    ATX_TRY(atx_import_read_settings(trial, file, r->settings, r->count, err));
    bool timed = !r->failure && r->time && atx_json_number(&time, &file->json, r->time) && isfinite(time);
    if (timed)
        atx_import_take_time(trial, &file->json, r->time, r->unit_s);
    else if (r->failure || r->time)
        atx_import_set_failure(trial, &file->json, r->failure ? r->failure : r->time);
    return AT_OK;
}

at_status atx_import_read_results(atx_import_file *file, uint32_t list, atx_import_look *look, at_error *err)
{
    const atx_json *json = &file->json;
    if (json->nodes[list].kind != ATX_JSON_ARRAY || !atx_json_first(json, list))
        return atx_json_fail(json, list, 0, err, "found no results; expected a list of them");
    for (uint32_t at = atx_json_first(json, list); at; at = atx_json_next(json, at)) {
        atx_import_result result = { .unit_s = 1e-3 };
        ATX_TRY(look(&result, file, at, err));
        ATX_TRY(read_result(file, at, &result, err));
    }
    for (int i = 0; i < file->param_count; i++)
        ATX_TRY(atx_import_sort_values(file, i, err));
    return AT_OK;
}

/* ---- CLBlast's tuners, clblast_FAMILY_PRECISION.json: milliseconds, without configurations that failed ----
 */

/* Sizes are texts; those that the kernel has not are missing. All of them are read, or none. */
static bool read_sizes(atx_import_file *file)
{
    static const char *const NAMES[] = { "arg_m", "arg_n", "arg_k" };
    bool good = true, all = true;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && good; i++) {
        const uint32_t node = atx_json_member(&file->json, 0, NAMES[i]);
        char text[24] = "", *end = text;
        good = atx_import_copy_text(text, sizeof text, &file->json, node);
        const long size = strtol(text, &end, 10);
        if (size >= 1 && size <= ATX_IMPORT_MAX_SIZE && !*end)
            file->sizes[file->size_count++] = size;
        else
            all = all && !node;
    }
    file->size_count = all ? file->size_count : 0;
    return good;
}

static at_status look_clblast(atx_import_result *out, const atx_import_file *file, uint32_t node,
                              at_error *err)
{
    (void)err;
    add_settings(out, &file->json, atx_json_member(&file->json, node, "parameters"));
    out->time = atx_json_member(&file->json, node, "time");
    return AT_OK;
}

const atx_import_format atx_import_clblast = { .tool = "CLBlast tuner",
                                               .looks_like = "a file of CLBlast's tuner",
                                               .has = { "kernel_family", "results" },
                                               .kernel = "kernel_family",
                                               .device = "device",
                                               .about = read_sizes,
                                               .look = look_clblast };

/* ---- the Kernel Tuning Toolkit's JSON ---- */

static at_status look_ktt(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
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
    return atx_import_read_unit(&out->unit_s, json, atx_json_at(json, 0, "Metadata/TimeUnit"), err);
}

const atx_import_format atx_import_ktt = { .tool = "KTT results",
                                           .looks_like = "results of KTT",
                                           .has = { "Metadata", "Results" },
                                           .kernel = "Results/0/KernelName", /* a file is about one */
                                           .device = "Metadata/Device",
                                           .look = look_ktt };

/*
 * ---- Triton's autotuner with cache_results=True, KERNEL.autotune.json ----
 *
 * Pairs of a Config and its times in milliseconds, median first; a configuration that failed has infinity.
 * The file names no device.
 */

/* kwargs are the kernel's own parameters; the rest of a Config are numbers, but for functions, which JSON has
 * as null. */
static at_status look_triton(atx_import_result *out, const atx_import_file *file, uint32_t node,
                             at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t config = json->nodes[node].kind == ATX_JSON_ARRAY ? atx_json_first(json, node) : 0;
    uint32_t times = config ? atx_json_next(json, config) : 0;
    if (!times || json->nodes[config].kind != ATX_JSON_OBJECT)
        return atx_json_fail(json, node, 0, err,
                             "found no pair of a configuration and its times; expected one");
    add_settings(out, json, atx_json_member(json, config, "kwargs"));
    for (uint32_t at = atx_json_first(json, config); at; at = atx_json_next(json, at))
        if (json->nodes[at + 1].kind == ATX_JSON_NUMBER)
            atx_import_add_setting(out, at, at + 1);
    out->time = json->nodes[times].kind == ATX_JSON_ARRAY ? atx_json_first(json, times) : times;
    return AT_OK;
}

const atx_import_format atx_import_triton = { .tool = "Triton autotuner",
                                              .looks_like = "a cache file of Triton's autotuner",
                                              .has = { "configs_timings" },
                                              .look = look_triton };
