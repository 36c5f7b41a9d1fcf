/*
 * import_values.c - parameters and their values. Values are compared as what they mean: "32" and 32 are one,
 * True is 1.
 */
#include "exchange/import_file.h"

#include <stdlib.h>
#include <string.h>

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
        status = atx_no_memory(err);
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
                   ? atx_fail(err, AT_ERR_INPUT, "parameter %s has more than %d values; expected fewer",
                              param->name, ATX_MAX_VALUES)
                   : atx_no_memory(err);
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
