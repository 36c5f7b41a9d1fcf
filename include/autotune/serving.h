/*
 * serving.h - the kernels between the matrix products of LLM serving, a call each: at_run with the problem
 * and the buffers of an operation that comes with autotune. templates/serving.md says what each computes.
 *
 * Memory    of the device of the CUDA context that is current in the calling thread; each array is
 * contiguous, row-major, and begins at a multiple of 256 bytes, as cudaMalloc gives it. An output overlaps no
 *           other array. What a member names is borrowed for the call, and until the stream has done the
 * work. Types     `type` is AT_TYPE_BF16 or AT_TYPE_F16, of all arrays that say "T". e4m3 and e8m0 are bytes.
 * Sizes     tokens, hidden and all others are 1 or more, in elements where nothing else is said.
 * Structs   begin with their size, as in autotune.h: { .struct_bytes = sizeof(at_group_quant_args), ... }.
 * Errors    as of at_run, which is what they call: AT_ERR_USAGE where a pointer is NULL, is not aligned or
 *           overlaps; AT_ERR_INPUT where sizes do not suit the operation. Then nothing is launched. Slots,
 *           places and positions are not looked at: one that does not exist is the caller's error.
 * Threads   as at_run. The first call for sizes looks up, compiles and loads; later ones only launch, and may
 *           be captured in a graph. `stream`: as at_run's. `err` may be NULL.
 */
#ifndef AUTOTUNE_SERVING_H
#define AUTOTUNE_SERVING_H

#include <autotune/autotune.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which scales there are, and where. A group is `group` elements of a row: 128, 64 or 32. */
typedef enum at_scales {
    AT_SCALES_ROWS = 1,    /* f32, [token][group]                                                        */
    AT_SCALES_COLUMNS = 2, /* f32, [group][token]                                                        */
    AT_SCALES_E8M0 = 3,    /* powers of two, a byte each, [token][group]; with groups of 32 this is MXFP8 */
    AT_SCALES_BLOCKS = 4   /* these as tensor cores of compute capability 10.0 read them: tokens are rounded
                              up to 128, groups to 4 */
} at_scales;

/* q = y / s in e4m3, where y is `in`, or of at_silu_mul_quant silu(gate) * up. */
typedef struct at_group_quant_args {
    size_t struct_bytes;
    at_type type;
    int group;
    at_scales layout;
    int64_t tokens, hidden; /* hidden is a multiple of group */
    void *q;                /* e4m3, [tokens][hidden] */
    void *scales;
    const void *in; /* T, [tokens][hidden]; of at_silu_mul_quant [tokens][2 * hidden]: gate, then up */
} at_group_quant_args;

AUTOTUNE_API at_status at_group_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;
AUTOTUNE_API at_status at_silu_mul_quant(at_tuner *tuner, const at_group_quant_args *args, void *stream,
                                         at_error *err) AT_MUST_CHECK;

/* The same of y = gamma * x / sqrt(eps + mean of x^2), row by row; x is `in`, or `in` + `residual`. */
typedef struct at_rmsnorm_quant_args {
    size_t struct_bytes;
    at_type type;
    int group; /* 0: a scale for each row, with AT_SCALES_ROWS or AT_SCALES_COLUMNS */
    at_scales layout;
    int64_t tokens, hidden;
    float eps; /* 1e-5 in Llama 3, 1e-6 in DeepSeek V3 */
    void *q;
    void *scales;
    const void *in;       /* T, [tokens][hidden] */
    const void *gamma;    /* T, [hidden] */
    const void *residual; /* T, [tokens][hidden]; NULL: none */
    void *sum;            /* in + residual; NULL where there is no residual */
} at_rmsnorm_quant_args;

AUTOTUNE_API at_status at_rmsnorm_quant(at_tuner *tuner, const at_rmsnorm_quant_args *args, void *stream,
                                        at_error *err) AT_MUST_CHECK;

/* A scale for each 128 x 128 elements, [rows / 128][cols / 128], rounded up. */
typedef struct at_block_quant_args {
    size_t struct_bytes;
    at_type type;
    int64_t rows, cols;
    void *q;        /* e4m3, [rows][cols] */
    void *turned;   /* the same, [cols][rows] */
    float *scales;  /* of the device */
    const void *in; /* T, [rows][cols] */
} at_block_quant_args;

AUTOTUNE_API at_status at_block_quant(at_tuner *tuner, const at_block_quant_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;

/* q and k turned by the angles of their tokens' positions. */
typedef struct at_rope_args {
    size_t struct_bytes;
    at_type type;
    int interleaved; /* 1: a pair is elements 2 i and 2 i + 1 of a head; 0: i and i + head / 2 */
    int64_t positions, tokens, q_heads, k_heads, head;
    void *q, *k;             /* T, [tokens][q_heads or k_heads][head] */
    const void *q_in, *k_in; /* likewise */
    const float *table;      /* [positions][head]: head / 2 cosines, then as many sines */
    const int32_t *position; /* [tokens] */
} at_rope_args;

AUTOTUNE_API at_status at_rope(at_tuner *tuner, const at_rope_args *args, void *stream,
                               at_error *err) AT_MUST_CHECK;

/* out[place[t][k]] = in[t], rows of bytes of any type, and rows of scales likewise. */
typedef struct at_moe_permute_args {
    size_t struct_bytes;
    at_type place_type; /* AT_TYPE_I32 or AT_TYPE_I64 */
    int64_t tokens, top, row_bytes, scale_bytes;
    void *out;        /* [tokens * top][row_bytes] */
    void *out_scales; /* [tokens * top][scale_bytes] */
    const void *in;   /* [tokens][row_bytes] */
    const void
        *scales; /* [tokens][scale_bytes]. Who has none gives `in`, 1, and tokens * top bytes to write */
    const void *place; /* [tokens][top]: each of 0 to tokens * top - 1 once */
} at_moe_permute_args;

AUTOTUNE_API at_status at_moe_permute(at_tuner *tuner, const at_moe_permute_args *args, void *stream,
                                      at_error *err) AT_MUST_CHECK;

/* out[t] = sum over k of weight[t][k] * in[place[t][k]], added in f32 in the order of k. */
typedef struct at_moe_unpermute_args {
    size_t struct_bytes;
    at_type type;
    int64_t tokens, top, hidden;
    void *out;            /* T, [tokens][hidden] */
    const void *in;       /* T, [tokens * top][hidden] */
    const int32_t *place; /* [tokens][top] */
    const float *weight;  /* [tokens][top] */
} at_moe_unpermute_args;

AUTOTUNE_API at_status at_moe_unpermute(at_tuner *tuner, const at_moe_unpermute_args *args, void *stream,
                                        at_error *err) AT_MUST_CHECK;

/* Rows of k and v in a paged cache, [slots][width] each; slot[t] is where those of token t are. */
typedef struct at_kv_args {
    size_t struct_bytes;
    at_type type;
    int e4m3; /* 1: the cache has e4m3, k / k_scale and v / v_scale; 0: T, and no scales */
    int64_t slots, tokens, width;
    void *k_cache, *v_cache;
    void *k, *v;                    /* T, [tokens][width] */
    const int64_t *slot;            /* [tokens]; at_kv_write leaves out what is no slot, such as -1 */
    const float *k_scale, *v_scale; /* one number each, of the device; NULL without e4m3 */
} at_kv_args;

/* Writes k_cache and v_cache, of which no slot is named twice, and reads k and v; tokens <= slots. */
AUTOTUNE_API at_status at_kv_write(at_tuner *tuner, const at_kv_args *args, void *stream,
                                   at_error *err) AT_MUST_CHECK;
/* Writes k and v; every slot is one of the cache. */
AUTOTUNE_API at_status at_kv_gather(at_tuner *tuner, const at_kv_args *args, void *stream,
                                    at_error *err) AT_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
