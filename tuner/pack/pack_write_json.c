/*
 * pack_write_json.c - NAME.json: what the pack is, and all that is needed to use it as it is (pack_read.c):
 * of each model of GPU its kernels and its tree, and once each code in base 64.
 */
#include "pack/pack_write.h"

#include "lang/arch.h"
#include "util/base64.h"

#include <inttypes.h>

static void add_json_loss(atx_str *out, const char *name, const atx_pack_loss *loss)
{
    atx_str_addf(out,
                 "\"%s\": {\"problems\": %d, \"measured\": %d, \"unanswered\": %d, \"mean\": %.4f, "
                 "\"median\": %.4f, \"p95\": %.4f, "
                 "\"worst\": %.4f}",
                 name, loss->problems, loss->measured, loss->unanswered, loss->mean, loss->median, loss->p95,
                 loss->worst);
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

/* "constants": values of the template's rendered lets, in their order. */
static void add_constants(atx_str *out, const atx_pack_kernel *k)
{
    int n = 0;
    atx_str_add(out, ", \"constants\": [");
    for (size_t i = 0; i < k->t->scope.let_count; i++)
        if (k->t->scope.lets[i].rendered) {
            atx_str_addf(out, "%s%" PRId64, n ? ", " : "", k->consts[n]);
            n++;
        }
    atx_str_add(out, "], ");
}

static void add_kernel(atx_str *out, const atx_pack_compiled *model, int k, int code)
{
    const atx_pack_kernel *kernel = &model->pack->kernels[k];
    atx_str config = { 0 };
    atx_config_text(&config, kernel->t, &kernel->config);
    atx_str_addf(out, "        {\"template\": \"%s\", \"hash\": \"%s\", \"configuration\": ", kernel->t->name,
                 kernel->t->text.hash);
    atx_str_add_json(out, atx_str_text(&config));
    add_constants(out, kernel);
    atx_str_addf(out, "\"code\": %d, \"code_bytes\": %zu, ", model->is_source ? -1 : code,
                 model->is_source ? 0 : model->codes[k].len);
    add_json_loss(out, "loss_with_those_above", &model->pack->curve[k]);
    atx_str_add(out, "}");
    out->failed = out->failed || config.failed;
    atx_str_clear(&config);
}

/* A comparison has `of`, a size, an alignment, "all", the product of all sizes, or "rows*cols", of the last
 * ones; a leaf the order of kernels. */
static void add_node(atx_str *out, const atx_op *op, const atx_pack_node *node, int kernels)
{
    static const char *const TESTS[] = { "", "at_most", "multiple_of", "aligned_to" };
    if (node->test == ATX_PACK_LEAF) {
        atx_str_add(out, "        {\"order\": [");
        for (int k = 0; k < kernels; k++)
            atx_str_addf(out, "%s%d", k ? ", " : "", node->order[k]);
        atx_str_addf(out, "], \"problems\": %d, \"loss\": %.4f}", node->problems, node->loss);
        return;
    }
    atx_str_add(out, "        {\"of\": \"");
    if (node->which < 0)
        atx_pack_add_product(out, op, node->which);
    else
        atx_str_add(out, node->test == ATX_PACK_ALIGNED ? op->args[op->shape.aligns[node->which].arg].name
                                                        : atx_pack_number_name(op, node->which));
    atx_str_addf(out, "\", \"%s\": %" PRId64 ", \"yes\": %d, \"no\": %d}", TESTS[node->test], node->value,
                 node->yes, node->no);
}

static void add_model(atx_str *out, const atx_pack_writing *w, int m, const int *codes)
{
    const atx_pack *pack = w->models[m].pack;
    char arch[ATX_ARCH_TEXT];
    atx_arch_text(arch, pack->limits.cc, 0);
    atx_str_add(out, "    {\n      \"device\": ");
    atx_str_add_json(out, pack->device);
    atx_str_addf(out,
                 ",\n      \"arch\": \"%s\",\n      \"cc\": %" PRId64 ",\n      \"sms\": %" PRId64
                 ",\n      \"candidates\": %d,\n      ",
                 arch, pack->limits.cc, pack->limits.sms, pack->candidates);
    add_json_loss(out, "loss", &pack->held_out);
    atx_str_add(out, ",\n      ");
    add_json_loss(out, "loss_of_the_choice", &pack->chosen);
    atx_str_addf(out, ",\n      \"choice\": {\"mean\": %.5f, \"bound\": %.5f}", pack->mean, pack->bound);
    atx_str_add(out, ",\n      \"with_fewer\": [\n");
    for (int n = 0; n < pack->code_count; n++) {
        atx_str_addf(out, "        {\"kernels\": %d, ", n + 1);
        add_json_loss(out, "loss", &pack->packs[n]);
        atx_str_add(out, n + 1 < pack->code_count ? "},\n" : "}\n      ]");
    }
    atx_str_add(out, ",\n      \"kernels\": [\n");
    for (int k = 0; k < pack->kernel_count; k++) {
        add_kernel(out, &w->models[m], k, codes[w->first[m] + k]);
        atx_str_add(out, k + 1 < pack->kernel_count ? ",\n" : "\n      ],\n      \"tree\": [\n");
    }
    for (int n = 0; n < pack->node_count; n++) {
        add_node(out, w->op, &pack->nodes[n], pack->kernel_count);
        atx_str_add(out, n + 1 < pack->node_count ? ",\n" : "\n      ]\n    }");
    }
}

/* Each code once, in the order of their numbers. */
static void add_codes(atx_str *out, const atx_pack_writing *w, const int *codes)
{
    int next = 0;
    atx_str_add(out, "  \"codes\": [");
    for (int m = 0; m < w->count; m++)
        for (int k = 0; k < w->models[m].pack->kernel_count; k++) {
            if (codes[w->first[m] + k] < next || w->models[m].is_source)
                continue;
            const atx_str *code = &w->models[m].codes[k];
            atx_str_addf(out, "%s\n    \"", next++ ? "," : "");
            atx_base64_add(out, code->data, code->len);
            atx_str_add(out, "\"");
        }
    atx_str_add(out, "\n  ]\n}\n");
}

at_status atx_pack_write_description(atx_str *out, const atx_pack_writing *w, at_error *err)
{
    const atx_pack *first = w->models[0].pack;
    int codes[ATX_PACK_MAX_MODELS * ATX_PACK_MAX_KERNELS] = { 0 };
    atx_pack_number_codes(codes, w);
    atx_str_addf(out, "{\n  \"schema\": \"autotune.pack/1\",\n  \"name\": \"%s\",\n  \"op\": ", w->name);
    atx_str_add_json(out, w->op->name);
    atx_str_addf(out, ",\n  \"op_hash\": \"%s\",\n  \"dtype\": \"%s\",\n  \"sizes\": {", w->op->text.hash,
                 atx_dtype_name(first->domain.type));
    add_json_sizes(out, first);
    atx_str_addf(out, "},\n  \"listed_problems\": %d,\n  \"command\": ", first->domain.problem_count);
    atx_str_add_json(out, w->command);
    atx_str_add(out, ",\n  \"models\": [\n");
    for (int m = 0; m < w->count; m++) {
        add_model(out, w, m, codes);
        atx_str_add(out, m + 1 < w->count ? ",\n" : "\n  ],\n");
    }
    add_codes(out, w, codes);
    return atx_str_status(out, err);
}
