/*
 * import_space.c - the parameters of a T1 declaration (import_file.h). Values are Python, read by
 * python_values.c, or JSON lists; every parameter must have some.
 */
#include "exchange/import_file.h"

#include "exchange/python.h"

#include <stdlib.h>
#include <string.h>

static at_status add_python_value(atx_import_file *file, atx_import_param *param, uint32_t node,
                                  const char *text, const atx_py_value *value, at_error *err)
{
    atx_import_value own = { .number = value->number };
    if (value->is_word && !(own.word = atx_text_copy(text + value->begin, value->end - value->begin)))
        return atx_no_memory(err);
    if (atx_import_find_value(param, &own) >= 0) {
        free(own.word);
        return atx_json_fail(&file->json, node, 0, err, "found a value of '%s' twice; expected each once",
                             param->name);
    }
    return atx_import_add_value(param, &own, err);
}

static at_status read_python(atx_import_file *file, atx_import_param *param, uint32_t node, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    atx_py_error why = { 0 };
    int count = 0;
    ATX_FREED atx_py_value *values = malloc(ATX_PY_MAX_VALUES * sizeof *values);
    atx_json_add_text(&text, &file->json, node);
    at_status status = values ? atx_str_status(&text, err) : atx_no_memory(err);
    if (status == AT_OK) {
        status = atx_py_values(values, &count, atx_str_text(&text), text.len, &why);
        if (status == AT_ERR_INPUT)
            atx_json_fail(&file->json, node, why.offset, err, "%s", why.text);
        else if (status != AT_OK)
            atx_fail(err, status, "%s", why.text);
    }
    for (int i = 0; values && status == AT_OK && i < count; i++)
        status = add_python_value(file, param, node, atx_str_text(&text), &values[i], err);
    return status;
}

static at_status read_list(atx_import_file *file, atx_import_param *param, uint32_t node, at_error *err)
{
    for (uint32_t at = atx_json_first(&file->json, node); at; at = atx_json_next(&file->json, at)) {
        atx_import_value value;
        ATX_TRY(atx_import_value_of(&value, &file->json, at, err));
        ATX_TRY(atx_import_add_value(param, &value, err));
    }
    return AT_OK;
}

static at_status read_param(atx_import_file *file, uint32_t node, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t name = atx_json_member(json, node, "Name"), values = atx_json_member(json, node, "Values");
    atx_import_param *param;
    if (!name || !values)
        return atx_json_fail(json, node, 0, err, "found a parameter without Name and Values; expected both");
    ATX_TRY(atx_import_add_param(&param, file, name, err));
    if (json->nodes[values].kind == ATX_JSON_STRING)
        ATX_TRY(read_python(file, param, values, err));
    else if (json->nodes[values].kind == ATX_JSON_ARRAY)
        ATX_TRY(read_list(file, param, values, err));
    if (!param->count)
        return atx_json_fail(json, values, 0, err, "found no values of '%s'; expected a list of them",
                             param->name);
    return AT_OK;
}

/* ---- the kernel ---- */

/* The type of the first argument that is written. */
static bool read_type(atx_import_file *file)
{
    const atx_json *json = &file->json;
    uint32_t arguments = atx_json_at(json, 0, "KernelSpecification/Arguments");
    char name[32] = "";
    if (!arguments || json->nodes[arguments].kind != ATX_JSON_ARRAY)
        return true;
    for (uint32_t at = atx_json_first(json, arguments); at; at = atx_json_next(json, at)) {
        uint32_t access = atx_json_member(json, at, "AccessType");
        if (!access || atx_json_is(json, access, "ReadOnly"))
            continue;
        bool good = atx_import_copy_text(name, sizeof name, json, atx_json_member(json, at, "Type"));
        if (atx_dtype_parse(&file->type, name, strlen(name), NULL) != AT_OK)
            file->type = ATX_DTYPES;
        return good;
    }
    return true;
}

static at_status read_space(atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    uint32_t space = atx_json_member(json, 0, "ConfigurationSpace");
    uint32_t params = atx_json_member(json, space, "TuningParameters");
    at_status status = AT_OK;
    if (!params || json->nodes[params].kind != ATX_JSON_ARRAY || !atx_json_first(json, params))
        return atx_json_fail(json, space, 0, err,
                             "found no parameters; expected a list called TuningParameters");
    for (uint32_t at = atx_json_first(json, params); status == AT_OK && at; at = atx_json_next(json, at))
        status = read_param(file, at, err);
    file->fixed = true;
    return status;
}

const atx_import_format atx_import_t1 = { .tool = "T1 declaration",
                                          .looks_like = "a T1 declaration",
                                          .has = { "ConfigurationSpace" },
                                          .kernel = "KernelSpecification/KernelName",
                                          .sizes = "KernelSpecification/ProblemSize",
                                          .about = read_type,
                                          .read = read_space,
                                          .declares = true };
