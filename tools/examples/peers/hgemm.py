"""Matrix products of f16 and bf16, summed in f32: cuBLAS, on tensor cores, is what ours is held against."""

from . import optional, parts, sizes

NAME = "hgemm"


def problems():
    return [f"{NAME} {n}x{n}x{n} bf16" for n in (4096, 8192, 2048, 1024)] + [f"{NAME} 4096x4096x4096 f16"]


def work(problem):
    m, n, k = sizes(problem)
    return 2 * (m * n + m * k + n * k), 2 * m * n * k


def buffers(problem):
    """c, a, b; b has a row for each column of c."""
    import torch

    m, n, k = sizes(problem)
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16}[parts(problem)[2]]
    a, b = (torch.empty(shape, device="cuda", dtype=dtype).uniform_(-1, 1) for shape in ((m, k), (n, k)))
    return [torch.empty((m, n), device="cuda", dtype=dtype), a, b]


def peers(problem, buffers):
    import torch

    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    a, b, found = buffers[1], buffers[2].t(), {}
    out = torch.empty_like(buffers[0])
    optional(found, "cuBLAS", lambda: lambda: torch.mm(a, b, out=out))
    return found
