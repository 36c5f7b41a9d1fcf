/*
 * pack_read.c - NAME.json as packs: nothing in it is trusted but the code, which is a device's to refuse.
 * Nodes of a tree go on to later ones only, so that a walk ends; kernels are those of the catalog, of the
 * same text.
 */
#include "pack/pack_internal.h"

#include "lang/arch.h"
#include "util/base64.h"
#include "util/json.h"
#include "util/text_file.h"

#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    atx_pack_set *set;
    const atx_catalog *catalog;
    atx_json json;
    atx_str text; /* of the member that was asked for last */
} reading;

/* ---- members ---- */

static at_status expect(uint32_t *value, const reading *r, uint32_t object, const char *name,
                        atx_json_kind kind, at_error *err)
{
    static const char *const KINDS[] = {
        "null", "false", "true", "a number", "a text", "a list", "an object"
    };
    *value = atx_json_member(&r->json, object, name);
    if (!*value)
        return atx_json_fail(&r->json, object, 0, err, "found no member '%s'; expected %s", name,
                             KINDS[kind]);
    if (r->json.nodes[*value].kind != kind || !r->json.nodes[*value].whole)
        return atx_json_fail(&r->json, *value, 0, err, "'%s': expected %s", name, KINDS[kind]);
    return AT_OK;
}

static at_status read_integer(int64_t *out, const reading *r, uint32_t object, const char *name,
                              int64_t least, int64_t most, at_error *err)
{
    uint32_t value = 0;
    at_status status = expect(&value, r, object, name, ATX_JSON_NUMBER, err);
    if (status != AT_OK)
        return status;
    if (!atx_json_integer(out, &r->json, value) || *out < least || *out > most)
        return atx_json_fail(&r->json, value, 0, err, "'%s': expected a whole number from %lld to %lld", name,
                             (long long)least, (long long)most);
    return AT_OK;
}

/* *out is valid until the next text is read. */
static at_status read_text(const char **out, reading *r, uint32_t object, const char *name, at_error *err)
{
    uint32_t value = 0;
    at_status status = expect(&value, r, object, name, ATX_JSON_STRING, err);
    if (status != AT_OK)
        return status;
    r->text.len = 0;
    atx_json_add_text(&r->text, &r->json, value);
    *out = atx_str_text(&r->text);
    return atx_str_status(&r->text, err);
}

static at_status read_real(double *out, const reading *r, uint32_t object, const char *name, at_error *err)
{
    uint32_t value = 0;
    at_status status = expect(&value, r, object, name, ATX_JSON_NUMBER, err);
    if (status == AT_OK && !atx_json_number(out, &r->json, value))
        status = atx_json_fail(&r->json, value, 0, err, "'%s': expected a number", name);
    return status;
}

static at_status read_loss(atx_pack_loss *out, const reading *r, uint32_t object, const char *name,
                           at_error *err)
{
    uint32_t loss = 0;
    int64_t problems = 0, unanswered = 0;
    at_status status = expect(&loss, r, object, name, ATX_JSON_OBJECT, err);
    ATX_THEN(status, read_integer(&problems, r, loss, "problems", 0, INT32_MAX, err));
    ATX_THEN(status, read_integer(&unanswered, r, loss, "unanswered", 0, INT32_MAX, err));
    ATX_THEN(status, read_real(&out->mean, r, loss, "mean", err));
    ATX_THEN(status, read_real(&out->median, r, loss, "median", err));
    ATX_THEN(status, read_real(&out->p95, r, loss, "p95", err));
    ATX_THEN(status, read_real(&out->worst, r, loss, "worst", err));
    out->problems = (int)problems;
    out->unanswered = (int)unanswered;
    return status;
}

/* What packs of 1, 2, ... kernels lose. */
static at_status read_fewer(atx_pack *pack, const reading *r, uint32_t model, at_error *err)
{
    uint32_t list = 0;
    int n = 0;
    at_status status = expect(&list, r, model, "with_fewer", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (uint32_t at = atx_json_first(&r->json, list); at && status == AT_OK && n < ATX_PACK_MAX_KERNELS;
         at = atx_json_next(&r->json, at))
        status = read_loss(&pack->packs[n++], r, at, "loss", err);
    pack->code_count = n;
    return status;
}

/* ---- kernels ---- */

static at_status read_constants(atx_pack_kernel *k, const reading *r, uint32_t object, at_error *err)
{
    uint32_t list = 0;
    int count = 0, wanted = 0;
    at_status status = expect(&list, r, object, "constants", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (size_t i = 0; i < k->t->scope.let_count; i++)
        wanted += k->t->scope.lets[i].rendered;
    for (uint32_t at = atx_json_first(&r->json, list); at; at = atx_json_next(&r->json, at)) {
        if (count == ATX_PACK_MAX_CONSTS || !atx_json_integer(&k->consts[count], &r->json, at))
            return atx_json_fail(&r->json, at, 0, err, "expected at most %d whole numbers",
                                 ATX_PACK_MAX_CONSTS);
        count++;
    }
    return count == wanted
               ? AT_OK
               : atx_json_fail(&r->json, list, 0, err, "found %d constants; expected %d, as %s has", count,
                               wanted, k->t->name);
}

static at_status read_kernel(atx_pack *pack, int *code, reading *r, uint32_t object, at_error *err)
{
    atx_pack_kernel *k = &pack->kernels[pack->kernel_count];
    const char *text = "";
    int64_t number = 0;
    at_error cause = { 0 };
    at_status status = read_text(&text, r, object, "template", err);
    if (status != AT_OK)
        return status;
    k->t = atx_catalog_find_template(r->catalog, pack->domain.op, text);
    if (!k->t)
        return atx_json_fail(&r->json, object, 0, err, "found template '%s'; %s has none of that name", text,
                             pack->domain.op->name);
    status = read_text(&text, r, object, "hash", err);
    if (status == AT_OK && strcmp(text, k->t->text.hash) != 0)
        status = atx_json_fail(&r->json, object, 0, err,
                               "template %s has changed since the pack was made; make it again", k->t->name);
    ATX_THEN(status, read_text(&text, r, object, "configuration", err));
    if (status == AT_OK && atx_config_parse(&k->config, k->t, text, &cause) != AT_OK)
        status = atx_json_fail(&r->json, object, 0, err, "%s", cause.text);
    ATX_THEN(status, read_constants(k, r, object, err));
    k->narrow = k->t->scope.fixed && atx_pack_is_narrow(&r->set->domain);
    ATX_THEN(status, read_integer(&number, r, object, "code", r->set->code_count ? 0 : -1,
                                  r->set->code_count - 1, err));
    ATX_THEN(status, read_loss(&pack->curve[pack->kernel_count], r, object, "loss_with_those_above", err));
    *code = (int)number;
    pack->kernel_count++;
    return status;
}

static at_status read_kernels(atx_pack *pack, int *codes, reading *r, uint32_t model, at_error *err)
{
    uint32_t list = 0;
    at_status status = expect(&list, r, model, "kernels", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (uint32_t at = atx_json_first(&r->json, list); at && status == AT_OK;
         at = atx_json_next(&r->json, at))
        status =
            pack->kernel_count == ATX_PACK_MAX_KERNELS
                ? atx_json_fail(&r->json, at, 0, err, "expected at most %d kernels", ATX_PACK_MAX_KERNELS)
                : read_kernel(pack, &codes[pack->kernel_count], r, at, err);
    if (status == AT_OK && !pack->kernel_count)
        status = atx_json_fail(&r->json, list, 0, err, "expected a kernel at least");
    return status;
}

/* ---- the tree ---- */

/* Every kernel once. */
static at_status read_order(atx_pack_node *node, const atx_pack *pack, const reading *r, uint32_t list,
                            at_error *err)
{
    bool there[ATX_PACK_MAX_KERNELS] = { false };
    int count = 0;
    for (uint32_t at = atx_json_first(&r->json, list); at; at = atx_json_next(&r->json, at)) {
        int64_t kernel = -1;
        if (!atx_json_integer(&kernel, &r->json, at) || kernel < 0 || kernel >= pack->kernel_count ||
            there[kernel])
            break;
        there[kernel] = true;
        node->order[count++] = (unsigned char)kernel;
    }
    return count == pack->kernel_count
               ? AT_OK
               : atx_json_fail(&r->json, list, 0, err, "expected each of 0 to %d once",
                               pack->kernel_count - 1);
}

static at_status read_leaf(atx_pack_node *node, const atx_pack *pack, const reading *r, uint32_t object,
                           uint32_t order, at_error *err)
{
    int64_t problems = 0;
    at_status status = read_order(node, pack, r, order, err);
    ATX_THEN(status, read_integer(&problems, r, object, "problems", 0, INT32_MAX, err));
    ATX_THEN(status, read_real(&node->loss, r, object, "loss", err));
    node->problems = (int)problems;
    return status;
}

#define NO_SIZE INT_MIN

/* "all", "rows*cols" */
static int product_of(const atx_op *op, const char *name)
{
    for (int which = -1; which > -op->shape.dim_count; which--) {
        atx_str text = { 0 };
        atx_pack_add_product(&text, op, which);
        const bool same = strcmp(atx_str_text(&text), name) == 0;
        atx_str_clear(&text);
        if (same)
            return which;
    }
    return NO_SIZE;
}

static int which_of(const atx_op *op, atx_pack_test test, const char *name)
{
    if (test == ATX_PACK_ALIGNED) {
        for (int i = 0; i < op->shape.align_count; i++)
            if (strcmp(op->args[op->shape.aligns[i].arg].name, name) == 0)
                return i;
        return NO_SIZE;
    }
    for (int i = 0; i < atx_pack_number_count(op); i++)
        if (strcmp(atx_pack_number_name(op, i), name) == 0)
            return i;
    return test == ATX_PACK_AT_MOST ? product_of(op, name) : NO_SIZE;
}

static at_status read_node(atx_pack_node *node, int at, int count, const atx_pack *pack, reading *r,
                           uint32_t object, at_error *err)
{
    const uint32_t order = atx_json_member(&r->json, object, "order");
    const char *of = "";
    int64_t yes = 0, no = 0;
    if (order)
        return read_leaf(node, pack, r, object, order, err);
    node->test = atx_json_member(&r->json, object, "at_most")       ? ATX_PACK_AT_MOST
                 : atx_json_member(&r->json, object, "multiple_of") ? ATX_PACK_MULTIPLE
                                                                    : ATX_PACK_ALIGNED;
    static const char *const TESTS[] = { "", "at_most", "multiple_of", "aligned_to" };
    at_status status = read_integer(&node->value, r, object, TESTS[node->test], 1, (int64_t)1 << 52, err);
    ATX_THEN(status, read_text(&of, r, object, "of", err));
    if (status == AT_OK && (node->which = which_of(pack->domain.op, node->test, of)) == NO_SIZE)
        status = atx_json_fail(&r->json, object, 0, err, "found a comparison of '%s'; %s has no such", of,
                               pack->domain.op->name);
    ATX_THEN(status, read_integer(&yes, r, object, "yes", at + 1, count - 1, err));
    ATX_THEN(status, read_integer(&no, r, object, "no", at + 1, count - 1, err));
    node->yes = (int)yes;
    node->no = (int)no;
    return status;
}

static at_status read_tree(atx_pack *pack, reading *r, uint32_t model, at_error *err)
{
    uint32_t list = 0;
    int count = 0;
    at_status status = expect(&list, r, model, "tree", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (uint32_t at = atx_json_first(&r->json, list); at; at = atx_json_next(&r->json, at))
        count++;
    if (count < 1 || count > ATX_PACK_MAX_NODES)
        return atx_json_fail(&r->json, list, 0, err, "found %d nodes; expected 1 to %d", count,
                             ATX_PACK_MAX_NODES);
    for (uint32_t at = atx_json_first(&r->json, list); at && status == AT_OK;
         at = atx_json_next(&r->json, at)) {
        status = read_node(&pack->nodes[pack->node_count], pack->node_count, count, pack, r, at, err);
        pack->node_count++;
    }
    return status;
}

/* ---- models of GPU ---- */

static at_status fill_model(atx_pack *pack, int *codes, reading *r, uint32_t model, at_error *err)
{
    const char *text = "";
    int64_t cc = 0, sms = 0, candidates = 0;
    at_status status = read_text(&text, r, model, "device", err);
    if (status == AT_OK)
        snprintf(pack->device, sizeof pack->device, "%s", text);
    ATX_THEN(status, read_integer(&cc, r, model, "cc", 10, 9999, err));
    ATX_THEN(status, read_integer(&sms, r, model, "sms", 1, 65536, err));
    ATX_THEN(status, read_integer(&candidates, r, model, "candidates", 0, INT32_MAX, err));
    if (status != AT_OK)
        return status;
    atx_arch_limits(&pack->limits, cc);
    pack->limits.cc = cc;
    pack->limits.sms = sms;
    pack->candidates = (int)candidates;
    status = read_loss(&pack->held_out, r, model, "loss", err);
    ATX_THEN(status, read_loss(&pack->chosen, r, model, "loss_of_the_choice", err));
    ATX_THEN(status, read_kernels(pack, codes, r, model, err));
    ATX_THEN(status, read_fewer(pack, r, model, err));
    return status == AT_OK ? read_tree(pack, r, model, err) : status;
}

static at_status read_models(reading *r, at_error *err)
{
    atx_pack_set *set = r->set;
    uint32_t list = 0;
    at_status status = expect(&list, r, 0, "models", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (uint32_t at = atx_json_first(&r->json, list); at && status == AT_OK;
         at = atx_json_next(&r->json, at)) {
        if (set->count == ATX_PACK_MAX_MODELS)
            return atx_json_fail(&r->json, at, 0, err, "expected at most %d models", ATX_PACK_MAX_MODELS);
        atx_pack *pack = calloc(1, sizeof *pack);
        if (!pack)
            return atx_no_memory(err);
        pack->domain = set->domain;
        set->packs[set->count] = pack;
        status = fill_model(pack, set->code_of[set->count], r, at, err);
        set->count++;
    }
    if (status == AT_OK && !set->count)
        status = atx_json_fail(&r->json, list, 0, err, "expected a model of GPU at least");
    return status;
}

/* ---- the whole ---- */

static at_status read_codes(reading *r, at_error *err)
{
    atx_pack_set *set = r->set;
    uint32_t list = 0;
    int count = 0;
    at_status status = expect(&list, r, 0, "codes", ATX_JSON_ARRAY, err);
    if (status != AT_OK)
        return status;
    for (uint32_t at = atx_json_first(&r->json, list); at; at = atx_json_next(&r->json, at))
        count++;
    set->codes = calloc((size_t)count + 1, sizeof *set->codes);
    if (!set->codes)
        return atx_no_memory(err);
    for (uint32_t at = atx_json_first(&r->json, list); at; at = atx_json_next(&r->json, at)) {
        const atx_json_node *node = &r->json.nodes[at];
        atx_str *code = &set->codes[set->code_count++];
        if (node->kind != ATX_JSON_STRING ||
            !atx_base64_read(code, r->json.text + node->begin, node->end - node->begin))
            return atx_json_fail(&r->json, at, 0, err, "expected a cubin in base 64");
        atx_str_add_bytes(code, "\0", 1); /* a text ends */
        code->len -= code->len > 0;
        if (atx_str_status(code, err) != AT_OK)
            return AT_ERR_MEMORY;
    }
    return AT_OK;
}

static at_status read_range(atx_pack_ranges *out, const reading *r, uint32_t pair, at_error *err)
{
    const uint32_t low = atx_json_first(&r->json, pair), high = low ? atx_json_next(&r->json, low) : 0;
    atx_bounds range;
    if (out->count == ATX_PACK_MAX_RANGES || !high || !atx_json_integer(&range.low, &r->json, low) ||
        !atx_json_integer(&range.high, &r->json, high) || range.low < 1 || range.high < range.low)
        return atx_json_fail(&r->json, pair, 0, err, "expected at most %d ranges, [least, largest]",
                             ATX_PACK_MAX_RANGES);
    out->items[out->count++] = range;
    return AT_OK;
}

static at_status read_sizes(reading *r, at_error *err)
{
    const atx_op *op = r->set->domain.op;
    uint32_t sizes = 0, list = 0;
    at_status status = expect(&sizes, r, 0, "sizes", ATX_JSON_OBJECT, err);
    for (int d = 0; d < op->shape.dim_count && status == AT_OK; d++) {
        status = expect(&list, r, sizes, op->shape.dims[d].name, ATX_JSON_ARRAY, err);
        for (uint32_t at = status == AT_OK ? atx_json_first(&r->json, list) : 0; at && status == AT_OK;
             at = atx_json_next(&r->json, at))
            status = read_range(&r->set->domain.dims[d], r, at, err);
    }
    return status;
}

static at_status read_head(reading *r, at_error *err)
{
    atx_pack_domain *domain = &r->set->domain;
    const char *text = "";
    at_status status = read_text(&text, r, 0, "schema", err);
    if (status == AT_OK && strcmp(text, "autotune.pack/1") != 0)
        status = atx_json_fail(&r->json, 0, 0, err, "found the schema '%s'; expected autotune.pack/1", text);
    ATX_THEN(status, read_text(&text, r, 0, "name", err));
    if (status == AT_OK && !(r->set->name = atx_text_copy(text, strlen(text))))
        status = atx_no_memory(err);
    ATX_THEN(status, read_text(&text, r, 0, "command", err));
    if (status == AT_OK && !(r->set->command = atx_text_copy(text, strlen(text))))
        status = atx_no_memory(err);
    ATX_THEN(status, read_text(&text, r, 0, "op", err));
    if (status != AT_OK)
        return status;
    domain->op = atx_catalog_find_op(r->catalog, text);
    if (!domain->op)
        return atx_json_fail(&r->json, 0, 0, err, "found a pack of '%s'; there is no such operation", text);
    status = read_text(&text, r, 0, "op_hash", err);
    if (status == AT_OK && strcmp(text, domain->op->text.hash) != 0)
        status = atx_json_fail(&r->json, 0, 0, err,
                               "operation %s has changed since the pack was made; make it again",
                               domain->op->name);
    ATX_THEN(status, read_text(&text, r, 0, "dtype", err));
    return status == AT_OK ? atx_dtype_parse(&domain->type, text, strlen(text), err) : status;
}

at_status atx_pack_parse(atx_pack_set **out, const char *text, size_t len, const char *file,
                         const atx_catalog *catalog, at_error *err)
{
    reading r = { .set = calloc(1, sizeof *r.set), .catalog = catalog };
    if (!r.set)
        return atx_no_memory(err);
    at_status status = atx_json_read(&r.json, text, len, file, err);
    ATX_THEN(status, read_head(&r, err));
    ATX_THEN(status, read_sizes(&r, err));
    ATX_THEN(status, read_codes(&r, err));
    ATX_THEN(status, read_models(&r, err));
    atx_json_clear(&r.json);
    atx_str_clear(&r.text);
    if (status == AT_OK)
        *out = r.set;
    else
        atx_pack_set_close(r.set);
    return status;
}

at_status atx_pack_read(atx_pack_set **out, const char *path, const atx_catalog *catalog, at_error *err)
{
    atx_text_file *file = NULL;
    atx_str text = { 0 };
    at_status status = atx_text_file_open(&file, path, err);
    ATX_THEN(status, atx_text_file_all(file, &text, ATX_JSON_MAX_TEXT, err));
    ATX_THEN(status, atx_pack_parse(out, atx_str_text(&text), text.len, path, catalog, err));
    atx_str_clear(&text);
    atx_text_file_close(file);
    return status;
}

size_t atx_pack_code_bytes(const atx_pack_set *set, int model, int kernel)
{
    const int code = set->code_of[model][kernel];
    return code < 0 ? 0 : set->codes[code].len;
}

void atx_pack_set_close(atx_pack_set *set)
{
    if (!set)
        return;
    for (int m = 0; m < set->count; m++)
        atx_pack_close(set->packs[m]);
    for (int i = 0; i < set->code_count; i++)
        atx_str_clear(&set->codes[i]);
    free(set->codes);
    free(set->name);
    free(set->command);
    free(set);
}

/* pk_model of pack_launch.inc. */
int atx_pack_model(const atx_pack_set *set, const char *device, int64_t cc, int64_t sms)
{
    int best = -1;
    for (int m = 0; m < set->count; m++) {
        const atx_limits *has = &set->packs[m]->limits,
                         *best_has = best < 0 ? NULL : &set->packs[best]->limits;
        if (has->cc / 10 != cc / 10 || has->cc > cc)
            continue;
        if (has->cc == cc && strcmp(set->packs[m]->device, device) == 0)
            return m;
        if (!best_has || has->cc > best_has->cc ||
            (has->cc == best_has->cc && llabs(has->sms - sms) < llabs(best_has->sms - sms)))
            best = m;
    }
    return best;
}
