"""JAX's arrays, eagerly and within jax.jit: a primitive that XLA executes by calling us, on its stream, with buffers that it
has allocated. That is XLA's foreign function interface, whose structures (xla/ffi/api/c_api.h, unchanged since they were
published) are here in ctypes, so that nothing needs a compiler. On other platforms than CUDA the primitive is JAX's own
transpose, so that a model is the same everywhere.

A call says all that it needs in one attribute, as JSON: compiled programs may be stored and read again elsewhere.
"""

from __future__ import annotations

import ctypes
import functools
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _driver, _native, default
from ._arrays import Array, bits, inverse, order, row_major, swapped, unmoved
from ._tuner import COPY_ALIGNMENT, Dtype, check_elements, in_order, permutation

try:
    import jax.ffi
except ImportError:
    raise ImportError(f"found JAX {jax.__version__}; expected 0.5 or newer, whose programs can call ours") from None

TARGET = "autotune"

# ---- XLA's structures; each begins with its size and a list of extensions ----

_BEGIN: list[Any] = [("size_bytes", ctypes.c_size_t), ("extension", ctypes.c_void_p)]
_METADATA = 1  # XLA_FFI_Extension_Metadata
_INTERNAL = 13  # XLA_FFI_Error_Code_INTERNAL


class _Extension(ctypes.Structure):
    _fields_ = [("size_bytes", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.c_void_p)]


class _Version(ctypes.Structure):
    _fields_ = [*_BEGIN, ("major", ctypes.c_int), ("minor", ctypes.c_int)]


class _Metadata(ctypes.Structure):
    _fields_ = [("size_bytes", ctypes.c_size_t), ("version", _Version), ("traits", ctypes.c_uint32)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [("base", _Extension), ("metadata", ctypes.POINTER(_Metadata))]


class _Api(ctypes.Structure):
    _fields_ = [*_BEGIN, ("version", _Version), ("internal", ctypes.c_void_p), ("error_create", ctypes.c_void_p),
                ("error_message", ctypes.c_void_p), ("error_destroy", ctypes.c_void_p),
                ("handler_register", ctypes.c_void_p), ("stream_get", ctypes.c_void_p)]


class _Buffer(ctypes.Structure):
    _fields_ = [*_BEGIN, ("dtype", ctypes.c_int), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


class _Span(ctypes.Structure):
    _fields_ = [("at", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class _Buffers(ctypes.Structure):
    _fields_ = [*_BEGIN, ("count", ctypes.c_int64), ("types", ctypes.c_void_p),
                ("items", ctypes.POINTER(ctypes.POINTER(_Buffer)))]


class _Attributes(ctypes.Structure):
    """Ours are one: a string."""
    _fields_ = [*_BEGIN, ("count", ctypes.c_int64), ("types", ctypes.c_void_p), ("names", ctypes.c_void_p),
                ("items", ctypes.POINTER(ctypes.POINTER(_Span)))]


class _Call(ctypes.Structure):
    _fields_ = [*_BEGIN, ("api", ctypes.POINTER(_Api)), ("context", ctypes.c_void_p), ("stage", ctypes.c_int),
                ("inputs", _Buffers), ("results", _Buffers), ("attributes", _Attributes), ("future", ctypes.c_void_p)]


class _StreamGet(ctypes.Structure):
    _fields_ = [*_BEGIN, ("context", ctypes.c_void_p), ("stream", ctypes.c_void_p)]


class _ErrorCreate(ctypes.Structure):
    _fields_ = [*_BEGIN, ("message", ctypes.c_char_p), ("code", ctypes.c_int)]


_ENTRY = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)  # of the interface, and a handler


class _Failed(Exception):
    """XLA's own error, to be handed back."""


# ---- what XLA calls ----


@functools.lru_cache(maxsize=4096)
def _plan(text: bytes) -> tuple[_native.ProblemStruct, tuple[int, ...], int, _native.Scalars]:
    """Of a call's attribute: the problem, which of the operation's buffers are results, the bytes that a copy moves, else 0,
    and scalars that have another value than the declared one."""
    said = json.loads(text)
    if said["op"] == "permute":
        shape, dims = said["sizes"], said["dims"]
        strides, out = row_major(shape), tuple(shape[d] for d in dims)
        return permutation(said["type"], out, tuple(strides[d] for d in dims), row_major(out)), (0,), 0, ()
    copied = said.get("bytes", 0)
    return default()._problem(said["op"], said["sizes"], said["type"]), tuple(said["results"]), copied, tuple((name, value) for name, value in said.get("scalars", ()))


def _stream_of(call: _Call) -> int:
    asked = _StreamGet(ctypes.sizeof(_StreamGet), None, call.context, None)
    failed = _ENTRY(call.api.contents.stream_get)(ctypes.addressof(asked))
    if failed:
        raise _Failed(failed)
    return asked.stream or 0


def _launch(call: _Call) -> None:
    said = call.attributes.items[0].contents
    problem, results, copied, scalars = _plan(ctypes.string_at(said.at, said.count))
    inputs = iter(call.inputs.items[i].contents.data for i in range(call.inputs.count))
    given = iter(call.results.items[i].contents.data for i in range(call.results.count))
    buffers = [next(given if i in results else inputs) for i in range(call.inputs.count + call.results.count)]
    stream = _stream_of(call)
    with _driver.current(next((_driver.device_of(buffer) for buffer in buffers if buffer), None)):
        if copied and (buffers[0] | buffers[1]) % COPY_ALIGNMENT:
            _driver.copy_bytes(buffers[0], buffers[1], copied, stream)
        else:
            default()._launch(problem, buffers, stream, scalars)


def _describe(extension: int) -> None:
    """XLA asks once for which version of its interface we are; it is any that has these structures, so its own."""
    described = _MetadataExtension.from_address(extension).metadata.contents
    described.version.major, described.version.minor = 0, _minor_version()
    described.traits = 0


def _minor_version() -> int:
    try:
        with open(f"{jax.ffi.include_dir()}/xla/ffi/api/c_api.h", encoding="utf-8") as header:
            return int(re.search(r"define XLA_FFI_API_MINOR (\d+)", header.read())[1])  # type: ignore[index]
    except (OSError, TypeError):
        return 1


@_ENTRY
def _handle(address: int) -> int | None:
    """Never raises: what went wrong becomes XLA's error, and so an exception of JAX."""
    call = _Call.from_address(address)
    if call.extension and _Extension.from_address(call.extension).type == _METADATA:
        _describe(call.extension)
        return None
    try:
        _launch(call)
    except _Failed as failed:
        return int(failed.args[0])
    except Exception as error:  # noqa: BLE001
        made = _ErrorCreate(ctypes.sizeof(_ErrorCreate), None, f"autotune: {error}".encode(), _INTERNAL)
        return int(_ENTRY(call.api.contents.error_create)(ctypes.addressof(made)) or 0)
    return None


# ---- the primitive: dimensions in another order ----

_permute = Primitive("autotune_permute")


def _turned(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    return tuple(shape[d] for d in dims)


@_permute.def_abstract_eval
def _(x: Any, *, order: tuple[int, ...]) -> Any:
    return jax.core.ShapedArray(_turned(x.shape, order), x.dtype)


@functools.partial(jax.jit, static_argnames="order")
def _permuted(x: Any, order: tuple[int, ...]) -> Any:
    return _permute.bind(x, order=order) if x.size else x.transpose(order)


_permute.def_impl(lambda x, *, order: _permuted(x, order))


ad.deflinear2(_permute, lambda cotangent, _, *, order: [_permute.bind(cotangent, order=inverse(order))])


def _batched(args: Sequence[Any], batch: Sequence[int], *, order: tuple[int, ...]) -> tuple[Any, int]:
    at = batch[0]
    return _permute.bind(args[0], order=(at, *(d + (d >= at) for d in order))), 0


batching.primitive_batchers[_permute] = _batched


def _said(shape: Sequence[int], dims: tuple[int, ...], item_bytes: int) -> str:
    """The attribute: what of our operations it is."""
    rank, count = len(dims), math.prod(shape)
    said: dict[str, Any] = {"op": "permute", "sizes": list(shape), "type": bits(item_bytes), "dims": dims}
    if dims == unmoved(rank):
        said = {"op": "copy", "sizes": [count], "type": bits(item_bytes), "results": [0], "bytes": count * item_bytes}
    elif rank in (2, 3) and dims == swapped(rank):
        said = {"op": "transpose", "sizes": list(shape), "type": bits(item_bytes), "results": [0]}
    return json.dumps(said)


def _call_us(context: Any, x: Any, *, order: tuple[int, ...]) -> Any:
    aval = context.avals_in[0]
    return jax.ffi.ffi_lowering(TARGET)(context, x, problem=_said(aval.shape, order, aval.dtype.itemsize))


def register(platform: str, lowered: str) -> None:
    """Has a platform's programs call us; `lowered` is its name in JAX, `platform` that in XLA."""
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(ctypes.cast(_handle, ctypes.c_void_p).value), platform=platform)
    mlir.register_lowering(_permute, _call_us, platform=lowered)


mlir.register_lowering(_permute, mlir.lower_fun(lambda x, *, order: jax.lax.transpose(x, order), multiple_results=False))
register("CUDA", "cuda")


# ---- as functions ----


def is_jax(value: object) -> bool:
    return isinstance(value, (jax.Array, jax.ShapeDtypeStruct))


def _whole(x: Any) -> Any:
    """x, if its elements are numbers of whole bytes."""
    if not isinstance(x.dtype, numpy.dtype) or re.search(r"(int|float)[1-6](_|$)", str(x.dtype)):
        raise ValueError(f"found elements {x.dtype}; expected numbers of whole bytes")
    return x


def _moved(x: Any, dims: tuple[int, ...], out: Any) -> Any:
    if out is not None:
        raise ValueError("out: found one beside an array of JAX, whose arrays may not be written; leave it away, the result "
                         "is a new array")
    if len(dims) > _native.MAX_RANK:  # here, where it can be said in words: XLA would only report a failed call
        raise ValueError(f"found {len(dims)} dimensions; expected at most {_native.MAX_RANK}")
    return _permuted(_whole(x), dims)


def transpose(x: Any, dim0: int = -2, dim1: int = -1, *, out: Any = None) -> Any:
    return _moved(x, swapped(len(x.shape), dim0, dim1), out)


def permute(x: Any, dims: Sequence[int], *, out: Any = None) -> Any:
    return _moved(x, order(len(x.shape), dims), out)


def copy(x: Any, *, out: Any = None) -> Any:
    return _moved(x, unmoved(len(x.shape)), out)


def _device() -> dict[str, Any]:
    """The GPU that JAX works on, as a question names one: for it a valid kernel is chosen where nothing was measured."""
    for device in jax.local_devices():
        cc = re.fullmatch(r"(\d+)\.(\d)", str(getattr(device, "compute_capability", "")))
        if cc:
            return {"device": device.device_kind, "arch": f"sm_{cc[1]}{cc[2]}", "sms": getattr(device, "core_count", 0)}
    return {}


def run(op: str, sizes: Sequence[int] | str, dtype: Dtype, buffers: Mapping[str, Any] | Sequence[Any]) -> Any:
    """The new arrays for which jax.ShapeDtypeStruct stands among the buffers: one, or a tuple of them."""
    dtype = _native.type_name(dtype)
    found = default().find(op, sizes, dtype, **_device())
    if not found.buffers:
        shape = sizes if isinstance(sizes, str) else "x".join(map(str, sizes))
        raise ValueError(f"found no kernel for {op} {shape} {dtype}; expected one that was tuned: {found.why}")
    args = found.buffers
    ordered = in_order(args, buffers)
    for arg, buffer in zip(args, ordered):
        _check_role(arg, buffer)
    results = [i for i, buffer in enumerate(ordered) if isinstance(buffer, jax.ShapeDtypeStruct)]
    said = json.dumps({"op": op, "sizes": sizes if isinstance(sizes, str) else list(sizes), "type": dtype, "results": results})
    made = jax.ffi.ffi_call(TARGET, [ordered[i] for i in results])(
        *(buffer for i, buffer in enumerate(ordered) if i not in results), problem=said)
    return made[0] if len(made) == 1 else tuple(made)


def _check_role(arg: _native.Arg, buffer: Any) -> None:
    new = isinstance(buffer, jax.ShapeDtypeStruct)
    if arg.role not in ("input", "output", "scratch"):
        raise ValueError(f"{arg.name}: found an argument that is read and written; expected none with arrays of JAX, which "
                         "may not be written")
    if new != (arg.role != "input") or not is_jax(buffer):
        raise ValueError(f"{arg.name}: found a {type(buffer).__name__}; expected "
                         + ("an array of JAX" if arg.role == "input" else "jax.ShapeDtypeStruct(shape, dtype): JAX makes it"))
    kind, shape = _whole(buffer).dtype, tuple(buffer.shape)
    check_elements(arg, Array(0, shape, row_major(shape), _native.SPELLINGS.get(kind.name), kind.itemsize))
    if not new:
        refuse_cpu(arg.name, buffer)


def refuse_cpu(name: str, array: Any) -> None:
    """Outside of programs, which XLA places."""
    if not isinstance(array, jax.core.Tracer) and {d.platform for d in array.devices()} == {"cpu"}:
        raise ValueError(f"{name}: found an array of JAX on the CPU; expected one on a GPU")
