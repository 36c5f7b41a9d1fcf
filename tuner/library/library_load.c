/*
 * library_load.c - the driver; kernels in a context, loaded once for all problems that share them.
 */
#include "library/library.h"

#include "compile/cubin.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

at_status atx_library_gpu(atx_gpu **out, at_tuner *tuner, at_error *err)
{
    atx_gpu *gpu = atomic_load_explicit(&tuner->gpu, memory_order_acquire);
    at_status status = AT_OK;
    if (!gpu) {
        pthread_mutex_lock(&tuner->slow);
        gpu = atomic_load(&tuner->gpu);
        if (!gpu && (status = atx_gpu_attach(&gpu, err)) == AT_OK)
            atomic_store_explicit(&tuner->gpu, gpu, memory_order_release);
        pthread_mutex_unlock(&tuner->slow);
    }
    *out = gpu;
    return status;
}

bool atx_library_thread(pthread_t *out, void *(*work)(void *), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(out, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* ---- kernels; `slow` is held ---- */

/* What a kernel must be told before its launch. One of a pack takes shared memory as the sizes want it: it is
 * told of it in steps, so that it is loaded a few times at most. */
static atx_geometry needs_of(const atx_found_parts *f, const at_launch *launch)
{
    enum { STEP = 16384 };
    const int64_t bytes = launch->dynamic_shared_bytes, more = (bytes + STEP - 1) / STEP * STEP;
    const bool rounded = f->packed && more + STEP <= f->limits.max_shared_bytes;
    atx_geometry g = { .shared_bytes = rounded ? more : bytes, .carveout = launch->carveout };
    memcpy(g.cluster, launch->cluster, sizeof g.cluster);
    return g;
}

/* PTX does not end it. */
at_status atx_library_kernel_name(atx_str *out, const atx_str *code, const char *kernel, at_error *err)
{
    const char *name = NULL;
    size_t len = 0;
    at_status status = atx_cubin_name(&name, &len, code->data, code->len, kernel, err);
    out->len = 0;
    if (status == AT_OK)
        atx_str_add_bytes(out, name, len);
    return status == AT_OK ? atx_str_status(out, err) : status;
}

static at_status load_all(atx_module **out, atx_gpu *gpu, const atx_found_parts *f, const atx_kept_code *code,
                          at_error *err)
{
    const void *image = code->bytes.data;
    ATX_LOCAL(atx_str) name = { 0 };
    for (int i = 0; i < f->t->call.step_count; i++) {
        const atx_geometry needs = needs_of(f, &f->launches[i]);
        ATX_TRY(atx_library_kernel_name(&name, &code->bytes, f->t->call.steps[i].kernel, err));
        ATX_TRY(i == 0 ? atx_gpu_load(out, gpu, image, atx_str_text(&name), &needs, err)
                       : atx_gpu_load_step(*out, gpu, atx_str_text(&name), &needs, err));
    }
    return AT_OK;
}

static bool is_loaded_for(const atx_loaded *l, const atx_found_parts *f, const atx_kept_code *code,
                          uint64_t context)
{
    bool same = l->code == code && l->context == context;
    for (int i = 0; i < f->t->call.step_count && same; i++) {
        const atx_geometry needs = needs_of(f, &f->launches[i]);
        same = memcmp(&l->needs[i], &needs, sizeof needs) == 0;
    }
    return same;
}

at_status atx_library_load(const atx_module **out, at_tuner *tuner, atx_gpu *gpu, const atx_found_parts *f,
                           const atx_kept_code *code, uint64_t context, at_error *err)
{
    for (const atx_loaded *l = tuner->loaded; l; l = l->next)
        if (is_loaded_for(l, f, code, context)) {
            *out = l->module;
            return AT_OK;
        }
    atx_loaded *l = calloc(1, sizeof *l);
    if (!l)
        return atx_no_memory(err);
    *l = (atx_loaded){ .next = tuner->loaded, .code = code, .context = context };
    for (int i = 0; i < f->t->call.step_count; i++)
        l->needs[i] = needs_of(f, &f->launches[i]);
    at_status status = load_all(&l->module, gpu, f, code, err);
    if (status != AT_OK) {
        atx_gpu_unload(gpu, l->module);
        free(l);
        return status;
    }
    tuner->loaded = l;
    *out = l->module;
    return AT_OK;
}
