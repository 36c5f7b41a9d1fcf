"""Matrix products in f32: cuBLAS without tensor cores is what ours is held against."""

from . import optional, sizes, worst

NAME = "sgemm"


def problems():
    return [f"sgemm {n}x{n}x{n} f32" for n in (4096, 1024, 2048, 8192)]


def work(problem):
    m, n, k = sizes(problem)
    return 4 * (m * n + m * k + k * n), 2 * m * n * k


def buffers(problem):
    import torch

    m, n, k = sizes(problem)
    a, b = (torch.empty(shape, device="cuda").uniform_(-1, 1) for shape in ((m, k), (k, n)))
    return [torch.empty((m, n), device="cuda"), a, b]


def peers(problem, buffers):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a, b, found = buffers[1], buffers[2], {}
    out = torch.empty_like(buffers[0])
    optional(found, "cuBLAS", lambda: lambda: torch.mm(a, b, out=out))
    return found


def check(problem, buffers):
    """The tolerance of op.cu, against f64; of large products some rows."""
    import torch

    c, a, b = buffers
    rows = torch.arange(0, c.shape[0], max(1, c.shape[0] // 256), device=c.device)
    off, most = worst(c[rows], a[rows].double() @ b.double())
    return "" if off <= 1e-3 + 1e-5 * most else f"off by {off:.3g}"
