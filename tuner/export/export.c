/*
 * export.c - the .cu file: a comment with the kernel's origin (export_about.c), the kernel and the code that
 * it needs (cut.h) under a name of its own (two exports can be linked together), a launcher with the geometry
 * as numbers, and with --main a main() around the op's reference. Names go through identifier(), free text
 * through atx_export_comment(), so that no text from a store can end a comment or become code.
 */
#include "export/export.h"

#include "cut/cut.h"
#include "declare/option.h"
#include "export/export_internal.h"
#include "lang/arch.h"
#include "lang/render.h"
#include "lang/render_pragmas.h"
#include "lang/tensor_map.h"
#include "source/headers.h"
#include "source/lex.h"

#include <inttypes.h>
#include <string.h>

static void identifier(atx_str *out, const char *text)
{
    for (; *text; text++) {
        bool good = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
                    (*text >= 'A' && *text <= 'Z');
        atx_str_addf(out, "%c", good ? *text : '_');
    }
}

static at_status add_buffer_comments(atx_str *out, const atx_launcher *l, at_error *err)
{
    for (int i = 0; i < l->op->arg_count; i++) {
        const atx_arg *arg = &l->op->args[i];
        int64_t value = 0;
        if (arg->role == ATX_SCALAR)
            continue;
        ATX_TRY(atx_expr_eval(&value, arg->expr, l->slots, err));
        atx_str_addf(out, " *   %-6s %" PRId64 " elements of %d bytes, aligned to %" PRId64 "%s%s", arg->name,
                     value, atx_arg_element_bytes(l->op, arg, l->problem->type),
                     atx_problem_align_of(l->problem, i),
                     arg->role == ATX_INPUT     ? ""
                     : arg->role == ATX_SCRATCH ? ", for the kernel alone"
                                                : ", written",
                     arg->zero ? "; all zero before" : "");
        if (atx_template_fills(l->t, i))
            atx_str_addf(out, ", copied to %s before each launch; NULL: that stays as it is", arg->variable);
        atx_str_add(out, "\n");
    }
    return AT_OK;
}

/* Variables that are filled from memory of the device. */
static at_status add_copies(atx_str *out, const atx_launcher *l, bool *has_status, at_error *err)
{
    at_status status = AT_OK;
    for (int i = 0; i < l->op->arg_count && status == AT_OK; i++) {
        const atx_arg *arg = &l->op->args[i];
        int64_t bytes = 0;
        if (!atx_template_fills(l->t, i))
            continue;
        status = atx_arg_bytes(&bytes, l->op, i, l->slots, err);
        atx_str_addf(out,
                     "%s    if (%s)\n        status = cudaMemcpyToSymbolAsync(::%s, %s, %" PRId64
                     ", 0, cudaMemcpyDeviceToDevice, stream);\n    if (status != cudaSuccess)\n        "
                     "return status;\n",
                     *has_status ? "" : "    cudaError_t status = cudaSuccess;\n", arg->name, arg->variable,
                     arg->name, bytes);
        *has_status = true;
    }
    return status;
}

/* Those that follow the first one. */
static at_status add_more_launches(atx_str *out, const atx_launcher *l, bool *has_status, at_error *err)
{
    for (int i = 1; i < l->t->call.step_count; i++) {
        const atx_step *s = &l->t->call.steps[i];
        ATX_LOCAL(atx_str) kernel = { 0 };
        atx_geometry g = { 0 };
        atx_render_kernel(&kernel, l->t, s->kernel, l->slots);
        ATX_TRY(atx_geometry_of(&g, &s->launch, l->slots, err));
        ATX_TRY(atx_export_launch(out, l,
                                  &(atx_passed){ atx_str_text(&kernel), s->args, s->arg_count, false }, &g,
                                  has_status, err));
    }
    return AT_OK;
}

/* The rest of a launcher with loops. */
static at_status add_loops(atx_str *out, const atx_launcher *l, bool has_status, at_error *err)
{
    atx_str_add(out, has_status ? "" : "    cudaError_t status = cudaSuccess;\n    (void)status;\n");
    at_status status = atx_export_loop_launches(out, l, false, err);
    atx_str_add(out, "    return cudaGetLastError();\n}\n");
    return status;
}

/* ---- tensor maps ---- */

/* Whatever type a kernel takes for one has its bytes. */
static void add_map_type(atx_str *out, const atx_launcher *l)
{
    if (l->t->call.map_count)
        atx_str_addf(
            out,
            "#include <cuda.h> // cuTensorMapEncodeTiled: link with -lcuda\n\n#include <cstring>\n\n"
            "namespace {\nstruct %s_map {\n    CUtensorMap map;\n    template <class M> operator M() const\n"
            "    {\n        static_assert(sizeof(M) == sizeof(CUtensorMap), \"a tensor map\");\n"
            "        M m;\n        memcpy(&m, &map, sizeof m);\n        return m;\n    }\n};\n} // "
            "namespace\n",
            l->name);
}

static void add_array(atx_str *out, const char *type, const char *name, const char *what,
                      const uint64_t *values, int count)
{
    atx_str_addf(out, "    const %s %s_%s[] = { ", type, name, what);
    for (int i = 0; i < count; i++)
        atx_str_addf(out, "%s%" PRIu64, i ? ", " : "", values[i]);
    atx_str_add(out, " };\n");
}

static at_status add_map(atx_str *out, const atx_launcher *l, const atx_arg *arg, at_error *err)
{
    atx_tensor_layout m = { 0 };
    const char *buffer = l->op->args[l->t->call.maps[arg->map - 1].arg].name;
    uint64_t box[ATX_MAX_TENSOR_DIMS], steps[ATX_MAX_TENSOR_DIMS];
    at_status status = atx_tensor_layout_of(&m, l->t, arg->map - 1, l->slots, err);
    for (int i = 0; i < m.rank; i++) {
        box[i] = m.box[i];
        steps[i] = m.steps[i];
    }
    atx_str_addf(out, "    %s_map %s;\n", l->name, arg->name);
    add_array(out, "cuuint64_t", arg->name, "dims", m.dims, m.rank);
    add_array(out, "cuuint64_t", arg->name, "strides", m.strides, m.rank > 1 ? m.rank - 1 : 1);
    add_array(out, "cuuint32_t", arg->name, "box", box, m.rank);
    add_array(out, "cuuint32_t", arg->name, "steps", steps, m.rank);
    atx_str_addf(
        out,
        "    if (cuTensorMapEncodeTiled(&%s.map, CU_TENSOR_MAP_DATA_TYPE_%s, %d, (void *)%s, %s_dims, "
        "%s_strides,\n                               %s_box, %s_steps, CU_TENSOR_MAP_INTERLEAVE_%s, "
        "CU_TENSOR_MAP_SWIZZLE_%s,\n                               CU_TENSOR_MAP_L2_PROMOTION_%s, "
        "CU_TENSOR_MAP_FLOAT_OOB_FILL_%s) != CUDA_SUCCESS)\n        return cudaErrorInvalidValue;\n",
        arg->name, atx_tensor_type_word(m.type), m.rank, buffer, arg->name, arg->name, arg->name, arg->name,
        atx_tensor_interleave_word(m.interleave), atx_tensor_swizzle_word(m.swizzle),
        atx_tensor_l2_word(m.l2), m.nan ? "NAN_REQUEST_ZERO_FMA" : "NONE");
    return status;
}

static at_status add_maps(atx_str *out, const atx_launcher *l, at_error *err)
{
    for (size_t i = 0; i < l->t->call.own_count; i++)
        if (l->t->call.own[i].map)
            ATX_TRY(add_map(out, l, &l->t->call.own[i], err));
    return AT_OK;
}

static at_status add_launcher(atx_str *out, const atx_launcher *l, at_error *err)
{
    atx_str_add(out, "\n#include <cuda_runtime.h>\n");
    add_map_type(out, l);
    atx_str_addf(out, "\n#include <cstdint>\n%s", l->op->scope.struct_count ? "#include <cstring>\n" : "");
    atx_str_add(
        out, "\n/*\n"
             " * Launches the kernel for this problem and no other. Buffers are device memory, aligned as "
             "said here "
             "(cudaMalloc\n"
             " * aligns to 256 bytes; anything less is cudaErrorMisalignedAddress), and do not overlap:\n");
    ATX_TRY(add_buffer_comments(out, l, err));
    if (l->op->storage)
        atx_str_add(out, " * Any element type of that size will do: cast its pointer.\n");
    atx_str_addf(out, " */\ncudaError_t %s(", l->name);
    for (int i = 0; i < l->op->arg_count; i++)
        if (l->op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "%s%s *%s, ", atx_export_qualifier(&l->op->args[i]),
                         atx_export_element(&l->op->args[i]), l->op->args[i].name);
    atx_str_add(out, "cudaStream_t stream)\n{\n    if (");
    for (int i = 0, n = 0; i < l->op->arg_count; i++)
        if (l->op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "%s(uintptr_t)%s %% %" PRId64 " != 0", n++ ? " || " : "", l->op->args[i].name,
                         atx_problem_align_of(l->problem, i));
    atx_str_add(out, ")\n        return cudaErrorMisalignedAddress;\n");
    bool has_status = false;
    at_status status = atx_export_structs(out, l, err);
    ATX_THEN(status, add_copies(out, l, &has_status, err));
    ATX_THEN(status, add_maps(out, l, err));
    if (status == AT_OK && l->t->call.loops.count)
        return add_loops(out, l, has_status, err);
    ATX_THEN(status, atx_export_launch(out, l,
                                       &(atx_passed){ l->kernel, l->t->call.steps[0].args,
                                                      l->t->call.steps[0].arg_count, false },
                                       l->geometry, &has_status, err));
    ATX_THEN(status, add_more_launches(out, l, &has_status, err));
    atx_str_add(out, "    return cudaGetLastError();\n}\n");
    return status;
}

at_status atx_export_render(atx_str *rendered, int64_t *slots, atx_geometry *geometry,
                            const atx_export_input *in, at_error *err)
{
    const atx_fingerprint f = atx_export_device(in);
    at_error cause = { 0 };
    atx_limits limits;
    atx_config config;
    if (in->found->own && atx_winner_check(&in->found->answer->winner, &cause) != AT_OK)
        return atx_fail(err, AT_ERR_INPUT, "the stored winner is damaged: %s; tune the problem again",
                        cause.text);
    atx_arch_limits(&limits, f.cc);
    if (f.sms > 0)
        limits.sms = f.sms;
    if (f.memory_mib > 0)
        limits.memory_bytes = atx_memory_bytes(f.memory_mib);
    ATX_TRY(atx_problem_bind(slots, in->problem, &limits, err));
    ATX_TRY(atx_config_parse(&config, in->found->t, in->found->answer->winner.config, err));
    ATX_TRY(atx_config_validate(slots, in->found->t, &config, err));
    ATX_TRY(atx_geometry_of(geometry, &in->found->t->call.steps[0].launch, slots, err));
    return atx_render(rendered, in->found->t, in->problem->type, &config, slots, err);
}

/* Code that was not written for the tuner stays whole, and its kernels keep their names. */
static bool is_cut(const atx_template *t)
{
    return !t->build.sources.count && !t->call.steps[0].expression && t->call.step_count == 1;
}

static bool says_where(const char *rendered, const atx_token *t)
{
    static const char OURS[] = "//!autotune ";
    atx_token word;
    if (t->kind != ATX_TOKEN_DIRECTIVE)
        return t->kind == ATX_TOKEN_COMMENT && strncmp(rendered + t->begin, OURS, sizeof OURS - 1) == 0;
    atx_lexer inside = atx_lexer_inside(rendered, t);
    return atx_lexer_next(&word, &inside) && atx_token_is(inside.text, &word, "line");
}

/* All but lines that say where it came from: those files are elsewhere. */
static void add_whole(atx_str *out, const char *rendered)
{
    atx_lexer lexer = { .text = rendered,
                        .len = strlen(rendered),
                        .options = { .comments = true, .lines = true } };
    size_t from = 0;
    for (atx_token t; atx_lexer_next(&t, &lexer);) {
        if (!says_where(rendered, &t))
            continue;
        atx_str_add_bytes(out, rendered + from, t.begin - from);
        from = t.end + (rendered[t.end] == '\n');
    }
    atx_str_add(out, rendered + from);
    if (out->len && out->data[out->len - 1] != '\n')
        atx_str_add(out, "\n");
}

/* Which folders a compiler needs; and whether what is in them now is what was measured, where any are named.
 */
static at_status add_headers(atx_str *line, atx_str *changed, const atx_export_input *in, const char *note,
                             at_error *err)
{
    at_error cause = { 0 };
    size_t bytes;
    atx_str_add(line, line->len ? " " : "");
    if (in->header_list)
        atx_headers_know(in->headers, in->header_list);
    if (atx_headers_count(in->headers) && atx_headers_check(&bytes, in->headers, note, &cause) != AT_OK)
        atx_str_add(changed, cause.text);
    return atx_headers_places(line, in->headers, note, err);
}

/* The compiler's options that belong to the kernel; those that nvcc lacks only make functions without
 * annotations the device's. */
static at_status add_options(atx_str *out, const atx_export_input *in, const char *rendered, at_error *err)
{
    atx_pragmas pragmas;
    ATX_LOCAL(atx_str) line = { 0 }, lacking = { 0 }, changed = { 0 };
    at_status status = atx_pragmas_read(&pragmas, rendered, err);
    if (status != AT_OK)
        return status;
    for (int i = 0; i < pragmas.option_count; i++) {
        atx_str *list = atx_option_is_nvccs(pragmas.options[i]) ? &line : &lacking;
        atx_str_addf(list, "%s%s", list->len ? " " : "", pragmas.options[i]);
    }
    if (pragmas.headers)
        status = add_headers(&line, &changed, in, pragmas.headers, err);
    if (line.len)
        atx_export_comment(out, "compile with", atx_str_text(&line));
    if (changed.len)
        atx_export_sentence(out, "headers", atx_str_text(&changed));
    if (lacking.len) {
        atx_str_add(&lacking,
                    ": nvcc has no such option, and takes a function without __device__ for the host's");
        atx_export_comment(out, "NVRTC only", atx_str_text(&lacking));
    }
    if (line.len || lacking.len)
        atx_str_add(out, "\n");
    out->failed |= line.failed || lacking.failed || changed.failed;
    atx_pragmas_clear(&pragmas);
    return status;
}

/* The text for the problem, once its names are known. */
static at_status add_all(atx_str *out, const atx_export_input *in, const atx_launcher *l,
                         const char *rendered, const char *title, at_error *err)
{
    const atx_cutting cutting = { .rendered = rendered,
                                  .kernel = in->found->t->call.steps[0].kernel,
                                  .name = l->kernel };
    atx_export_about(out, in, title);
    at_status status = add_options(out, in, rendered, err);
    if (status == AT_OK && is_cut(in->found->t))
        status = atx_cut(out, &cutting, err);
    else if (status == AT_OK)
        add_whole(out, rendered);
    ATX_THEN(status, add_launcher(out, l, err));
    if (status == AT_OK && in->with_main)
        status = atx_export_main(out, l, in, err);
    return status;
}

at_status atx_export_cu(atx_str *out, const atx_export_input *in, at_error *err)
{
    int64_t slots[ATX_MAX_SLOTS];
    const atx_op *op = in->found->t->op;
    ATX_LOCAL(atx_str) rendered = { 0 }, name = { 0 }, kernel = { 0 }, title = { 0 };

    atx_geometry geometry = { .shared_bytes = 0 };
    at_status status = atx_export_render(&rendered, slots, &geometry, in, err);
    atx_str_addf(&title, "%s ", op->name);
    atx_problem_shape(&title, in->problem);
    atx_str_addf(&title, " %s", atx_dtype_name(in->problem->type));
    identifier(&name, atx_str_text(&title));
    atx_str_addf(&kernel, "%s_kernel", atx_str_text(&name));
    if (status == AT_OK && !is_cut(in->found->t)) {
        atx_str_reset(&kernel);
        atx_render_kernel(&kernel, in->found->t, in->found->t->call.steps[0].kernel, slots);
    }
    const atx_launcher l = { .op = op,
                             .t = in->found->t,
                             .problem = in->problem,
                             .slots = slots,
                             .geometry = &geometry,
                             .name = atx_str_text(&name),
                             .kernel = atx_str_text(&kernel) };
    if (status == AT_OK && (title.failed || name.failed || kernel.failed))
        status = atx_no_memory(err);
    ATX_THEN(status, add_all(out, in, &l, atx_str_text(&rendered), atx_str_text(&title), err));
    return status == AT_OK ? atx_str_status(out, err) : status;
}
