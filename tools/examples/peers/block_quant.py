"""Quantization of 128 x 128 blocks, straight and turned: what torch.compile makes, and a copy of as many bytes."""

from . import serving, sizes

NAME = "block_quant"


def problems():
    return [f"{NAME} {text} bf16" for text in ("8192x7168", "2048x7168", "7168x2048", "4096x4096")]


def work(problem):
    count = sizes(problem)[0] * sizes(problem)[1]
    return count * 4 + count // 4096, 0


def buffers(problem):
    import torch

    high, wide = sizes(problem)
    return [serving.room(high, wide), serving.room(wide, high), serving.room(high // 128, wide // 128, kind=torch.float32),
            serving.normal(problem, high, wide, by=4)]


def blocks(x):
    """(q, q turned, s) of whole blocks."""
    import torch

    high, wide = x.shape
    tiled = x.float().view(high // 128, 128, wide // 128, 128)
    s = tiled.abs().amax((1, 3)).clamp(min=1e-10) / serving.MOST
    q = (tiled * (1 / s)[:, None, :, None]).clamp(-serving.MOST, serving.MOST).view(high, wide).to(torch.float8_e4m3fn)
    return q, q.view(torch.uint8).t().contiguous(), s


def peers(problem, buffers):
    return serving.peers(problem, work(problem)[0], blocks, buffers[3])


def check(problem, buffers):
    import torch

    q, turned, s = buffers[:3]
    high, wide = sizes(problem)
    by_blocks = [tensor.reshape(high // 128, 128, wide // 128, 128).transpose(1, 2).reshape(-1, 128 * 128) for tensor in (q, buffers[3].float())]
    return serving.far(by_blocks[0], s.flatten(), by_blocks[1], 128 * 128) or ("" if torch.equal(turned, q.t()) else "the turned copy is another")
