"""Rows in Triton, as its tutorials do it: a program has a row, or some short ones, in registers."""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, read, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    there = (row < rows) & (col < cols)
    x = tl.load(read + row * cols + col, mask=there, other=-float("inf")).to(tl.float32)
    power = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = power / tl.sum(power, axis=1)[:, None]
    tl.store(out + row * cols + col, y.to(out.dtype.element_ty), mask=there)


@triton.jit
def rmsnorm_kernel(out, read, gamma, eps, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    there = (row < rows) & (col < cols)
    x = tl.load(read + row * cols + col, mask=there, other=0.0).to(tl.float32)
    weight = tl.load(gamma + col, mask=col < cols, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(x * x, axis=1) / cols + eps)
    tl.store(out + row * cols + col, (x * factor[:, None] * weight).to(out.dtype.element_ty), mask=there)


def softmax(out, read, warps, rows_each):
    rows, cols = read.shape
    grid = (triton.cdiv(rows, rows_each),)
    return lambda: softmax_kernel[grid](out, read, rows, cols, ROWS=rows_each, BLOCK=triton.next_power_of_2(cols), num_warps=warps)


def rmsnorm(out, read, gamma, eps, warps, rows_each):
    rows, cols = read.shape
    grid = (triton.cdiv(rows, rows_each),)
    return lambda: rmsnorm_kernel[grid](out, read, gamma, eps, rows, cols, ROWS=rows_each, BLOCK=triton.next_power_of_2(cols), num_warps=warps)
