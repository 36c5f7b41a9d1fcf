/*
 * import_file.c - what a file is follows from its members: a cache, T4 results or a T1 declaration.
 * What is said of the kernel (name, sizes, types) is taken where it has a form of ours and left out
 * else; a wrong shape would be worse than none.
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
        return atx_fail(
            err, AT_ERR_INPUT,
            "%s: expected a Kernel Tuner cache file (tune_params_keys, cache), T4 results (results) or a "
            "T1 declaration (ConfigurationSpace)",
            file->path);
    return AT_OK;
}

/* ---- what it says about the kernel ---- */

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

static at_status read_trials(atx_import_file *file, at_error *err)
{
    return file->kind == ATX_IMPORT_CACHE ? atx_import_read_cache(file, err) : atx_import_read_t4(file, err);
}

at_status atx_import_file_read(atx_import_file *out, const char *path, at_error *err)
{
    *out = (atx_import_file){ .path = path, .type = ATX_DTYPES };
    at_status status = read_text(out, err);
    if (status == AT_OK)
        status = find_kind(out, err);
    if (status == AT_OK && !read_about(out))
        status = atx_no_memory(err);
    if (status == AT_OK)
        status = out->kind == ATX_IMPORT_T1 ? atx_import_read_space(out, err) : read_trials(out, err);
    if (status == AT_OK && out->json.torn && out->kind != ATX_IMPORT_CACHE)
        status = atx_fail(err, AT_ERR_INPUT, "%s: the file ends too early; expected all of it", path);
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
    at_status status = read_trials(out, err);
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
