"""The operations of _serving.py as operators of PyTorch, autotune::group_quant and so on: a schema, a fake kernel, and a launch
on the current stream. Those that move rows have gradients; they and conversions are PyTorch's own on the CPU. Inputs that are
not contiguous, or begin where no allocation does, are copied before."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import _driver, _serving, default
from ._serving import OPERATIONS, New
from ._torch import _at_once

_DTYPES = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "u8": torch.uint8, "i64": torch.int64,
           "e8m0": getattr(torch, "float8_e8m0fnu", torch.uint8)}  # before PyTorch 2.7 bytes
_ALIGNMENT = 256  # of all buffers but single numbers: the operations declare no other
_SINGLE = ("k_scale", "v_scale")


def _split(arguments: Sequence[Any]) -> tuple[list[Tensor], tuple[Any, ...]]:
    """Tensors, without optional ones that are not there, and options."""
    tensors = [a for a in arguments if isinstance(a, Tensor)]
    return tensors, tuple(a for a in arguments if a is not None and not isinstance(a, Tensor))


def _made(new: New, inputs: Sequence[Tensor]) -> Tensor:
    dtype = inputs[new.dtype].dtype if isinstance(new.dtype, int) else _DTYPES[new.dtype]
    if new.zero:
        return inputs[0].new_zeros(new.shape, dtype=dtype)
    if not new.across:
        return inputs[0].new_empty(new.shape, dtype=dtype)
    return inputs[0].new_empty((new.shape[-1], *new.shape[:-1]), dtype=dtype).movedim(0, -1)


def _outputs(made: list[Tensor]) -> Any:
    return None if not made else made[0] if len(made) == 1 else tuple(made)


def _placed(name: str, inputs: list[Tensor]) -> int:
    """The GPU that all are on."""
    device = inputs[0].device
    for i, x in enumerate(inputs):
        if x.device != device or device.type != "cuda":
            raise ValueError(f"{name}: found tensor {i + 1} on {x.device}; expected {f'that of the first, {device}' if i else 'one on a GPU: x.cuda()'}")
    return int(device.index)


def _readable(name: str, x: Tensor) -> Tensor:
    if x.is_contiguous() and (name in _SINGLE or x.data_ptr() % _ALIGNMENT == 0):
        return x
    return x.clone(memory_format=torch.contiguous_format)


def _check_written(name: str, x: Tensor) -> Tensor:
    if not x.is_contiguous() or x.data_ptr() % _ALIGNMENT:
        raise ValueError(f"{name}: found strides {tuple(x.stride())} at {x.data_ptr():#x}; expected a contiguous tensor that begins at a "
                         f"multiple of {_ALIGNMENT} bytes, since it is written")
    return x


def _run(name: str, arguments: Sequence[Any]) -> Any:
    operation = OPERATIONS[name]
    inputs, options = _split(arguments)
    device = _placed(name, inputs)
    plan = _serving.planned_once(name, tuple(map(_serving.spec, inputs)), options)
    buffers: list[Any] = [_made(buffer, inputs) if isinstance(buffer, New) else buffer for buffer in plan.buffers]
    made = [buffers[i] for i, _ in plan.results]
    if not (made or inputs)[0].numel():
        return _outputs(made)
    written = {operation.inputs.index(given): given for given in operation.written}
    for i, buffer in enumerate(buffers):
        if isinstance(buffer, int):
            x = inputs[buffer]
            buffers[i] = _check_written(written[buffer], x) if buffer in written else _readable(operation.inputs[buffer], x)
    with _driver.current(device):
        default().submit(operation.op, plan.sizes, plan.type, [0 if x is None else x.data_ptr() for x in buffers],
                         torch._C._cuda_getCurrentRawStream(device), plan.scalars)
    return _outputs(made)


def _fake(name: str, arguments: Sequence[Any]) -> Any:
    inputs, options = _split(arguments)
    plan = _serving.planned(name, tuple(map(_serving.spec, inputs)), options)
    return _outputs([_made(new, inputs) for _, new in plan.results])


def _register(name: str, operation: _serving.Operation) -> Any:
    """torch.ops.autotune.NAME, for all devices, so that ours are the words when one is no GPU."""
    operator = torch.library.custom_op(f"autotune::{name}", lambda *arguments: _run(name, arguments), mutates_args=operation.written,
                                       schema=operation.schema)
    operator.register_fake(lambda *arguments: _fake(name, arguments))
    return getattr(torch.ops.autotune, name).default


_OPERATORS = {name: _register(name, operation) for name, operation in OPERATIONS.items()}


# ---- rows and conversions: on the CPU, and gradients ----


def _gathered(x: Tensor, index: Tensor) -> Tensor:
    _fake("gather_rows", (x, index))  # checks both
    return x.index_select(0, index.flatten()).reshape(*index.shape, *x.shape[1:])


def _scattered(x: Tensor, index: Tensor) -> Tensor:
    _fake("scatter_rows", (x, index))
    return torch.empty_like(x, memory_format=torch.contiguous_format).index_copy(0, index.long(), x)


def _keep_index(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[1])
    ctx.rows = inputs[0].shape[0]


def _gather_backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    index, = ctx.saved_tensors
    row = gradient.shape[index.dim():]
    return gradient.new_zeros(ctx.rows, *row).index_add_(0, index.flatten(), gradient.reshape(index.numel(), *row)), None


def _scatter_backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
    return torch.ops.autotune.gather_rows(gradient, ctx.saved_tensors[0]), None


for _name, _on_cpu, _backward in (("gather_rows", _gathered, _gather_backward), ("scatter_rows", _scattered, _scatter_backward)):
    torch.library.register_kernel(f"autotune::{_name}", "cpu", _on_cpu)
    torch.library.register_autograd(f"autotune::{_name}", _backward, setup_context=_keep_index)


def _cast_on_cpu(name: str, x: Tensor, scale: Tensor, dtype: str = "e4m3") -> Any:
    """As the kernels convert: to the nearest, and to 8 bits without infinities."""
    _fake(name, (x, scale, dtype))
    wide, kind = x.float() * scale.reshape(()), _DTYPES[dtype]  # a number, whatever its shape
    largest = torch.finfo(kind).max
    straight = (wide.clamp(-largest, largest) if dtype in ("e4m3", "e5m2") else wide).to(kind)
    turned = straight.view(torch.uint8 if kind.itemsize == 1 else torch.int16).mT.contiguous().view(kind)
    amax = torch.where(x.isnan(), 0, x).abs().amax().float().reshape(1) if x.numel() else scale.new_zeros(1)
    made = [turned, *([straight] if "both" in name else []), *([amax] if "amax" in name else [])]
    return _outputs(made)


for _name in [name for name, operation in OPERATIONS.items() if operation.op == "cast_transpose"]:
    torch.library.register_kernel(f"autotune::{_name}", "cpu", functools.partial(_cast_on_cpu, _name))


_DIFFERENTIATED = {"gather_rows": _gathered, "scatter_rows": _scattered}


def _transformed() -> bool:
    """By torch.func, or in forward mode, where an operator of torch.library has no derivatives: it would drop tangents silently."""
    return torch._C._are_functorch_transforms_active() or (not torch.compiler.is_compiling() and forward_ad._current_level >= 0)


def call(name: str, inputs: tuple[Any, ...], options: tuple[Any, ...]) -> Any:
    if name in _DIFFERENTIATED and _transformed():
        return _DIFFERENTIATED[name](*inputs)
    if not torch.compiler.is_compiling() and all(x is None or isinstance(x, Tensor) and _at_once(x) for x in inputs):
        return _run(name, (*inputs, *options))
    return _OPERATORS[name](*inputs, *options)
