/* pack_write_header.c - NAME.h, and the comment that NAME.h and NAME.c begin with. */
#include "pack/pack_write.h"

#include "lang/arch.h"

#include <inttypes.h>

static const char *element(const atx_arg *arg)
{
    return arg->role == ATX_INPUT ? "const void *" : "void *";
}

void atx_pack_add_parameters(atx_str *out, const atx_op *op, const char *buffer)
{
    int n = 0;
    for (int i = 0; i < op->arg_count && buffer; i++)
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "%s%s%s%s", n++ ? ", " : "", element(&op->args[i]), buffer, op->args[i].name);
    if (op->shape.layout_count)
        atx_str_addf(out, "%sint rank, const int64_t *extents, const int *order", n ? ", " : "");
    for (int i = 0; i < op->shape.dim_count && !op->shape.layout_count; i++)
        atx_str_addf(out, "%sint64_t size_%s", n++ ? ", " : "", op->shape.dims[i].name);
}

static void add_percent(atx_str *out, const char *before, double loss)
{
    atx_str_addf(out, "%s%.1f %%", before, 100 * loss);
}

static void add_loss(atx_str *out, const char *what, const atx_pack_loss *loss)
{
    if (!loss->problems)
        return;
    atx_str_addf(out, " * %s (%d problems):", what, loss->problems);
    add_percent(out, " mean ", loss->mean);
    add_percent(out, ", median ", loss->median);
    add_percent(out, ", 95 of 100 within ", loss->p95);
    add_percent(out, ", worst ", loss->worst);
    if (loss->unanswered)
        atx_str_addf(out, "; %d have no kernel", loss->unanswered);
    atx_str_add(out, ".\n");
}

/* " * size_layout: 1 rows, 2 columns" */
static void add_words(atx_str *out, const atx_op *op)
{
    for (int i = 0; i < op->shape.dim_count; i++) {
        const atx_dim *d = &op->shape.dims[i];
        if (d->word_count)
            atx_str_addf(out, "\n * size_%s:", d->name);
        for (int k = 0; k < d->word_count; k++)
            atx_str_addf(out, "%s %d %s", k ? "," : "", k + 1, d->words[k]);
    }
}

static void add_sizes_text(atx_str *out, const atx_pack *pack)
{
    const atx_op *op = pack->domain.op;
    if (pack->domain.problems)
        atx_str_addf(out, "%d listed problems%s", pack->domain.problem_count,
                     op->shape.layout_count ? "" : ", ");
    for (int i = 0; i < op->shape.dim_count && !op->shape.layout_count; i++) {
        atx_str_addf(out, "%s%s=", i ? " " : "", op->shape.dims[i].name);
        atx_pack_add_ranges(out, &pack->domain.dims[i]);
    }
}

static void add_model(atx_str *out, const atx_pack *pack)
{
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, pack->limits.cc, 0);
    atx_str_addf(
        out, " *\n * %s%s%s: %d kernels. %s\n", pack->device[0] ? pack->device : "other GPUs of ",
        pack->device[0] ? ", " : "", arch, pack->kernel_count,
        pack->unknown
            ? "They were tuned for sizes near to these, or are declared defaults; nothing else was measured."
            : "How much slower than the best known configuration of each size they are "
              "expected to be:");
    add_loss(out, "sizes that were not used to choose", &pack->held_out);
    add_loss(out, "sizes that were", &pack->chosen);
}

void atx_pack_add_head(atx_str *out, const atx_pack_writing *w)
{
    const atx_pack *first = w->models[0].pack;
    atx_str_addf(out, "/*\n * %s of %s, ", w->op->name, atx_dtype_name(first->domain.type));
    add_sizes_text(out, first);
    atx_str_add(out, ".");
    add_words(out, w->op);
    atx_str_add(out, "\n");
    for (int m = 0; m < w->count; m++)
        add_model(out, w->models[m].pack);
    atx_str_addf(out, " *\n * Made by autotune " AT_VERSION ": %s\n */\n", w->command);
}

static const char LAYOUT[] =
    " * `extents` are those of the input, the slowest dimension first; dimension i of the output is "
    "dimension\n"
    " * order[i] of the input. CUDA_ERROR_INVALID_VALUE: there are no elements, `order` is no permutation, "
    "or\n"
    " * more than 8 dimensions are left where those that stay side by side are one.\n"
    " *\n";

/* NAME.h: comments and declarations that say what a program needs to know. */
void atx_pack_write_header(atx_str *out, const atx_pack_writing *w)
{
    const char *name = w->name;
    atx_pack_add_head(out, w);
    atx_str_addf(
        out,
        "#ifndef PACK_%s_H\n#define PACK_%s_H\n\n#include <cuda.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/*\n * Launches the kernel for these sizes on the stream, in the current context. Buffers are "
        "dense device memory; outputs\n * and inputs do not overlap. Any number of threads may call; a "
        "stream that is being captured may be used, also at the\n * first call in a context, which loads "
        "the kernels (%s_load does that ahead).\n *\n"
        "%s"
        " * CUDA_ERROR_NOT_SUPPORTED: no kernel of the pack is for these sizes. "
        "CUDA_ERROR_MISALIGNED_ADDRESS: a buffer begins\n * at no multiple of what it must. Others come "
        "from the driver; CUDA_ERROR_NO_BINARY_FOR_GPU: the pack is for other GPUs.\n */\n"
        "CUresult %s(",
        name, name, name, w->op->shape.layout_count ? LAYOUT : "", name);
    atx_pack_add_parameters(out, w->op, "");
    atx_str_addf(
        out,
        ", CUstream stream);\n\n/* Loads the kernels into the current context. */\nCUresult %s_load(void);\n"
        "\n/*\n * For tests, and for programs that launch by themselves; no GPU is needed. %s_model: which "
        "of the %d "
        "models of GPU that\n * the pack has kernels for one is taken for, by its name, 10 * major + minor "
        "of its "
        "compute capability, and its\n * multiprocessors; -1: none. %s_find: what would be launched there. "
        "`aligns`: "
        "powers of two, up to 256, that the\n * addresses of the buffers are multiples of, in the order of "
        "the "
        "arguments.\n */\nint %s_model(const char *device, int compute_capability, int multiprocessors);\n"
        "typedef struct %s_plan {\n    int kernel;\n    unsigned grid[3], block[3], shared;\n} %s_plan;\n"
        "CUresult %s_find(%s_plan *plan, int model, ",
        name, name, w->count, name, name, name, name, name, name);
    atx_pack_add_parameters(out, w->op, NULL);
    atx_str_add(out, ", const int64_t *aligns);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
