/*
 * import_values.c - parameters and their values, and sizes. Values are compared as what they mean: "32" and
 * 32 are one, True is 1.
 */
#include "exchange/import_file.h"

#include <ctype.h>
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

/*
 * Any other text as a word: "x,y" becomes x_y, 0.5 becomes v0_5. The number of such a value tells texts apart
 * that become one word: its declaration then has the word twice, which is an error.
 */
static at_status word_of(atx_import_value *out, const atx_json *json, uint32_t node, const atx_str *text,
                         at_error *err)
{
    ATX_LOCAL(atx_str) word = { 0 };
    bool good = is_identifier(atx_str_text(text));
    atx_str_add(&word, isalpha((unsigned char)atx_str_text(text)[0]) || good ? "" : "v");
    for (size_t i = 0; i < text->len; i++) {
        atx_str_add_bytes(&word, isalnum((unsigned char)text->data[i]) ? &text->data[i] : "_", 1);
        out->number = good ? 0 : (int64_t)(uint32_t)(out->number * 31 + (unsigned char)text->data[i] + 1);
    }
    at_status status = atx_str_status(&word, err);
    if (status == AT_OK && !is_identifier(atx_str_text(&word)))
        status = atx_json_fail(json, node, 0, err,
                               "found \"%.60s\"; expected an integer, or at most %d letters, digits and _",
                               atx_str_text(text), ATX_MAX_NAME / 2 - 1);
    if (status == AT_OK && !(out->word = atx_text_copy(word.data, word.len)))
        status = atx_no_memory(err);
    return status;
}

/* A number in quotes is that number. */
static at_status value_of_text(atx_import_value *out, const atx_json *json, uint32_t node, at_error *err)
{
    ATX_LOCAL(atx_str) text = { 0 };
    char *stop;
    atx_json_add_text(&text, json, node);
    at_status status = atx_str_status(&text, err);
    long long number = strtoll(atx_str_text(&text), &stop, 10);
    if (status == AT_OK && text.len && text.len < 18 && !*stop)
        *out = (atx_import_value){ .number = number };
    else if (status == AT_OK)
        status = word_of(out, json, node, &text, err);
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
    case ATX_JSON_ARRAY:
    case ATX_JSON_OBJECT:
        return atx_json_fail(json, node, 0, err,
                             "found a list or an object; expected a number, a truth or a word");
    default:
        return atx_json_integer(&out->number, json, node) ? AT_OK : value_of_text(out, json, node, err);
    }
}

static bool same_value(const atx_import_value *a, const atx_import_value *b)
{
    return a->number == b->number &&
           (a->word && b->word ? strcmp(a->word, b->word) == 0 : !a->word && !b->word);
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
    ATX_LOCAL(atx_str) name = { 0 };
    atx_json_add_text(&name, json, node);
    if (name.failed)
        ATX_TRY(atx_str_status(&name, err));
    else if (json->nodes[node].kind != ATX_JSON_STRING || !is_identifier(atx_str_text(&name)))
        return atx_json_fail(json, node, 0, err,
                             "found '%.60s'; expected the name of %s: letters, digits and _, at most %d",
                             atx_str_text(&name), what, ATX_MAX_NAME / 2 - 1);
    else
        memcpy(out, name.data, name.len + 1);
    return AT_OK;
}

at_status atx_import_add_param(atx_import_param **out, atx_import_file *file, uint32_t node, at_error *err)
{
    char name[ATX_MAX_NAME];
    if (file->param_count == ATX_MAX_PARAMS)
        return atx_json_fail(&file->json, node, 0, err, "found more than %d parameters; expected fewer",
                             ATX_MAX_PARAMS);
    ATX_TRY(atx_import_read_name(name, &file->json, node, "a parameter", err));
    if (atx_import_find_param(file, name, strlen(name)) >= 0)
        return atx_json_fail(&file->json, node, 0, err,
                             "found parameter '%s' a second time; expected it once", name);
    *out = &file->params[file->param_count++];
    **out = (atx_import_param){ .node = node };
    memcpy((*out)->name, name, sizeof name);
    return AT_OK;
}

bool atx_import_copy_text(char *out, size_t size, const atx_json *json, uint32_t node)
{
    ATX_LOCAL(atx_str) text = { 0 };
    if (!node || json->nodes[node].kind != ATX_JSON_STRING)
        return true;
    atx_json_add_text(&text, json, node);
    size_t len = text.len < size ? text.len : size - 1;
    memcpy(out, atx_str_text(&text), len);
    out[len] = '\0';
    return !text.failed;
}

/* A number, or a list of them. Anything else gives no sizes: none are better than wrong ones. */
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

bool atx_import_read_about(atx_import_file *file)
{
    const atx_import_format *f = file->format;
    const atx_json *json = &file->json;
    if (f->sizes)
        read_sizes(file, atx_json_at(json, 0, f->sizes));
    return (!f->kernel ||
            atx_import_copy_text(file->kernel, sizeof file->kernel, json, atx_json_at(json, 0, f->kernel))) &&
           (!f->device ||
            atx_import_copy_text(file->device, sizeof file->device, json, atx_json_at(json, 0, f->device))) &&
           (!f->about || f->about(file));
}
