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

static at_status read_text(at__import_file *file, at_error *err)
{
    at__text_file *text = NULL;
    at_status status = at__text_file_open(&text, file->path, err);
    if (status == AT_OK)
        status = at__text_file_all(text, &file->text, AT__JSON_MAX_TEXT, err);
    at__text_file_close(text);
    if (status == AT_OK)
        status = at__json_read(&file->json, at__str_text(&file->text), file->text.len, file->path, err);
    return status;
}

static at_status find_kind(at__import_file *file, at_error *err)
{
    const at__json *json = &file->json;
    if (at__json_member(json, 0, "ConfigurationSpace"))
        file->kind = AT__IMPORT_T1;
    else if (at__json_member(json, 0, "cache") && at__json_member(json, 0, "tune_params_keys"))
        file->kind = AT__IMPORT_CACHE;
    else if (at__json_member(json, 0, "results"))
        file->kind = AT__IMPORT_T4;
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
    return len && len < AT__MAX_NAME / 2 && strchr(LETTERS, text[0]) &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == len;
}

/* A text: a number in quotes, or a word that can be one of ours. */
static at_status value_of_text(at__import_value *out, const at__json *json, uint32_t node, at_error *err)
{
    at__str text = { 0 };
    char *stop;
    at_status status = AT_OK;
    at__json_add_text(&text, json, node);
    long long number = strtoll(at__str_text(&text), &stop, 10);
    *out = (at__import_value){ .number = number };
    if (text.failed)
        return at__str_status(&text, err);
    if (text.len && text.len < 18 && !*stop)
        ;
    else if (!is_identifier(at__str_text(&text)))
        status = at__json_fail(json, node, 0, err,
                               "found \"%.60s\"; expected an integer, or a word of letters, digits and _",
                               at__str_text(&text));
    else if (!(out->word = at__text_copy(text.data, text.len)))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    at__str_clear(&text);
    return status;
}

at_status at__import_value_of(at__import_value *out, const at__json *json, uint32_t node, at_error *err)
{
    *out = (at__import_value){ 0 };
    switch (json->nodes[node].kind) {
    case AT__JSON_TRUE:
        out->number = 1;
        return AT_OK;
    case AT__JSON_FALSE:
        return AT_OK;
    case AT__JSON_STRING:
        return value_of_text(out, json, node, err);
    default:
        if (at__json_integer(&out->number, json, node))
            return AT_OK;
        return at__json_fail(
            json, node, 0, err,
            "found a value that is no integer, truth or word; expected one, as our parameters have");
    }
}

static bool same_value(const at__import_value *a, const at__import_value *b)
{
    return a->word && b->word ? strcmp(a->word, b->word) == 0
                              : !a->word && !b->word && a->number == b->number;
}

int at__import_find_value(const at__import_param *param, const at__import_value *value)
{
    for (size_t i = 0; i < param->count; i++)
        if (same_value(&param->values[i], value))
            return (int)i;
    return -1;
}

at_status at__import_add_value(at__import_param *param, const at__import_value *value, at_error *err)
{
    if (param->count == AT__MAX_VALUES ||
        !at__grow(&param->values, &param->cap, param->count, sizeof *param->values)) {
        free(value->word);
        return param->count == AT__MAX_VALUES
                   ? at_fail(err, AT_ERR_INPUT, "parameter %s has more than %d values; expected fewer",
                             param->name, AT__MAX_VALUES)
                   : at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    param->values[param->count++] = *value;
    return AT_OK;
}

void at__import_clear_values(at__import_param *param)
{
    for (size_t i = 0; i < param->count; i++)
        free(param->values[i].word);
    free(param->values);
    param->values = NULL;
    param->count = param->cap = 0;
}

/* ---- parameters ---- */

int at__import_find_param(const at__import_file *file, const char *name, size_t len)
{
    for (int i = 0; i < file->param_count; i++)
        if (strlen(file->params[i].name) == len && memcmp(file->params[i].name, name, len) == 0)
            return i;
    return -1;
}

at_status at__import_read_name(char out[AT__MAX_NAME], const at__json *json, uint32_t node, const char *what,
                               at_error *err)
{
    at__str name = { 0 };
    at_status status = AT_OK;
    at__json_add_text(&name, json, node);
    if (name.failed)
        status = at__str_status(&name, err);
    else if (json->nodes[node].kind != AT__JSON_STRING || !is_identifier(at__str_text(&name)))
        status = at__json_fail(json, node, 0, err,
                               "found '%.60s'; expected the name of %s: letters, digits and _, at most %d",
                               at__str_text(&name), what, AT__MAX_NAME / 2 - 1);
    else
        memcpy(out, name.data, name.len + 1);
    at__str_clear(&name);
    return status;
}

at_status at__import_add_param(at__import_param **out, at__import_file *file, uint32_t node, at_error *err)
{
    char name[AT__MAX_NAME];
    if (file->param_count == AT__MAX_PARAMS)
        return at__json_fail(&file->json, node, 0, err, "found more than %d parameters; expected fewer",
                             AT__MAX_PARAMS);
    at_status status = at__import_read_name(name, &file->json, node, "a parameter", err);
    if (status == AT_OK && at__import_find_param(file, name, strlen(name)) >= 0)
        status = at__json_fail(&file->json, node, 0, err,
                               "found parameter '%s' a second time; expected it once", name);
    if (status != AT_OK)
        return status;
    *out = &file->params[file->param_count++];
    **out = (at__import_param){ .node = node };
    memcpy((*out)->name, name, sizeof name);
    return AT_OK;
}

/* ---- what it says about the kernel ---- */

bool at__import_copy_text(char *out, size_t size, const at__json *json, uint32_t node)
{
    at__str text = { 0 };
    if (!node || json->nodes[node].kind != AT__JSON_STRING)
        return true;
    at__json_add_text(&text, json, node);
    size_t len = text.len < size ? text.len : size - 1;
    memcpy(out, at__str_text(&text), len);
    out[len] = '\0';
    bool good = !text.failed;
    at__str_clear(&text);
    return good;
}

/* A number, or a list of them; anything else is not a shape of ours, and none is better than a wrong one. */
static void read_sizes(at__import_file *file, uint32_t node)
{
    const at__json *json = &file->json;
    int64_t size;
    int count = 0;
    if (!node)
        return;
    uint32_t at = json->nodes[node].kind == AT__JSON_ARRAY ? at__json_first(json, node) : node;
    for (; at && count < AT__MAX_DIMS; at = at == node ? 0 : at__json_next(json, at)) {
        if (!at__json_integer(&size, json, at) || size < 1 || size > AT__IMPORT_MAX_SIZE)
            return;
        file->sizes[count++] = size;
    }
    file->size_count = at ? 0 : count;
}

/* The type of the first argument that is written. */
static bool read_type(at__import_file *file, uint32_t arguments)
{
    const at__json *json = &file->json;
    char name[32] = "";
    if (!arguments || json->nodes[arguments].kind != AT__JSON_ARRAY)
        return true;
    for (uint32_t at = at__json_first(json, arguments); at; at = at__json_next(json, at)) {
        uint32_t access = at__json_member(json, at, "AccessType");
        if (!access || at__json_is(json, access, "ReadOnly"))
            continue;
        bool good = at__import_copy_text(name, sizeof name, json, at__json_member(json, at, "Type"));
        if (at__dtype_parse(&file->type, name, strlen(name), NULL) != AT_OK)
            file->type = AT__DTYPES;
        return good;
    }
    return true;
}

static bool read_about(at__import_file *file)
{
    const at__json *json = &file->json;
    uint32_t kernel = at__json_member(json, 0, "KernelSpecification");
    if (file->kind == AT__IMPORT_CACHE) {
        read_sizes(file, at__json_member(json, 0, "problem_size"));
        return at__import_copy_text(file->kernel, sizeof file->kernel, json,
                                    at__json_member(json, 0, "kernel_name")) &&
               at__import_copy_text(file->device, sizeof file->device, json,
                                    at__json_member(json, 0, "device_name"));
    }
    if (file->kind == AT__IMPORT_T4)
        return at__import_about_t4(file);
    if (file->kind != AT__IMPORT_T1 || !kernel)
        return true;
    read_sizes(file, at__json_member(json, kernel, "ProblemSize"));
    return at__import_copy_text(file->kernel, sizeof file->kernel, json,
                                at__json_member(json, kernel, "KernelName")) &&
           read_type(file, at__json_member(json, kernel, "Arguments"));
}

at_status at__import_file_read(at__import_file *out, const char *path, at_error *err)
{
    *out = (at__import_file){ .path = path, .type = AT__DTYPES };
    at_status status = read_text(out, err);
    if (status == AT_OK)
        status = find_kind(out, err);
    if (status == AT_OK && !read_about(out))
        status = at_fail(err, AT_ERR_MEMORY, "out of memory");
    if (status == AT_OK)
        status =
            out->kind == AT__IMPORT_T1 ? at__import_read_space(out, err) : at__import_read_trials(out, err);
    if (status == AT_OK && out->json.torn && out->kind != AT__IMPORT_CACHE)
        status = at_fail(err, AT_ERR_INPUT, "%s: the file ends too early; expected all of it", path);
    if (status != AT_OK)
        at__import_file_clear(out);
    return status;
}

at_status at__import_file_read_template(at__import_file *out, const at__import_file *file, int number,
                                        at_error *err)
{
    *out = *file;
    out->shares = true;
    out->number = number;
    out->param_count = 0;
    out->trials = NULL;
    out->trial_count = out->trial_cap = 0;
    at_status status = at__import_read_trials(out, err);
    if (status != AT_OK)
        at__import_file_clear(out);
    return status;
}

void at__import_file_clear(at__import_file *file)
{
    for (int i = 0; i < file->param_count; i++)
        at__import_clear_values(&file->params[i]);
    free(file->trials);
    if (!file->shares) {
        at__json_clear(&file->json);
        at__str_clear(&file->text);
    }
    *file = (at__import_file){ 0 };
}
