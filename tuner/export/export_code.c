/* export_code.c - formats ptx and cubin: what NVRTC makes of the winner here and now. */
#include "export/export.h"

#include "compile/nvrtc.h"

static at_status compile(at__str *out, at__nvrtc *nvrtc, const char *source, const at__export_input *in,
                         at__code kind, at_error *err)
{
    int cc = (int)at__export_device(in)->cc;
    bool ok = false;
    at__str code = { 0 }, log = { 0 };
    at__resources unused;
    at_status status =
        at__nvrtc_compile(nvrtc, &ok, &code, &log, &unused, source, in->t->file, cc, kind, err);
    if (in->refused)
        *in->refused = status == AT_OK && !ok;
    if (status == AT_OK && !ok)
        status =
            at_fail(err, AT_ERR_INPUT, "%s with %s does not compile for sm_%d with NVRTC %s: %s", in->t->file,
                    in->answer->winner.config, cc, at__nvrtc_version(nvrtc), at__str_text(&log));
    if (status == AT_OK)
        at__str_add_bytes(out, at__str_text(&code), code.len);
    at__str_clear(&code);
    at__str_clear(&log);
    return status == AT_OK ? at__str_status(out, err) : status;
}

static at_status export_code(at__str *out, const at__export_input *in, at__code kind, at_error *err)
{
    int64_t slots[AT__MAX_SLOTS];
    at__str rendered = { 0 };
    at__nvrtc *nvrtc = NULL;
    at__geometry unused;
    at_status status = at__export_render(&rendered, slots, &unused, in, err);
    if (status == AT_OK)
        status = at__nvrtc_open(&nvrtc, err);
    if (status == AT_OK && in->header_list)
        at__nvrtc_know_headers(nvrtc, in->header_list);
    if (status == AT_OK)
        status = compile(out, nvrtc, at__str_text(&rendered), in, kind, err);
    at__nvrtc_close(nvrtc);
    at__str_clear(&rendered);
    return status;
}

at_status at__export_ptx(at__str *out, const at__export_input *in, at_error *err)
{
    return export_code(out, in, AT__PTX, err);
}

at_status at__export_cubin(at__str *out, const at__export_input *in, at_error *err)
{
    return export_code(out, in, AT__CUBIN, err);
}
