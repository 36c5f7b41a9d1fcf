/*
 * library.c - opening and closing a tuner, and the small calls of <autotune/autotune.h>: arguments
 * are checked here, and internal types turned into public ones, which the static assertions
 * below prove to have equal numbers.
 */
#include "library/library.h"

#include "lang/device_name.h"
#include "lang/layout.h"
#include "lang/render.h"
#include "util/clock.h"
#include "util/real_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLLOW_S 0.1 /* whether the file is still that of its name is asked this often at most */

_Static_assert((int)AT_U8 == (int)ATX_U8 && (int)AT_F16 == (int)ATX_F16 && (int)AT_F32 == (int)ATX_F32 &&
                   (int)AT_F64 == (int)ATX_F64 && (int)AT_C128 == (int)ATX_C128 &&
                   (int)AT_C128 + 1 == (int)ATX_DTYPES,
               "types of the library are those of the core");
_Static_assert((int)AT_MATCH_EXACT == (int)ATX_MATCH_EXACT && (int)AT_MATCH_NEAR == (int)ATX_MATCH_NEAR &&
                   (int)AT_MATCH_OTHER_DEVICE == (int)ATX_MATCH_OTHER_DEVICE &&
                   (int)AT_MATCH_NONE == (int)ATX_MATCH_NONE &&
                   (int)AT_MATCH_PREDICTED == (int)ATX_MATCH_PREDICTED,
               "matches of the library are those of the core");
_Static_assert((int)AT_SCALAR == (int)ATX_SCALAR && (int)AT_INPUT == (int)ATX_INPUT &&
                   (int)AT_OUTPUT == (int)ATX_OUTPUT && (int)AT_INOUT == (int)ATX_INOUT &&
                   (int)AT_SCRATCH == (int)ATX_SCRATCH,
               "roles of the library are those of the core");
_Static_assert(AT_MAX_SIZES <= ATX_MAX_DIMS && AT_MAX_RANK == ATX_MAX_DIMS &&
                   AT_MAX_PITCHES == ATX_MAX_PITCHES && AT_MAX_ALIGNMENTS == ATX_MAX_ALIGNS,
               "a problem of the library holds every shape");

const char *at_version(void)
{
    return AT_VERSION;
}

int at_version_number(void)
{
    return AT_VERSION_NUMBER;
}

const char *at_type_name(at_type type)
{
    return (unsigned)type < ATX_DTYPES ? atx_dtype_name((atx_dtype)type) : "";
}

int at_type_bytes(at_type type)
{
    return (unsigned)type < ATX_DTYPES ? atx_dtype_bytes((atx_dtype)type) : 0;
}

at_status at_type_parse(at_type *out, const char *text, at_error *err)
{
    atx_dtype type = ATX_F32;
    if (!out || !text)
        return at_fail(err, AT_ERR_USAGE, "at_type_parse: an argument is NULL");
    at_status status = atx_dtype_parse(&type, text, strlen(text), err);
    if (status == AT_OK)
        *out = (at_type)type;
    return status;
}

at_status at_permute(at_problem *out, at_type type, int rank, const int64_t *extents, const int *permutation,
                     at_error *err)
{
    atx_layout_pair layout = { 0 };
    if (!out || !extents || !permutation || rank < 0 || rank > AT_MAX_RANK)
        return at_fail(err, AT_ERR_USAGE, "at_permute: expected no NULL, and a rank of 0 to %d", AT_MAX_RANK);
    if ((unsigned)type >= ATX_DTYPES)
        return at_fail(err, AT_ERR_USAGE, "at_permute: found type %d; expected an at_type", (int)type);
    for (int i = 0; i < rank; i++)
        if (extents[i] < 1)
            return at_fail(err, AT_ERR_INPUT, "found an extent of %" PRId64 "; expected at least one element",
                           extents[i]);
    at_status status = atx_layout_permuted(&layout, rank, extents, permutation, NULL, err);
    if (status != AT_OK)
        return status;
    *out = (at_problem){ .op = "permute", .type = type, .layout = { .rank = rank } };
    memcpy(out->layout.extents, layout.extents, sizeof layout.extents);
    memcpy(out->layout.strides_in, layout.in, sizeof layout.in);
    memcpy(out->layout.strides_out, layout.out, sizeof layout.out);
    return AT_OK;
}

const char *at_match_name(at_match match)
{
    return (unsigned)match <= AT_MATCH_PREDICTED ? atx_match_name((atx_match)match) : "";
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
    return status == AT_OK ? AT_OK : at_fail(err, status, "%s", cause.text);
}

/* What is wrong in a folder of templates is wrong for its own problems only. */
static void keep_broken(void *context, const char *why)
{
    at_tuner *tuner = context;
    atx_str_addf(&tuner->broken, "%s\n", why);
}

const char *at_warnings(const at_tuner *tuner)
{
    return tuner ? atx_str_text(&tuner->broken) : "";
}

static at_status fill(at_tuner *tuner, const at_open_options *o, at_error *err)
{
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
    tuner->with_shipped = !o->without_shipped && atx_shipped_wanted();
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
    const at_open_options *options = given ? given : &DEFAULTS;
    if (options->version != DEFAULTS.version)
        return at_fail(err, AT_ERR_USAGE,
                       "at_open: found options of version %d; expected %d, as AT_OPEN_OPTIONS_INIT sets it",
                       options->version, DEFAULTS.version);
    if (!out)
        return at_fail(err, AT_ERR_USAGE, "at_open: expected a place for the tuner");
    at_tuner *tuner = calloc(1, sizeof *tuner);
    if (!tuner || pthread_mutex_init(&tuner->slow, NULL) != 0 ||
        pthread_rwlock_init(&tuner->table_lock, NULL) != 0) {
        free(tuner);
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    }
    tuner->owner = getpid();
    tuner->excluded = atx_exclusions_open();
    at_status status =
        tuner->excluded ? fill(tuner, options, err) : at_fail(err, AT_ERR_MEMORY, "out of memory");
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
static at_status read_target(atx_target *out, at_tuner *tuner, const at_target *target, at_error *err)
{
    int ordinal;
    at_status status = AT_OK;
    *out = (atx_target){ 0 };
    if (!target)
        return AT_OK;
    if (target->version != 1 || target->cc < 0 || target->sms < 0)
        return at_fail(err, AT_ERR_USAGE, "at_find: expected a target of version 1, with cc and sms >= 0");
    size_t len = target->device ? strlen(target->device) : 0;
    if (len >= sizeof out->name)
        return at_fail(err, AT_ERR_USAGE, "at_find: the device's name is longer than %zu characters",
                       sizeof out->name - 1);
    if (len && atx_device_is_index(&ordinal, target->device))
        status = read_gpu(out, tuner, ordinal, err);
    else if (len)
        memcpy(out->name, target->device, len);
    out->cc = target->cc ? target->cc : out->cc;
    out->sms = target->sms ? target->sms : out->sms;
    return status;
}

at_status at_find(at_found **out, at_tuner *tuner, const at_problem *problem, const at_target *target,
                  at_error *err)
{
    atx_found_parts *f = NULL;
    atx_target wanted;
    if (!out || !tuner || !problem)
        return at_fail(err, AT_ERR_USAGE, "at_find: an argument is NULL");
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
    atx_finding_close((atx_found_parts *)found);
}

at_status at_source(char **out, const at_found *found, at_error *err)
{
    const atx_found_parts *f = (const atx_found_parts *)found;
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    atx_str text = { 0 };
    if (!out || !found)
        return at_fail(err, AT_ERR_USAGE, "at_source: an argument is NULL");
    if (!f->t)
        return at_fail(err, AT_ERR_NOT_FOUND, "%s", found->why);
    at_status status = atx_finding_bind(slots, f, err);
    if (status == AT_OK)
        status = atx_render(&text, f->t, f->problem.type, &f->config, slots, err);
    if (status == AT_OK)
        *out = text.data; /* the caller's now */
    else
        atx_str_clear(&text);
    return status;
}

at_status at_compile(at_code **out, at_tuner *tuner, const at_found *found, at_code_kind kind, at_error *err)
{
    const atx_found_parts *f = (const atx_found_parts *)found;
    atx_build build = { 0 };
    atx_str ptx = { 0 };
    if (!out || !tuner || !found || (unsigned)kind > AT_CODE_PTX)
        return at_fail(err, AT_ERR_USAGE, "at_compile: an argument is NULL, or the kind is none");
    if (!f->t)
        return at_fail(err, AT_ERR_NOT_FOUND, "%s", found->why);
    pthread_mutex_lock(&tuner->slow);
    at_status status = kind == AT_CODE_PTX ? atx_library_ptx(&ptx, tuner, f, found->cc, err)
                                           : atx_library_cubin(&build, tuner, f, found->cc, err);
    pthread_mutex_unlock(&tuner->slow);
    if (status == AT_OK)
        status = atx_library_name(out, f, kind == AT_CODE_PTX ? &ptx : &build.cubin, err);
    atx_str_clear(&ptx);
    atx_build_clear(&build);
    return status;
}
