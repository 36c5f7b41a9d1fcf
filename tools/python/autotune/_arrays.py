"""Arrays on a GPU, whoever's they are: PyTorch tensors, __cuda_array_interface__ (CuPy, Numba, ...), DLPack (JAX, ...),
or plain addresses. JAX has both protocols, and only by DLPack says when an array is ready."""

from __future__ import annotations

import contextlib
import ctypes
import math
import numbers
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._native import SPELLINGS

LEGACY_STREAM = 1  # what both protocols call the default stream; 0 is ambiguous to them
_CUDA_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged
_OTHER_DEVICES = {1: "the CPU", 3: "the CPU, pinned for CUDA", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI"}
_KINDS = {"b": "u", "i": "i", "u": "u", "f": "f", "c": "c"}
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "u"}  # 6: bool


@dataclass(frozen=True)
class Array:
    """Strides in elements. `dtype`: None for elements without a name of ours, such as float8. `stream`: on which the
    contents are made, None when they are there. `device`: the GPU's number, None when it was not said. `owner`: what must
    live until the work is submitted."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str | None
    item_bytes: int
    stream: int | None = None
    device: int | None = None
    owner: Any = field(default=None, repr=False)
    writable: bool = True

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.count * self.item_bytes

    @property
    def elements(self) -> str:
        """For messages."""
        return self.dtype or f"elements of {self.item_bytes} bytes"

    @property
    def dense(self) -> bool:
        return self.count == 0 or all(size == 1 or stride == expected for size, stride, expected
                                      in zip(self.shape, self.strides, row_major(self.shape)))


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


# ---- the order of dimensions ----


def _dimension(rank: int, name: str, dim: int) -> int:
    if type(dim) is not int and not isinstance(dim, numbers.Integral):  # the first takes a tenth of the second's time
        raise TypeError(f"found a {type(dim).__name__} as {name}; expected an integer (an output is given as out=)")
    return int(dim) + rank if -rank <= dim < 0 else int(dim)


def order(rank: int, dims: Sequence[int]) -> tuple[int, ...]:
    """Each dimension once; those below zero count from the end."""
    found = tuple(_dimension(rank, "a dimension", dim) for dim in dims)
    if sorted(found) != list(range(rank)):
        raise ValueError(f"found dims {tuple(dims)}; expected each of 0 to {rank - 1} once")
    return found


def swapped(rank: int, dim0: int = -2, dim1: int = -1) -> tuple[int, ...]:
    """The order in which two dimensions are exchanged."""
    found, first, second = list(range(rank)), _dimension(rank, "dim0", dim0), _dimension(rank, "dim1", dim1)
    if not (0 <= first < rank and 0 <= second < rank):
        raise ValueError(f"found {rank} dimensions; expected two or more, and dim0={dim0} and dim1={dim1} among them")
    found[first], found[second] = second, first
    return tuple(found)


def unmoved(rank: int) -> tuple[int, ...]:
    """The order of a copy."""
    return tuple(range(rank))


def inverse(dims: Sequence[int]) -> tuple[int, ...]:
    return tuple(dims.index(d) for d in range(len(dims)))


def is_torch(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_jax(value: object) -> bool:
    """Whether it is JAX's: then it may not be written."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


# ---- PyTorch ----

_BITS = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}


def bits(item_bytes: int) -> str:
    """The type of an operation that only moves elements of so many bytes."""
    if item_bytes not in _BITS:
        raise ValueError(f"found elements of {item_bytes} bytes; expected one of {', '.join(map(str, _BITS))}")
    return _BITS[item_bytes]


def _from_torch(tensor: Any, stream: int | None) -> Array:
    import torch

    if not tensor.is_cuda:
        raise ValueError(f"found a tensor on {tensor.device}; expected one on a GPU: x.cuda()")
    if tensor.layout != torch.strided:
        raise ValueError(f"found a tensor of the layout {tensor.layout}; expected a dense one: x.to_dense()")
    if tensor.is_conj() or tensor.is_neg():
        raise ValueError("found a lazily conjugated or negated view; expected x.resolve_conj().resolve_neg()")
    if stream is None:
        stream = torch.cuda.current_stream(tensor.device).cuda_stream
    return Array(tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()),
                 SPELLINGS.get(str(tensor.dtype).removeprefix("torch.")), tensor.element_size(), stream,
                 tensor.device.index, tensor)


# ---- __cuda_array_interface__ ----


def _from_interface(value: Any) -> Array:
    interface = value.__cuda_array_interface__
    kind, item_bytes = interface["typestr"][1], int(interface["typestr"][2:])
    if kind not in (*_KINDS, "V") or interface["typestr"][0] == ">":
        raise ValueError(f"found elements '{interface['typestr']}'; expected numbers in this machine's byte order")
    shape = tuple(interface["shape"])
    given = interface.get("strides")
    if given and any(step % item_bytes for step in given):
        raise ValueError(f"found strides of {given} bytes; expected multiples of an element's {item_bytes}")
    strides = tuple(step // item_bytes for step in given) if given else row_major(shape)
    name = f"{_KINDS[kind]}{8 * item_bytes}" if kind in _KINDS else None
    return Array(interface["data"][0], shape, strides, name, item_bytes, interface.get("stream"), None, value,
                 not interface["data"][1])


# ---- DLPack ----


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _from_dlpack(value: Any, stream: int | None) -> Array:
    """The capsule stays ours and is destroyed unused, with what it holds, when the array goes: we keep no data."""
    kind, device = value.__dlpack_device__()
    if kind not in _CUDA_DEVICES:
        where = _OTHER_DEVICES.get(int(kind), f"DLPack's device type {int(kind)}")
        raise ValueError(f"found an array on {where}; expected one on an NVIDIA GPU")
    capsule = value.__dlpack__(stream=stream or LEGACY_STREAM)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DLTensor.from_address(pointer(capsule, b"dltensor"))
    if tensor.code not in _DLPACK_KINDS or tensor.lanes != 1 or tensor.bits % 8:
        raise ValueError(f"found DLPack's type {tensor.code} of {tensor.bits} bits; expected numbers of whole bytes")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(tensor.strides[:tensor.ndim]) if tensor.strides else row_major(shape)
    return Array((tensor.data or 0) + tensor.byte_offset, shape, strides, f"{_DLPACK_KINDS[tensor.code]}{tensor.bits}",
                 tensor.bits // 8, stream or LEGACY_STREAM, device, (value, capsule), not is_jax(value))


# ---- all of them ----


def as_array(value: Any, stream: int | None = None) -> Array:
    """`stream`: on which the array will be used, or None: where its framework works now."""
    if isinstance(value, Array):
        return value
    if is_torch(value):
        return _from_torch(value, stream)
    if is_jax(value):
        if isinstance(value, sys.modules["jax"].core.Tracer):
            raise ValueError("found an array of JAX within a transformation; expected autotune.transpose, permute, copy, or "
                             "run with jax.ShapeDtypeStruct for outputs")
        return _from_dlpack(value, stream)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_interface(value)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, stream)
    raise TypeError(f"found a {type(value).__name__}; expected an array on a GPU: a PyTorch tensor, or what has "
                    "__cuda_array_interface__ or __dlpack__")


def common_stream(arrays: Iterable[Array], given: int | None) -> tuple[int, set[int]]:
    """Where to launch: on the given stream, else on that of the first that has one; and the others, which must be waited
    for."""
    streams = [array.stream for array in arrays if array.stream is not None]
    chosen = given if given is not None else streams[0] if streams else 0
    return chosen, {stream for stream in streams if (stream or LEGACY_STREAM) != (chosen or LEGACY_STREAM)}


def _external(cuda: Any, stream: int, device: Any) -> Any:
    """PyTorch and CuPy know the default stream as 0 alone."""
    return cuda.ExternalStream(0 if stream == LEGACY_STREAM else stream, device)


def made_dense(value: Any, array: Array, stream: int | None) -> Any:
    """A contiguous copy by the array's own framework, of a view that repeats elements or goes backwards. It is made on `stream`,
    if one was given, and its memory belongs to that stream: the copy is freed before the kernel that reads it has ended."""
    framework = type(value).__module__.partition(".")[0]
    if is_torch(value):
        torch = sys.modules["torch"]
        with contextlib.nullcontext() if stream is None else torch.cuda.stream(_external(torch.cuda, stream, value.device)):
            return value.clone(memory_format=torch.contiguous_format)
    if framework == "cupy":
        with contextlib.nullcontext() if stream is None else _external(sys.modules["cupy"].cuda, stream, value.device.id):
            return value.copy()
    raise ValueError(f"found strides {array.strides}; expected strides of 1 or more: make the array contiguous before")


def empty_like(value: Any, array: Array, shape: tuple[int, ...]) -> Any:
    """A new contiguous array of the same framework, type and device."""
    framework = type(value).__module__.partition(".")[0]
    if is_torch(value):
        return value.new_empty(shape)
    if framework == "cupy":
        import cupy

        with cupy.cuda.Device(value.device.id):
            return cupy.empty(shape, dtype=value.dtype)
    if is_jax(value):
        raise ValueError("cannot allocate an array for JAX here: expected autotune.transpose, permute or copy, which return one")
    raise ValueError(f"cannot allocate an array for {framework}: expected out=, an array of shape {shape} and of "
                     f"elements of {array.item_bytes} bytes")
