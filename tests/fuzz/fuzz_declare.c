/*
 * fuzz_declare.c - any text as a file that declares an op, a template or both. What reads is used: bound to a
 * problem, enumerated when small, rendered.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lang/render.h"
#include "space/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char OP[] =
    "/*!autotune\nop mini\nshape batch=1 rows cols\ntype T = storage\nlet count = batch * rows * cols\n"
    "arg y T[count] output\nreference r\ngrid 1\nblock 1\ntraffic count\n*/ r";

static void use_config(const at__template *t, const at__space *space, const int64_t *slots)
{
    at__config config, back;
    at__str text = { 0 }, source = { 0 };

    at__space_config(&config, space, at__space_count(space) - 1);
    if (at__space_find(space, &config) < 0)
        abort();
    at__config_text(&text, t, &config);
    if (at__config_parse(&back, t, at__str_text(&text), NULL) != AT_OK ||
        memcmp(&config, &back, sizeof back) != 0)
        abort();
    const size_t own = t->parts[t->part_count - 1].len;
    if (at__render(&source, t, AT__F32, &config, slots, NULL) == AT_OK && source.len + 3 < own)
        abort();
    at__str_clear(&text);
    at__str_clear(&source);
}

static void use_template(const at__template *t)
{
    at__limits limits = { .cc = 90, .sms = 132, .warp_size = 32, .max_threads_per_block = 1024 };
    int64_t slots[AT__MAX_SLOTS] = { 0 }, sizes[AT__MAX_DIMS] = { 64, 64, 64, 64, 64, 64 };
    double product = 1;
    at__problem problem;
    at__space *space = NULL;

    for (int i = 0; i < t->param_count; i++)
        product *= t->params[i].count;
    if (product > 10000 || t->require_count > 50 ||
        at__problem_init(&problem, t->op, AT__F32, sizes, t->op->dim_count, NULL) != AT_OK ||
        at__problem_bind(slots, &problem, &limits, NULL) != AT_OK ||
        at__space_open(&space, t, slots, NULL, 0, NULL) != AT_OK)
        return;
    if (at__space_count(space))
        use_config(t, space, slots);
    else if (!at__space_refusal(space))
        abort();
    at__space_close(space);
}

static void read_template(const at__op *op, const char *text, size_t size)
{
    at__template *t = NULL;
    at_error err;
    if (at__template_read(&t, op, text, size, "fuzz.cu", &err) != AT_OK)
        return;
    if (!at__declares(text, size, "template") || t->source_len != size || memcmp(t->source, text, size) != 0)
        abort();
    use_template(t);
    at__template_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    at__op *op = NULL, *mini = NULL;
    at_error err;

    if (at__op_read(&op, text, size, "fuzz.cu", &err) == AT_OK)
        read_template(op, text, size);
    if (at__op_read(&mini, OP, strlen(OP), "op.cu", NULL) != AT_OK)
        abort();
    read_template(mini, text, size);
    at__op_close(op);
    at__op_close(mini);
    return 0;
}
