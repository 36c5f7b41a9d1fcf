/*
 * fuzz_model.c - any bytes as a model: refused with a message, or one that can be asked. The magic and the
 * checksum are put around the input, so that what is between them is read.
 */
#include "lang/arch.h"
#include "model/model.h"
#include "util/sha256.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void ask(const atx_model *model)
{
    atx_catalog *catalog = NULL;
    atx_predictor *p = NULL;
    atx_problem problem;
    atx_limits limits;
    atx_guess g;
    bool own;
    int64_t slots[ATX_MAX_SLOTS];
    require(atx_catalog_open(&catalog, NULL, NULL) == AT_OK);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    atx_arch_limits(&limits, 90);
    require(atx_problem_init(&problem, op, ATX_F32, (int64_t[]){ 1500, 1531 }, 2, NULL) == AT_OK);
    require(atx_problem_bind(slots, &problem, &limits, NULL) == AT_OK);
    if (atx_predictor_open(&p, model, catalog, op, &(atx_gpu_model){ .name = "" }, &own, NULL) == AT_OK &&
        atx_predictor_best(&g, p, &problem, slots, NULL) == AT_OK)
        require(atx_config_validate(slots, g.t, &g.config, NULL) == AT_OK);
    atx_predictor_close(p);
    atx_catalog_close(catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_str bytes = { 0 };
    atx_model *model = NULL;
    at_error err = { 0 };
    char hash[ATX_HASH_TEXT];
    atx_str_add(&bytes, "atmodel1");
    atx_str_add_bytes(&bytes, data, size);
    atx_hash_text(hash, bytes.data, bytes.len);
    atx_str_add(&bytes, hash);
    if (atx_model_unpack(&model, bytes.data, bytes.len, &err) == AT_OK)
        ask(model);
    else
        require(err.status == AT_ERR_INPUT && err.text[0]);
    atx_model_close(model);
    atx_str_clear(&bytes);
    return 0;
}
