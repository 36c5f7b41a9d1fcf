/*
 * import_file.c - a file is of the first format that knows it. What it says of the kernel (name, sizes,
 * types) is taken where it has a form of ours and left out else; a wrong shape would be worse than none.
 */
#include "exchange/import_results.h"
#include "exchange/import_text.h"

#include "util/text_file.h"

#include <stdlib.h>

static const atx_import_format *const FORMATS[] = { &atx_import_t1,  &atx_import_cache,  &atx_import_clblast,
                                                    &atx_import_ktt, &atx_import_triton, &atx_import_table,
                                                    &atx_import_t4 };
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static at_status read_text(atx_import_file *file, at_error *err)
{
    atx_text_file *text = NULL;
    bool is_csv = false;
    at_status status = atx_text_file_open(&text, file->path, err);
    ATX_THEN(status, atx_text_file_all(text, &file->text, ATX_JSON_MAX_TEXT, err));
    atx_text_file_close(text);
    ATX_THEN(status, atx_import_to_json(&file->text, &is_csv, file->path, err));
    ATX_THEN(status, atx_json_read(&file->json, atx_str_text(&file->text), file->text.len, file->path, err));
    file->json.is_table = is_csv;
    return status;
}

static bool is_of(const atx_json *json, const atx_import_format *f)
{
    const uint32_t first = json->nodes[0].kind == ATX_JSON_ARRAY ? atx_json_first(json, 0) : 0;
    if (!f->has[0])
        return first && json->nodes[first].kind == ATX_JSON_OBJECT;
    return atx_json_member(json, 0, f->has[0]) && (!f->has[1] || atx_json_member(json, 0, f->has[1]));
}

static at_status find_format(atx_import_file *file, at_error *err)
{
    ATX_LOCAL(atx_str) expected = { 0 };
    for (int i = 0; i < FORMAT_COUNT && !file->format; i++)
        if (is_of(&file->json, FORMATS[i]))
            file->format = FORMATS[i];
    if (file->format)
        return AT_OK;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const atx_import_format *f = FORMATS[i];
        atx_str_addf(&expected, "%s%s", i == 0 ? "" : i + 1 < FORMAT_COUNT ? ", " : " or ", f->looks_like);
        if (f->has[0])
            atx_str_addf(&expected, " (%s%s%s)", f->has[0], f->has[1] ? ", " : "",
                         f->has[1] ? f->has[1] : "");
    }
    ATX_TRY(atx_str_status(&expected, err));
    return atx_fail(err, AT_ERR_INPUT, "%s: expected %s", file->path, atx_str_text(&expected));
}

static at_status read_trials(atx_import_file *file, at_error *err)
{
    const atx_import_format *f = file->format;
    const char *list = f->has[1] ? f->has[1] : f->has[0];
    if (f->read)
        return f->read(file, err);
    return atx_import_read_results(file, list ? atx_json_member(&file->json, 0, list) : 0, f->look, err);
}

at_status atx_import_file_read(atx_import_file *out, const char *path, at_error *err)
{
    *out = (atx_import_file){ .path = path, .type = ATX_DTYPES };
    at_status status = read_text(out, err);
    ATX_THEN(status, find_format(out, err));
    if (status == AT_OK && out->format->about && !out->format->about(out))
        status = atx_no_memory(err);
    ATX_THEN(status, read_trials(out, err));
    if (status == AT_OK && out->json.torn && !out->format->may_end_early)
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
