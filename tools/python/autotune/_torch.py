"""PyTorch's operators autotune::transpose and autotune::copy, with what torch.compile, autograd and vmap ask of them.
On the CPU they are PyTorch's own, so that a model is the same everywhere.

Operators of torch.library know neither torch.func.grad nor forward mode: tangents they drop without a word. So the
functions are autograd.Functions around them; torch.compile, which takes no such Function, gets the operator, and
PyTorch's own transpose inside of what torch.func transforms."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _driver, default
from ._arrays import bits
from ._tuner import COPY_ALIGNMENT


def _turned(x: Tensor) -> tuple[int, ...]:
    if x.dim() not in (2, 3):
        raise ValueError(f"found {x.dim()} dimensions; expected two or three")
    return (*x.shape[:-2], x.shape[-1], x.shape[-2])


def _submitted(op: str, sizes: tuple[int, ...], x: Tensor, out: Tensor) -> bool:
    """The short way to a launch, for what needs no look at strides. False: nothing was done."""
    device = x.get_device()
    if not (x.is_contiguous() and _driver.is_current(device) and x.numel()):
        return False
    default().submit(op, sizes, bits(x.element_size()), (out.data_ptr(), x.data_ptr()),
                     torch._C._cuda_getCurrentRawStream(device))
    return True


def _check_out(x: Tensor, out: Tensor, shape: tuple[int, ...]) -> None:
    """On every device, compiled too: Tensor.copy_ would convert types, repeat rows and move to another device."""
    if out.shape != shape or out.dtype != x.dtype or out.device != x.device or not out.is_contiguous():
        raise ValueError(f"out: found shape {tuple(out.shape)}, strides {tuple(out.stride())}, {out.dtype} on {out.device}; "
                         f"expected a contiguous tensor of shape {tuple(shape)}, {x.dtype} on {x.device}")


def _transposed(x: Tensor, out: Tensor | None = None) -> Tensor:
    shape = _turned(x)
    if out is None:
        out = x.new_empty(shape)
    fits = out.shape == shape and out.is_contiguous() and out.dtype == x.dtype and out.device == x.device
    return out if fits and _submitted("transpose", tuple(x.shape), x, out) else default().transpose(x, out)


def _copied(x: Tensor) -> Tensor:
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    aligned = (x.data_ptr() | out.data_ptr()) % COPY_ALIGNMENT == 0
    return out if aligned and _submitted("copy", (x.numel(),), x, out) else out.copy_(x)


# ---- transpose ----


@torch.library.custom_op("autotune::transpose", mutates_args=(), device_types="cuda")
def _transpose(x: Tensor) -> Tensor:
    return _transposed(x)


@_transpose.register_kernel("cpu")
def _(x: Tensor) -> Tensor:
    _turned(x)
    return x.transpose(-1, -2).clone(memory_format=torch.contiguous_format)


@_transpose.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(_turned(x))


@_transpose.register_vmap
def _(_: Any, in_dims: tuple[int | None, ...], x: Tensor) -> tuple[Tensor, int]:
    x = x.movedim(in_dims[0] or 0, 0)
    y = _transpose(x.reshape(-1, *x.shape[-2:]))  # one batch more, or a larger one
    return y.reshape(*x.shape[:-2], *y.shape[-2:]), 0


_transpose.register_autograd(lambda _, gradient: _transpose(gradient))

# ---- copy ----


@torch.library.custom_op("autotune::copy", mutates_args=(), device_types="cuda")
def _copy(x: Tensor) -> Tensor:
    return _copied(x)


@_copy.register_kernel("cpu")
def _(x: Tensor) -> Tensor:
    return x.clone(memory_format=torch.contiguous_format)


@_copy.register_fake
def _(x: Tensor) -> Tensor:
    return x.new_empty(x.shape)


@_copy.register_vmap
def _(_: Any, in_dims: tuple[int | None, ...], x: Tensor) -> tuple[Tensor, int]:
    return _copy(x.movedim(in_dims[0] or 0, 0)), 0


_copy.register_autograd(lambda _, gradient: gradient)


# ---- as functions ----


def _at_once(x: Tensor) -> bool:
    """Nobody traces or differentiates: the call needs no operator, which would cost more than a small launch."""
    return (type(x) in _PLAIN and x.is_cuda and not torch.compiler.is_compiling() and not x.is_conj() and not x.is_neg()
            and not (x.requires_grad and torch.is_grad_enabled()) and forward_ad._current_level < 0
            and not torch._C._functorch.is_functorch_wrapped_tensor(x))


_PLAIN = (Tensor, torch.nn.Parameter)


class _Transposed(torch.autograd.Function):
    """Linear in its one argument: the derivative is the function itself, and nothing is kept."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return _transposed(x) if _at_once(x) else _transpose(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(_: Any, gradient: Tensor) -> Tensor:
        return transpose(gradient)

    @staticmethod
    def jvp(_: Any, tangent: Tensor) -> Tensor:
        return transpose(tangent)


class _Copied(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return _copied(x) if _at_once(x) else _copy(x)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(_: Any, gradient: Tensor) -> Tensor:
        return gradient

    @staticmethod
    def jvp(_: Any, tangent: Tensor) -> Tensor:
        return tangent.clone()  # the output's own: a view of the input's would be refused


def transpose(x: Tensor, out: Tensor | None = None) -> Tensor:
    if out is None:
        if _at_once(x):
            return _transposed(x)
        if not torch.compiler.is_compiling():
            return _Transposed.apply(x)
        if torch._C._are_functorch_transforms_active():
            return x.transpose(-1, -2).clone(memory_format=torch.contiguous_format)
        return _transpose(x)
    if not isinstance(out, Tensor):
        return default().transpose(x.detach(), out)
    _check_out(x, out, _turned(x))
    if out.is_cuda and not torch.compiler.is_compiling():
        return _transposed(x, out) if _at_once(x) else default().transpose(x.detach(), out)
    return out.copy_(_transpose(x))


def copy(x: Tensor, out: Tensor | None = None) -> Tensor:
    if out is None:
        if _at_once(x):
            return _copied(x)
        if not torch.compiler.is_compiling():
            return _Copied.apply(x)
        if torch._C._are_functorch_transforms_active():
            return x.clone(memory_format=torch.contiguous_format)
        return _copy(x)
    if not isinstance(out, Tensor):
        return default().copy(x.detach().contiguous(), out)
    _check_out(x, out, x.shape)
    if out.is_cuda and not torch.compiler.is_compiling():
        return default().copy(x.detach().contiguous(), out)
    return out.copy_(_copy(x))
