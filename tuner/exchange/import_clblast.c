/* import_clblast.c - the files of CLBlast's tuners, clblast_FAMILY_PRECISION.json. Times are milliseconds;
 * configurations that failed are not in them. */
#include "exchange/import_results.h"

#include <stdlib.h>

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

static bool read_about(atx_import_file *file)
{
    const atx_json *json = &file->json;
    return atx_import_copy_text(file->kernel, sizeof file->kernel, json,
                                atx_json_member(json, 0, "kernel_family")) &&
           atx_import_copy_text(file->device, sizeof file->device, json,
                                atx_json_member(json, 0, "device")) &&
           read_sizes(file);
}

static at_status look(atx_import_result *out, const atx_import_file *file, uint32_t node, at_error *err)
{
    (void)err;
    atx_import_add_settings(out, &file->json, atx_json_member(&file->json, node, "parameters"));
    out->time = atx_json_member(&file->json, node, "time");
    return AT_OK;
}

const atx_import_format atx_import_clblast = { .tool = "CLBlast tuner",
                                               .looks_like = "a file of CLBlast's tuner",
                                               .has = { "kernel_family", "results" },
                                               .about = read_about,
                                               .look = look };
