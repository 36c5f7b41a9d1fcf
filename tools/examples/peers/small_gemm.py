"""Batches of small matrix products in f32: torch.bmm, which is cuBLAS, without tensor cores."""

from . import optional, sizes, worst

NAME = "small_gemm"


def problems():
    return [f"small_gemm 16384x{m}x{n}x{k} f32" for m, n, k in ((8, 8, 8), (16, 16, 16), (23, 23, 23), (32, 32, 32), (13, 32, 5))]


def work(problem):
    batch, m, n, k = sizes(problem)
    return 4 * batch * (m * n + m * k + k * n), 2 * batch * m * n * k


def buffers(problem):
    import torch

    batch, m, n, k = sizes(problem)
    a, b = (torch.empty(shape, device="cuda").uniform_(-1, 1) for shape in ((batch, m, k), (batch, k, n)))
    return [torch.empty((batch, m, n), device="cuda"), a, b]


def peers(problem, buffers):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a, b, found = buffers[1], buffers[2], {}
    out = torch.empty_like(buffers[0])
    optional(found, "cuBLAS", lambda: lambda: torch.bmm(a, b, out=out))
    return found


def check(problem, buffers):
    """The tolerance of op.cu, against f64."""
    c, a, b = buffers
    off, most = worst(c, a.double() @ b.double())
    return "" if off <= 1e-4 + 1e-5 * most else f"off by {off:.3g}"
