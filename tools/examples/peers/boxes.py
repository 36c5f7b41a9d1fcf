"""Copies by the copy engine: what ours is held against is torch's own copy."""

from . import optional, sizes

NAME = "boxes"


def problems():
    return [f"{NAME} {rows}x{cols} f32" for rows, cols in ((8192, 8192), (4096, 4096), (1000, 1004))]


def work(problem):
    rows, cols = sizes(problem)
    return 8 * rows * cols, 0


def buffers(problem):
    import torch

    read = torch.randn(sizes(problem), device="cuda")
    return [torch.empty_like(read), read]


def peers(problem, buffers):
    import torch

    out, found = torch.empty_like(buffers[0]), {}
    optional(found, "PyTorch", lambda: lambda: out.copy_(buffers[1]))
    return found


def check(problem, buffers):
    import torch

    return "" if torch.equal(buffers[0], buffers[1]) else "the copy is another matrix"
