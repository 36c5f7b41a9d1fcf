"""Counts of bytes and of integers: CUB is what ours is held against."""

import ctypes

from . import cub, optional, parts, sizes

NAME = "histogram"


def problems():
    """The most telling first."""
    return [f"{NAME} {bins}x{n} {dtype}" for n in (10**8, 10**6, 10**9, 10**5, 10**7, 1000)
            for bins, dtype in ((256, "u8"), (256, "i32"), (4096, "i32"))]


def work(problem):
    n = sizes(problem)[1]
    return n * (1 if problem.endswith("u8") else 4), n


def buffers(problem):
    """counts, in, work: see op.cu."""
    import torch

    bins, n = sizes(problem)
    read = torch.empty(n, device="cuda", dtype=torch.uint8 if problem.endswith("u8") else torch.int32).random_(0, bins)
    return [torch.empty(bins, device="cuda", dtype=torch.int32), read, torch.zeros(bins + 1, device="cuda", dtype=torch.int32)]


def peers(problem, buffers):
    import torch

    counts, read, found = torch.empty_like(buffers[0]), buffers[1], {}
    bins, n = sizes(problem)
    optional(found, "CUB", lambda: cub.launch("cub_histogram", "cub_histogram_" + parts(problem)[2], read, counts, ctypes.c_int(bins),
                                              ctypes.c_int(n)))
    if not problem.endswith("u8"):
        optional(found, "PyTorch", lambda: lambda: torch.histc(read, bins, 0, bins))
    return found


def check(problem, buffers):
    import torch

    counts, read = buffers[:2]
    right = sum(torch.bincount(piece, minlength=counts.numel()) for piece in read.split(1 << 26))
    return "" if torch.equal(counts.long(), right) else f"{int((counts != right).sum())} of {counts.numel()} counts are wrong"
