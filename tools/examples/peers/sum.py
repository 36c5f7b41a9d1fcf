"""Sums of few and of many numbers: CUB is what ours is held against."""

from . import cub, optional, parts, rows, sizes

NAME = "sum"
LENGTHS = (10**8, 10**6, 10**9, 10**5, 10**7, 1000, 1)  # the most telling first


def problems():
    return [f"{NAME} {n} f32" for n in LENGTHS] + [f"{NAME} {n} i32" for n in (10**8, 10**6)]


def work(problem):
    return 4 * sizes(problem)[0], sizes(problem)[0]


def dtype_of(problem):
    import torch

    return {"f32": torch.float32, "i32": torch.int32}[parts(problem)[2]]


def buffers(problem):
    """out, in, words: see op.cu."""
    import torch

    dtype = dtype_of(problem)
    read = torch.empty(sizes(problem)[0], device="cuda", dtype=dtype).random_(-100, 101)
    return [torch.empty(1, device="cuda", dtype=dtype), read,
            torch.zeros(8193, device="cuda", dtype=torch.int64)]


def summed(out, read):
    import torch

    out.copy_(torch.sum(read, 0, keepdim=True, dtype=read.dtype))


def peers(problem, buffers):
    import torch

    out, read, found = torch.empty_like(buffers[0]), buffers[1], {}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(summed))
        function(out, read)
        return lambda: function(out, read)

    optional(found, "CUB", lambda: cub.launch("cub_sum", "cub_sum_" + parts(problem)[2], read, out, cub.big(read.numel())))
    optional(found, "torch.compile", by_compiler)
    optional(found, "PyTorch", lambda: lambda: torch.sum(read, 0, keepdim=True, dtype=read.dtype, out=out))
    return found


def check(problem, buffers):
    """Integers of which every partial sum is exact: see op.cu."""
    import torch

    right = torch.sum(buffers[1], dtype=torch.float64 if buffers[1].is_floating_point() else torch.int64)
    return "" if buffers[0].item() == right.item() else f"found {buffers[0].item()}, expected {right.item()}"
