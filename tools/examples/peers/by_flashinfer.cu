/* by_flashinfer.cu - FlashInfer's RMSNorm, residual add with RMSNorm and groups of 128 in e4m3, and rotary embeddings, of bf16. */
#include <flashinfer/norm.cuh>
#include <flashinfer/pos_enc.cuh>

using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;

extern "C" int flashinfer_rmsnorm(bf16 *in, bf16 *gamma, bf16 *out, int rows, int cols, float eps, cudaStream_t stream)
{
    return flashinfer::norm::RMSNorm(in, gamma, out, rows, cols, cols, cols, eps, false, stream);
}

/* residual += in; its norm, and that as q and scales */
extern "C" int flashinfer_add_rmsnorm_quant(bf16 *in, bf16 *residual, bf16 *gamma, e4m3 *q, float *scales, bf16 *norm, int rows, int cols,
                                            int scales_pitch, float eps, cudaStream_t stream)
{
    return flashinfer::norm::FusedAddRMSNormFP8BlockQuant<bf16, e4m3>(in, residual, gamma, q, scales, norm, rows, cols, cols, cols,
                                                                      cols, cols, scales_pitch, eps, false, stream);
}

extern "C" int flashinfer_rope(bf16 *q, bf16 *k, bf16 *q_out, bf16 *k_out, float *table, int *position, int tokens, int q_heads,
                               int k_heads, int head, int interleaved, cudaStream_t stream)
{
    const size_t q_row = (size_t)q_heads * head, k_row = (size_t)k_heads * head;
    return flashinfer::BatchQKApplyRotaryPosIdsCosSinCache(q, k, q_out, k_out, table, position, tokens, q_heads, k_heads, head, head,
                                                           q_row, head, k_row, head, q_row, head, k_row, head, interleaved != 0, stream);
}
