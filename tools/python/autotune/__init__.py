"""Tuned CUDA kernels on the arrays of any framework, look-ups of what is known, and tuning.

    import autotune
    y = autotune.permute(x, (0, 2, 1, 3))    # transpose, permute, copy, gather_rows, scatter_rows, cast_transpose
    q, scales = autotune.group_quant(x)      # and other operations of LLM serving; softmax, rmsnorm, sum, argmax
    autotune.run("blur", (4096, 4096), "f32", {"out": y, "in": x})
    print(autotune.find("transpose", (4096, 4096), "f32", device="NVIDIA H200").config)
    autotune.tune("transpose", (5000, 333), "bf16", budget_s=5)

Arrays are PyTorch tensors, JAX's, or what has __cuda_array_interface__ (CuPy, Numba) or __dlpack__. Work is submitted to the
stream on which the framework works now. On PyTorch's tensors the functions are operators: torch.compile takes them whole, and
those that move elements have gradients. torch.ops.autotune has them after `import torch, autotune`. On JAX's arrays they work
within jax.jit.

Needs the standard library and libautotune.so, which `pip install .` in the sources of autotune installs. Errors: a wrong
argument is a ValueError or a TypeError, and nothing is launched; autotune.Error is what the library said: ArgumentError (also
a ValueError) where it refused an argument, DeviceError, StoreError, NotFoundError. C programs find the headers in
autotune.get_include(). In a process that was forked, the module's functions open a tuner of their own.
"""

from __future__ import annotations

import os as _os
import sys as _sys
import threading as _threading
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from typing import TypeVar as _TypeVar

from ._native import Arg, ArgumentError, DeviceError, Error, Found, Launch, NotFoundError, Op, StoreError
from ._native import HERE as _HERE
from ._native import load as _load
from ._pack import Pack
from ._serving import (argmax, block_quant, cast_transpose, gather_rows, group_quant, kv_gather, kv_write, moe_permute,
                       moe_unpermute, rmsnorm, rmsnorm_quant, rope, scatter_rows, silu_mul_quant, softmax)
from ._serving import sum as sum  # noqa: A004, PLC0414  as torch.sum: in no star import, which would hide Python's
from ._program import Report
from ._tuner import Buffer as _Buffer
from ._tuner import Device as _Device
from ._tuner import Dtype as _Dtype
from ._tuner import Tuner

__all__ = ["Arg", "ArgumentError", "DeviceError", "Error", "Found", "Launch", "NotFoundError", "Op", "Pack", "Report",
           "StoreError", "Tuner", "argmax", "block_quant", "cast_transpose", "copy", "default", "find", "gather_rows", "get_include",
           "group_quant", "kv_gather", "kv_write", "load_pack", "moe_permute", "moe_unpermute", "permute", "prepare",
           "report", "rmsnorm", "rmsnorm_quant", "rope", "run", "scatter_rows", "silu_mul_quant", "softmax", "transpose", "tune"]

for _public in (Arg, ArgumentError, DeviceError, Error, Found, Launch, NotFoundError, Op, Pack, Report, StoreError, Tuner):
    _public.__module__ = __name__  # as users see it in a traceback

_Array = _TypeVar("_Array")  # of any framework; the result is of the same
_lock = _threading.Lock()
_default: list[Tuner] = []


def _begin_anew() -> None:
    """In a fork: its parent's tuner must not be used, and a thread that is not there may hold the lock."""
    global _lock
    _lock = _threading.Lock()
    _default.clear()


_os.register_at_fork(after_in_child=_begin_anew)


def __dir__() -> list[str]:
    return [*__all__, "sum"]


def __getattr__(name: str) -> str:
    """The library's version, which is loaded for it."""
    if name == "__version__":
        return str(_load().at_version().decode())
    raise AttributeError(f"module 'autotune' has no attribute {name!r}")


def default() -> Tuner:
    """The tuner of this module's functions: opened once a process, on the default database."""
    if not _default:
        with _lock:
            if not _default:
                _default.append(Tuner())
    return _default[0]


def get_include() -> str:
    """The folder of the C headers <autotune/autotune.h> that belong to this module."""
    for folder in (_HERE / "include", _HERE.parents[2] / "include"):
        if (folder / "autotune" / "autotune.h").is_file():
            return str(folder)
    raise NotFoundError("not_found", "no headers beside this module; expected include/autotune/autotune.h")


def find(op: str, sizes: _Sequence[int] | str, dtype: _Dtype, *, device: _Device = None, arch: str = "",
         sms: int = 0, pitches: _Sequence[int] = (), alignments: _Sequence[int] = (), dims: _Sequence[int] = ()) -> Found:
    """What is known of a problem: Tuner.find of the default tuner."""
    return default().find(op, sizes, dtype, device=device, arch=arch, sms=sms, pitches=pitches, alignments=alignments, dims=dims)


def tune(op: str, sizes: _Sequence[int] | str, dtype: _Dtype, *, device: _Device = None, budget_s: float | None = None,
         max_trials: int = 0, force: bool = False, dims: _Sequence[int] = ()) -> Found:
    """Searches for the fastest kernel on a GPU of this machine: Tuner.tune of the default tuner."""
    return default().tune(op, sizes, dtype, device=device, budget_s=budget_s, max_trials=max_trials, force=force, dims=dims)


def report(*, op: str = "", device: _Device = None) -> Report:
    """A page of all that was measured, which a notebook shows: Tuner.report of the default tuner."""
    return default().report(op=op, device=device)


def prepare(op: str, sizes: _Sequence[int] | str, dtype: _Dtype, *, pitches: _Sequence[int] = (),
            alignments: _Sequence[int] = (), dims: _Sequence[int] = ()) -> Found:
    """Compiles and loads ahead of the first run: Tuner.prepare of the default tuner."""
    return default().prepare(op, sizes, dtype, pitches=pitches, alignments=alignments, dims=dims)


def run(op: str, sizes: _Sequence[int] | str, dtype: _Dtype, buffers: _Mapping[str, _Buffer] | _Sequence[_Buffer], *,
        stream: int | None = None, pitches: _Sequence[int] = (), alignments: _Sequence[int] = ()) -> _Any:
    """Launches an operation: Tuner.run of the default tuner. For outputs that are jax.ShapeDtypeStruct, new arrays of JAX
    are returned, one or a tuple of them; that works within jax.jit."""
    jax = _sys.modules.get("jax")
    if jax is not None and any(isinstance(buffer, jax.ShapeDtypeStruct) for buffer in
                               (buffers.values() if isinstance(buffers, _Mapping) else buffers)):
        from . import _jax

        return _jax.run(op, sizes, dtype, buffers)
    return default().run(op, sizes, dtype, buffers, stream=stream, pitches=pitches, alignments=alignments)


def load_pack(path: str | _os.PathLike[str], *, templates: str | _os.PathLike[str] | None = None) -> Pack:
    """The pack of NAME.json, which `autotune pack` wrote: a function of arrays that runs every size, and compiles nothing.
    `templates`: the folder of its operation, where that is not built in."""
    return Pack(path, templates=templates)


def _framework(x: _Any) -> _Any:
    """The module that knows more of this array than its address; None: the tuner takes it as it is."""
    torch = _sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        from . import _torch

        return _torch
    jax = _sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.Array):
        from . import _jax

        return _jax
    return None


def transpose(x: _Array, dim0: int = -2, dim1: int = -1, *, out: _Any = None) -> _Array:
    """x with two dimensions exchanged, the last two if none are named, as a new contiguous array, or in `out`."""
    moved: _Array = (_framework(x) or default()).transpose(x, dim0, dim1, out=out)
    return moved


def permute(x: _Array, dims: _Sequence[int], *, out: _Any = None) -> _Array:
    """x with its dimensions in the order `dims`, as a new contiguous array, or in `out`. Those below zero count from the end."""
    moved: _Array = (_framework(x) or default()).permute(x, dims, out=out)
    return moved


def copy(x: _Array, *, out: _Any = None) -> _Array:
    """x, which may be a view, as a new contiguous array, or in `out`."""
    moved: _Array = (_framework(x) or default()).copy(x, out=out)
    return moved


if "torch" in _sys.modules:
    from . import _torch, _torch_serving  # noqa: F401  register the operators
