"""A transpose that converts in Triton: a program reads a tile once, and writes it as it is and turned."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(turned, straight, largest, read, scale, rows, cols, most, BOTH: tl.constexpr, AMAX: tl.constexpr, CLAMP: tl.constexpr,
           HIGH: tl.constexpr, WIDE: tl.constexpr):
    matrix = tl.program_id(1).to(tl.int64) * rows * cols
    across = tl.cdiv(cols, WIDE)
    r = (tl.program_id(0) // across).to(tl.int64) * HIGH + tl.arange(0, HIGH)[:, None]
    c = (tl.program_id(0) % across).to(tl.int64) * WIDE + tl.arange(0, WIDE)[None, :]
    there = (r < rows) & (c < cols)
    value = tl.load(read + matrix + r * cols + c, mask=there, other=0.0).to(tl.float32)
    x = value * tl.load(scale)
    if CLAMP:
        x = tl.minimum(tl.maximum(x, -most), most)
    bits = x.to(turned.dtype.element_ty)
    if BOTH:
        tl.store(straight + matrix + r * cols + c, bits, mask=there)
    tl.store(turned + matrix + tl.trans(c) * rows + tl.trans(r), tl.trans(bits), mask=tl.trans(there))
    if AMAX:
        tl.atomic_max(largest, tl.max(tl.abs(value)))


def launch(turned, straight, largest, read, scale, high, wide, warps):
    batch, rows, cols = read.shape
    grid = (triton.cdiv(rows, high) * triton.cdiv(cols, wide), batch)
    clamp = turned.element_size() == 1
    most = torch.finfo(turned.dtype).max
    return lambda: kernel[grid](turned, straight, largest, read, scale, rows, cols, most, BOTH=straight.numel() > 0,
                                AMAX=largest.numel() > 0, CLAMP=clamp, HIGH=high, WIDE=wide, num_warps=warps)
