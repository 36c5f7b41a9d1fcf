/* by_vllm.cpp - vLLM's kernels as operators of PyTorch: torch.ops.autotune_vllm. Compiled with vLLM's own sources, which define them. */
#include <torch/csrc/stable/library.h>

#include "ops.h"

STABLE_TORCH_LIBRARY(autotune_vllm, ops)
{
    ops.def("group_quant(Tensor input, Tensor! q, Tensor! scales, int group_size, float eps, float low, float high, bool e8m0, "
            "bool columns, bool aligned) -> ()");
    ops.def("silu_mul_quant(Tensor! q, Tensor input, Tensor! scales, int group_size, Tensor? most, bool columns) -> ()");
    ops.def("rmsnorm(Tensor! out, Tensor input, Tensor? gamma, float eps) -> ()");
    ops.def("rmsnorm_quant(Tensor! q, Tensor input, Tensor gamma, Tensor! scales, float eps, Tensor? most, Tensor!? residual) -> ()");
    ops.def("rmsnorm_quant_groups(Tensor! q, Tensor input, Tensor gamma, Tensor! scales, float eps, Tensor? most, Tensor!? residual, "
            "int group_size, bool columns) -> ()");
    ops.def("rope(Tensor positions, Tensor! q, Tensor!? k, int head, Tensor table, bool halves, int offset, bool inverse) -> ()");
    ops.def("kv_write(Tensor k, Tensor v, Tensor! k_cache, Tensor! v_cache, Tensor slot, str type, Tensor k_scale, Tensor v_scale) "
            "-> ()");
}

STABLE_TORCH_LIBRARY_IMPL(autotune_vllm, CUDA, ops)
{
    ops.impl("group_quant", TORCH_BOX(&per_token_group_quant_fp8));
    ops.impl("silu_mul_quant", TORCH_BOX(&silu_and_mul_per_block_quant));
    ops.impl("rmsnorm", TORCH_BOX(&rms_norm));
    ops.impl("rmsnorm_quant", TORCH_BOX(&rms_norm_dynamic_per_token_quant));
    ops.impl("rmsnorm_quant_groups", TORCH_BOX(&rms_norm_per_block_quant));
    ops.impl("rope", TORCH_BOX(&rotary_embedding));
    ops.impl("kv_write", TORCH_BOX(&reshape_and_cache_flash));
}
