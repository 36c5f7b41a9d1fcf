"""RMSNorm of rows: what torch.compile makes, kernels in Triton, those of Liger, Helion, FlashInfer and vLLM, and PyTorch's own."""

from . import optional, rows, sizes

NAME = "rmsnorm"
EPS = 1e-5


def problems():
    return rows.problems(NAME)


def work(problem):
    count, cols = sizes(problem)[0] * sizes(problem)[1], sizes(problem)[1]
    return (2 * count + cols) * (4 if problem.endswith("f32") else 2), 4 * count


def buffers(problem):
    import torch

    gamma = torch.empty(sizes(problem)[1], device="cuda", dtype=rows.dtype_of(problem)).uniform_(0.5, 1.5)
    return [rows.matrix(problem, None), rows.matrix(problem, lambda made: made.normal_()), gamma]


def fused(out, read, gamma):
    import torch

    x = read.float()
    out.copy_((x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * gamma.float()).to(out.dtype))


def by_triton(problem, out, read, gamma):
    from . import rows_triton

    def choose():
        return rows.fastest({shape: rows_triton.rmsnorm(out, read, gamma, EPS, *shape) for shape in rows.shapes_of_programs(read.shape[1])})

    return rows_triton.rmsnorm(out, read, gamma, EPS, *rows.once(problem, "triton", choose))


def by_liger(read, gamma):
    from liger_kernel.ops.rms_norm import LigerRMSNormFunction

    return rows.tried(lambda: LigerRMSNormFunction.apply(read, gamma, EPS, 0.0, "gemma"))  # all in f32


def by_helion(problem, read, gamma):
    from . import rows_helion

    kernel = rows.once(problem, "helion", lambda: rows_helion.fastest_of(rows_helion.RMSNORM, read, gamma, EPS))
    return rows.tried(lambda: kernel(read, gamma, EPS))


def by_flashinfer(out, read, gamma):
    from . import by_flashinfer

    return by_flashinfer.launch("rmsnorm", read, gamma, out, *read.shape, EPS)


def by_vllm(out, read, gamma):
    from . import by_vllm

    return by_vllm.launch("rmsnorm", out, read, gamma, EPS)


def peers(problem, buffers):
    import torch

    out, (read, gamma), found = torch.empty_like(buffers[0]), buffers[1:], {}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(fused))
        function(out, read, gamma)
        return lambda: function(out, read, gamma)

    optional(found, "torch.compile", by_compiler)
    optional(found, "Triton", lambda: by_triton(problem, out, read, gamma))
    optional(found, "Liger", lambda: by_liger(read, gamma))
    optional(found, "Helion", lambda: by_helion(problem, read, gamma))
    if problem.endswith("bf16"):
        optional(found, "FlashInfer", lambda: by_flashinfer(out, read, gamma))
    optional(found, "vLLM", lambda: by_vllm(out, read, gamma))
    optional(found, "PyTorch", lambda: rows.tried(lambda: torch.nn.functional.rms_norm(read, gamma.shape, gamma, EPS)))
    optional(found, "copy", lambda: lambda: out.copy_(read))
    return found


def check(problem, buffers):
    out, read = map(rows.some_rows, buffers[:2])
    x = read.double()
    return rows.close(out, x * (x.square().mean(-1, keepdim=True) + EPS).rsqrt() * buffers[2].double())
