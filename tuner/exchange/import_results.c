/* import_results.c - see import_results.h. */
#include "exchange/import_results.h"

#include <math.h>

void atx_import_add_setting(atx_import_result *out, uint32_t name, uint32_t value)
{
    if (out->count <= ATX_MAX_PARAMS)
        out->settings[out->count++] = (atx_import_setting){ name, value };
}

void atx_import_add_settings(atx_import_result *out, const atx_json *json, uint32_t object)
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
