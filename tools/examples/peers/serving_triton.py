"""Kernels that quantize, in Triton: a program has some groups, or a row, in registers. Scales are f32, in rows."""

import triton
import triton.language as tl

MOST = tl.constexpr(448.0)  # of e4m3
LEAST = tl.constexpr(1e-10)


@triton.jit
def group_quant_kernel(q, s, read, groups, across, SILU: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr):
    group = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, GROUP)[None, :]
    there = group < groups
    if SILU:  # `across` groups of a row; behind the row of gates is that of the others
        gate = tl.load(read + ((group // across * 2 * across + group % across) * GROUP)[:, None] + col, mask=there[:, None], other=0.0).to(tl.float32)
        up = tl.load(read + ((group // across * 2 * across + across + group % across) * GROUP)[:, None] + col, mask=there[:, None],
                     other=0.0).to(tl.float32)
        x = gate * tl.sigmoid(gate) * up
    else:
        x = tl.load(read + (group * GROUP)[:, None] + col, mask=there[:, None], other=0.0).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), axis=1), LEAST) / MOST
    tl.store(q + (group * GROUP)[:, None] + col, (x * (1 / scale)[:, None]).to(tl.float8e4nv), mask=there[:, None])
    tl.store(s + group, scale, mask=there)


@triton.jit
def rmsnorm_quant_kernel(q, s, total, read, residual, gamma, eps, hidden, ADD: tl.constexpr, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row, col = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    there = col < hidden
    x = tl.load(read + row * hidden + col, mask=there, other=0.0)
    if ADD:
        other = tl.load(residual + row * hidden + col, mask=there, other=0.0)
        x = (x.to(tl.float32) + other.to(tl.float32)).to(x.dtype)
        tl.store(total + row * hidden + col, x, mask=there)
    wide = x.to(tl.float32)
    weight = tl.load(gamma + col, mask=there, other=0.0).to(tl.float32)
    y = wide * tl.rsqrt(tl.sum(wide * wide, axis=0) / hidden + eps) * weight
    if GROUP == 0:  # one scale a row
        scale = tl.maximum(tl.max(tl.abs(y), axis=0), LEAST) / MOST
        tl.store(s + row, scale)
        code = (y * (1 / scale)).to(tl.float8e4nv)
    else:
        grouped, group = tl.reshape(y, [BLOCK // GROUP, GROUP]), tl.arange(0, BLOCK // GROUP)
        scales = tl.maximum(tl.max(tl.abs(grouped), axis=1), LEAST) / MOST
        tl.store(s + row * (hidden // GROUP) + group, scales, mask=group < hidden // GROUP)
        code = tl.reshape(grouped * (1 / scales)[:, None], [BLOCK]).to(tl.float8e4nv)
    tl.store(q + row * hidden + col, code, mask=there)


def groups(q, s, read, size, silu, warps, rows_each):
    """`q` is of e4m3, `s` of f32, both in the layout that they have in the operation."""
    count, across = q.numel() // size, q.shape[1] // size
    grid = (triton.cdiv(count, rows_each),)
    return lambda: group_quant_kernel[grid](q, s, read, count, across, SILU=silu, GROUP=size, ROWS=rows_each, num_warps=warps)


def rmsnorm(q, s, total, read, residual, gamma, eps, size, warps):
    """`size`: of a group, or as long as a row is; `total` and `residual` are empty where nothing is added."""
    hidden = read.shape[1]
    return lambda: rmsnorm_quant_kernel[(read.shape[0],)](
        q, s, total, read, residual, gamma, eps, hidden, ADD=residual.numel() > 0, GROUP=0 if size == hidden else size,
        BLOCK=triton.next_power_of_2(hidden), num_warps=warps)
