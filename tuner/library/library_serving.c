/*
 * library_serving.c - autotune/serving.h: each call is at_run of an operation, with sizes and buffers in the
 * operation's order. Choices among words are sizes too, numbered from 1 on; at_run refuses invalid ones, in
 * the operation's own words.
 */
#include <autotune/serving.h>

#include "library/library.h"

#include <string.h>

enum { MOST_SIZES = 6, MOST_BUFFERS = 7 };

/* Unused members are 0 or NULL, behind the others. A buffer without elements is NULL, too, and counts. */
typedef struct serving_call {
    const char *op;
    at_type type;
    int size_count, buffer_count;
    int64_t sizes[MOST_SIZES];
    const void *buffers[MOST_BUFFERS];
    const at_scalar *scalar; /* NULL: as declared */
} serving_call;

static at_status run(at_tuner *tuner, const serving_call *c, void *stream, at_error *err)
{
    at_run_options options = AT_RUN_OPTIONS_INIT;
    at_problem problem = AT_PROBLEM_INIT;
    at_buffer buffers[MOST_BUFFERS] = { 0 };
    problem.op = c->op;
    problem.type = c->type;
    problem.size_count = c->size_count;
    memcpy(problem.sizes, c->sizes, sizeof c->sizes);
    for (int i = 0; i < c->buffer_count; i++)
        buffers[i].address = c->buffers[i];
    options.scalars = c->scalar;
    options.scalar_count = c->scalar != NULL;
    return at_run(tuner, &problem, buffers, c->buffer_count, stream, &options, err);
}

/* The arguments as this version has them, in a variable `a`; else the function returns. */
#define ARGS(type, name)                                                                                     \
    type room;                                                                                               \
    if (!(args))                                                                                             \
        return atx_fail(err, AT_ERR_USAGE, name ": found NULL for its arguments");                           \
    const type *a = atx_library_struct(&room, sizeof room, args, #type, err);                                \
    if (!a)                                                                                                  \
    return AT_ERR_USAGE

/* The number of a choice of groups of 128, 64 and 32, the first of which is `first`. 0: none of them. */
static int64_t group_choice(int group, int first)
{
    return group == 128 ? first : group == 64 ? first + 1 : group == 32 ? first + 2 : 0;
}

static at_status refuse_group(const char *op, int group, at_error *err)
{
    return atx_fail(err, AT_ERR_INPUT, "%s: found groups of %d elements; expected 128, 64 or 32", op, group);
}

static at_status quantize(at_tuner *tuner, const char *op, const at_group_quant_args *a, void *stream,
                          at_error *err)
{
    const serving_call c = { .op = op,
                             .type = a->type,
                             .size_count = 4,
                             .sizes = { a->layout, group_choice(a->group, 1), a->tokens, a->hidden },
                             .buffer_count = 3,
                             .buffers = { a->q, a->scales, a->in } };
    return c.sizes[1] ? run(tuner, &c, stream, err) : refuse_group(op, a->group, err);
}

at_status at_group_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream, at_error *err)
{
    ARGS(at_group_quant_args, "at_group_quant");
    return quantize(tuner, "group_quant", a, stream, err);
}

at_status at_silu_mul_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream, at_error *err)
{
    ARGS(at_group_quant_args, "at_silu_mul_quant");
    return quantize(tuner, "silu_mul_quant", a, stream, err);
}

at_status at_rmsnorm_quant(at_tuner *tuner, const at_rmsnorm_quant_args *args, void *stream, at_error *err)
{
    ARGS(at_rmsnorm_quant_args, "at_rmsnorm_quant");
    uint32_t bits;
    memcpy(&bits, &a->eps, sizeof bits);
    const at_scalar eps = { "eps", bits };
    const serving_call c = { .op = "rmsnorm_quant",
                             .type = a->type,
                             .size_count = 5,
                             .sizes = { a->residual ? 2 : 1, a->layout,
                                        a->group ? group_choice(a->group, 2) : 1, a->tokens, a->hidden },
                             .buffer_count = 6,
                             .buffers = { a->q, a->scales, a->sum, a->in, a->residual, a->gamma },
                             .scalar = &eps };
    return c.sizes[2] ? run(tuner, &c, stream, err) : refuse_group(c.op, a->group, err);
}

at_status at_block_quant(at_tuner *tuner, const at_block_quant_args *args, void *stream, at_error *err)
{
    ARGS(at_block_quant_args, "at_block_quant");
    const serving_call c = { .op = "block_quant",
                             .type = a->type,
                             .size_count = 2,
                             .sizes = { a->rows, a->cols },
                             .buffer_count = 4,
                             .buffers = { a->q, a->turned, a->scales, a->in } };
    return run(tuner, &c, stream, err);
}

at_status at_rope(at_tuner *tuner, const at_rope_args *args, void *stream, at_error *err)
{
    ARGS(at_rope_args, "at_rope");
    const serving_call c = { .op = "rope",
                             .type = a->type,
                             .size_count = 6,
                             .sizes = { a->interleaved ? 2 : 1, a->positions, a->tokens, a->q_heads,
                                        a->k_heads, a->head },
                             .buffer_count = 6,
                             .buffers = { a->q, a->k, a->q_in, a->k_in, a->table, a->position } };
    return run(tuner, &c, stream, err);
}

at_status at_moe_permute(at_tuner *tuner, const at_moe_permute_args *args, void *stream, at_error *err)
{
    ARGS(at_moe_permute_args, "at_moe_permute");
    const serving_call c = { .op = "moe_permute",
                             .type = a->place_type,
                             .size_count = 4,
                             .sizes = { a->tokens, a->top, a->row_bytes, a->scale_bytes },
                             .buffer_count = 5,
                             .buffers = { a->out, a->out_scales, a->in, a->scales, a->place } };
    return run(tuner, &c, stream, err);
}

at_status at_moe_unpermute(at_tuner *tuner, const at_moe_unpermute_args *args, void *stream, at_error *err)
{
    ARGS(at_moe_unpermute_args, "at_moe_unpermute");
    const serving_call c = { .op = "moe_unpermute",
                             .type = a->type,
                             .size_count = 3,
                             .sizes = { a->tokens, a->top, a->hidden },
                             .buffer_count = 4,
                             .buffers = { a->out, a->in, a->place, a->weight } };
    return run(tuner, &c, stream, err);
}

/* Without e4m3 the scales are not read; at_run needs an address all the same, and the slots have one. */
static const void *scale_or(const at_kv_args *a, const float *scale)
{
    return a->e4m3 ? (const void *)scale : a->slot;
}

at_status at_kv_write(at_tuner *tuner, const at_kv_args *args, void *stream, at_error *err)
{
    ARGS(at_kv_args, "at_kv_write");
    const serving_call c = { .op = "kv_write",
                             .type = a->type,
                             .size_count = 4,
                             .sizes = { a->e4m3 ? 2 : 1, a->slots, a->tokens, a->width },
                             .buffer_count = 7,
                             .buffers = { a->k_cache, a->v_cache, a->k, a->v, a->slot,
                                          scale_or(a, a->k_scale), scale_or(a, a->v_scale) } };
    return run(tuner, &c, stream, err);
}

at_status at_kv_gather(at_tuner *tuner, const at_kv_args *args, void *stream, at_error *err)
{
    ARGS(at_kv_args, "at_kv_gather");
    const serving_call c = { .op = "kv_gather",
                             .type = a->type,
                             .size_count = 4,
                             .sizes = { a->e4m3 ? 2 : 1, a->slots, a->tokens, a->width },
                             .buffer_count = 7,
                             .buffers = { a->k, a->v, a->k_cache, a->v_cache, a->slot,
                                          scale_or(a, a->k_scale), scale_or(a, a->v_scale) } };
    return run(tuner, &c, stream, err);
}
