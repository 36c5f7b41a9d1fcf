/*
 * library_packs.c - packs that answer in place of compiling: few kernels of an operation for every size
 * (tuner/pack), from files that the program names. They are read when the tuner is opened, and never change.
 */
#include "library/library.h"

#include "library/miss.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* Its code as at_run loads any: the set's. */
static at_status take_codes(atx_library_pack *pack, at_error *err)
{
    pack->codes = calloc((size_t)pack->set->code_count + 1, sizeof *pack->codes);
    if (!pack->codes)
        return atx_no_memory(err);
    for (int i = 0; i < pack->set->code_count; i++)
        pack->codes[i].bytes = pack->set->codes[i]; /* borrowed */
    return AT_OK;
}

static at_status add_file(atx_library_packs *packs, const char *path, const atx_catalog *catalog,
                          at_error *err)
{
    atx_pack_set *set = NULL;
    at_status status = atx_pack_read(&set, path, catalog, err);
    if (status == AT_OK && !set->code_count)
        status =
            atx_fail(err, AT_ERR_INPUT,
                     "%s has no code: it belongs to a pack of sources; expected one without --source", path);
    if (status != AT_OK) {
        atx_pack_set_close(set);
        return status;
    }
    if (!atx_grow(&packs->items, &packs->cap, packs->count, sizeof *packs->items)) {
        atx_pack_set_close(set);
        return atx_no_memory(err);
    }
    packs->items[packs->count] = (atx_library_pack){ .set = set };
    return take_codes(&packs->items[packs->count++], err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Its files NAME.json, in the order of their names. `log` (NULL: the first failure ends it) gets a
 * message for each that is left out. */
static at_status add_folder(atx_library_packs *packs, const char *path, DIR *folder,
                            const atx_catalog *catalog, const at_tuner *log, at_error *err)
{
    char **names = NULL;
    size_t count = 0, cap = 0;
    at_status status = AT_OK;
    for (struct dirent *entry; status == AT_OK && (entry = readdir(folder));) {
        const size_t len = strlen(entry->d_name);
        if (len < 5 || strcmp(entry->d_name + len - 5, ".json") != 0)
            continue;
        if (!atx_grow(&names, &cap, count, sizeof *names) ||
            !(names[count] = atx_text_copy(entry->d_name, len)))
            status = atx_no_memory(err);
        else
            count++;
    }
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        ATX_LOCAL(atx_str) file = { 0 };
        atx_str_addf(&file, "%s/%s", path, names[i]);
        ATX_THEN(status, atx_str_status(&file, err));
        ATX_THEN(status, add_file(packs, file.data, catalog, err));
        if (log && status != AT_OK) {
            atx_library_log(log, err->text);
            status = AT_OK;
        }
        free(names[i]);
    }
    free(names);
    return status;
}

at_status atx_packs_open(atx_library_packs *packs, const char *paths, const atx_catalog *catalog,
                         at_error *err)
{
    at_status status = AT_OK;
    char *copy = atx_text_copy(paths ? paths : "", strlen(paths ? paths : "")), *rest = NULL;
    if (!copy)
        return atx_no_memory(err);
    for (char *path = strtok_r(copy, ":", &rest); path && status == AT_OK;
         path = strtok_r(NULL, ":", &rest)) {
        DIR *folder = opendir(path);
        status = folder ? add_folder(packs, path, folder, catalog, NULL, err)
                        : add_file(packs, path, catalog, err);
        if (folder)
            closedir(folder);
    }
    free(copy);
    return status;
}

void atx_packs_read_default(at_tuner *tuner)
{
    static const char *const PLACES[] = { "packs", "../share/autotune/packs", "../../share/autotune/packs" };
    const char *library = atx_own_library(), *slash = strrchr(library, '/');
    if (!tuner->packs.by_default || tuner->packs.read)
        return;
    tuner->packs.read = true;
    for (size_t i = 0; slash && i < sizeof PLACES / sizeof *PLACES; i++) {
        ATX_LOCAL(atx_str) path = { 0 };
        at_error ignored = { 0 };
        atx_str_addf(&path, "%.*s/%s", (int)(slash - library), library, PLACES[i]);
        DIR *folder = atx_str_status(&path, NULL) == AT_OK ? opendir(path.data) : NULL;
        if (folder && add_folder(&tuner->packs, path.data, folder, tuner->catalog, tuner, &ignored) != AT_OK)
            atx_library_log(tuner, ignored.text);
        if (folder)
            closedir(folder);
        if (folder)
            return;
    }
}

void atx_packs_close(atx_library_packs *packs)
{
    for (size_t i = 0; i < packs->count; i++) {
        atx_pack_set_close(packs->items[i].set);
        free(packs->items[i].codes);
    }
    free(packs->items);
    *packs = (atx_library_packs){ 0 };
}

/* Types of one size are one where an operation only moves them. */
static bool is_of(const atx_pack_set *set, const atx_problem *p)
{
    return set->domain.op == p->op && strcmp(atx_dtype_key(set->domain.type, p->op->storage),
                                             atx_dtype_key(p->type, p->op->storage)) == 0;
}

bool atx_packs_take(atx_packed *out, const atx_library_packs *packs, const atx_problem *problem,
                    const char *device, const atx_limits *limits)
{
    for (size_t i = 0; i < packs->count && atx_problem_is_dense(problem); i++) {
        const atx_library_pack *p = &packs->items[i];
        const int model =
            is_of(p->set, problem) ? atx_pack_model(p->set, device, limits->cc, limits->sms) : -1;
        if (model < 0 || atx_problem_bind(out->slots, problem, limits, NULL) != AT_OK)
            continue;
        out->pack = p->set->packs[model];
        const int kernel = atx_pack_take(&out->geometry, out->pack, problem, out->slots);
        if (kernel < 0)
            continue;
        out->kernel = &out->pack->kernels[kernel];
        out->code = &p->codes[p->set->code_of[model][kernel]];
        out->name = p->set->name;
        return true;
    }
    return false;
}
