"""An open database, and what is run with it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _driver, _native
from ._arrays import Array, as_array, bits, common_stream, empty_like, is_torch
from ._native import Error, Found

COPY_ALIGNMENT = 256  # of both buffers, for the operation copy; what lies elsewhere the driver copies

Path = Union[str, "os.PathLike[str]", None]
Buffer = Any  # an array on a GPU, or an address


def in_order(args: Sequence[_native.Arg], buffers: Mapping[str, Buffer]) -> list[Buffer]:
    """The buffers of a mapping, in the order of the arguments that are none of them scalars."""
    names = [arg.name for arg in args if arg.role != "scalar"]
    if set(names) != set(buffers):
        raise ValueError(f"found buffers {', '.join(sorted(buffers))}; expected {', '.join(names)}")
    return [buffers[name] for name in names]


def check_buffers(args: Sequence[_native.Arg], buffers: Sequence[Array | int]) -> None:
    """Arrays are dense and have room for what the kernel reads and writes; an address is taken at its word."""
    wanted = [arg for arg in args if arg.role != "scalar"]
    if len(wanted) != len(buffers):
        raise ValueError(f"found {len(buffers)} buffers; expected {', '.join(arg.name for arg in wanted)}")
    for arg, buffer in zip(wanted, buffers):
        if isinstance(buffer, int):
            continue
        if arg.role != "input" and not buffer.writable:
            raise ValueError(f"{arg.name}: found a read-only array; expected one that may be written")
        if not buffer.dense:
            raise ValueError(f"{arg.name}: found strides {buffer.strides}; expected a contiguous array")
        if buffer.count * buffer.item_bytes < arg.bytes:
            raise ValueError(f"{arg.name}: found {buffer.count * buffer.item_bytes} bytes; expected {arg.bytes}")


def _text(value: Path) -> bytes | None:
    return os.fsencode(value) if value is not None else None


def _folders(value: Path | Sequence[Path]) -> bytes | None:
    """One folder, or several, as $AUTOTUNE_HEADERS and $AUTOTUNE_ALLOW name them."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return _text(value)
    return b":".join(os.fsencode(folder) for folder in value if folder is not None)


def _address(buffer: Array | int) -> int:
    return buffer if isinstance(buffer, int) else buffer.address


def _matrix(array: Array) -> tuple[tuple[int, ...], int] | None:
    """Sizes for a transpose, and the elements from row to row where those are not the columns' number (else 0); None:
    the rows are not dense, or do not lie at equal distances."""
    *batch, rows, cols = array.shape
    if array.dense:
        return array.shape, 0
    pitch = array.strides[-2] if rows > 1 else cols
    dense_rows = array.strides[-1] == 1 or cols == 1
    together = not batch or batch[0] == 1 or array.strides[0] == rows * pitch
    return (array.shape, pitch) if dense_rows and together and pitch >= cols else None


class Tuner:
    """Any number of threads may use it. Arguments as in at_open_options."""

    def __init__(self, database: Path = None, cache: Path = None, templates: Path = None, library: Path = None,
                 shipped: bool = True, tune_s: float = 0, tune_in_background: bool = False,
                 program: Path = None, headers: Path | Sequence[Path] = None,
                 allow: Path | Sequence[Path] = None) -> None:
        self._handle = ctypes.c_void_p()
        self._library = _native.load(library)
        self._problems: dict[Any, _native.ProblemStruct] = {}
        self._args: dict[Any, tuple[_native.Arg, ...]] = {}
        options = _native.OpenOptionsStruct(1, _text(database), _text(cache), _text(templates), not shipped, tune_s,
                                            tune_in_background, _text(program), _folders(headers), _folders(allow))
        self._call("at_open", ctypes.byref(self._handle), options)

    def close(self) -> None:
        """What was run on a GPU must have ended."""
        self._library.at_close(self._handle)
        self._handle = ctypes.c_void_p()

    def __enter__(self) -> Tuner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def version(self) -> str:
        return str(self._library.at_version().decode())

    def find(self, op: str, sizes: Sequence[int], dtype: str, device: str | int | None = None,
             cc: int = 0, sms: int = 0) -> Found:
        """What is known of a problem, with the kernel's source. Needs no GPU, and tunes nothing. `device`: a number is
        a GPU of this machine, a text a name or whole words of it; at_target in autotune.h says more."""
        found, text = ctypes.POINTER(_native.FoundStruct)(), ctypes.c_void_p()
        target = _native.TargetStruct(1, _native.device_text(device), cc, sms)
        self._call("at_find", ctypes.byref(found), self._handle, self._problem(op, sizes, dtype), target)
        try:
            if not found.contents.template_name:
                return _native.shown(found.contents)
            self._call("at_source", ctypes.byref(text), found)
            return _native.shown(found.contents, _native.decoded(ctypes.string_at(text)))
        finally:
            self._library.at_free(text)
            self._library.at_found_close(found)

    def prepare(self, op: str, sizes: Sequence[int], dtype: str) -> Found:
        """Compiles and loads for the current CUDA context, as the first run would; what run will use."""
        return self._prepare(self._problem(op, sizes, dtype))

    def run(self, op: str, sizes: Sequence[int], dtype: str, buffers: Mapping[str, Buffer] | Sequence[Buffer],
            stream: int | None = None) -> None:
        """Launches, and returns. Buffers are arrays on a GPU or addresses there: a sequence in the operation's order
        (outputs first), or a mapping by the names of its arguments. Scalars follow from the sizes. `stream`: a
        CUstream; None: the one on which the arrays' framework works now."""
        if isinstance(buffers, Mapping):
            buffers = in_order(self._args_of(op, sizes, dtype), buffers)
        arrays = [buffer if isinstance(buffer, int) else as_array(buffer, stream) for buffer in buffers]
        if all(isinstance(array, int) for array in arrays):
            self._launch(self._problem(op, sizes, dtype), arrays, stream or 0)
            return
        with _driver.current(next(array for array in arrays if isinstance(array, Array))):
            check_buffers(self._args_of(op, sizes, dtype), arrays)
            self._launch(self._problem(op, sizes, dtype), arrays, stream)

    def copy(self, x: Any, out: Any = None, stream: int | None = None) -> Any:
        """The bytes of x, which is contiguous, in a new array or in `out`."""
        array = as_array(x, stream)
        if not array.dense:
            raise ValueError(f"found strides {array.strides}; expected a contiguous array")
        target, out = self._output(x, array, array.shape, out, stream)
        self._move("copy", (array.count,), 0, target, array, stream)
        return out

    def submit(self, op: str, sizes: tuple[int, ...], dtype: str, target: int, source: int, stream: int) -> None:
        """The shortest way to a launch of an operation with two buffers: addresses, in the current context."""
        problem = self._problems.get((op, sizes, dtype, 0)) or self._problem(op, sizes, dtype)
        error = _native.ErrorStruct()
        _driver.load_nvrtc()
        if self._library.at_run(self._handle, problem, (ctypes.c_void_p * 2)(target, source), 2, stream, error):
            self._raise(error)

    def transpose(self, x: Any, out: Any = None, stream: int | None = None) -> Any:
        """x with its last two dimensions exchanged, as a new contiguous array, or in `out`. No gradients: those are in
        autotune.transpose. Rows may lie apart, as in a slice; other views of PyTorch are made contiguous before."""
        array = as_array(x, stream)
        if len(array.shape) not in (2, 3):
            raise ValueError(f"found {len(array.shape)} dimensions; expected two or three")
        matrix = _matrix(array)
        if matrix is None and is_torch(x):
            x = x.clone(memory_format=_contiguous())
            array = as_array(x, stream)
            matrix = _matrix(array)
        if matrix is None:
            raise ValueError(f"found strides {array.strides}; expected dense rows at equal distances")
        sizes, pitch = matrix
        target, out = self._output(x, array, (*sizes[:-2], sizes[-1], sizes[-2]), out, stream)
        self._move("transpose", sizes, pitch, target, array, stream)
        return out

    def permute(self, x: Any, dims: Sequence[int], out: Any = None, stream: int | None = None) -> Any:
        """x with its dimensions in another order, dimension i of the result being dims[i] of x, as a new contiguous array
        or in `out`. Both may be views of any strides; x may have 8 dimensions."""
        problem, target, array, out = self._permutation(x, dims, out, stream)
        if array.count:
            with _driver.current(target):
                self._launch(problem, (target, array), stream)
        return out

    def prepare_permute(self, x: Any, dims: Sequence[int], out: Any = None) -> Found:
        """Compiles and loads for the current CUDA context what permute will use for such arrays."""
        return self._prepare(self._permutation(x, dims, out, None)[0])

    # ---- within ----

    def _permutation(self, x: Any, dims: Sequence[int], out: Any,
                     stream: int | None) -> tuple[_native.LaidOutStruct, Array, Array, Any]:
        """The problem, its buffers, and the array that is the result."""
        array = as_array(x, stream)
        rank = len(array.shape)
        if sorted(dims) != list(range(rank)) or rank > _native.MAX_RANK:
            raise ValueError(f"found dims {tuple(dims)}; expected each of 0 to {rank - 1} once, at most "
                             f"{_native.MAX_RANK}")
        shape = tuple(array.shape[d] for d in dims)
        if out is None:
            out = empty_like(x, array, shape)
        target = as_array(out, stream)
        if target.shape != shape or target.item_bytes != array.item_bytes:
            raise ValueError(f"out: found shape {target.shape}, {target.item_bytes} bytes an element; expected shape "
                             f"{shape}, {array.item_bytes} bytes an element")
        numbers = ctypes.c_int64 * _native.MAX_RANK
        layout = _native.LayoutStruct(rank, numbers(*shape), numbers(*(array.strides[d] for d in dims)),
                                      numbers(*target.strides))
        problem = _native.LaidOutStruct(op=b"permute", type=_native.TYPES.index(bits(array.item_bytes)), layout=layout)
        return problem, target, array, out

    def _output(self, x: Any, array: Array, shape: tuple[int, ...], out: Any,
                stream: int | None) -> tuple[Array, Any]:
        if out is None:
            out = empty_like(x, array, shape)
        target = as_array(out, stream)
        if not target.writable:
            raise ValueError("out: found a read-only array; expected one that may be written")
        if target.shape != shape or target.item_bytes != array.item_bytes or not target.dense:
            raise ValueError(f"out: found shape {target.shape}, {target.item_bytes} bytes an element, strides "
                             f"{target.strides}; expected a contiguous array of shape {shape} and of elements of "
                             f"{array.item_bytes} bytes")
        return target, out

    def _move(self, op: str, sizes: tuple[int, ...], pitch: int, target: Array, array: Array,
              stream: int | None) -> None:
        if not array.count:
            return
        with _driver.current(target):
            if op == "copy" and (target.address | array.address) % COPY_ALIGNMENT:
                _driver.copy_bytes(target.address, array.address, array.count * array.item_bytes,
                                   self._stream((target, array), stream))
            else:
                self._launch(self._problem(op, sizes, bits(array.item_bytes), pitch), (target, array), stream)

    def _launch(self, problem: _native.ProblemStruct, buffers: Sequence[Array | int], stream: int | None) -> None:
        """In the current context."""
        chosen = self._stream(buffers, stream)
        _driver.load_nvrtc()
        addresses = (ctypes.c_void_p * len(buffers))(*map(_address, buffers))
        self._call("at_run", self._handle, problem, addresses, len(buffers), chosen)

    def _stream(self, buffers: Sequence[Array | int], stream: int | None) -> int:
        """Where to submit. What is made on other streams is waited for."""
        chosen, others = common_stream((buffer for buffer in buffers if isinstance(buffer, Array)), stream)
        for other in others:
            _driver.wait_for(other)
        return chosen

    def _args_of(self, op: str, sizes: Sequence[int], dtype: str) -> tuple[_native.Arg, ...]:
        key = (op, tuple(sizes), dtype)
        if key not in self._args:
            self._args[key] = self.prepare(op, sizes, dtype).args
        return self._args[key]

    def _prepare(self, problem: _native.ProblemStruct) -> Found:
        found = ctypes.POINTER(_native.FoundStruct)()
        _driver.load_nvrtc()
        self._call("at_prepare", ctypes.byref(found), self._handle, problem)
        return _native.shown(found.contents)

    def _problem(self, op: str, sizes: Sequence[int], dtype: str, pitch: int = 0) -> _native.ProblemStruct:
        key = (op, tuple(sizes), dtype, pitch)
        problem = self._problems.get(key)
        if problem is None:
            if isinstance(sizes, str):
                raise ValueError(f"found the text '{sizes}'; expected sizes, as (4096, 4096)")
            number = _native.type_number(dtype)
            if len(key[1]) > _native.MAX_SIZES:
                raise ValueError(f"found {len(key[1])} sizes; expected at most {_native.MAX_SIZES}")
            for size in key[1]:
                if abs(size) >= 1 << 63:  # ctypes would leave its upper bits away
                    raise ValueError(f"found a size of {size}; expected less than 2**63")
            problem = _native.ProblemStruct(op.encode(), number, len(key[1]),
                                            (ctypes.c_int64 * _native.MAX_SIZES)(*sizes),
                                            (ctypes.c_int64 * _native.MAX_PITCHES)(pitch))
            self._problems[key] = problem
        return problem

    def _call(self, name: str, *arguments: Any) -> None:
        error = _native.ErrorStruct()
        if getattr(self._library, name)(*arguments, error):
            self._raise(error)

    def _raise(self, error: _native.ErrorStruct) -> None:
        raise Error(self._library.at_status_name(error.status).decode(), _native.decoded(error.text))


def _contiguous() -> Any:
    import torch

    return torch.contiguous_format
