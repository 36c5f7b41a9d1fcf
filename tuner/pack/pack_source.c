/*
 * pack_source.c - the kernels of a pack as CUDA C++ in one file: each as an exported file has it (cut/), in a
 * namespace, since two of one template define the same names; macros end with it, and headers stand before
 * all.
 */
#include "pack/pack_write.h"

#include "cut/cut.h"

#include <string.h>

void atx_pack_add_symbol(atx_str *out, const atx_pack_writing *w, int code, bool qualified)
{
    if (qualified)
        atx_str_addf(out, "pk_code_%d::", code);
    atx_str_addf(out, "%s_kernel_%d", w->name, code);
}

static bool begins(const char *line, const char *end, const char *word)
{
    const size_t len = strlen(word);
    return (size_t)(end - line) >= len && memcmp(line, word, len) == 0;
}

/* What follows the word up to the next blank, bracket or the line's end. */
static void add_macro(atx_str *undefined, const char *line, const char *end)
{
    const char *name = line + strlen("#define ");
    const size_t len = strcspn(name, " (\n");
    if (name + len <= end)
        atx_str_addf(undefined, "#undef %.*s\n", (int)len, name);
}

/* Headers go before all namespaces, once each; names of macros to `undefined`. AT_ERR_INPUT: a header of the
 * user's own, which nvcc would look for elsewhere. */
static at_status sort_lines(atx_str *headers, atx_str *body, atx_str *undefined, const char *text,
                            at_error *err)
{
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        if (begins(line, end, "#include \""))
            return atx_fail(
                err, AT_ERR_INPUT,
                "found '%.*s' in a kernel; expected headers of CUDA alone, as packs of sources have them",
                (int)(end - line), line);
        if (begins(line, end, "#define "))
            add_macro(undefined, line, end);
        atx_str *to = begins(line, end, "#include <") ? headers : body;
        atx_str header = { 0 };
        atx_str_addf(&header, "%.*s\n", (int)(end - line), line);
        if (to == body || !strstr(atx_str_text(headers), atx_str_text(&header)))
            atx_str_add(to, atx_str_text(&header));
        atx_str_clear(&header);
    }
    return AT_OK;
}

static at_status add_one(atx_str *headers, atx_str *out, const atx_pack_writing *w,
                         const atx_pack_compiled *model, int k, int code, at_error *err)
{
    atx_str name = { 0 }, cut = { 0 }, body = { 0 }, undefined = { 0 };
    atx_pack_add_symbol(&name, w, code, false);
    const atx_cutting cutting = { .rendered = atx_str_text(&model->codes[k]),
                                  .kernel = model->pack->kernels[k].t->call.steps[0].kernel,
                                  .name = atx_str_text(&name) };
    at_status status = atx_cut(&cut, &cutting, err);
    ATX_THEN(status, sort_lines(headers, &body, &undefined, atx_str_text(&cut), err));
    atx_str_addf(out, "namespace pk_code_%d {\n\n%s\n} // namespace pk_code_%d\n%s\n", code,
                 atx_str_text(&body), code, atx_str_text(&undefined));
    atx_str_clear(&name);
    atx_str_clear(&cut);
    atx_str_clear(&body);
    atx_str_clear(&undefined);
    return status;
}

at_status atx_pack_add_sources(atx_str *out, const atx_pack_writing *w, const int *codes, at_error *err)
{
    atx_str headers = { 0 }, all = { 0 };
    at_status status = AT_OK;
    int next = 0;
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count && status == AT_OK; k++)
            if (codes[w->first[m] + k] == next)
                status = add_one(&headers, &all, w, &w->models[m], k, next++, err);
    atx_str_addf(out, "%s\n/* ---- kernels ---- */\n\n%s", atx_str_text(&headers), atx_str_text(&all));
    ATX_THEN(status, atx_str_status(&headers, err));
    ATX_THEN(status, atx_str_status(&all, err));
    atx_str_clear(&headers);
    atx_str_clear(&all);
    return status;
}

at_status atx_pack_take_sources(atx_pack_compiled *out, const atx_pack *pack, at_error *err)
{
    *out = (atx_pack_compiled){ .pack = pack, .is_source = true };
    at_status status = AT_OK;
    for (int k = 0; k < pack->kernel_count && status == AT_OK; k++)
        status = atx_pack_render(&out->codes[k], pack, k, err);
    return status;
}
