"""PyTorch's operators autotune::transpose, ::permute and ::copy, with what torch.compile, autograd and vmap ask of them. On the
CPU they are PyTorch's own, so that a model is the same everywhere.

Operators of torch.library know neither torch.func.grad nor forward mode: tangents they drop without a word. So the
functions are an autograd.Function around them; torch.compile, which takes no such Function, gets the operator, and
PyTorch's own permute inside of what torch.func transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _driver, default
from ._arrays import bits, inverse, order, swapped, unmoved
from ._tuner import COPY_ALIGNMENT, permutation


def _shape(x: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(x.shape[d] for d in dims)


def _check_out(x: Tensor, out: Tensor, shape: tuple[int, ...]) -> None:
    """On every device, compiled too: Tensor.copy_ would convert types, repeat rows and move to another device."""
    if out.shape != shape or out.dtype != x.dtype or out.device != x.device or not out.is_contiguous():
        raise ValueError(f"out: found shape {tuple(out.shape)}, strides {tuple(out.stride())}, {out.dtype} on {out.device}; "
                         f"expected a contiguous tensor of shape {tuple(shape)}, {x.dtype} on {x.device}")


def _by_pytorch(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    return x.permute(dims).clone(memory_format=torch.contiguous_format)


_TRANSPOSES = swapped(2), swapped(3)


def _submitted(x: Tensor, dims: tuple[int, ...], out: Tensor) -> bool:
    """The short way to a launch, for plain tensors of the current device. False: nothing was done."""
    if not (x.numel() and x.layout is torch.strided and _driver.is_current(x.get_device())):
        return False
    tuner, addresses, stream = default(), (out.data_ptr(), x.data_ptr()), torch._C._cuda_getCurrentRawStream(x.get_device())
    if dims == unmoved(len(dims)) and x.is_contiguous():
        if (addresses[0] | addresses[1]) % COPY_ALIGNMENT:
            return False
        tuner.submit("copy", (x.numel(),), bits(x.element_size()), addresses, stream)
    elif dims in _TRANSPOSES and x.is_contiguous():
        tuner.submit("transpose", tuple(x.shape), bits(x.element_size()), addresses, stream)
    elif min(x.stride()) < 1:
        return False
    else:
        strides = x.stride()
        problem = permutation(bits(x.element_size()), tuple(out.shape), tuple(strides[d] for d in dims), tuple(out.stride()))
        tuner._submit(problem, addresses, stream)
    return True


def _by_tuner(x: Tensor, dims: tuple[int, ...], out: Any) -> Any:
    return default().copy(x, out=out) if dims == unmoved(len(dims)) else default().permute(x, dims, out=out)


def _moved(x: Tensor, dims: tuple[int, ...], out: Tensor | None = None) -> Tensor:
    """On a GPU. `out` was checked."""
    if out is None:
        out = x.new_empty(_shape(x, dims))
    return out if _submitted(x, dims, out) else _by_tuner(x, dims, out)  # type: ignore[no-any-return]


# ---- operators ----


def _operator(name: str, parameters: str, dims_of: Callable[..., tuple[int, ...]]) -> Any:
    """autotune::NAME of a tensor x; `dims_of` its rank and the other parameters is the order of the result's dimensions."""

    def on_gpu(x: Tensor, *given: Any) -> Tensor:
        return _moved(x, dims_of(x.dim(), *given))

    def on_cpu(x: Tensor, *given: Any) -> Tensor:
        return _by_pytorch(x, dims_of(x.dim(), *given))

    def fake(x: Tensor, *given: Any) -> Tensor:
        return x.new_empty(_shape(x, dims_of(x.dim(), *given)))

    def batched(_: Any, in_dims: tuple[int | None, ...], x: Tensor, *given: Any) -> tuple[Tensor, int]:
        dims, at = dims_of(x.dim() - 1, *given), in_dims[0] or 0
        return OPERATORS["permute"](x, (at, *(d + (d >= at) for d in dims))), 0

    def remember(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.back = inverse(dims_of(output.dim(), *inputs[1:]))

    operator = torch.library.custom_op(f"autotune::{name}", on_gpu, mutates_args=(), device_types="cuda",
                                       schema=f"(Tensor x{parameters}) -> Tensor")
    operator.register_kernel("cpu")(on_cpu)
    operator.register_fake(fake)
    operator.register_vmap(batched)
    operator.register_autograd(lambda ctx, gradient: (OPERATORS["permute"](gradient, ctx.back), *[None] * parameters.count(",")),
                               setup_context=remember)
    return operator


DIMS: dict[str, tuple[str, Callable[..., tuple[int, ...]]]] = {
    "transpose": (", int dim0=-2, int dim1=-1", swapped), "permute": (", int[] dims", order), "copy": ("", unmoved)}
OPERATORS = {name: _operator(name, *described) for name, described in DIMS.items()}


# ---- as functions ----


def _at_once(x: Tensor) -> bool:
    """Nobody traces or differentiates: the call needs no operator, which would cost more than a small launch."""
    return (type(x) in _PLAIN and x.is_cuda and not torch.compiler.is_compiling() and not x.is_conj() and not x.is_neg()
            and not (x.requires_grad and torch.is_grad_enabled()) and forward_ad._current_level < 0
            and not torch._C._functorch.is_functorch_wrapped_tensor(x))


_PLAIN = (Tensor, torch.nn.Parameter)


class _Permuted(torch.autograd.Function):
    """Linear in its one tensor: the derivative is a permutation, too, and nothing is kept. Dimensions come one by one:
    torch.func loses count of a tuple's."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, *dims: int) -> Tensor:
        return _moved(x, dims) if _at_once(x) else OPERATORS["permute"](x, dims)  # type: ignore[no-any-return]

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.dims = inputs[1:]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return permute(gradient, inverse(ctx.dims)), *[None] * len(ctx.dims)

    @staticmethod
    def jvp(ctx: Any, tangent: Tensor, *_: None) -> Tensor:
        return permute(tangent, ctx.dims)  # type: ignore[no-any-return]


def _call(name: str, x: Tensor, given: tuple[Any, ...], out: Any) -> Any:
    dims = DIMS[name][1](x.dim(), *given)
    if out is None:
        if _at_once(x):
            return _moved(x, dims)
        if not torch.compiler.is_compiling():
            return _Permuted.apply(x, *dims)
        if torch._C._are_functorch_transforms_active():
            return _by_pytorch(x, dims)
        return OPERATORS[name](x, *given)
    if not isinstance(out, Tensor):
        return _by_tuner(x.detach(), dims, out)
    _check_out(x, out, _shape(x, dims))
    if out.is_cuda and not torch.compiler.is_compiling():
        return _moved(x, dims, out) if _at_once(x) else _by_tuner(x.detach(), dims, out)
    return out.copy_(OPERATORS[name](x, *given))


def transpose(x: Tensor, dim0: int = -2, dim1: int = -1, *, out: Any = None) -> Any:
    return _call("transpose", x, (dim0, dim1), out)


def permute(x: Tensor, dims: Sequence[int], *, out: Any = None) -> Any:
    return _call("permute", x, (tuple(dims),), out)


def copy(x: Tensor, *, out: Any = None) -> Any:
    return _call("copy", x, (), out)
