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

static void ask(const at__model *model)
{
    at__catalog *catalog = NULL;
    at__predictor *p = NULL;
    at__problem problem;
    at__limits limits;
    at__guess g;
    bool own;
    int64_t slots[AT__MAX_SLOTS];
    require(at__catalog_open(&catalog, NULL, NULL) == AT_OK);
    const at__op *op = at__catalog_find_op(catalog, "transpose");
    at__arch_limits(&limits, 90);
    require(at__problem_init(&problem, op, AT__F32, (int64_t[]){ 1500, 1531 }, 2, NULL) == AT_OK);
    require(at__problem_bind(slots, &problem, &limits, NULL) == AT_OK);
    if (at__predictor_open(&p, model, catalog, op, &(at__gpu_model){ .name = "" }, &own, NULL) == AT_OK &&
        at__predictor_best(&g, p, &problem, slots, NULL) == AT_OK)
        require(at__config_validate(slots, g.t, &g.config, NULL) == AT_OK);
    at__predictor_close(p);
    at__catalog_close(catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at__str bytes = { 0 };
    at__model *model = NULL;
    at_error err = { 0 };
    char hash[AT__HASH_TEXT];
    at__str_add(&bytes, "atmodel1");
    at__str_add_bytes(&bytes, data, size);
    at__hash_text(hash, bytes.data, bytes.len);
    at__str_add(&bytes, hash);
    if (at__model_unpack(&model, bytes.data, bytes.len, &err) == AT_OK)
        ask(model);
    else
        require(err.status == AT_ERR_INPUT && err.text[0]);
    at__model_close(model);
    at__str_clear(&bytes);
    return 0;
}
