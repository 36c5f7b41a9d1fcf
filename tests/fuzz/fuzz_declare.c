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

static void use_config(const atx_template *t, const atx_space *space, const int64_t *slots)
{
    atx_config config, back;
    atx_str text = { 0 }, source = { 0 };

    atx_space_config(&config, space, atx_space_count(space) - 1);
    if (atx_space_find(space, &config) < 0)
        abort();
    atx_config_text(&text, t, &config);
    if (atx_config_parse(&back, t, atx_str_text(&text), NULL) != AT_OK ||
        memcmp(&config, &back, sizeof back) != 0)
        abort();
    const size_t own = t->text.parts[t->text.part_count - 1].len;
    if (atx_render(&source, t, ATX_F32, &config, slots, NULL) == AT_OK && source.len + 3 < own)
        abort();
    atx_str_clear(&text);
    atx_str_clear(&source);
}

static void use_template(const atx_template *t)
{
    atx_limits limits = { .cc = 90, .sms = 132, .warp_size = 32, .max_threads_per_block = 1024 };
    int64_t slots[ATX_MAX_SLOTS] = { 0 }, sizes[ATX_MAX_DIMS] = { 64, 64, 64, 64, 64, 64 };
    double product = 1;
    atx_problem problem;
    atx_space *space = NULL;

    for (int i = 0; i < t->scope.param_count; i++)
        product *= t->scope.params[i].count;
    if (product > 10000 || t->scope.require_count > 50 ||
        atx_problem_init(&problem, t->op, ATX_F32, sizes, t->op->shape.dim_count, NULL) != AT_OK ||
        atx_problem_bind(slots, &problem, &limits, NULL) != AT_OK ||
        atx_space_open(&space, t, slots, NULL, 0, NULL) != AT_OK)
        return;
    if (atx_space_count(space))
        use_config(t, space, slots);
    else if (!atx_space_refusal(space))
        abort();
    atx_space_close(space);
}

static void read_template(const atx_op *op, const char *text, size_t size)
{
    atx_template *t = NULL;
    at_error err;
    if (atx_template_read(&t, op, text, size, "fuzz.cu", &err) != AT_OK)
        return;
    if (!atx_declares(text, size, "template") || t->text.source_len != size ||
        memcmp(t->text.source, text, size) != 0)
        abort();
    use_template(t);
    atx_template_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    atx_op *op = NULL, *mini = NULL;
    at_error err;

    if (atx_op_read(&op, text, size, "fuzz.cu", &err) == AT_OK)
        read_template(op, text, size);
    if (atx_op_read(&mini, OP, strlen(OP), "op.cu", NULL) != AT_OK)
        abort();
    read_template(mini, text, size);
    atx_op_close(op);
    atx_op_close(mini);
    return 0;
}
