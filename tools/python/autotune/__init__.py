"""Kernels that autotune has found, from Python: look-ups anywhere, runs on the arrays of any framework.

    import autotune
    print(autotune.find("transpose", (4096, 4096), "f32", device="NVIDIA H200").config)
    y = autotune.transpose(x)          # x: (rows, cols) or (batch, rows, cols) on a GPU
    autotune.run("blur", (4096, 4096), "f32", {"out": y, "in": x})

Arrays are PyTorch tensors, JAX's, or what has __cuda_array_interface__ (CuPy, Numba) or __dlpack__. Work is submitted to
the stream on which the framework works now. On PyTorch's tensors transpose and copy are operators: torch.compile takes them
whole, and they have gradients. torch.ops.autotune has them after `import torch, autotune`. On JAX's arrays all of them work
within jax.jit, jax.grad and jax.vmap.

Needs the standard library and libautotune.so, which `pip install .` in the sources of autotune brings along. Errors: a wrong
argument is a ValueError or a TypeError, and nothing is launched; autotune.Error is what the library said, and where it
refused an argument that is a ValueError, too (autotune.ArgumentError).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ._native import Arg, ArgumentError, Error, Found, Launch
from ._tuner import Buffer, Dtype, Tuner

__all__ = ["Arg", "ArgumentError", "Error", "Found", "Launch", "Tuner", "copy", "default", "find", "permute", "prepare", "run", "transpose"]

_lock = threading.Lock()
_default: list[Tuner] = []


def default() -> Tuner:
    """The tuner of this module's functions: opened once, on the default database."""
    if not _default:
        with _lock:
            if not _default:
                _default.append(Tuner())
    return _default[0]


def find(op: str, sizes: Sequence[int], dtype: Dtype, device: str | int | None = None, cc: int = 0,
         sms: int = 0) -> Found:
    """What is known of a problem: Tuner.find of the default tuner."""
    return default().find(op, sizes, dtype, device, cc, sms)


def prepare(op: str, sizes: Sequence[int], dtype: Dtype) -> Found:
    """Compiles and loads ahead of the first run: Tuner.prepare of the default tuner."""
    return default().prepare(op, sizes, dtype)


def run(op: str, sizes: Sequence[int], dtype: Dtype, buffers: Mapping[str, Buffer] | Sequence[Buffer],
        stream: int | None = None) -> Any:
    """Launches an operation: Tuner.run of the default tuner. For outputs that are jax.ShapeDtypeStruct, new arrays of JAX
    are returned, one or a tuple of them; that works within jax.jit."""
    jax = sys.modules.get("jax")
    if jax is not None and any(isinstance(buffer, jax.ShapeDtypeStruct) for buffer in
                               (buffers.values() if isinstance(buffers, Mapping) else buffers)):
        from . import _jax

        return _jax.run(op, sizes, dtype, buffers)
    return default().run(op, sizes, dtype, buffers, stream)


def _framework(x: Any) -> Any:
    """The module that knows more of this array than its address; None: the tuner takes it as it is."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        from . import _torch

        return _torch
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.Array):
        from . import _jax

        return _jax
    return None


def transpose(x: Any, out: Any = None) -> Any:
    """x with its last two dimensions exchanged, as a new contiguous array, or in `out`."""
    return (_framework(x) or default()).transpose(x, out)


def copy(x: Any, out: Any = None) -> Any:
    """A contiguous copy of a contiguous array, or that in `out`."""
    return (_framework(x) or default()).copy(x, out)


def permute(x: Any, dims: Sequence[int], out: Any = None) -> Any:
    """x with its dimensions in the order `dims`, as a new contiguous array, or in `out`. No gradients on PyTorch's tensors."""
    special = _framework(x)
    return (special if hasattr(special, "permute") else default()).permute(x, dims, out)


if "torch" in sys.modules:
    from . import _torch  # noqa: F401  registers the operators
