/*
 * library_code.c - from a finding to code: render, look in the cache, compile in this process. NVRTC and the
 * cache are opened at their first use, under the lock `slow`. A GPU that is newer than NVRTC gets PTX, which
 * the driver compiles. Code for at_run is kept with the tuner by its key until it is closed, and never
 * changes there. Failed compilations are remembered, too.
 */
#include "library/library.h"

#include "compile/cubin.h"
#include "lang/arch.h"
#include "lang/render.h"
#include "lang/render_pragmas.h"

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
    const char *limit = tuner->no_environment ? ATX_CACHE_LIMIT_TEXT : NULL;
    if (atx_store_cubin_limit(&limit_bytes, limit, &tuner->cache_error) == AT_OK &&
        atx_store_open_cache(&tuner->cache, atx_str_text(&tuner->cache_path), NULL, &tuner->cache_error) ==
            AT_OK)
        atx_store_limit_cubins(tuner->cache, limit_bytes);
    else
        tuner->cache = NULL;
}

static at_status open_tools(at_tuner *tuner, at_error *err)
{
    open_cache(tuner);
    if (!tuner->nvrtc)
        ATX_TRY(atx_nvrtc_open_with(&tuner->nvrtc, atx_headers_text(tuner->tuning.headers),
                                    tuner->no_environment, err));
    return AT_OK;
}

/* The headers when the catalog was read: an error then says which has changed. */
static void know_headers(at_tuner *tuner, const atx_template *t)
{
    ATX_LOCAL(atx_str) list = { 0 };
    if (t->text.headers && atx_catalog_header_list(&list, tuner->catalog, t->text.headers, NULL) == AT_OK &&
        list.len)
        atx_nvrtc_know_headers(tuner->nvrtc, list.data);
}

/* The next look-up of this problem answers with something else, but for a variant, which it is not asked for.
 */
static at_status refuse(at_tuner *tuner, const atx_found_parts *f, int cc, const char *log, at_error *err)
{
    at_error why = { 0 };
    atx_fail(&why, AT_ERR_INPUT, "%s with %s does not compile for sm_%d%.1s: %s", f->t->text.file,
             f->shown.config, cc, &f->variant, log);
    ATX_TRY(f->variant ? AT_OK
                       : atx_exclude(tuner->excluded, &f->problem, f->cc, f->t, &f->config, &why, err));
    return atx_fail(err, AT_ERR_INPUT, "%s", why.text);
}

static at_status fail_missing(const at_tuner *tuner, const atx_found_parts *f, at_error *err)
{
    return atx_fail(err, AT_ERR_NOT_FOUND,
                    "%s with %s is neither loaded nor in the cache%s; expected it there, or to "
                    "be allowed to compile",
                    f->t->text.file, f->shown.config,
                    tuner->packs.count ? ", and no pack has a kernel for these sizes" : "");
}

static at_status compile(atx_compiled *out, at_tuner *tuner, const char *source, const atx_found_parts *f,
                         int cc, atx_code kind, at_error *err)
{
    const at_error *before = atx_excluded_itself(tuner->excluded, &f->problem, f->cc, f->t, &f->config);
    if (before && before->status == AT_ERR_INPUT && !f->variant) {
        atx_str_add(&tuner->compiler_log, before->text);
        return atx_fail(err, AT_ERR_INPUT, "%s", before->text);
    }
    if (tuner->no_compile)
        return fail_missing(tuner, f, err);
    if (tuner->ends)
        return atx_fail(err, AT_ERR_CANCELLED, "%s is not compiled: the program ends", f->t->text.file);
    know_headers(tuner, f->t);
    if (atomic_load(&tuner->preparing.has_begun)) /* a thread may compile while the program ends */
        (void)atx_library_guard_first(tuner, cc);
    at_status status = atx_nvrtc_compile(tuner->nvrtc, &out->ok, &out->code, &out->log, &out->resources,
                                         &(atx_nvrtc_source){ source, f->t->text.file, cc, kind }, err);
    if (status == AT_OK && out->ok && kind == ATX_CUBIN) /* PTX needs less of NVRTC */
        (void)atx_library_guard_exit(tuner);             /* without memory a program may crash as it ends */
    tuner->compiler_log.len = 0;
    atx_str_add(&tuner->compiler_log, atx_str_text(&out->log));
    return status == AT_OK && !out->ok ? refuse(tuner, f, cc, atx_str_text(&out->log), err) : status;
}

/* For the variant that the caller asked for, or the template's own. */
static at_status render(atx_str *out, const atx_found_parts *f, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS] = { 0 };
    char arch[ATX_ARCH_TEXT] = "";
    if (f->variant)
        atx_arch_text(arch, f->cc, f->variant);
    atx_render_target(out, arch);
    ATX_TRY(atx_finding_bind(slots, f, err));
    return atx_render(out, f->t, f->problem.type, &f->config, slots, err);
}

/* Renders and computes the key; the cache is not asked. */
static at_status start(atx_build *build, at_tuner *tuner, const atx_found_parts *f, int cc, at_error *err)
{
    atx_builder builder = { .nvrtc = tuner->nvrtc, .cc = cc };
    ATX_TRY(render(&build->source, f, err));
    return atx_build_look_up(build, &builder, err);
}

/* A cache that has failed is closed; tuner->cache_error says why. */
static void give_up_cache(at_tuner *tuner, const atx_builder *builder)
{
    if (!tuner->cache || builder->cache)
        return;
    atx_store_close(tuner->cache);
    tuner->cache = NULL;
    tuner->cache_error = builder->cache_error;
}

/* From the cache, or compiled and put there. `anew`: the cached code does not load. */
static at_status finish(atx_build *build, at_tuner *tuner, const atx_found_parts *f, int cc, bool anew,
                        at_error *err)
{
    atx_builder builder = { .nvrtc = tuner->nvrtc, .cc = cc, .cache = tuner->cache };
    ATX_LOCAL(atx_compiled) compiled = { 0 };
    at_status status = atx_build_look_up(build, &builder, err);
    if (anew)
        atx_build_distrust(build);
    if (status == AT_OK && !build->done) {
        status = compile(&compiled, tuner, atx_str_text(&build->source), f, cc, ATX_CUBIN, err);
        if (status == AT_OK)
            atx_build_finish(build, &builder, &compiled);
    }
    if (status == AT_OK && f->shown.match == AT_MATCH_EXACT)
        atx_builder_keep(&builder, build->source_hash);
    give_up_cache(tuner, &builder);
    return status;
}

static at_status make_cubin(atx_build *build, at_tuner *tuner, const atx_found_parts *f, int cc,
                            at_error *err)
{
    ATX_TRY(open_tools(tuner, err));
    ATX_TRY(start(build, tuner, f, cc, err));
    return finish(build, tuner, f, cc, false, err);
}

static at_status make_ptx(atx_str *out, at_tuner *tuner, const atx_found_parts *f, int cc, at_error *err)
{
    ATX_LOCAL(atx_compiled) compiled = { 0 };
    ATX_LOCAL(atx_str) source = { 0 };
    ATX_TRY(open_tools(tuner, err));
    ATX_TRY(render(&source, f, err));
    ATX_TRY(compile(&compiled, tuner, atx_str_text(&source), f, cc, cc == f->cc ? ATX_PTX : ATX_PORTABLE_PTX,
                    err));
    *out = compiled.code;
    compiled.code = (atx_str){ 0 };
    return AT_OK;
}

/* ---- kept with the tuner ---- */

static const atx_kept_code *find_kept(const at_tuner *tuner, const char *key)
{
    const atx_kept_code *code = tuner->codes;
    while (code && strcmp(code->key, key) != 0)
        code = code->next;
    return code;
}

/* Takes the bytes. */
static at_status keep(const atx_kept_code **out, at_tuner *tuner, const char *key, atx_str *bytes,
                      bool cached, at_error *err)
{
    atx_kept_code *code = calloc(1, sizeof *code);
    if (!code)
        return atx_no_memory(err);
    memcpy(code->key, key, sizeof code->key);
    code->bytes = *bytes;
    *bytes = (atx_str){ 0 };
    code->cached = cached;
    code->next = tuner->codes;
    tuner->codes = code;
    *out = code;
    return AT_OK;
}

/* A GPU that is newer than NVRTC: the driver compiles PTX for it. */
static at_status keep_ptx(const atx_kept_code **out, at_tuner *tuner, const atx_found_parts *f,
                          const char *key, int cc, at_error *err)
{
    ATX_LOCAL(atx_str) ptx = { 0 };
    int nearest = atx_nvrtc_nearest(tuner->nvrtc, cc);
    ATX_TRY(make_ptx(&ptx, tuner, f, nearest ? nearest : cc, err));
    return keep(out, tuner, key, &ptx, false, err);
}

static at_status keep_cubin(const atx_kept_code **out, at_tuner *tuner, atx_found_parts *f, atx_build *build,
                            int cc, bool anew, at_error *err)
{
    at_status status = finish(build, tuner, f, cc, anew, err);
    if (status == AT_OK && tuner->cache_error.status != AT_OK)
        status = atx_finding_keep(&f->shown.warning, f, tuner->cache_error.text, err);
    return status == AT_OK ? keep(out, tuner, build->key, &build->cubin, build->cached, err) : status;
}

at_status atx_library_code(const atx_kept_code **out, at_tuner *tuner, atx_found_parts *f, at_error *err)
{
    ATX_LOCAL(atx_build) build = { 0 };
    const atx_kept_code *code = NULL;
    int cc = f->cc;

    at_status status = open_tools(tuner, err);
    if (status != AT_OK && tuner->no_compile) /* the cache's keys have the compiler's version */
        return fail_missing(tuner, f, err);
    ATX_THEN(status, atx_nvrtc_check_driver(tuner->nvrtc, tuner->cuda, err));
    ATX_THEN(status, start(&build, tuner, f, cc, err));
    if (status == AT_OK && !(code = find_kept(tuner, build.key)))
        status = atx_nvrtc_supports(tuner->nvrtc, cc) ? keep_cubin(&code, tuner, f, &build, cc, false, err)
                                                      : keep_ptx(&code, tuner, f, build.key, cc, err);
    if (status == AT_OK)
        *out = code;
    return status;
}

at_status atx_library_source(atx_build *build, at_tuner *tuner, const atx_found_parts *f, at_error *err)
{
    ATX_TRY(open_tools(tuner, err));
    ATX_TRY(atx_nvrtc_check_driver(tuner->nvrtc, tuner->cuda, err));
    if (!atx_nvrtc_supports(tuner->nvrtc, f->cc))
        return atx_fail(err, AT_ERR_NOT_FOUND, "NVRTC does not compile for sm_%d", f->cc);
    return start(build, tuner, f, f->cc, err);
}

at_status atx_library_keep(at_tuner *tuner, atx_build *build, atx_compiled *compiled, int cc, bool lasting,
                           at_error *err)
{
    const atx_kept_code *code = NULL;
    atx_builder builder = { .nvrtc = tuner->nvrtc, .cc = cc, .cache = tuner->cache };
    if (find_kept(tuner, build->key))
        return AT_OK; /* a call that could not wait was sooner */
    atx_build_finish(build, &builder, compiled);
    if (lasting)
        atx_builder_keep(&builder, build->source_hash);
    give_up_cache(tuner, &builder);
    return keep(&code, tuner, build->key, &build->cubin, false, err);
}

at_status atx_library_code_again(const atx_kept_code **out, at_tuner *tuner, atx_found_parts *f,
                                 at_error *err)
{
    ATX_LOCAL(atx_build) build = { 0 };
    int cc = f->cc;
    ATX_TRY(start(&build, tuner, f, cc, err));
    return keep_cubin(out, tuner, f, &build, cc, true, err);
}

/* ---- for those who load it by themselves ---- */

/* Code and all that belongs to it. */
typedef struct code_parts {
    at_code shown; /* first */
    atx_str bytes;
    char *names[ATX_MAX_STEPS], *variables[ATX_MAX_ARGS];
    int name_count;
    const char **kernels; /* the name of each launch */
} code_parts;

void at_code_close(at_code *code)
{
    ATX_FREED code_parts *c = (code_parts *)code;
    if (!c)
        return;
    atx_str_clear(&c->bytes);
    for (int i = 0; i < c->name_count; i++)
        free(c->names[i]);
    free(c->kernels);
    for (int i = 0; i < c->shown.variable_count; i++)
        free(c->variables[i]);
}

static at_status keep_text(char **list, int *count, const char *text, at_error *err)
{
    list[*count] = atx_text_copy(text, strlen(text));
    if (!list[*count])
        return atx_no_memory(err);
    ++*count;
    return AT_OK;
}

static at_status fill_names(code_parts *c, const atx_found_parts *f, const atx_str *bytes, at_error *err)
{
    ATX_LOCAL(atx_str) name = { 0 };
    at_status status = AT_OK;
    for (int i = 0; i < f->t->call.step_count && status == AT_OK; i++) {
        status = atx_library_kernel_name(&name, bytes, f->t->call.steps[i].kernel, err);
        ATX_THEN(status, keep_text(c->names, &c->name_count, atx_str_text(&name), err));
    }
    c->kernels = calloc((size_t)f->shown.launch_count + 1, sizeof *c->kernels);
    if (status == AT_OK && !c->kernels)
        status = atx_no_memory(err);
    for (int i = 0; i < f->shown.launch_count && status == AT_OK && c->kernels; i++)
        c->kernels[c->shown.kernel_count++] = c->names[f->unrolled.steps ? f->unrolled.steps[i] : i];
    for (int i = 0; i < f->shown.variable_count && status == AT_OK; i++) {
        const char *variable = NULL;
        int64_t unused;
        status = atx_cubin_variable(&variable, &unused, bytes->data, bytes->len, f->variables[i].name, err);
        ATX_THEN(status, keep_text(c->variables, &c->shown.variable_count, variable, err));
    }
    return status;
}

static at_status name_all(at_code **out, const atx_found_parts *f, atx_str *bytes, at_error *err)
{
    code_parts *c = calloc(1, sizeof *c);
    if (!c)
        return atx_no_memory(err);
    at_status status = fill_names(c, f, bytes, err);
    if (status != AT_OK) {
        at_code_close(&c->shown);
        return status;
    }
    c->bytes = *bytes;
    *bytes = (atx_str){ 0 };
    c->shown.data = c->bytes.data;
    c->shown.bytes = c->bytes.len;
    c->shown.kernels = c->kernels;
    c->shown.variables = (const char *const *)c->variables;
    *out = &c->shown;
    return AT_OK;
}

/* ---- calls ---- */

at_status at_source(char **out, const at_found *found, at_error *err)
{
    const atx_found_parts *f = found ? found->parts : NULL;
    atx_str text = { 0 };
    if (!out || !found)
        return atx_fail(err, AT_ERR_USAGE, "at_source: an argument is NULL");
    if (!f->t)
        return atx_fail(err, AT_ERR_NOT_FOUND, "%s", found->why);
    at_status status = render(&text, f, err);
    if (status == AT_OK)
        *out = text.data; /* the caller's now */
    else
        atx_str_clear(&text);
    return status;
}

/* `slow` is held. The compiler's messages go to *log. */
static at_status compile_for(atx_str *code, atx_str *log, at_tuner *tuner, const atx_found_parts *f,
                             at_code_kind kind, at_error *err)
{
    ATX_LOCAL(atx_build) build = { 0 };
    tuner->compiler_log.len = 0;
    at_status status =
        kind == AT_CODE_PTX ? make_ptx(code, tuner, f, f->cc, err) : make_cubin(&build, tuner, f, f->cc, err);
    atx_str_add(log, atx_str_text(&tuner->compiler_log));
    if (status == AT_OK && kind == AT_CODE_CUBIN) {
        *code = build.cubin;
        build.cubin = (atx_str){ 0 };
    }
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
    at_status status = compile_for(&code, &log, tuner, f, kind, err);
    pthread_mutex_unlock(&tuner->slow);
    ATX_THEN(status, name_all(out, f, &code, err));
    if (options->log)
        *options->log = log.data ? log.data : atx_text_copy("", 0);
    else
        atx_str_clear(&log);
    atx_str_clear(&code);
    return status;
}
