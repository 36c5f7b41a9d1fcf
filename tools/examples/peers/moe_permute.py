"""Rows of tokens, and their scales, to the places of their experts: what torch.compile makes, and a copy of as many bytes."""

from . import parts, serving

NAME = "moe_permute"


def problems():
    return [f"{NAME} {text}" for text in ("8192x8x7168x224 i32", "256x8x7168x224 i32", "8192x2x8192x4 i64")]


def work(problem):
    tokens, top, row, scale = parts(problem)[1]
    return (top + 1) * tokens * (row + scale) + tokens * top * (8 if problem.endswith("i64") else 4), 0


def buffers(problem):
    import torch

    tokens, top, row, scale = parts(problem)[1]
    place = torch.randperm(tokens * top, device="cuda").view(tokens, top)
    return [serving.room(tokens * top, row), serving.room(tokens * top, scale), serving.room(tokens, row).random_(0, 100),
            serving.room(tokens, scale).random_(0, 100), place if problem.endswith("i64") else place.int()]


def permuted(out, out_scales, read, scales, place):
    out[place] = read[:, None].expand(-1, place.shape[1], -1)
    out_scales[place] = scales[:, None].expand(-1, place.shape[1], -1)


def peers(problem, buffers):
    import torch

    own = [torch.empty_like(x) for x in buffers[:2]]
    read, scales = (x.view(torch.int32) for x in buffers[2:4])  # words: bytes one by one would be slower
    return serving.peers(problem, work(problem)[0], permuted, *(x.view(torch.int32) for x in own), read, scales, buffers[4].long())


def check(problem, buffers):
    out, out_scales, read, scales, place = buffers
    same = all(bool((got[place.long()] == right[:, None]).all()) for got, right in ((out, read), (out_scales, scales)))
    return "" if same else "a row is not that of its token"
