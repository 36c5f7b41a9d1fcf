/*
 * pack_write.c - the files of a pack. NAME.c holds, in this order: compiled kernels, arithmetic, the
 * operation, and of each model of GPU the operation's values, its kernels' conditions and launches and the
 * tree; the tables of kernels and models, loading, and the function that a program calls.
 */
#include "pack/pack_write.h"

#include "compile/cubin.h"
#include "lang/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the source ---- */

static void add_images(atx_str *out, const atx_pack_writing *w, const int *codes)
{
    int next = 0;
    atx_str_add(out, "\n/* ---- compiled kernels ---- */\n\n");
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count; k++) {
            char name[24];
            if (codes[w->first[m] + k] < next)
                continue;
            snprintf(name, sizeof name, "pk_image_%d", next++);
            atx_pack_add_image(out, name, &w->models[m].codes[k]);
        }
}

/* Arguments of the templates' own, of the kernel that has the most. */
static int most_own(const atx_pack_writing *w)
{
    int most = 0;
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count; k++) {
            const int own = (int)w->models[m].pack->kernels[k].t->call.own_count;
            most = own > most ? own : most;
        }
    return most;
}

static void add_types(atx_str *out, const atx_pack_writing *w)
{
    const atx_op *op = w->op;
    const int own = most_own(w);
    atx_str_addf(out,
                 "\n/* ---- the operation ---- */\n\ntypedef struct pk_operation {\n    int64_t s[%d];\n    "
                 "int64_t scalars[%d]; /* by their places among the arguments */\n} pk_operation;\n\n"
                 "typedef struct pk_launch {\n    int64_t grid[3], block[3], shared;\n",
                 op->scope.symbols.count, op->arg_count);
    if (own)
        atx_str_addf(out, "    int64_t own[%d]; /* arguments of the kernel's own */\n", own);
    atx_str_add(
        out,
        "} pk_launch;\n\n"
        "static int pk_is_launch(const pk_launch *l)\n{\n"
        "    for (int i = 0; i < 3; i++)\n"
        "        if (l->grid[i] < 1 || l->grid[i] > INT32_MAX || l->block[i] < 1 || l->block[i] > 1024)\n"
        "            return 0;\n    return l->shared >= 0 && l->shared <= INT32_MAX;\n}\n");
    if (op->shape.layout_count) {
        atx_str_addf(out, "\n#define PK_DIMS %d\n#define PK_RANK %d /* before dimensions become one */\n",
                     op->shape.dim_count, ATX_MAX_RANK);
        atx_pack_add_part(out, ATX_PACK_LAYOUT);
    }
}

static void add_test(atx_str *out, const atx_pack_node *node)
{
    if (node->test == ATX_PACK_MULTIPLE)
        atx_str_addf(out, "sizes[%d] %% %" PRId64 " == 0", node->which, node->value);
    else if (node->test == ATX_PACK_ALIGNED)
        atx_str_addf(out, "aligns[%d] >= %" PRId64, node->which, node->value);
    else if (node->which < 0)
        atx_str_addf(out, "all[%d] <= %" PRId64 "LL", -1 - node->which, node->value);
    else
        atx_str_addf(out, "sizes[%d] <= %" PRId64 "LL", node->which, node->value);
}

static void add_node(atx_str *out, const atx_pack *pack, int at,
                     int depth) // NOLINT(misc-no-recursion): a tree
{
    const atx_pack_node *node = &pack->nodes[at];
    const int indent = 4 * (depth + 1);
    if (node->test != ATX_PACK_LEAF) {
        atx_str_addf(out, "%*sif (", indent, "");
        add_test(out, node);
        atx_str_add(out, ") {\n");
        add_node(out, pack, node->yes, depth + 1);
        atx_str_addf(out, "%*s} else {\n", indent, "");
        add_node(out, pack, node->no, depth + 1);
        atx_str_addf(out, "%*s}\n", indent, "");
        return;
    }
    atx_str_addf(out, "%*sstatic const unsigned char order[] = { ", indent, "");
    for (int k = 0; k < pack->kernel_count; k++)
        atx_str_addf(out, "%s%d", k ? ", " : "", node->order[k]);
    atx_str_addf(out, " }; /* %d problems, %.1f %% */\n%*sreturn order;\n", node->problems, 100 * node->loss,
                 indent, "");
}

static void add_tree(atx_str *out, const atx_pack *pack, int model)
{
    atx_str_addf(
        out,
        "\n/* Those that are expected to be the fastest first. */\n"
        "static const unsigned char *pk_order_%d(const int64_t *sizes, const int64_t *aligns)\n{\n"
        "    int flag = 0;\n    int64_t all[%d], last = 1; /* products of all sizes from here on */\n"
        "    for (int i = %d; i >= 0; i--) {\n        last = pk_mul(&flag, last, sizes[i]);\n"
        "        all[i] = flag ? INT64_MAX : last;\n    }\n    (void)all;\n    (void)aligns;\n",
        model, pack->domain.op->shape.dim_count, pack->domain.op->shape.dim_count - 1);
    add_node(out, pack, 0, 0);
    atx_str_add(out, "}\n");
}

static at_status add_model(atx_str *out, const atx_pack_writing *w, int m, at_error *err)
{
    const atx_pack *pack = w->models[m].pack;
    atx_str_addf(out, "\n/* ---- on %s of compute capability %d.%d ---- */\n\n",
                 pack->device[0] ? pack->device : "others", (int)(pack->limits.cc / 10),
                 (int)(pack->limits.cc % 10));
    at_status status = atx_pack_add_operation(out, pack, m, err);
    for (int k = 0; k < pack->kernel_count && status == AT_OK; k++)
        status = atx_pack_add_kernel(out, pack, k, w->first[m] + k, err);
    add_tree(out, pack, m);
    return status;
}

/* Its code and what it is called there; of a source its symbol. */
static at_status add_code(atx_str *out, const atx_pack_writing *w, const atx_pack_compiled *model, int k,
                          int code, at_error *err)
{
    const atx_str *bytes = &model->codes[k];
    const char *name = NULL;
    size_t len = 0;
    if (model->is_source) {
        atx_str_add(out, "    { (const void *)");
        atx_pack_add_symbol(out, w, code, true);
        atx_str_add(out, ", \"\", ");
        return AT_OK;
    }
    at_status status = atx_cubin_name(&name, &len, bytes->data, bytes->len,
                                      model->pack->kernels[k].t->call.steps[0].kernel, err);
    if (status == AT_OK)
        atx_str_addf(out, "    { pk_image_%d, \"%.*s\", ", code, (int)len, name);
    return status;
}

/* Its code, and which of the operation's arguments it takes. */
static at_status add_kernel_row(atx_str *out, const atx_pack_writing *w, const atx_pack_compiled *model,
                                int k, int number, int code, at_error *err)
{
    const atx_step *step = &model->pack->kernels[k].t->call.steps[0];
    at_status status = add_code(out, w, model, k, code, err);
    if (status != AT_OK)
        return status;
    atx_str_addf(out, "%" PRId64 ", pk_kernel_%d, {",
                 step->launch.shared ? model->pack->limits.max_shared_bytes : 0, number);
    for (int i = 0; i < step->arg_count; i++)
        atx_str_addf(out, "%s%d", i ? ", " : " ", step->args[i]);
    atx_str_addf(out, " } },\n");
    return AT_OK;
}

static int most_arguments(const atx_pack_writing *w)
{
    int most = 0;
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count; k++) {
            const int count = w->models[m].pack->kernels[k].t->call.steps[0].arg_count;
            most = count > most ? count : most;
        }
    return most;
}

static at_status add_tables(atx_str *out, const atx_pack_writing *w, const int *codes, at_error *err)
{
    at_status status = AT_OK;
    atx_str_addf(
        out,
        "\n/* ---- kernels, and models of GPUs ---- */\n\n"
        "#define PK_MODELS %d\n#define PK_KERNELS %d\n#define PK_ARGUMENTS %d\n\n"
        "static const struct {\n    const void *image;\n    const char *name;\n    int most_shared;\n"
        "    int (*allows)(pk_launch *, const pk_operation *);\n"
        "    unsigned char arguments[PK_ARGUMENTS];\n} pk_kernels[PK_KERNELS] = {\n",
        w->count, w->first[w->count], most_arguments(w));
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count && status == AT_OK; k++)
            status = add_kernel_row(out, w, &w->models[m], k, w->first[m] + k, codes[w->first[m] + k], err);
    atx_str_add(
        out, "};\n\nstatic const struct {\n    const char *device; /* \"\": others of its architecture */\n"
             "    int compute_capability, multiprocessors;\n    int first, count; /* of its kernels */\n"
             "    int (*operation)(pk_operation *, const int64_t *, const int64_t *);\n"
             "    const unsigned char *(*order)(const int64_t *, const int64_t *);\n"
             "} pk_models[PK_MODELS] = {\n");
    for (int m = 0; m < w->count; m++) {
        const atx_pack *pack = w->models[m].pack;
        atx_str_add(out, "    { ");
        atx_str_add_json(out, pack->device);
        atx_str_addf(out, ", %" PRId64 ", %" PRId64 ", %d, %d, pk_operation_%d, pk_order_%d },\n",
                     pack->limits.cc, pack->limits.sms, w->first[m], pack->kernel_count, m, m);
    }
    atx_str_add(out, "};\n");
    return status;
}

/* ---- the function that a program calls ---- */

static void add_size_array(atx_str *out, const atx_op *op)
{
    if (op->shape.layout_count) {
        atx_str_add(out, "    int64_t sizes[3 * PK_DIMS];\n    if (!pk_layout(sizes, rank, extents, order))\n"
                         "        return CUDA_ERROR_INVALID_VALUE;\n");
        return;
    }
    atx_str_add(out, "    const int64_t sizes[] = { ");
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(out, "%ssize_%s", i ? ", " : "", op->shape.dims[i].name);
    atx_str_add(out, " };\n");
}

/* What each buffer's address must be a multiple of. */
static void add_aligns(atx_str *out, const atx_op *op, atx_dtype type)
{
    atx_str_add(out, "    const int64_t aligns[] = { ");
    for (int i = 0; i < op->shape.align_count; i++)
        atx_str_addf(out, "%spk_align(buffer_%s)", i ? ", " : "", op->args[op->shape.aligns[i].arg].name);
    atx_str_addf(out, "%s };\n", op->shape.align_count ? "" : "256");
    for (int i = 0; i < op->arg_count; i++) {
        int64_t least = ATX_FULL_ALIGN;
        for (int a = 0; a < op->shape.align_count; a++)
            if (op->shape.aligns[a].arg == i)
                least = atx_dtype_bytes(atx_arg_type(&op->args[i], type));
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out,
                         "    if (pk_align(buffer_%s) < %" PRId64
                         ")\n        return CUDA_ERROR_MISALIGNED_ADDRESS;\n",
                         op->args[i].name, least);
    }
}

/* The arguments of the operation in its order, of which the kernel takes some; behind them its own. */
static void add_arguments(atx_str *out, const atx_pack_writing *w)
{
    const atx_op *op = w->op;
    atx_pack_add_values(out, op);
    atx_str_add(out, "    void *const all[] = { ");
    for (int i = 0; i < op->arg_count; i++)
        if (op->args[i].role == ATX_SCALAR)
            atx_str_addf(out, "%s&value_%d", i ? ", " : "", i);
        else
            atx_str_addf(out, "%s(void *)&buffer_%s", i ? ", " : "", op->args[i].name);
    atx_str_add(
        out,
        " };\n    void *arguments[PK_ARGUMENTS + 1] = { NULL };\n    for (int i = 0; i < PK_ARGUMENTS; i++)");
    if (most_own(w))
        atx_str_addf(out,
                     " {\n        const int which = pk_kernels[kernel].arguments[i];\n"
                     "        arguments[i] = which < %d ? all[which] : (void *)&l.own[which - %d];\n    }\n",
                     op->arg_count, op->arg_count);
    else
        atx_str_add(out, "\n        arguments[i] = all[pk_kernels[kernel].arguments[i]];\n");
}

static void add_find(atx_str *out, const atx_pack_writing *w)
{
    const char *name = w->name;
    atx_str_addf(out,
                 "\n/* ---- what a program calls ---- */\n\nCUresult %s_load(void)\n{\n"
                 "    const pk_loaded *loaded;\n    return pk_load(&loaded);\n}\n\n"
                 "int %s_model(const char *device, int compute_capability, int multiprocessors)\n{\n"
                 "    return pk_model(device, compute_capability, multiprocessors);\n}\n\n"
                 "CUresult %s_find(%s_plan *plan, int model, ",
                 name, name, name, name);
    atx_pack_add_parameters(out, w->op, NULL);
    atx_str_add(out, ", const int64_t *aligns)\n{\n    pk_launch l;\n    pk_operation o;\n");
    add_size_array(out, w->op);
    atx_str_add(
        out,
        "    plan->kernel = model < 0 || model >= PK_MODELS ? -1 : pk_choose(&l, &o, model, sizes, aligns);\n"
        "    if (plan->kernel < 0)\n"
        "        return CUDA_ERROR_NOT_SUPPORTED;\n    for (int i = 0; i < 3; i++) {\n"
        "        plan->grid[i] = (unsigned)l.grid[i];\n        plan->block[i] = (unsigned)l.block[i];\n"
        "    }\n    plan->shared = (unsigned)l.shared;\n    return CUDA_SUCCESS;\n}\n\n");
}

static void add_function(atx_str *out, const atx_pack_writing *w)
{
    atx_str_addf(out, "CUresult %s(", w->name);
    atx_pack_add_parameters(out, w->op, "buffer_");
    atx_str_add(
        out, ", CUstream stream)\n{\n    pk_launch l;\n    pk_operation o;\n    const pk_loaded *loaded;\n");
    add_size_array(out, w->op);
    add_aligns(out, w->op, w->models[0].pack->domain.type);
    atx_str_add(
        out, "    const CUresult status = pk_load(&loaded);\n"
             "    if (status != CUDA_SUCCESS)\n        return status;\n"
             "    const int kernel = pk_choose(&l, &o, loaded->model, sizes, aligns);\n    if (kernel < 0)\n"
             "        return CUDA_ERROR_NOT_SUPPORTED;\n");
    add_arguments(out, w);
    atx_str_add(
        out, "    return cuLaunchKernel(loaded->functions[kernel - pk_models[loaded->model].first],\n"
             "                          (unsigned)l.grid[0], (unsigned)l.grid[1], (unsigned)l.grid[2],\n"
             "                          (unsigned)l.block[0], (unsigned)l.block[1], (unsigned)l.block[2],\n"
             "                          (unsigned)l.shared, stream, arguments, NULL);\n}\n");
}

/* C11 has atomics as C++11 has them, by other headers. */
static void add_headers(atx_str *out, const atx_pack_writing *w)
{
    int most = 0;
    for (int m = 0; m < w->count; m++)
        most = w->models[m].pack->kernel_count > most ? w->models[m].pack->kernel_count : most;
    atx_str_addf(out, "#include \"%s.h\"\n\n#include <sched.h>\n", w->name);
    atx_str_add(
        out, w->models[0].is_source
                 ? "#include <atomic>\n#include <cuda_runtime.h>\n#define PK_SOURCE\nusing namespace std;\n"
                   "#pragma nv_diag_suppress 177 /* arithmetic that no condition needs */\n"
                 : "#include <stdatomic.h>\n");
    atx_str_addf(out,
                 "#include <stddef.h>\n#include <string.h>\n\n#define PK_MOST_KERNELS %d /* of a model */\n",
                 most);
}

static at_status write_source(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    int codes[ATX_PACK_MAX_MODELS * ATX_PACK_MAX_KERNELS] = { 0 };
    at_status status = AT_OK;
    atx_pack_number_codes(codes, w);
    atx_pack_add_head(out, w);
    if (w->models[0].is_source)
        status = atx_pack_add_sources(out, w, codes, err);
    add_headers(out, w);
    if (!w->models[0].is_source)
        add_images(out, w, codes);
    atx_pack_add_part(out, ATX_PACK_ARITHMETIC);
    add_types(out, w);
    for (int m = 0; m < w->count && status == AT_OK; m++)
        status = add_model(out, w, m, err);
    ATX_THEN(status, add_tables(out, w, codes, err));
    atx_pack_add_part(out, ATX_PACK_LAUNCH);
    add_find(out, w);
    add_function(out, w);
    return status == AT_OK ? atx_str_status(out, err) : status;
}

at_status atx_pack_write(atx_pack_files *out, const atx_pack_compiled *models, int count, const char *name,
                         const char *command, at_error *err)
{
    atx_pack_writing w = {
        .models = models, .count = count, .op = models[0].pack->domain.op, .name = name, .command = command
    };
    for (int m = 0; m < count; m++)
        w.first[m + 1] = w.first[m] + models[m].pack->kernel_count;
    at_status status = models[0].has_test ? atx_pack_write_test(&out->test, &w, err) : AT_OK;
    ATX_THEN(status, atx_pack_write_description(&out->description, &w, err));
    ATX_THEN(status, write_source(&out->source, &w, err));
    atx_pack_write_header(&out->header, &w);
    return status == AT_OK ? atx_str_status(&out->header, err) : status;
}

void atx_pack_files_clear(atx_pack_files *files)
{
    atx_str_clear(&files->test);
    atx_str_clear(&files->header);
    atx_str_clear(&files->source);
    atx_str_clear(&files->description);
}
