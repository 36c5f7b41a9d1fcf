/*
 * library.c - opening and closing a tuner, and the small calls of <autotune/autotune.h>, whose arguments are
 * checked here.
 */
#include "library/library.h"

#include "util/real_path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* An error in a folder of templates concerns its own problems only. */
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

#define LOG_SHAPES_ENV "AUTOTUNE_LOG_SHAPES"
#define PACKS_ENV      "AUTOTUNE_PACKS"
#define NO_COMPILE_ENV "AUTOTUNE_NO_COMPILE"

static const char *variable(const at_tuner *tuner, const char *name)
{
    return tuner->no_environment ? NULL : getenv(name);
}

static at_status open_packs(at_tuner *tuner, const at_open_options *o, at_error *err)
{
    const char *never = variable(tuner, NO_COMPILE_ENV);
    const char *named = o->packs ? o->packs : variable(tuner, PACKS_ENV);
    tuner->never_compiles = o->no_compile || (never && strcmp(never, "1") == 0);
    tuner->packs.by_default = !named && tuner->with_shipped;
    return atx_packs_open(&tuner->packs, named, tuner->catalog, err);
}

static at_status fill(at_tuner *tuner, const at_open_options *o, at_error *err)
{
    tuner->no_environment = o->no_environment != 0;
    tuner->log = o->log;
    tuner->log_context = o->log_context;
    at_status status = atx_tuning_open(&tuner->tuning, o, err);
    ATX_THEN(status, atx_preparing_open(&tuner->preparing, err));
    ATX_THEN(status, atx_later_open(&tuner->later, err));
    ATX_THEN(status, atx_asked_open(&tuner->asked,
                                    o->log_shapes ? o->log_shapes : variable(tuner, LOG_SHAPES_ENV), err));
    const atx_catalog_options options = { .dir = o->templates,
                                          .headers = atx_headers_text(tuner->tuning.headers),
                                          .allow = atx_str_text(&tuner->tuning.allow.text),
                                          .broken = keep_broken,
                                          .context = tuner,
                                          .lazily = true };
    ATX_THEN(status, atx_catalog_open_with(&tuner->catalog, &options, err));
    ATX_THEN(status, atx_str_status(&tuner->broken, err));
    tuner->with_shipped = !o->no_shipped && atx_shipped_wanted(tuner->no_environment);
    ATX_THEN(status, atx_library_open_store(tuner, o->database, err));
    ATX_THEN(status, atx_library_open_lookup(tuner, err));
    ATX_THEN(status, open_packs(tuner, o, err));
    if (status == AT_OK && o->cache)
        atx_str_add(&tuner->cache_path, o->cache);
    else if (status == AT_OK && !tuner->no_environment)
        status = atx_store_cache_path(&tuner->cache_path, err);
    if (status == AT_OK && atx_store_check_name(atx_str_text(&tuner->cache_path), NULL) == AT_OK)
        atx_path_from_here(&tuner->cache_path); /* of another name its first use says what is wrong */
    return status == AT_OK ? atx_str_status(&tuner->cache_path, err) : status;
}

/* See library_exit.c. */
static bool open_slow(pthread_mutex_t *slow)
{
    pthread_mutexattr_t kind;
    if (pthread_mutexattr_init(&kind) != 0)
        return false;
    const bool opened = pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK) == 0 &&
                        pthread_mutex_init(slow, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    return opened;
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
    if (!tuner || !open_slow(&tuner->slow) || pthread_rwlock_init(&tuner->table_lock, NULL) != 0) {
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
    atx_preparing_close(&tuner->preparing);
    atx_later_close(&tuner->later);
    atx_library_drop_guard(tuner);
    atx_tuning_close(&tuner->tuning);
    atx_asked_close(&tuner->asked);
    atx_library_unload(tuner);
    atx_lookup_close(tuner->lookup);
    atx_exclusions_close(tuner->excluded);
    atx_store_close(tuner->store);
    atx_store_close(tuner->cache);
    atx_packs_close(&tuner->packs);
    atx_nvrtc_close(tuner->nvrtc);
    atx_catalog_close(tuner->catalog);
    for (int i = 0; i < tuner->op_count; i++)
        free(tuner->ops[i]);
    free(tuner->ops);
    atx_str_clear(&tuner->broken);
    atx_str_clear(&tuner->compiler_log);
    atx_str_clear(&tuner->absent);
    atx_str_clear(&tuner->cache_path);
    pthread_rwlock_destroy(&tuner->table_lock);
    pthread_mutex_destroy(&tuner->slow);
    free(tuner);
}
