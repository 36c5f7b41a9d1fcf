"""Rows of experts back to their tokens: what torch.compile makes, and a copy of as many bytes."""

from . import serving, sizes

NAME = "moe_unpermute"


def problems():
    return [f"{NAME} {text} bf16" for text in ("8192x8x7168", "2048x8x7168", "256x8x7168", "16x8x7168", "8192x2x4096")]


def work(problem):
    tokens, top, hidden = sizes(problem)
    return 2 * (top + 1) * tokens * hidden + 8 * tokens * top, 2 * top * tokens * hidden


def buffers(problem):
    import torch

    tokens, top, hidden = sizes(problem)
    return [serving.normal(problem, tokens, hidden), serving.normal(problem, tokens * top, hidden),
            torch.randperm(tokens * top, device="cuda", dtype=torch.int32), torch.rand(tokens * top, device="cuda")]


def summed(rows, place, weight, top):
    return (rows[place.long().view(-1, top)].float() * weight.view(-1, top, 1)).sum(1).to(rows.dtype)


def peers(problem, buffers):
    top = sizes(problem)[1]
    return serving.peers(problem, work(problem)[0], lambda x, place, weight: summed(x, place, weight, top), *buffers[1:])


def check(problem, buffers):
    right = summed(*buffers[1:], sizes(problem)[1]).float()
    off = ((buffers[0].float() - right).abs() - right.abs() / 64).max().item()
    return "" if off <= 0.01 else f"an element is off by {off:.3g}"
