"""vLLM's kernels, by peers/by_vllm.cpp and vLLM's sources (the folder csrc of a release, tried with 0.33), which $VLLM_CSRC names:
its package needs another PyTorch than this one. nvcc takes two minutes for them, once; $TORCH_EXTENSIONS_DIR keeps the result."""

import ctypes
import functools
import os

SOURCES = ("quantization/w8a8/fp8/per_token_group_quant.cu", "quantization/fused_kernels/fused_layernorm_dynamic_per_token_quant.cu",
           "quantization/fused_kernels/fused_silu_mul_block_quant.cu", "layernorm_kernels.cu", "pos_encoding_kernels.cu", "cache_kernels.cu")


@functools.cache
def operators():
    import torch
    from torch.utils import cpp_extension

    folder = os.environ.get("VLLM_CSRC")
    if not folder:
        raise RuntimeError("VLLM_CSRC names no folder of vLLM's sources")
    ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)  # the library is not linked with it
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "{}.{}".format(*torch.cuda.get_device_capability()))
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "by_vllm.cpp")
    flags = ["-std=c++20", "-O3", "-DUSE_CUDA"]
    wanted = [f"-U__CUDA_NO_{name}__" for name in ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")]
    cpp_extension.load("autotune_vllm", [here, *(os.path.join(folder, source) for source in SOURCES)], extra_include_paths=[folder],
                       extra_cflags=flags, is_python_module=False, extra_cuda_cflags=[
                           *flags, *wanted, "-DENABLE_FP8", "--expt-relaxed-constexpr", "--expt-extended-lambda"])
    return torch.ops.autotune_vllm


def launch(name, *arguments):
    """A callable that runs the operator."""
    run = getattr(operators(), name)
    run(*arguments)
    return lambda: run(*arguments)
