/*
 * library_code.c - from a finding to code: render, look in the cache, compile in this process.
 * NVRTC and the cache are opened when first needed, under the lock `slow`. A GPU that is newer than
 * NVRTC gets PTX, which the driver compiles. Code for at_run is kept with the tuner by its key
 * until it is closed, and never changes there. What does not compile is remembered, too.
 */
#include "library/library.h"

#include "lang/render.h"

#include <stdlib.h>
#include <string.h>

/* A cache that cannot be used is no failure: kernels are compiled then. */
static void open_cache(at_tuner *tuner)
{
    if (tuner->cache_tried)
        return;
    tuner->cache_tried = true;
    int64_t limit_bytes = 0;
    if (!tuner->cache_path.len)
        return;
    if (at__store_cubin_limit(&limit_bytes, NULL, &tuner->cache_error) == AT_OK &&
        at__store_open_cache(&tuner->cache, at__str_text(&tuner->cache_path), NULL, &tuner->cache_error) ==
            AT_OK)
        at__store_limit_cubins(tuner->cache, limit_bytes);
    else
        tuner->cache = NULL;
}

static at_status open_tools(at_tuner *tuner, at_error *err)
{
    open_cache(tuner);
    if (tuner->nvrtc)
        return AT_OK;
    return at__nvrtc_open_with(&tuner->nvrtc, at__tuning_headers(&tuner->tuning), err);
}

/* What the headers were when the catalog was read: an error then says which has changed. */
static void know_headers(at_tuner *tuner, const at__template *t)
{
    at__str list = { 0 };
    if (t->headers && at__catalog_header_list(&list, tuner->catalog, t->headers, NULL) == AT_OK && list.len)
        at__nvrtc_know_headers(tuner->nvrtc, list.data);
    at__str_clear(&list);
}

/* The next look-up of this problem answers with something else. */
static at_status refuse(at_tuner *tuner, const at__found_parts *f, int cc, const char *log, at_error *err)
{
    at_error why = { 0 };
    at_fail(&why, AT_ERR_INPUT, "%s with %s does not compile for sm_%d: %s", f->t->file, f->shown.config, cc,
            log);
    at_status status = at__exclude(tuner->excluded, &f->problem, f->shown.cc, f->t, &f->config, &why, err);
    return status == AT_OK ? at_fail(err, AT_ERR_INPUT, "%s", why.text) : status;
}

static at_status compile(at__compiled *out, at_tuner *tuner, const char *source, const at__found_parts *f,
                         int cc, at__code kind, at_error *err)
{
    const at_error *before = at__excluded_itself(tuner->excluded, &f->problem, f->shown.cc, f->t, &f->config);
    if (before && before->status == AT_ERR_INPUT)
        return at_fail(err, AT_ERR_INPUT, "%s", before->text);
    know_headers(tuner, f->t);
    at_status status = at__nvrtc_compile(tuner->nvrtc, &out->ok, &out->code, &out->log, &out->resources,
                                         source, f->t->file, cc, kind, err);
    return status == AT_OK && !out->ok ? refuse(tuner, f, cc, at__str_text(&out->log), err) : status;
}

static at_status render(at__str *out, const at__found_parts *f, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS] = { 0 };
    at_status status = at__finding_bind(slots, f, err);
    return status == AT_OK ? at__render(out, f->t, f->problem.type, &f->config, slots, err) : status;
}

/* Renders and computes the key; the cache is not asked. */
static at_status start(at__build *build, at_tuner *tuner, const at__found_parts *f, int cc, at_error *err)
{
    at__builder builder = { .nvrtc = tuner->nvrtc, .cc = cc };
    at_status status = render(&build->source, f, err);
    return status == AT_OK ? at__build_look_up(build, &builder, err) : status;
}

/* A cache that has failed is closed; tuner->cache_error says why. */
static void give_up_cache(at_tuner *tuner, const at__builder *builder)
{
    if (!tuner->cache || builder->cache)
        return;
    at__store_close(tuner->cache);
    tuner->cache = NULL;
    tuner->cache_error = builder->cache_error;
}

/* From the cache, or compiled and put there. `anew`: what the cache has does not load. */
static at_status finish(at__build *build, at_tuner *tuner, const at__found_parts *f, int cc, bool anew,
                        at_error *err)
{
    at__builder builder = { .nvrtc = tuner->nvrtc, .cc = cc, .cache = tuner->cache };
    at__compiled compiled = { 0 };
    at_status status = at__build_look_up(build, &builder, err);
    if (anew)
        at__build_distrust(build);
    if (status == AT_OK && !build->done) {
        status = compile(&compiled, tuner, at__str_text(&build->source), f, cc, AT__CUBIN, err);
        if (status == AT_OK)
            at__build_finish(build, &builder, &compiled);
        at__compiled_clear(&compiled);
    }
    if (status == AT_OK && f->shown.match == AT_MATCH_EXACT)
        at__builder_keep(&builder, build->source_hash);
    give_up_cache(tuner, &builder);
    return status;
}

at_status at__library_cubin(at__build *build, at_tuner *tuner, const at__found_parts *f, int cc,
                            at_error *err)
{
    at_status status = open_tools(tuner, err);
    if (status == AT_OK)
        status = start(build, tuner, f, cc, err);
    return status == AT_OK ? finish(build, tuner, f, cc, false, err) : status;
}

at_status at__library_ptx(at__str *out, at_tuner *tuner, const at__found_parts *f, int cc, at_error *err)
{
    at__compiled compiled = { 0 };
    at__str source = { 0 };
    at_status status = open_tools(tuner, err);
    if (status == AT_OK)
        status = render(&source, f, err);
    if (status == AT_OK)
        status = compile(&compiled, tuner, at__str_text(&source), f, cc, AT__PTX, err);
    if (status == AT_OK) {
        *out = compiled.code;
        compiled.code = (at__str){ 0 };
    }
    at__compiled_clear(&compiled);
    at__str_clear(&source);
    return status;
}

/* ---- kept with the tuner ---- */

static const at__kept_code *find_kept(const at_tuner *tuner, const char *key)
{
    const at__kept_code *code = tuner->codes;
    while (code && strcmp(code->key, key) != 0)
        code = code->next;
    return code;
}

/* Takes the bytes. */
static at_status keep(const at__kept_code **out, at_tuner *tuner, const char *key, at__str *bytes,
                      bool cached, at_error *err)
{
    at__kept_code *code = calloc(1, sizeof *code);
    if (!code)
        return at_fail(err, AT_ERR_MEMORY, "out of memory");
    memcpy(code->key, key, sizeof code->key);
    code->bytes = *bytes;
    *bytes = (at__str){ 0 };
    code->cached = cached;
    code->next = tuner->codes;
    tuner->codes = code;
    *out = code;
    return AT_OK;
}

/* A GPU that is newer than NVRTC: the driver compiles PTX for it. */
static at_status keep_ptx(const at__kept_code **out, at_tuner *tuner, const at__found_parts *f,
                          const char *key, int cc, at_error *err)
{
    at__str ptx = { 0 };
    int nearest = at__nvrtc_nearest(tuner->nvrtc, cc);
    at_status status = at__library_ptx(&ptx, tuner, f, nearest ? nearest : cc, err);
    if (status == AT_OK)
        status = keep(out, tuner, key, &ptx, false, err);
    at__str_clear(&ptx);
    return status;
}

static at_status keep_cubin(const at__kept_code **out, at_tuner *tuner, at__found_parts *f, at__build *build,
                            int cc, bool anew, at_error *err)
{
    at_status status = finish(build, tuner, f, cc, anew, err);
    if (status == AT_OK && tuner->cache_error.status != AT_OK)
        status = at__finding_keep(&f->shown.warning, f, tuner->cache_error.text, err);
    return status == AT_OK ? keep(out, tuner, build->key, &build->cubin, build->cached, err) : status;
}

at_status at__library_code(const at__kept_code **out, at_tuner *tuner, at__found_parts *f, at_error *err)
{
    at__build build = { 0 };
    const at__kept_code *code = NULL;
    int cc = f->shown.cc;

    at_status status = open_tools(tuner, err);
    if (status == AT_OK)
        status = at__nvrtc_check_driver(tuner->nvrtc, tuner->cuda, err);
    if (status == AT_OK)
        status = start(&build, tuner, f, cc, err);
    if (status == AT_OK && !(code = find_kept(tuner, build.key)))
        status = at__nvrtc_supports(tuner->nvrtc, cc) ? keep_cubin(&code, tuner, f, &build, cc, false, err)
                                                      : keep_ptx(&code, tuner, f, build.key, cc, err);
    if (status == AT_OK)
        *out = code;
    at__build_clear(&build);
    return status;
}

at_status at__library_code_again(const at__kept_code **out, at_tuner *tuner, at__found_parts *f,
                                 at_error *err)
{
    at__build build = { 0 };
    int cc = f->shown.cc;
    at_status status = start(&build, tuner, f, cc, err);
    if (status == AT_OK)
        status = keep_cubin(out, tuner, f, &build, cc, true, err);
    at__build_clear(&build);
    return status;
}
