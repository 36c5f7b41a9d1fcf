/* pack_compile.c - the kernels of a pack as cubins, by the NVRTC of this machine. */
#include "pack/pack_internal.h"

#include "compile/nvrtc.h"
#include "lang/render.h"

static at_status compile_text(atx_str *out, atx_nvrtc *nvrtc, const atx_nvrtc_source *source,
                              const char *config, at_error *err)
{
    atx_str log = { 0 };
    atx_resources unused;
    bool ok = false;
    at_status status = atx_nvrtc_compile(nvrtc, &ok, out, &log, &unused, source, err);
    if (status == AT_OK && !ok)
        status = atx_fail(err, AT_ERR_INPUT, "%s with %s does not compile for sm_%d with NVRTC %s: %s",
                          source->name, config, source->cc, atx_nvrtc_version(nvrtc), atx_str_text(&log));
    atx_str_clear(&log);
    return status;
}

static at_status compile(atx_str *out, atx_nvrtc *nvrtc, const atx_pack *pack, int kernel, at_error *err)
{
    const atx_pack_kernel *k = &pack->kernels[kernel];
    atx_str source = { 0 }, config = { 0 };
    at_status status = atx_pack_render(&source, pack, kernel, err);
    atx_config_text(&config, k->t, &k->config);
    const atx_nvrtc_source text = { atx_str_text(&source), k->t->text.file, (int)pack->limits.cc, ATX_CUBIN };
    ATX_THEN(status, compile_text(out, nvrtc, &text, atx_str_text(&config), err));
    atx_str_clear(&source);
    atx_str_clear(&config);
    return status;
}

/* A code once. */
static at_status take_code(atx_pack_compiled *out, atx_nvrtc *nvrtc, const atx_pack *pack, int kernel,
                           at_error *err)
{
    int same = 0;
    while (same < kernel && !atx_pack_same_code(&pack->kernels[same], &pack->kernels[kernel]))
        same++;
    if (same == kernel)
        return compile(&out->codes[kernel], nvrtc, pack, kernel, err);
    atx_str_add_bytes(&out->codes[kernel], out->codes[same].data, out->codes[same].len);
    return atx_str_status(&out->codes[kernel], err);
}

static at_status compile_reference(atx_str *out, atx_nvrtc *nvrtc, const atx_pack *pack, at_error *err)
{
    atx_str source = { 0 };
    at_status status = atx_render_reference(&source, &pack->kernels[0].example, err);
    const atx_nvrtc_source text = { atx_str_text(&source), pack->domain.op->text.file, (int)pack->limits.cc,
                                    ATX_CUBIN };
    ATX_THEN(status, compile_text(out, nvrtc, &text, "its reference", err));
    atx_str_clear(&source);
    return status;
}

at_status atx_pack_compile(atx_pack_compiled *out, const atx_pack *pack, at_error *err)
{
    atx_nvrtc *nvrtc = NULL;
    *out = (atx_pack_compiled){ .pack = pack };
    at_status status = atx_nvrtc_open(&nvrtc, err);
    for (int k = 0; k < pack->kernel_count && status == AT_OK; k++)
        status = take_code(out, nvrtc, pack, k, err);
    out->has_test = status == AT_OK && atx_pack_can_test(pack, NULL) == AT_OK;
    if (out->has_test && !pack->domain.op->shape.layout_count)
        status = compile_reference(&out->reference, nvrtc, pack, err);
    atx_nvrtc_close(nvrtc);
    return status;
}

void atx_pack_compiled_clear(atx_pack_compiled *compiled)
{
    for (int k = 0; k < ATX_PACK_MAX_KERNELS; k++)
        atx_str_clear(&compiled->codes[k]);
    atx_str_clear(&compiled->reference);
}
