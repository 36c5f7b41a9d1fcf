/*
 * pack_write.c - the files of a pack. NAME.c holds, in this order: compiled kernels, arithmetic, the
 * operation, the kernels' conditions and launches, the tree, loading, and the function that a program calls.
 */
#include "pack/pack_write.h"

#include "lang/catalog.h"
#include "lang/render.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of atx_embedded_pack, as templates/embed.cmake orders them. */
typedef enum atx_pack_part { ARITHMETIC, LAUNCH } atx_pack_part;

static void add_part(atx_str *out, atx_pack_part part)
{
    atx_str_add_bytes(out, atx_embedded_pack[part].data, atx_embedded_pack[part].len);
}

static int find_none(const void *context, const char *name, size_t len)
{
    (void)context;
    (void)name;
    (void)len;
    return -1;
}

static at_status make_number(atx_expr **out, int64_t value, at_error *err)
{
    const atx_scope scope = { .find = find_none };
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return atx_expr_compile(out, text, strlen(text), &scope, (atx_where){ "", 1, 1 }, err);
}

/* What the kernel's source has as constants, as numbers: `numbers` has one for each of the lets, and `fixed`.
 */
static at_status fix_constants(atx_template *t, atx_let *lets, atx_expr **numbers, const atx_pack_kernel *k,
                               at_error *err)
{
    at_status status = AT_OK;
    int n = 0;
    memcpy(lets, t->scope.lets, t->scope.let_count * sizeof *lets);
    t->scope.lets = lets;
    for (size_t i = 0; i < t->scope.let_count && status == AT_OK; i++) {
        if (!lets[i].rendered)
            continue;
        status = make_number(&numbers[i], k->consts[n++], err);
        lets[i].expr = numbers[i];
    }
    if (status == AT_OK && t->scope.fixed)
        status = make_number(&numbers[t->scope.let_count], 0, err);
    t->scope.fixed = numbers[t->scope.let_count];
    return status;
}

at_status atx_pack_render(atx_str *out, const atx_pack *pack, int kernel, at_error *err)
{
    const atx_pack_kernel *k = &pack->kernels[kernel];
    int64_t slots[ATX_MAX_SLOTS];
    atx_template general = *k->t; /* borrows all that it points to */
    const size_t count = general.scope.let_count + 1;
    atx_let *lets = calloc(count, sizeof *lets);
    atx_expr **numbers = calloc(count, sizeof *numbers);
    at_status status = lets && numbers ? fix_constants(&general, lets, numbers, k, err) : atx_no_memory(err);
    if (status == AT_OK)
        status = atx_problem_bind(slots, &k->example, &pack->limits, err);
    if (status == AT_OK)
        status = atx_render(out, &general, k->example.type, &k->config, slots, err);
    for (size_t i = 0; numbers && i < count; i++)
        atx_expr_close(numbers[i]);
    free(numbers);
    free(lets);
    return status;
}

/* ---- the function that a program calls ---- */

static const char *element(const atx_pack *pack, const atx_arg *arg)
{
    (void)pack;
    return arg->role == ATX_INPUT ? "const void *" : "void *";
}

/* "void *out, const void *in, int64_t rows, int64_t cols" */
static void add_parameters(atx_str *out, const atx_pack *pack, bool buffers)
{
    const atx_op *op = pack->domain.op;
    int n = 0;
    for (int i = 0; i < op->arg_count && buffers; i++)
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(out, "%s%s%s", n++ ? ", " : "", element(pack, &op->args[i]), op->args[i].name);
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(out, "%sint64_t size_%s", n++ ? ", " : "", op->shape.dims[i].name);
}

static void add_percent(atx_str *out, const char *before, double loss)
{
    atx_str_addf(out, "%s%.1f %%", before, 100 * loss);
}

static void add_loss(atx_str *out, const char *what, const atx_pack_loss *loss)
{
    atx_str_addf(out, " * %s (%d problems):", what, loss->problems);
    add_percent(out, " mean ", loss->mean);
    add_percent(out, ", median ", loss->median);
    add_percent(out, ", 95 of 100 within ", loss->p95);
    add_percent(out, ", worst ", loss->worst);
    if (loss->unanswered)
        atx_str_addf(out, "; %d have no kernel", loss->unanswered);
    atx_str_add(out, ".\n");
}

static void add_sizes_text(atx_str *out, const atx_pack *pack)
{
    const atx_op *op = pack->domain.op;
    if (pack->domain.problems)
        atx_str_addf(out, "%d listed problems, ", pack->domain.problem_count);
    for (int i = 0; i < op->shape.dim_count; i++) {
        atx_str_addf(out, "%s%s=", i ? " " : "", op->shape.dims[i].name);
        atx_pack_add_ranges(out, &pack->domain.dims[i]);
    }
}

static void add_head(atx_str *out, const atx_pack *pack, const char *command)
{
    atx_str_addf(out, "/*\n * %s of %s for %s: %d kernels, ", pack->domain.op->name,
                 atx_dtype_name(pack->domain.type), pack->device, pack->kernel_count);
    add_sizes_text(out, pack);
    atx_str_add(out,
                ".\n *\n * How much slower than the best known configuration of each size its answers are "
                "expected to be:\n");
    add_loss(out, "sizes that were not used to choose", &pack->held_out);
    add_loss(out, "sizes that were", &pack->chosen);
    atx_str_addf(out, " *\n * Made by autotune " AT_VERSION ": %s\n */\n", command);
}

static void write_header(atx_str *out, const atx_pack *pack, const char *name, const char *command)
{
    add_head(out, pack, command);
    atx_str_addf(
        out,
        "#ifndef PACK_%s_H\n#define PACK_%s_H\n\n#include <cuda.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/*\n * Launches the kernel for these sizes on the stream, in the current context. Buffers are "
        "dense device memory; outputs\n * and inputs do not overlap. Any number of threads may call; a "
        "stream that is being captured may be used, also at the\n * first call in a context, which loads "
        "the kernels (%s_load does that ahead).\n *\n"
        " * CUDA_ERROR_NOT_SUPPORTED: no kernel of the pack is for these sizes. "
        "CUDA_ERROR_MISALIGNED_ADDRESS: a buffer begins\n * at no multiple of what it must. Others come "
        "from the driver; CUDA_ERROR_NO_BINARY_FOR_GPU: the pack is for another GPU.\n */\n"
        "CUresult %s(",
        name, name, name, name);
    add_parameters(out, pack, true);
    atx_str_addf(
        out,
        ", CUstream stream);\n\n/* Loads the kernels into the current context. */\nCUresult %s_load(void);\n"
        "\n/* What would be launched: for tests, and for programs that launch by themselves. `aligns`: "
        "powers of two, up to 256,\n * that the addresses of the buffers are multiples of, in the order of "
        "the arguments. */\n"
        "typedef struct %s_plan {\n    int kernel;\n    unsigned grid[3], block[3], shared;\n} %s_plan;\n"
        "CUresult %s_find(%s_plan *plan, ",
        name, name, name, name, name);
    add_parameters(out, pack, false);
    atx_str_add(out, ", const int64_t *aligns);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- the source ---- */

static void add_tables(atx_str *out, const atx_pack *pack, const atx_str *codes)
{
    atx_str_addf(out, "\n/* ---- compiled kernels ---- */\n\n#define PK_KERNELS %d\n\n", pack->kernel_count);
    for (int k = 0; k < pack->kernel_count; k++) {
        char name[24];
        snprintf(name, sizeof name, "pk_image_%d", k);
        atx_pack_add_image(out, name, &codes[k]);
    }
    atx_str_add(out, "\nstatic const void *const pk_images[PK_KERNELS] = {");
    for (int k = 0; k < pack->kernel_count; k++)
        atx_str_addf(out, "%spk_image_%d", k ? ", " : " ", k);
    atx_str_add(out, " };\nstatic const char *const pk_names[PK_KERNELS] = {");
    for (int k = 0; k < pack->kernel_count; k++)
        atx_str_addf(out, "%s\"%s\"", k ? ", " : " ", pack->kernels[k].t->call.steps[0].kernel);
    atx_str_addf(out, " };\nstatic const int pk_most_shared[PK_KERNELS] = {");
    for (int k = 0; k < pack->kernel_count; k++)
        atx_str_addf(out, "%s%" PRId64, k ? ", " : " ",
                     pack->kernels[k].t->call.steps[0].launch.shared ? pack->limits.max_shared_bytes : 0);
    atx_str_add(
        out,
        " };\n\n"
        "typedef struct pk_launch {\n    int64_t grid[3], block[3], shared;\n} pk_launch;\n\n"
        "static int pk_is_launch(const pk_launch *l)\n{\n"
        "    for (int i = 0; i < 3; i++)\n"
        "        if (l->grid[i] < 1 || l->grid[i] > INT32_MAX || l->block[i] < 1 || l->block[i] > 1024)\n"
        "            return 0;\n    return l->shared >= 0 && l->shared <= INT32_MAX;\n}\n");
}

static void add_test(atx_str *out, const atx_pack_node *node)
{
    if (node->test == ATX_PACK_MULTIPLE)
        atx_str_addf(out, "sizes[%d] %% %" PRId64 " == 0", node->which, node->value);
    else if (node->test == ATX_PACK_ALIGNED)
        atx_str_addf(out, "aligns[%d] >= %" PRId64, node->which, node->value);
    else if (node->which < 0)
        atx_str_addf(out, "all <= %" PRId64 "LL", node->value);
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

static void add_tree(atx_str *out, const atx_pack *pack)
{
    atx_str_add(out, "\n/* ---- which kernel: those that are expected to be the fastest first ---- */\n\n"
                     "static int (*const pk_kernels[PK_KERNELS])(pk_launch *, const pk_operation *) = {");
    for (int k = 0; k < pack->kernel_count; k++)
        atx_str_addf(out, "%spk_kernel_%d", k ? ", " : " ", k);
    atx_str_add(
        out, " };\n\nstatic const unsigned char *pk_order(const int64_t *sizes, const int64_t *aligns)\n{\n"
             "    int flag = 0;\n    int64_t all = 1;\n");
    atx_str_addf(out,
                 "    for (int i = 0; i < %d; i++)\n        all = pk_mul(&flag, all, sizes[i]);\n"
                 "    all = flag ? INT64_MAX : all;\n    (void)aligns;\n",
                 pack->domain.op->shape.dim_count);
    add_node(out, pack, 0, 0);
    atx_str_add(
        out,
        "}\n\n"
        "/* The first of the order whose conditions hold. */\n"
        "static int pk_choose(pk_launch *l, pk_operation *o, const int64_t *sizes, const int64_t *aligns)\n"
        "{\n    if (!pk_operation_of(o, sizes, aligns))\n        return -1;\n"
        "    const unsigned char *order = pk_order(sizes, aligns);\n"
        "    for (int i = 0; i < PK_KERNELS; i++)\n"
        "        if (pk_kernels[order[i]](l, o))\n            return order[i];\n    return -1;\n}\n");
}

static void add_size_array(atx_str *out, const atx_op *op)
{
    atx_str_add(out, "    const int64_t sizes[] = { ");
    for (int i = 0; i < op->shape.dim_count; i++)
        atx_str_addf(out, "%ssize_%s", i ? ", " : "", op->shape.dims[i].name);
    atx_str_add(out, " };\n");
}

/* What each buffer's address must be a multiple of. */
static void add_aligns(atx_str *out, const atx_pack *pack)
{
    const atx_op *op = pack->domain.op;
    atx_str_add(out, "    const int64_t aligns[] = { ");
    for (int i = 0; i < op->shape.align_count; i++)
        atx_str_addf(out, "%spk_align(%s)", i ? ", " : "", op->args[op->shape.aligns[i].arg].name);
    atx_str_addf(out, "%s };\n", op->shape.align_count ? "" : "256");
    for (int i = 0; i < op->arg_count; i++) {
        int64_t least = ATX_FULL_ALIGN;
        for (int a = 0; a < op->shape.align_count; a++)
            if (op->shape.aligns[a].arg == i)
                least = atx_dtype_bytes(atx_arg_type(&op->args[i], pack->domain.type));
        if (op->args[i].role != ATX_SCALAR)
            atx_str_addf(
                out, "    if (pk_align(%s) < %" PRId64 ")\n        return CUDA_ERROR_MISALIGNED_ADDRESS;\n",
                op->args[i].name, least);
    }
}

/* One array of arguments for each kernel that takes its own. */
static void add_arguments(atx_str *out, const atx_pack *pack)
{
    const atx_op *op = pack->domain.op;
    atx_str_add(out, "    void *arguments[PK_KERNELS][");
    atx_str_addf(out, "%d] = {\n", op->arg_count);
    for (int k = 0; k < pack->kernel_count; k++) {
        const atx_step *step = &pack->kernels[k].t->call.steps[0];
        atx_str_add(out, "        { ");
        for (int i = 0; i < step->arg_count; i++) {
            const atx_arg *arg = &op->args[step->args[i]];
            if (arg->role == ATX_SCALAR)
                atx_str_addf(out, "%s&value_%d", i ? ", " : "", step->args[i]);
            else
                atx_str_addf(out, "%s(void *)&%s", i ? ", " : "", arg->name);
        }
        atx_str_add(out, " },\n");
    }
    atx_str_add(out, "    };\n");
}

static void add_functions(atx_str *out, const atx_pack *pack, const char *name)
{
    atx_str_addf(out,
                 "\n/* ---- what a program calls ---- */\n\nCUresult %s_load(void)\n{\n"
                 "    const pk_loaded *loaded;\n    return pk_load(&loaded);\n}\n\n"
                 "CUresult %s_find(%s_plan *plan, ",
                 name, name, name);
    add_parameters(out, pack, false);
    atx_str_add(out, ", const int64_t *aligns)\n{\n    pk_launch l;\n    pk_operation o;\n");
    add_size_array(out, pack->domain.op);
    atx_str_add(
        out, "    plan->kernel = pk_choose(&l, &o, sizes, aligns);\n    if (plan->kernel < 0)\n"
             "        return CUDA_ERROR_NOT_SUPPORTED;\n    for (int i = 0; i < 3; i++) {\n"
             "        plan->grid[i] = (unsigned)l.grid[i];\n        plan->block[i] = (unsigned)l.block[i];\n"
             "    }\n    plan->shared = (unsigned)l.shared;\n    return CUDA_SUCCESS;\n}\n\n");
    atx_str_addf(out, "CUresult %s(", name);
    add_parameters(out, pack, true);
    atx_str_add(
        out, ", CUstream stream)\n{\n    pk_launch l;\n    pk_operation o;\n    const pk_loaded *loaded;\n");
    add_size_array(out, pack->domain.op);
    add_aligns(out, pack);
    atx_str_add(out,
                "    const int kernel = pk_choose(&l, &o, sizes, aligns);\n    if (kernel < 0)\n"
                "        return CUDA_ERROR_NOT_SUPPORTED;\n    const CUresult status = pk_load(&loaded);\n"
                "    if (status != CUDA_SUCCESS)\n        return status;\n");
    atx_pack_add_values(out, pack->domain.op);
    add_arguments(out, pack);
    atx_str_add(
        out, "    return cuLaunchKernel(loaded->functions[kernel], (unsigned)l.grid[0], (unsigned)l.grid[1], "
             "(unsigned)l.grid[2],\n                          (unsigned)l.block[0], (unsigned)l.block[1], "
             "(unsigned)l.block[2], (unsigned)l.shared, stream,\n"
             "                          arguments[kernel], NULL);\n}\n");
}

static at_status write_source(atx_str *out, const atx_pack *pack, const char *name, const char *command,
                              const atx_str *codes, at_error *err)
{
    add_head(out, pack, command);
    atx_str_addf(
        out, "#include \"%s.h\"\n\n#include <sched.h>\n#include <stdatomic.h>\n#include <stddef.h>\n", name);
    add_tables(out, pack, codes);
    add_part(out, ARITHMETIC);
    at_status status = atx_pack_add_operation(out, pack, err);
    for (int k = 0; k < pack->kernel_count && status == AT_OK; k++)
        status = atx_pack_add_kernel(out, pack, k, err);
    add_tree(out, pack);
    add_part(out, LAUNCH);
    add_functions(out, pack, name);
    return status;
}

/* ---- the description ---- */

static void add_json_loss(atx_str *out, const char *name, const atx_pack_loss *loss)
{
    atx_str_addf(
        out,
        "\"%s\": {\"problems\": %d, \"unanswered\": %d, \"mean\": %.4f, \"median\": %.4f, \"p95\": %.4f, "
        "\"worst\": %.4f}",
        name, loss->problems, loss->unanswered, loss->mean, loss->median, loss->p95, loss->worst);
}

static void add_json_kernels(atx_str *out, const atx_pack *pack, const atx_str *codes)
{
    atx_str_add(out, "  \"kernels\": [\n");
    for (int k = 0; k < pack->kernel_count; k++) {
        const atx_pack_kernel *kernel = &pack->kernels[k];
        atx_str config = { 0 };
        atx_config_text(&config, kernel->t, &kernel->config);
        atx_str_addf(out, "    {\"template\": \"%s\", \"hash\": \"%s\", \"configuration\": ", kernel->t->name,
                     kernel->t->text.hash);
        atx_str_add_json(out, atx_str_text(&config));
        atx_str_addf(out, ", \"code_bytes\": %zu, ", codes[k].len);
        add_json_loss(out, "loss_with_those_above", &pack->curve[k]);
        atx_str_addf(out, "}%s\n", k + 1 < pack->kernel_count ? "," : "");
        out->failed = out->failed || config.failed;
        atx_str_clear(&config);
    }
    atx_str_add(out, "  ],\n");
}

/* "rows": [[1, 16], [64, 64]] */
static void add_json_sizes(atx_str *out, const atx_pack *pack)
{
    const atx_op *op = pack->domain.op;
    for (int d = 0; d < op->shape.dim_count; d++) {
        const atx_pack_ranges *ranges = &pack->domain.dims[d];
        atx_str_addf(out, "%s\"%s\": [", d ? ", " : "", op->shape.dims[d].name);
        for (int i = 0; i < ranges->count; i++)
            atx_str_addf(out, "%s[%" PRId64 ", %" PRId64 "]", i ? ", " : "", ranges->items[i].low,
                         ranges->items[i].high);
        atx_str_add(out, "]");
    }
}

static void write_description(atx_str *out, const atx_pack *pack, const char *name, const char *command,
                              const atx_str *codes)
{
    const atx_op *op = pack->domain.op;
    atx_str_addf(out, "{\n  \"schema\": \"autotune.pack/1\",\n  \"name\": \"%s\",\n  \"op\": ", name);
    atx_str_add_json(out, op->name);
    atx_str_addf(out, ",\n  \"op_hash\": \"%s\",\n  \"dtype\": \"%s\",\n  \"device\": ", op->text.hash,
                 atx_dtype_name(pack->domain.type));
    atx_str_add_json(out, pack->device);
    atx_str_addf(out, ",\n  \"compute_capability\": %" PRId64 ",\n  \"sizes\": {", pack->limits.cc);
    add_json_sizes(out, pack);
    atx_str_addf(out, "},\n  \"listed_problems\": %d,\n  \"candidates\": %d,\n", pack->domain.problem_count,
                 pack->candidates);
    add_json_kernels(out, pack, codes);
    atx_str_add(out, "  ");
    add_json_loss(out, "loss", &pack->held_out);
    atx_str_add(out, ",\n  ");
    add_json_loss(out, "loss_of_the_choice", &pack->chosen);
    atx_str_add(out, ",\n  \"command\": ");
    atx_str_add_json(out, command);
    atx_str_add(out, "\n}\n");
}

at_status atx_pack_write(atx_pack_files *out, const atx_pack *pack, const char *name, const char *command,
                         const atx_str *codes, const atx_str *reference, at_error *err)
{
    at_status status = reference ? atx_pack_write_test(&out->test, pack, name, reference, err) : AT_OK;
    if (status != AT_OK)
        return status;
    write_header(&out->header, pack, name, command);
    write_description(&out->description, pack, name, command, codes);
    status = write_source(&out->source, pack, name, command, codes, err);
    if (status == AT_OK)
        status = atx_str_status(&out->header, err);
    if (status == AT_OK)
        status = atx_str_status(&out->description, err);
    return status == AT_OK ? atx_str_status(&out->source, err) : status;
}

void atx_pack_files_clear(atx_pack_files *files)
{
    atx_str_clear(&files->test);
    atx_str_clear(&files->header);
    atx_str_clear(&files->source);
    atx_str_clear(&files->description);
}
