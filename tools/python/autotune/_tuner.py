"""An open database, and what is run with it."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from . import _driver, _native, _program
from ._arrays import Array, as_array, bits, common_stream, empty_like, made_dense, order, swapped, unmoved
from ._native import Arg, Error, Found

COPY_ALIGNMENT = 256  # of both buffers, for the operation copy; what lies elsewhere the driver copies

Path = Union[str, "os.PathLike[str]", None]
Buffer = Any  # an array on a GPU, or an address
Dtype = Any  # "f32", "float32", or the dtype of an array of PyTorch, NumPy or JAX
Device = Any  # a GPU's number, a name, or a torch.device


# ---- what a call is given ----


def in_order(args: Sequence[Arg], buffers: Mapping[str, Buffer] | Sequence[Buffer]) -> list[Buffer]:
    """A buffer for each of these, in their order."""
    names = [arg.name for arg in args]
    if not isinstance(buffers, Mapping):
        if len(names) != len(buffers):
            raise ValueError(f"found {len(buffers)} buffers; expected {', '.join(names)}")
        return list(buffers)
    if set(names) != set(buffers):
        raise ValueError(f"found buffers {', '.join(sorted(map(str, buffers)))}; expected {', '.join(names)}")
    return [buffers[name] for name in names]


def check_elements(arg: Arg, array: Array) -> None:
    """Their type, and how many bytes there are. u8 are bytes of anything; a scratch buffer may be larger than needed."""
    loose = arg.opaque or array.dtype is None
    if arg.type == "struct" and array.dtype not in ("u8", None):
        raise ValueError(f"{arg.name}: found {array.elements}; expected its structs as bytes, u8: no framework has them")
    wanted = 1 if arg.type == "struct" else _native.TYPE_BYTES[arg.type]
    if not (arg.type == "struct" or arg.type == "u8" and not arg.opaque or array.dtype == arg.type or loose and array.item_bytes == wanted):
        expected = f"elements of {wanted} bytes, as {arg.type} has" if arg.opaque else arg.type
        raise ValueError(f"{arg.name}: found {array.elements}; expected {expected}")
    if array.bytes < arg.bytes or (array.bytes > arg.bytes and arg.role != "scratch"):
        raise ValueError(f"{arg.name}: found {array.bytes} bytes, shape {array.shape}; expected {arg.bytes} bytes")


def check_buffer(arg: Arg, array: Array) -> None:
    if arg.role != "input" and not array.writable:
        raise ValueError(f"{arg.name}: found a read-only array; expected one that may be written")
    if not array.dense:
        raise ValueError(f"{arg.name}: found strides {array.strides}; expected a contiguous array")
    check_elements(arg, array)


def check_output(target: Array, shape: tuple[int, ...], array: Array, dense: bool) -> None:
    """An output of this shape that takes the elements of `array`."""
    same = target.item_bytes == array.item_bytes and (target.dtype == array.dtype or None in (target.dtype, array.dtype))
    if not target.writable:
        raise ValueError("out: found a read-only array; expected one that may be written")
    if target.shape != shape or not same or (dense and not target.dense):
        raise ValueError(f"out: found shape {target.shape} of {target.elements}, strides {target.strides}; expected "
                         f"{'a contiguous array of ' if dense else ''}shape {shape} of {array.elements}")


def _check_apart(target: Array, array: Array) -> None:
    """Of two dense arrays."""
    if target.address < array.address + array.bytes and array.address < target.address + target.bytes:
        raise ValueError(f"out: found {target.bytes} bytes at {target.address:#x}, and x at {array.address:#x}; expected an "
                         "output in memory that no other array uses")


def _as_buffer(buffer: Buffer, stream: int | None) -> Array | int:
    if not isinstance(buffer, int):
        return as_array(buffer, stream)
    if not 0 <= buffer < 1 << 64:
        raise ValueError(f"found the address {buffer:#x}; expected one below 2**64")
    return buffer


def _named(buffers: Mapping[str, Buffer] | Sequence[Buffer], stream: int | None) -> dict[str, Array | int]:
    """What is given by name, or else by number."""
    if isinstance(buffers, Mapping):
        return {name: _as_buffer(buffer, stream) for name, buffer in buffers.items()}
    if not isinstance(buffers, Sequence):
        raise TypeError(f"found a {type(buffers).__name__}; expected the buffers in a sequence in the operation's order, or in a "
                        "mapping by the names of its arguments")
    return {f"buffer {i}": _as_buffer(buffer, stream) for i, buffer in enumerate(buffers)}


def _check_stream(stream: int | None) -> None:
    if stream is not None and not isinstance(stream, int):
        raise TypeError(f"found a {type(stream).__name__} as the stream; expected the integer of a CUstream (of PyTorch: "
                        "stream.cuda_stream, of CuPy: stream.ptr) or None")


def _sizes(sizes: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(sizes, Iterable):
        raise TypeError(f"found {sizes!r}; expected sizes, as (4096, 4096)")
    return tuple(sizes)


def with_order(sizes: Sequence[int] | str, dims: Sequence[int]) -> str:
    """The text of a permutation: "8x64x3:2.0.1"."""
    if isinstance(sizes, str):
        raise ValueError(f"found the shape '{sizes}', and dims; expected the order within the shape, as in '8x64x3:2.0.1'")
    extents = _sizes(sizes)
    return "x".join(map(str, extents)) + ":" + ".".join(map(str, order(len(extents), dims)))


def _numbers(what: str, numbers: Sequence[int], most: int) -> Any:
    """An array of the library's, with zeros at its end."""
    if len(numbers) > most:
        raise ValueError(f"found {len(numbers)} {what}s; expected at most {most}")
    for number in numbers:
        if not hasattr(number, "__index__"):
            raise TypeError(f"found a {what} of {number!r}; expected an integer")
        if abs(number) >= 1 << 63:  # ctypes would leave its upper bits away
            raise ValueError(f"found a {what} of {number}; expected less than 2**63")
    return (ctypes.c_int64 * most)(*map(int, numbers))


def _text(value: Path) -> bytes | None:
    return os.fsencode(value) if value is not None else None


def _folders(value: Path | Sequence[Path]) -> bytes | None:
    """One folder, or several, as $AUTOTUNE_HEADERS and $AUTOTUNE_ALLOW name them."""
    if value is None or isinstance(value, (str, os.PathLike)):
        return _text(value)
    return b":".join(os.fsencode(folder) for folder in value if folder is not None)


def _buffer(buffer: Array | int) -> _native.BufferStruct:
    """Of an address nothing else is known. Views were checked before: their bytes need not follow each other."""
    return _native.BufferStruct(buffer if isinstance(buffer, int) else buffer.address, 0)


@functools.lru_cache(maxsize=4096)
def permutation(dtype: str, extents: tuple[int, ...], strides_in: tuple[int, ...],
                strides_out: tuple[int, ...]) -> _native.ProblemStruct:
    """The problem of two layouts of the same elements."""
    if len(extents) > _native.MAX_RANK:
        raise ValueError(f"found {len(extents)} dimensions; expected at most {_native.MAX_RANK}")
    numbers = ctypes.c_int64 * _native.MAX_RANK
    layout = _native.LayoutStruct(len(extents), numbers(*extents), numbers(*strides_in), numbers(*strides_out))
    return _native.ProblemStruct(op=b"permute", type=_native.TYPES[dtype], layout=layout)


class Tuner:
    """Any number of threads may use it. Arguments as in at_open_options."""

    def __init__(self, database: Path = None, *, cache: Path = None, templates: Path = None, library: Path = None,
                 no_shipped: bool = False, tune_s: float = 0, tune_in_background: bool = False,
                 program: Path = None, headers: Path | Sequence[Path] = None,
                 allow: Path | Sequence[Path] = None, no_environment: bool = False,
                 log_shapes: Path = None, packs: Path | Sequence[Path] = None, no_compile: bool = False) -> None:
        if tune_s > 0 and program is None:
            program = _program.installed()  # else the library looks beside itself, and in $PATH
        self._library = _native.load(library)
        self._problems: dict[Any, _native.ProblemStruct] = {}
        self._buffers: dict[bytes, tuple[_native.Arg, ...]] = {}
        self._options = _native.OpenOptionsStruct(
            database=_text(database), cache=_text(cache), templates=_text(templates), no_shipped=no_shipped, tune_s=tune_s,
            tune_in_background=tune_in_background, program=_text(program), headers=_folders(headers), allow=_folders(allow),
            no_environment=no_environment, log_shapes=_text(log_shapes), packs=_folders(packs),
            no_compile=no_compile)
        self._handle = ctypes.c_void_p()
        self._call("at_open", ctypes.byref(self._handle), self._options)

    def close(self) -> None:
        """What was run on a GPU must have ended."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._library.at_close(handle)

    def __enter__(self) -> Tuner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ops(self) -> tuple[_native.Op, ...]:
        """The operations that it knows, without a problem."""
        found: list[_native.Op] = []
        described = ctypes.POINTER(_native.OpStruct)()
        try:
            while True:
                self._call("at_op_at", ctypes.byref(described), self._handle, len(found))
                found.append(_native.op(described.contents))
        except _native.NotFoundError:
            return tuple(found)

    def version(self) -> str:
        return str(self._library.at_version().decode())

    def find(self, op: str, sizes: Sequence[int] | str, dtype: Dtype, *, device: Device = None,
             arch: str = "", sms: int = 0, pitches: Sequence[int] = (), alignments: Sequence[int] = (),
             dims: Sequence[int] = ()) -> Found:
        """What is known of a problem, with the kernel's source. Needs no GPU, and tunes nothing. `device`: a number is
        a GPU of this machine, a text a name or whole words of it; `arch`: "sm_90", "sm_90a"; at_target in autotune.h says more.
        `sizes`: numbers, or a text as the program takes it, with words and layouts: "8x8 to=e5m2", "6x8x64:1.0.2".
        `pitches`, in elements, and `alignments`, in bytes, are in the operation's order, as at_problem has them. `dims`: the
        order of dimensions, for permute, whose sizes are then those of the input."""
        target = _native.TargetStruct(device=_native.device_text(device).encode(), arch=arch.encode(), sms=sms)
        return self._find(self._problem(op, sizes, dtype, pitches, alignments, dims), target, True)

    def _find(self, problem: _native.ProblemStruct, target: _native.TargetStruct, with_source: bool) -> Found:
        found, text = ctypes.POINTER(_native.FoundStruct)(), ctypes.c_void_p()
        self._call("at_find", ctypes.byref(found), self._handle, problem, target)
        try:
            if not with_source or not found.contents.template_name:
                return _native.shown(found.contents)
            self._call("at_source", ctypes.byref(text), found)
            return _native.shown(found.contents, _native.decoded(ctypes.string_at(text)))
        finally:
            self._library.at_free(text)
            self._library.at_found_close(found)

    def tune(self, op: str, sizes: Sequence[int] | str, dtype: Dtype, *, device: Device = None, budget_s: float | None = None,
             max_trials: int = 0, force: bool = False, dims: Sequence[int] = ()) -> Found:
        """Has the program `autotune` search for the fastest kernel of a problem on a GPU of this machine, waits for its end, and
        returns what it found; run uses it from then on. A problem that was tuned before under the same conditions is answered at
        once, unless `force`. `budget_s`: search no longer than that; `max_trials`: try no more configurations, where it is not 0. Nothing else
        should run on the GPU meanwhile."""
        shape = with_order(sizes, dims) if dims else sizes if isinstance(sizes, str) else "x".join(map(str, _sizes(sizes)))
        options = ["--json", "--quiet", f"--device={_native.device_text(device) or 0}", f"--max-trials={max_trials}"]
        if budget_s is not None:
            options.append(f"--budget={1000 * budget_s:.0f}ms")
        if force:
            options.append("--force")
        answer = _program.last_answer(self._run_program("tune", f"{op} {shape} {_native.type_name(dtype)}", *options))
        if not answer["found"]:
            raise _native.NotFoundError("not_found", f"no winner of {op} {shape}: {answer['why']}")
        self._call("at_renew", self._handle)
        self._buffers.clear()
        return self.find(op, shape, dtype, device=answer["device"])

    def report(self, *, op: str = "", device: Device = None) -> _program.Report:
        """A page of what the database has, of one operation or one device if they are named. A notebook shows it."""
        options = [*([f"--op={op}"] if op else []), *([f"--device={_native.device_text(device)}"] if device is not None else [])]
        return _program.Report(self._run_program("report", *options))

    def prepare(self, op: str, sizes: Sequence[int] | str, dtype: Dtype, *, pitches: Sequence[int] = (),
                alignments: Sequence[int] = (), dims: Sequence[int] = ()) -> Found:
        """Compiles and loads for the current CUDA context, as the first run would; what run will use."""
        return self._prepare(self._problem(op, sizes, dtype, pitches, alignments, dims))

    def run(self, op: str, sizes: Sequence[int] | str, dtype: Dtype, buffers: Mapping[str, Buffer] | Sequence[Buffer], *,
            stream: int | None = None, pitches: Sequence[int] = (), alignments: Sequence[int] = ()) -> None:
        """Launches, and returns. Buffers are arrays on a GPU or addresses there: a sequence in the operation's order
        (outputs first), or a mapping by the names of its arguments. Scalars follow from the sizes. `stream`: a
        CUstream; None: the one on which the arrays' framework works now.

        Arrays are contiguous, on one GPU, and of the type and the size that the operation declares; an argument that is
        declared as bytes (u8) takes any type, and one whose elements are only moved any type of the same size. Of an
        address nothing is known: there only NULL and overlap are refused."""
        _check_stream(stream)
        given = _named(buffers, stream)
        arrays = {name: buffer for name, buffer in given.items() if isinstance(buffer, Array)}
        problem = self._problem(op, sizes, dtype, pitches, alignments)
        if not arrays and not isinstance(buffers, Mapping):
            self._launch(problem, list(given.values()), stream)
            return
        with _driver.current(_driver.common_device(arrays)):
            expected = self._buffers_of(problem)
            ordered = in_order(expected, given if isinstance(buffers, Mapping) else list(given.values()))
            for arg, buffer in zip(expected, ordered):
                if isinstance(buffer, Array):
                    check_buffer(arg, buffer)
            self._launch(problem, ordered, stream)

    def copy(self, x: Any, *, out: Any = None, stream: int | None = None) -> Any:
        """x, which may be a view, in a new contiguous array or in `out`. Bytes that begin anywhere the driver copies."""
        _check_stream(stream)
        array = as_array(x, stream)
        if not array.dense:
            return self._permute(x, array, unmoved(len(array.shape)), out, stream)
        target, out = self._output(x, array, array.shape, out, stream)
        if not array.count:
            return out
        with _driver.current(_driver.common_device({"out": target, "x": array})):
            if (target.address | array.address) % COPY_ALIGNMENT:
                _check_apart(target, array)
                _driver.copy_bytes(target.address, array.address, array.bytes, self._stream((target, array), stream))
            else:
                self._launch(self._problem("copy", (array.count,), bits(array.item_bytes)), (target, array), stream)
        return out

    def submit(self, op: str, sizes: tuple[int, ...], dtype: Dtype, addresses: Sequence[int], stream: int,
               scalars: _native.Scalars = ()) -> None:
        """The shortest way to a launch: addresses in the operation's order, in the current context. `scalars`: names and values
        of those f32 that the operation declares as a number."""
        self._submit(self._problems.get((op, sizes, dtype, (), ())) or self._problem(op, sizes, dtype), addresses, stream, scalars)

    def transpose(self, x: Any, dim0: int = -2, dim1: int = -1, *, out: Any = None, stream: int | None = None) -> Any:
        """x with two dimensions exchanged, as a new contiguous array, or in `out`: the last two of a matrix or of a batch
        of matrices of any number of dimensions. As permute otherwise."""
        _check_stream(stream)
        array = as_array(x, stream)
        return self._permute(x, array, swapped(len(array.shape), dim0, dim1), out, stream)

    def permute(self, x: Any, dims: Sequence[int], *, out: Any = None, stream: int | None = None) -> Any:
        """x with its dimensions in another order, dimension i of the result being dims[i] of x, as a new contiguous array
        or in `out`; those below zero count from the end. Both may be views; one that repeats elements, as a broadcast
        does, is made contiguous before. No gradients: those are in autotune.permute."""
        _check_stream(stream)
        array = as_array(x, stream)
        return self._permute(x, array, order(len(array.shape), dims), out, stream)

    def prepare_permute(self, x: Any, dims: Sequence[int], *, out: Any = None) -> Found:
        """Compiles and loads for the current CUDA context what permute will use for such arrays."""
        array = as_array(x)
        return self._prepare(self._permutation(x, array, order(len(array.shape), dims), out, None)[0])

    # ---- within ----

    def _run_program(self, command: str, *arguments: str) -> str:
        """With what this tuner was opened with."""
        o = self._options
        named = {"db": o.database, "templates": o.templates, "headers": o.headers, "allow": o.allow}
        options = [f"--{name}={os.fsdecode(value).replace(':', ',') if name in ('headers', 'allow') else os.fsdecode(value)}"
                   for name, value in named.items() if value]
        environment = {k: v for k, v in os.environ.items() if not (o.no_environment and k.startswith("AUTOTUNE_"))}
        for name, value in (("AUTOTUNE_CACHE", o.cache), ("AUTOTUNE_NO_SHIPPED", b"1" if o.no_shipped else None)):
            if value is not None:
                environment[name] = os.fsdecode(value)
        nvrtc = _driver.load_nvrtc()
        if nvrtc:
            environment["AUTOTUNE_NVRTC"] = nvrtc
        return _program.run(os.fsdecode(o.program) if o.program else None, [command, *arguments, *options], environment)

    def _submit(self, problem: _native.ProblemStruct, addresses: Sequence[int], stream: int, scalars: _native.Scalars = ()) -> None:
        error = _native.ErrorStruct()
        _driver.load_nvrtc()
        count = len(addresses)
        buffers = (_native.BufferStruct * count)(*(_native.BufferStruct(address, 0) for address in addresses))
        if self._library.at_run(self._handle, problem, buffers, count, stream, _native.run_options(scalars), error):
            self._raise(error)

    def _permute(self, x: Any, array: Array, dims: tuple[int, ...], out: Any, stream: int | None) -> Any:
        problem, target, array, out = self._permutation(x, array, dims, out, stream)
        with _driver.current(_driver.common_device({"out": target, "x": array})):
            if array.count:
                self._launch(problem, (target, array), stream)
        return out

    def _permutation(self, x: Any, array: Array, dims: tuple[int, ...], out: Any,
                     stream: int | None) -> tuple[_native.ProblemStruct, Array, Array, Any]:
        """The problem, its buffers, and the array that is the result."""
        if any(stride < 1 and size > 1 for size, stride in zip(array.shape, array.strides)):
            x = made_dense(x, array, stream)
            array = as_array(x, stream)
        shape = tuple(array.shape[d] for d in dims)
        target, out = self._output(x, array, shape, out, stream, dense=False)
        strides = tuple(array.strides[d] for d in dims)
        return permutation(bits(array.item_bytes), shape, strides, target.strides), target, array, out

    def _output(self, x: Any, array: Array, shape: tuple[int, ...], out: Any, stream: int | None, *,
                dense: bool = True) -> tuple[Array, Any]:
        if out is None:
            out = empty_like(x, array, shape)
        target = as_array(out, stream)
        check_output(target, shape, array, dense)
        return target, out

    def _launch(self, problem: _native.ProblemStruct, buffers: Sequence[Array | int], stream: int | None,
                scalars: _native.Scalars = ()) -> None:
        """In the current context."""
        chosen = self._stream(buffers, stream)
        _driver.load_nvrtc()
        given = (_native.BufferStruct * len(buffers))(*map(_buffer, buffers))
        self._call("at_run", self._handle, problem, given, len(buffers), chosen, _native.run_options(scalars))

    def _stream(self, buffers: Sequence[Array | int], stream: int | None) -> int:
        """Where to submit. What is made on other streams is waited for."""
        chosen, others = common_stream((buffer for buffer in buffers if isinstance(buffer, Array)), stream)
        for other in others:
            _driver.wait_for(other)
        return chosen

    def _buffers_of(self, problem: _native.ProblemStruct) -> tuple[Arg, ...]:
        key = bytes(problem)
        if key not in self._buffers:  # looked up: to prepare would compile, which the first run may do without
            here = _driver.current_device()
            found = self._find(problem, _native.TargetStruct(device=str(here).encode()), False) if here >= 0 else None
            self._buffers[key] = found.buffers if found and found.buffers else self._prepare(problem).buffers
        return self._buffers[key]

    def _prepare(self, problem: _native.ProblemStruct) -> Found:
        found = ctypes.POINTER(_native.FoundStruct)()
        _driver.load_nvrtc()
        self._call("at_prepare", ctypes.byref(found), self._handle, problem, None)
        return _native.shown(found.contents)

    def _problem(self, op: str, sizes: Sequence[int] | str, dtype: Dtype, pitches: Sequence[int] = (),
                 alignments: Sequence[int] = (), dims: Sequence[int] = ()) -> _native.ProblemStruct:
        if dims:
            sizes = with_order(sizes, dims)
        if isinstance(sizes, str):
            if pitches or alignments:
                raise ValueError(f"found the shape '{sizes}', and pitches or alignments; expected them within the shape")
            problem = _native.ProblemStruct()
            self._call("at_problem_parse", ctypes.byref(problem), self._handle,
                       f"{op} {sizes} {_native.type_name(dtype)}".encode())
            return problem
        key = (op, _sizes(sizes), dtype if isinstance(dtype, str) else _native.type_name(dtype), tuple(pitches), tuple(alignments))
        known = self._problems.get(key)
        if known is None:
            if not isinstance(op, str):
                raise TypeError(f"found a {type(op).__name__} as the operation; expected its name, as 'transpose'")
            number = _native.TYPES[_native.type_name(dtype)]
            known = _native.ProblemStruct(op=op.encode(), type=number, size_count=len(key[1]),
                                          sizes=_numbers("size", key[1], _native.MAX_SIZES),
                                          pitches=_numbers("pitch", pitches, _native.MAX_PITCHES),
                                          alignments=_numbers("alignment", alignments, _native.MAX_ALIGNMENTS))
            self._problems[key] = known
        return known

    def _call(self, name: str, *arguments: Any) -> None:
        error = _native.ErrorStruct()
        if getattr(self._library, name)(*arguments, error):
            self._raise(error)

    def _raise(self, error: _native.ErrorStruct) -> None:
        status = self._library.at_status_name(error.status).decode().replace(" ", "_")  # "not found"
        raise _native.ERRORS.get(status, Error)(status, _native.decoded(error.text))
