/* export_code.c - formats ptx and cubin: the winner, compiled here and now. */
#include "export/export.h"

#include "compile/nvrtc.h"

static at_status compile(atx_str *out, atx_nvrtc *nvrtc, const char *source, const atx_export_input *in,
                         atx_code kind, at_error *err)
{
    int cc = (int)atx_export_device(in).cc;
    bool ok = false;
    ATX_LOCAL(atx_str) code = { 0 }, log = { 0 };
    atx_resources unused;
    at_status status =
        atx_nvrtc_compile(nvrtc, &ok, &code, &log, &unused,
                          &(atx_nvrtc_source){ source, in->found->t->text.file, cc, kind }, err);
    if (in->refused)
        *in->refused = status == AT_OK && !ok;
    if (status == AT_OK && !ok)
        status = atx_fail(err, AT_ERR_INPUT, "%s with %s does not compile for sm_%d with NVRTC %s: %s",
                          in->found->t->text.file, in->found->answer->winner.config, cc,
                          atx_nvrtc_version(nvrtc), atx_str_text(&log));
    if (status == AT_OK)
        atx_str_add_bytes(out, atx_str_text(&code), code.len);
    return status == AT_OK ? atx_str_status(out, err) : status;
}

static at_status export_code(atx_str *out, const atx_export_input *in, atx_code kind, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    ATX_LOCAL(atx_str) rendered = { 0 };
    ATX_CLOSED(atx_nvrtc) *nvrtc = NULL;
    atx_geometry unused;
    ATX_TRY(atx_export_render(&rendered, slots, &unused, in, err));
    ATX_TRY(atx_nvrtc_open(&nvrtc, err));
    if (in->header_list)
        atx_nvrtc_know_headers(nvrtc, in->header_list);
    return compile(out, nvrtc, atx_str_text(&rendered), in, kind, err);
}

at_status atx_export_ptx(atx_str *out, const atx_export_input *in, at_error *err)
{
    return export_code(out, in, ATX_PTX, err);
}

at_status atx_export_cubin(atx_str *out, const atx_export_input *in, at_error *err)
{
    return export_code(out, in, ATX_CUBIN, err);
}
