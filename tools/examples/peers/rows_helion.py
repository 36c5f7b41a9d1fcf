"""Rows in Helion, as its examples do it, with a few numbers of warps: its own search takes minutes, and seconds for a list of
configurations."""

import helion
import helion.language as hl
import torch


def with_warps(function):
    """{warps: the kernel}"""
    return {warps: helion.kernel(function, config=helion.Config(block_sizes=[1], num_warps=warps), static_shapes=True) for warps in (4, 8, 16, 32)}


def softmax_rows(read: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(read)
    for tile in hl.tile(read.size(0)):
        x = read[tile, :].to(torch.float32)
        power = torch.exp(x - torch.amax(x, dim=1, keepdim=True))
        out[tile, :] = (power / torch.sum(power, dim=1, keepdim=True)).to(out.dtype)
    return out


def rmsnorm_rows(read: torch.Tensor, gamma: torch.Tensor, eps: float) -> torch.Tensor:
    out = torch.empty_like(read)
    for tile in hl.tile(read.size(0)):
        x = read[tile, :].to(torch.float32)
        factor = torch.rsqrt(torch.mean(x * x, dim=-1) + eps)
        out[tile, :] = (x * factor[:, None] * gamma[:].to(torch.float32)).to(out.dtype)
    return out


SOFTMAX, RMSNORM = with_warps(softmax_rows), with_warps(rmsnorm_rows)


def fastest_of(kernels, *inputs):
    """One of them, to be kept by rows.once."""
    from . import rows

    return kernels[rows.fastest({warps: lambda kernel=kernel: kernel(*inputs) for warps, kernel in kernels.items()
                                 if rows.has_room(warps, inputs[0].shape[-1])})]
