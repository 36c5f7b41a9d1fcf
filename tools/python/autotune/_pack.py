"""A pack as a function of arrays: few kernels of an operation for every size, nothing compiled."""

from __future__ import annotations

import ctypes
import gzip
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from . import _driver, _native
from ._arrays import Array, as_array, bits, common_stream, is_torch
from ._tuner import Path, Tuner, _check_stream

Shape = Callable[..., Sequence[int]]


def _described(path: Path) -> dict[str, Any]:
    with open(os.fspath(path or ""), "rb") as file:  # type: ignore[arg-type]
        content = file.read()
    return dict(json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content))


class Pack:
    """What autotune.load_pack returns. `name`, `op`, `dtype` and `sizes` (the names of the operation's sizes) describe it,
    `description` is the file NAME.json without its code. Any number of threads may call it."""

    def __init__(self, path: Path, *, templates: Path = None, library: Path = None) -> None:
        self.description = _described(path)
        self.description.pop("codes", None)
        self.tuner = Tuner(packs=path, no_compile=True, no_shipped=True, no_environment=True, templates=templates,
                           library=library)
        self.name, self.op, self.dtype = (str(self.description[key]) for key in ("name", "op", "dtype"))
        self._op = next(op for op in self.tuner.ops() if op.name == self.op)
        self.sizes = self._op.sizes
        if not self.sizes:
            self.tuner.close()
            raise ValueError(f"{path}: found a pack of {self.op}, whose problems are also orders of dimensions; expected "
                             "Tuner(packs=path) for it, and that tuner's permute")
        self._type = _native.TYPES[self.dtype]
        self._args: tuple[_native.Arg, ...] = ()
        self._operators: dict[Any, Any] = {}
        self._item_bytes = _native.TYPE_BYTES[self.dtype]
        self._calls = threading.local()

    def __call__(self, *buffers: Any, sizes: Sequence[int] | None = None, out: Any = None, stream: int | None = None) -> Any:
        """Runs on arrays on a GPU, and returns. pack(x), or pack(x, out=y), for transpose; for other operations all
        buffers in the operation's order, outputs first, and `sizes`, which are those of the first input where it has as
        many dimensions as the operation has sizes. The result is `out`, or the first buffer. `stream`: as in run. No
        gradients."""
        _check_stream(stream)
        if len(buffers) == 1 and self.op == "transpose":
            return self._transposed(buffers[0], out, stream)
        if out is not None:
            raise TypeError("found out=; expected all buffers one after the other: " + ", ".join(self._op.buffers))
        arrays = [as_array(buffer, stream) for buffer in buffers]
        if len(arrays) != len(self._op.buffers):
            raise ValueError(f"found {len(arrays)} buffers; expected {', '.join(self._op.buffers)}")
        with _driver.current(_driver.common_device(dict(zip(self._op.buffers, arrays)))):
            problem = self._problem(self._sizes(arrays, sizes))
            self._check(problem, arrays)
            self._launch(problem, arrays, stream)
        return buffers[0]

    def close(self) -> None:
        """What it has launched must have ended."""
        self.tuner.close()

    def operator(self, shape: Shape | None = None, sizes: Shape | None = None) -> Any:
        """The operator torch.ops.autotune.NAME, with what torch.compile asks of one. Of transpose a function of its input.
        Of other operations, with `shape`: a function of the inputs whose one output, of the first input's type, has that
        shape; without it NAME(buffers, sizes) -> None, which writes the outputs. `sizes`: of the inputs, else those of
        the first one."""
        key = (shape, sizes)
        if key not in self._operators:
            from . import _torch_pack

            self._operators[key] = _torch_pack.register(self, shape, sizes)
        return self._operators[key]

    # ---- within ----

    def roles(self) -> tuple[str, ...]:
        """Of the buffers, in their order; without a GPU."""
        first = [ranges[0][0] for ranges in self.description["sizes"].values()]
        return tuple(arg.role for arg in self.tuner.find(self.op, first, self.dtype,
                                                         arch=self.description["models"][0]["arch"]).buffers)

    def _turned(self, x: Any, out: Any) -> Any:
        """The short way for PyTorch's tensors, which need no look at protocols; None: nothing was done."""
        torch = sys.modules["torch"]
        shape, device = x.shape, x.get_device()
        if out is None:
            out = x.new_empty((*shape[:-2], shape[-1], shape[-2])) if len(shape) in (2, 3) else x
        plain = (device >= 0 and x.layout is torch.strided and x.is_contiguous() and out.is_contiguous() and x.numel() and len(shape) in (2, 3)
                 and out.shape == (*shape[:-2], shape[-1], shape[-2]) and out.dtype == x.dtype and out.get_device() == device
                 and x.element_size() == self._item_bytes and not x.is_conj() and not x.is_neg())
        if not plain or not _driver.is_current(device):
            return None
        call = self._calls.__dict__.get("call")
        if call is None:  # one for each thread, used again and again: to make them costs more than a launch
            call = self._calls.call = (_native.ProblemStruct(op=self.op.encode(), type=self._type), (_native.BufferStruct * 2)(),
                                       _native.ErrorStruct())
        problem, buffers, error = call
        problem.size_count = len(shape)
        problem.sizes[:3] = (*shape, 0)[:3]
        buffers[0].address, buffers[1].address = out.data_ptr(), x.data_ptr()
        if self.tuner._library.at_run(self.tuner._handle, problem, buffers, 2, torch._C._cuda_getCurrentRawStream(device), None, error):
            self.tuner._raise(error)
        return out

    def _transposed(self, x: Any, out: Any, stream: int | None) -> Any:
        if stream is None and is_torch(x) and (out is None or is_torch(out)):
            done = self._turned(x, out)
            if done is not None:
                return done
        array = as_array(x, stream)
        if len(array.shape) not in (2, 3):
            raise ValueError(f"found {len(array.shape)} dimensions; expected two or three")
        if bits(array.item_bytes) != bits(self._item_bytes):
            raise ValueError(f"found {array.elements}; expected elements of {self._item_bytes} bytes, as {self.dtype} has")
        if not array.dense:
            if not is_torch(x):
                raise ValueError(f"found strides {array.strides}; expected a contiguous array")
            x = x.contiguous()
            array = as_array(x, stream)
        target, out = self.tuner._output(x, array, (*array.shape[:-2], array.shape[-1], array.shape[-2]), out, stream)
        if array.count:
            with _driver.current(_driver.common_device({"out": target, "x": array})):
                self._launch(self._problem(array.shape), (target, array), stream)
        return out

    def _sizes(self, arrays: Sequence[Array], sizes: Sequence[int] | None) -> Sequence[int]:
        if sizes is not None:
            return sizes
        first = next(array for array, role in zip(arrays, self.roles()) if role == "input")
        if len(first.shape) != len(self.sizes):
            raise ValueError(f"found an input of {len(first.shape)} dimensions and no sizes; expected sizes=({', '.join(self.sizes)})")
        return first.shape

    def _problem(self, sizes: Sequence[int]) -> _native.ProblemStruct:
        """Not kept: sizes may be new in each call."""
        if len(sizes) > _native.MAX_SIZES:
            raise ValueError(f"found {len(sizes)} sizes; expected {', '.join(self.sizes)}")
        return _native.ProblemStruct(op=self.op.encode(), type=self._type, size_count=len(sizes),
                                     sizes=(ctypes.c_int64 * _native.MAX_SIZES)(*sizes))

    def _check(self, problem: _native.ProblemStruct, arrays: Sequence[Array]) -> None:
        """Types, which are the same for all sizes. How many bytes there must be the library knows."""
        if not self._args:
            self._args = self.tuner._prepare(problem).buffers
        for arg, array in zip(self._args, arrays):
            if arg.role != "input" and not array.writable:
                raise ValueError(f"{arg.name}: found a read-only array; expected one that may be written")
            if not array.dense:
                raise ValueError(f"{arg.name}: found strides {array.strides}; expected a contiguous array")
            wanted = _native.TYPE_BYTES.get(arg.type, 1)
            loose = arg.opaque or array.dtype is None
            if not (array.dtype == arg.type or arg.type in ("u8", "struct") and not arg.opaque or loose and array.item_bytes == wanted):
                raise ValueError(f"{arg.name}: found {array.elements}; expected {arg.type}")

    def _launch(self, problem: _native.ProblemStruct, arrays: Sequence[Array], stream: int | None) -> None:
        """In the current context. What is made on other streams is waited for."""
        chosen, others = common_stream(arrays, stream)
        for other in others:
            _driver.wait_for(other)
        given = (_native.BufferStruct * len(arrays))(*(_native.BufferStruct(array.address, array.bytes) for array in arrays))
        self.tuner._call("at_run", self.tuner._handle, problem, given, len(arrays), chosen, None)
