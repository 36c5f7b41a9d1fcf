/*
 * library.c - opening and closing a tuner, and the small calls of <autotune/autotune.h>, whose arguments are
 * checked here.
 */
#include "library/library.h"

#include "lang/arch.h"
#include "lang/device_name.h"
#include "lang/render.h"
#include "util/clock.h"
#include "util/real_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLLOW_S 0.1 /* whether the file is still that of its name is asked this often at most */

const char *at_version(void)
{
    return AT_VERSION;
}

int at_version_number(void)
{
    return AT_VERSION_NUMBER;
}

void at_free(void *memory)
{
    free(memory);
}

/* ---- open, close ---- */

/* Without a store the winners that come with the program answer, if they may. */
at_status atx_library_open_lookup(at_tuner *tuner, at_error *err)
{
    atx_lookup *lookup = NULL;
    if (!tuner->store && !tuner->with_shipped)
        return AT_OK;
    at_status status = atx_lookup_open(&lookup, tuner->store, tuner->catalog, err);
    if (status != AT_OK)
        return status;
    atx_lookup_exclude(lookup, tuner->excluded);
    if (tuner->with_shipped)
        atx_lookup_add_shipped(lookup);
    atx_lookup_close(tuner->lookup);
    tuner->lookup = lookup;
    return AT_OK;
}

/* Closed before the other is opened: what SQLite keeps beside a database goes by its name. */
static at_status open_again(at_tuner *tuner, at_error *err)
{
    tuner->replaced = true;
    atx_lookup_close(tuner->lookup);
    atx_store_close(tuner->store);
    tuner->lookup = NULL;
    tuner->store = NULL;
    at_status status =
        atx_store_open(&tuner->store, atx_str_text(&tuner->tuning.database), ATX_STORE_READ, err);
    if (status == AT_OK)
        status = atx_library_open_lookup(tuner, err);
    tuner->replaced = status != AT_OK;
    return status == AT_ERR_NOT_FOUND ? AT_ERR_STORE : status; /* it was there a moment ago */
}

at_status atx_library_follow(at_tuner *tuner, at_error *err)
{
    double now_s = atx_now_s();
    if (tuner->replaced)
        return open_again(tuner, err);
    if (!tuner->store || now_s - tuner->followed_s < FOLLOW_S)
        return AT_OK;
    tuner->followed_s = now_s;
    return atx_store_was_replaced(tuner->store) ? open_again(tuner, err) : AT_OK;
}

/* It is the same file wherever the program goes: what is opened at its first use, and by `autotune`, too. */
static at_status keep_name(atx_str *name, at_error *err)
{
    at_status status = atx_store_check_name(atx_str_text(name), err);
    if (status == AT_OK)
        atx_path_from_here(name);
    return status == AT_OK ? atx_str_status(name, err) : status;
}

/* That the default database is missing is no error; that a named one is, is, unless tuning may make it. */
static at_status open_store(at_tuner *tuner, const char *named, at_error *err)
{
    atx_str *path = &tuner->tuning.database;
    at_error cause = { 0 };
    at_status status = AT_OK;
    if (named)
        atx_str_add(path, named);
    else
        status = atx_store_default_path(path, &cause);
    if (status == AT_OK)
        status = keep_name(path, &cause);
    if (status == AT_OK)
        status = atx_store_open(&tuner->store, atx_str_text(path), ATX_STORE_READ, &cause);
    bool absent = status == AT_ERR_NOT_FOUND || status == AT_ERR_USAGE; /* no file, or no place for one */
    bool may_come = status == AT_ERR_NOT_FOUND && tuner->tuning.budget_s > 0;
    if (absent && (!named || may_come)) {
        atx_str_add(&tuner->absent, cause.text);
        return atx_str_status(&tuner->absent, err);
    }
    return status == AT_OK ? AT_OK : atx_fail(err, status, "%s", cause.text);
}

void atx_library_log(const at_tuner *tuner, const char *text)
{
    if (tuner->log)
        tuner->log(tuner->log_context, text);
}

/* What is wrong in a folder of templates is wrong for its own problems only. */
static void keep_broken(void *context, const char *why)
{
    at_tuner *tuner = context;
    atx_str_addf(&tuner->broken, "%s\n", why);
    atx_library_log(tuner, why);
}

const char *at_warnings(const at_tuner *tuner)
{
    return tuner ? atx_str_text(&tuner->broken) : "";
}

static at_status fill(at_tuner *tuner, const at_open_options *o, at_error *err)
{
    tuner->log = o->log;
    tuner->log_context = o->log_context;
    at_status status = atx_tuning_open(&tuner->tuning, o, err);
    const atx_catalog_options options = { .dir = o->templates,
                                          .headers = atx_tuning_headers(&tuner->tuning),
                                          .allow = atx_tuning_allow(&tuner->tuning),
                                          .broken = keep_broken,
                                          .context = tuner,
                                          .lazily = true };
    if (status == AT_OK)
        status = atx_catalog_open_with(&tuner->catalog, &options, err);
    if (status == AT_OK)
        status = atx_str_status(&tuner->broken, err);
    tuner->with_shipped = !o->no_shipped && atx_shipped_wanted();
    if (status == AT_OK)
        status = open_store(tuner, o->database, err);
    if (status == AT_OK)
        status = atx_library_open_lookup(tuner, err);
    if (status == AT_OK && o->cache)
        atx_str_add(&tuner->cache_path, o->cache);
    else if (status == AT_OK)
        status = atx_store_cache_path(&tuner->cache_path, err);
    if (status == AT_OK && atx_store_check_name(atx_str_text(&tuner->cache_path), NULL) == AT_OK)
        atx_path_from_here(&tuner->cache_path); /* of another name its first use says what is wrong */
    return status == AT_OK ? atx_str_status(&tuner->cache_path, err) : status;
}

at_status at_open(at_tuner **out, const at_open_options *given, at_error *err)
{
    static const at_open_options DEFAULTS = AT_OPEN_OPTIONS_INIT;
    at_open_options room;
    const at_open_options *options =
        given ? atx_library_struct(&room, sizeof room, given, "at_open_options", err) : &DEFAULTS;
    if (!options)
        return AT_ERR_USAGE;
    if (!out)
        return atx_fail(err, AT_ERR_USAGE, "at_open: expected a place for the tuner");
    at_tuner *tuner = calloc(1, sizeof *tuner);
    if (!tuner || pthread_mutex_init(&tuner->slow, NULL) != 0 ||
        pthread_rwlock_init(&tuner->table_lock, NULL) != 0) {
        free(tuner);
        return atx_no_memory(err);
    }
    tuner->owner = getpid();
    tuner->excluded = atx_exclusions_open();
    at_status status = tuner->excluded ? fill(tuner, options, err) : atx_no_memory(err);
    if (status != AT_OK) {
        at_close(tuner);
        return status;
    }
    *out = tuner;
    return AT_OK;
}

/* In a fork locks may be held, and conditions waited for, by threads that are not there; the driver, SQLite
 * and what it has open are the parent's. */
void at_close(at_tuner *tuner)
{
    if (!tuner || tuner->owner != getpid())
        return;
    atx_tuning_close(&tuner->tuning);
    atx_library_unload(tuner);
    atx_lookup_close(tuner->lookup);
    atx_exclusions_close(tuner->excluded);
    atx_store_close(tuner->store);
    atx_store_close(tuner->cache);
    atx_nvrtc_close(tuner->nvrtc);
    atx_catalog_close(tuner->catalog);
    atx_str_clear(&tuner->broken);
    atx_str_clear(&tuner->compiler_log);
    atx_str_clear(&tuner->absent);
    atx_str_clear(&tuner->cache_path);
    pthread_rwlock_destroy(&tuner->table_lock);
    pthread_mutex_destroy(&tuner->slow);
    free(tuner);
}

/* ---- look-ups ---- */

/* A GPU of this machine, by its number. `slow` is held: which one it is, is asked once. */
static at_status read_gpu(atx_target *out, at_tuner *tuner, int ordinal, at_error *err)
{
    atx_gpu *gpu = NULL;
    atx_device_info info;
    if (tuner->numbered.full && tuner->number == ordinal) {
        *out = tuner->numbered;
        return AT_OK;
    }
    at_status status = atx_gpu_find(&gpu, ordinal, err);
    if (status == AT_OK)
        status = atx_gpu_describe(&info, gpu, err);
    atx_gpu_close(gpu);
    if (status != AT_OK)
        return status;
    *out = (atx_target){ .cc = info.limits.cc, .sms = info.limits.sms, .full = true };
    memcpy(out->name, info.name, sizeof out->name);
    tuner->numbered = *out;
    tuner->number = ordinal;
    return AT_OK;
}

/* `slow` is held. */
static at_status read_target(atx_target *out, at_tuner *tuner, const at_target *given, at_error *err)
{
    int ordinal;
    at_target room;
    atx_limits limits = { 0 };
    at_status status = AT_OK;
    *out = (atx_target){ 0 };
    if (!given)
        return AT_OK;
    const at_target *target = atx_library_struct(&room, sizeof room, given, "at_target", err);
    if (!target)
        return AT_ERR_USAGE;
    if (target->sms < 0)
        return atx_fail(err, AT_ERR_USAGE, "found sms = %d; expected 0 or more multiprocessors", target->sms);
    size_t len = target->device ? strlen(target->device) : 0;
    if (len >= sizeof out->name)
        return atx_fail(err, AT_ERR_USAGE, "at_find: the device's name is longer than %zu characters",
                        sizeof out->name - 1);
    if (target->arch && *target->arch)
        status = atx_arch_parse(&limits, target->arch, err);
    if (status == AT_OK && len && atx_device_is_index(&ordinal, target->device))
        status = read_gpu(out, tuner, ordinal, err);
    else if (len)
        memcpy(out->name, target->device, len);
    out->cc = limits.cc ? limits.cc : out->cc;
    out->sms = target->sms ? target->sms : out->sms;
    return status;
}

at_status at_find(at_found **out, at_tuner *tuner, const at_problem *given, const at_target *target,
                  at_error *err)
{
    atx_found_parts *f = NULL;
    atx_target wanted;
    at_problem room;
    if (!out || !tuner || !given)
        return atx_fail(err, AT_ERR_USAGE, "at_find: an argument is NULL");
    const at_problem *problem = atx_library_struct(&room, sizeof room, given, "at_problem", err);
    if (!problem)
        return AT_ERR_USAGE;
    pthread_mutex_lock(&tuner->slow);
    at_status status = read_target(&wanted, tuner, target, err);
    if (status == AT_OK)
        status = atx_finding_make(&f, tuner, problem, &wanted, NULL, err);
    pthread_mutex_unlock(&tuner->slow);
    if (status == AT_OK)
        *out = &f->shown;
    return status;
}

void at_found_close(at_found *found)
{
    if (found)
        atx_finding_close((atx_found_parts *)found->parts);
}

at_status at_source(char **out, const at_found *found, at_error *err)
{
    const atx_found_parts *f = found ? found->parts : NULL;
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_str text = { 0 };
    if (!out || !found)
        return atx_fail(err, AT_ERR_USAGE, "at_source: an argument is NULL");
    if (!f->t)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s", found->why);
    at_status status = atx_finding_bind(slots, f, err);
    if (status == AT_OK)
        status = atx_render(&text, f->t, f->problem.type, &f->config, slots, err);
    if (status == AT_OK)
        *out = text.data; /* the caller's now */
    else
        atx_str_clear(&text);
    return status;
}

/* `slow` is held. What the compiler said goes to *log. */
static at_status compile(atx_str *code, atx_str *log, at_tuner *tuner, const atx_found_parts *f,
                         at_code_kind kind, at_error *err)
{
    atx_build build = { 0 };
    tuner->compiler_log.len = 0;
    at_status status = kind == AT_CODE_PTX ? atx_library_ptx(code, tuner, f, f->cc, err)
                                           : atx_library_cubin(&build, tuner, f, f->cc, err);
    atx_str_add(log, atx_str_text(&tuner->compiler_log));
    if (status == AT_OK && kind == AT_CODE_CUBIN) {
        *code = build.cubin;
        build.cubin = (atx_str){ 0 };
    }
    atx_build_clear(&build);
    return status;
}

at_status at_compile(at_code **out, at_tuner *tuner, const at_found *found, at_code_kind kind,
                     const at_compile_options *given, at_error *err)
{
    static const at_compile_options DEFAULTS = AT_COMPILE_OPTIONS_INIT;
    const atx_found_parts *f = found ? found->parts : NULL;
    at_compile_options room;
    atx_str code = { 0 }, log = { 0 };
    if (!out || !tuner || !found || (kind != AT_CODE_CUBIN && kind != AT_CODE_PTX))
        return atx_fail(err, AT_ERR_USAGE, "at_compile: an argument is NULL, or the kind is none");
    const at_compile_options *options =
        given ? atx_library_struct(&room, sizeof room, given, "at_compile_options", err) : &DEFAULTS;
    if (!options)
        return AT_ERR_USAGE;
    if (!f->t)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s", found->why);
    pthread_mutex_lock(&tuner->slow);
    at_status status = compile(&code, &log, tuner, f, kind, err);
    pthread_mutex_unlock(&tuner->slow);
    if (status == AT_OK)
        status = atx_library_name(out, f, &code, err);
    if (options->log)
        *options->log = log.data ? log.data : atx_text_copy("", 0);
    else
        atx_str_clear(&log);
    atx_str_clear(&code);
    return status;
}
