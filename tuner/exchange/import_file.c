/*
 * import_file.c - what a file is follows from its members: a cache, T4 results or a T1 declaration.
 * Values are compared as what they mean: "32" and 32 are one, True is 1. What is said of the kernel
 * (name, sizes, types) is taken where it has a form of ours and left out else; a wrong shape would
 * be worse than none.
 */
#include "exchange/import_trials.h"

#include "util/text_file.h"

#include <stdlib.h>
#include <string.h>

static at_status read_text(atx_import_file *file, at_error *err)
{
    atx_text_file *text = NULL;
    at_status status = atx_text_file_open(&text, file->path, err);
    if (status == AT_OK)
        status = atx_text_file_all(text, &file->text, ATX_JSON_MAX_TEXT, err);
    atx_text_file_close(text);
    if (status == AT_OK)
        status = atx_json_read(&file->json, atx_str_text(&file->text), file->text.len, file->path, err);
    return status;
}

static at_status find_kind(atx_import_file *file, at_error *err)
{
    const atx_json *json = &file->json;
    if (atx_json_member(json, 0, "ConfigurationSpace"))
        file->kind = ATX_IMPORT_T1;
    else if (atx_json_member(json, 0, "cache") && atx_json_member(json, 0, "tune_params_keys"))
        file->kind = ATX_IMPORT_CACHE;
    else if (atx_json_member(json, 0, "results"))
        file->kind = ATX_IMPORT_T4;
    else
        return at_fail(
            err, AT_ERR_INPUT,
            "%s: expected a Kernel Tuner cache file (tune_params_keys, cache), T4 results (results) or a "
            "T1 declaration (ConfigurationSpace)",
            file->path);
    return AT_OK;
}

/* ---- values ---- */

static bool is_identifier(const char *text)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t len = strlen(text);
    return len && len < ATX_MAX_NAME / 2 && strchr(LETTERS, text[0]) &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == len;
}

/* A text: a number in quotes, or a word that can be one of ours. */
static at_status value_of_text(atx_import_value *out, const atx_json *json, uint32_t node, at_error *err)
{
    atx_str text = { 0 };
    char *stop;
    at_status status = AT_OK;
    atx_json_add_text(&text, json, node);
    long long number = strtoll(atx_str_text(&text), &stop, 10);
    *out = (atx_import_value){ .number = number };
    if (text.failed)
        return atx_str_status(&text, err);
    if (text.len && text.len < 18 && !*stop)
        ;
    else if (!is_identifier(atx_str_text(&text)))
        status = atx_json_fail(json, node, 0, err,
                               "found \"%.60s\"; expected an integer, or a word of letters, digits and _",
                               atx_str_text(&text));
    else if (!(out->word = atx_text_copy(text.data, text.len)))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    atx_str_clear(&text);
    return status;
}

at_status atx_import_value_of(atx_import_value *out, const atx_json *json, uint32_t node, at_error *err)
{
    *out = (atx_import_value){ 0 };
    switch (json->nodes[node].kind) {
    case ATX_JSON_TRUE:
        out->number = 1;
        return AT_OK;
    case ATX_JSON_FALSE:
        return AT_OK;
    case ATX_JSON_STRING:
        return value_of_text(out, json, node, err);
    default:
        if (atx_json_integer(&out->number, json, node))
            return AT_OK;
        return atx_json_fail(
            json, node, 0, err,
            "found a value that is no integer, truth or word; expected one, as our parameters have");
    }
}

static bool same_value(const atx_import_value *a, const atx_import_value *b)
{
    return a->word && b->word ? strcmp(a->word, b->word) == 0
                              : !a->word && !b->word && a->number == b->number;
}

int atx_import_find_value(const atx_import_param *param, const atx_import_value *value)
{
    for (size_t i = 0; i < param->count; i++)
        if (same_value(&param->values[i], value))
            return (int)i;
    return -1;
}

at_status atx_import_add_value(atx_import_param *param, const atx_import_value *value, at_error *err)
{
    if (param->count == ATX_MAX_VALUES ||
        !atx_grow(&param->values, &param->cap, param->count, sizeof *param->values)) {
        free(value->word);
        return param->count == ATX_MAX_VALUES
                   ? at_fail(err, AT_ERR_INPUT, "parameter %s has more than %d values; expected fewer",
                             param->name, ATX_MAX_VALUES)
                   : at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    param->values[param->count++] = *value;
    return AT_OK;
}

void atx_import_clear_values(atx_import_param *param)
{
    for (size_t i = 0; i < param->count; i++)
        free(param->values[i].word);
    free(param->values);
    param->values = NULL;
    param->count = param->cap = 0;
}

/* ---- parameters ---- */

int atx_import_find_param(const atx_import_file *file, const char *name, size_t len)
{
    for (int i = 0; i < file->param_count; i++)
        if (strlen(file->params[i].name) == len && memcmp(file->params[i].name, name, len) == 0)
            return i;
    return -1;
}

at_status atx_import_read_name(char out[ATX_MAX_NAME], const atx_json *json, uint32_t node, const char *what,
                               at_error *err)
{
    atx_str name = { 0 };
    at_status status = AT_OK;
    atx_json_add_text(&name, json, node);
    if (name.failed)
        status = atx_str_status(&name, err);
    else if (json->nodes[node].kind != ATX_JSON_STRING || !is_identifier(atx_str_text(&name)))
        status = atx_json_fail(json, node, 0, err,
                               "found '%.60s'; expected the name of %s: letters, digits and _, at most %d",
                               atx_str_text(&name), what, ATX_MAX_NAME / 2 - 1);
    else
        memcpy(out, name.data, name.len + 1);
    atx_str_clear(&name);
    return status;
}

at_status atx_import_add_param(atx_import_param **out, atx_import_file *file, uint32_t node, at_error *err)
{
    char name[ATX_MAX_NAME];
    if (file->param_count == ATX_MAX_PARAMS)
        return atx_json_fail(&file->json, node, 0, err, "found more than %d parameters; expected fewer",
                             ATX_MAX_PARAMS);
    at_status status = atx_import_read_name(name, &file->json, node, "a parameter", err);
    if (status == AT_OK && atx_import_find_param(file, name, strlen(name)) >= 0)
        status = atx_json_fail(&file->json, node, 0, err,
                               "found parameter '%s' a second time; expected it once", name);
    if (status != AT_OK)
        return status;
    *out = &file->params[file->param_count++];
    **out = (atx_import_param){ .node = node };
    memcpy((*out)->name, name, sizeof name);
    return AT_OK;
}

/* ---- what it says about the kernel ---- */

bool atx_import_copy_text(char *out, size_t size, const atx_json *json, uint32_t node)
{
    atx_str text = { 0 };
    if (!node || json->nodes[node].kind != ATX_JSON_STRING)
        return true;
    atx_json_add_text(&text, json, node);
    size_t len = text.len < size ? text.len : size - 1;
    memcpy(out, atx_str_text(&text), len);
    out[len] = '\0';
    bool good = !text.failed;
    atx_str_clear(&text);
    return good;
}

/* A number, or a list of them; anything else is not a shape of ours, and none is better than a wrong one. */
static void read_sizes(atx_import_file *file, uint32_t node)
{
    const atx_json *json = &file->json;
    int64_t size;
    int count = 0;
    if (!node)
        return;
    uint32_t at = json->nodes[node].kind == ATX_JSON_ARRAY ? atx_json_first(json, node) : node;
    for (; at && count < ATX_MAX_DIMS; at = at == node ? 0 : atx_json_next(json, at)) {
        if (!atx_json_integer(&size, json, at) || size < 1 || size > ATX_IMPORT_MAX_SIZE)
            return;
        file->sizes[count++] = size;
    }
    file->size_count = at ? 0 : count;
}

/* The type of the first argument that is written. */
static bool read_type(atx_import_file *file, uint32_t arguments)
{
    const atx_json *json = &file->json;
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

static bool read_about(atx_import_file *file)
{
    const atx_json *json = &file->json;
    uint32_t kernel = atx_json_member(json, 0, "KernelSpecification");
    if (file->kind == ATX_IMPORT_CACHE) {
        read_sizes(file, atx_json_member(json, 0, "problem_size"));
        return atx_import_copy_text(file->kernel, sizeof file->kernel, json,
                                    atx_json_member(json, 0, "kernel_name")) &&
               atx_import_copy_text(file->device, sizeof file->device, json,
                                    atx_json_member(json, 0, "device_name"));
    }
    if (file->kind == ATX_IMPORT_T4)
        return atx_import_about_t4(file);
    if (file->kind != ATX_IMPORT_T1 || !kernel)
        return true;
    read_sizes(file, atx_json_member(json, kernel, "ProblemSize"));
    return atx_import_copy_text(file->kernel, sizeof file->kernel, json,
                                atx_json_member(json, kernel, "KernelName")) &&
           read_type(file, atx_json_member(json, kernel, "Arguments"));
}

at_status atx_import_file_read(atx_import_file *out, const char *path, at_error *err)
{
    *out = (atx_import_file){ .path = path, .type = ATX_DTYPES };
    at_status status = read_text(out, err);
    if (status == AT_OK)
        status = find_kind(out, err);
    if (status == AT_OK && !read_about(out))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status =
            out->kind == ATX_IMPORT_T1 ? atx_import_read_space(out, err) : atx_import_read_trials(out, err);
    if (status == AT_OK && out->json.torn && out->kind != ATX_IMPORT_CACHE)
        status = at_fail(err, AT_ERR_INPUT, "%s: the file ends too early; expected all of it", path);
    if (status != AT_OK)
        atx_import_file_clear(out);
    return status;
}

at_status atx_import_file_read_template(atx_import_file *out, const atx_import_file *file, int number,
                                        at_error *err)
{
    *out = *file;
    out->shares = true;
    out->number = number;
    out->param_count = 0;
    out->trials = NULL;
    out->trial_count = out->trial_cap = 0;
    at_status status = atx_import_read_trials(out, err);
    if (status != AT_OK)
        atx_import_file_clear(out);
    return status;
}

void atx_import_file_clear(atx_import_file *file)
{
    for (int i = 0; i < file->param_count; i++)
        atx_import_clear_values(&file->params[i]);
    free(file->trials);
    if (!file->shares) {
        atx_json_clear(&file->json);
        atx_str_clear(&file->text);
    }
    *file = (atx_import_file){ 0 };
}
