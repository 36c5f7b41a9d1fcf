"""What the caller's framework may have left to us: a CUDA context that is current, a stream that is waited for, and
NVRTC from NVIDIA's Python wheels. The driver is opened when it is first needed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib.util
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from ._arrays import Array
from ._native import Error

DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
NVRTC = ("libnvrtc.so.13", "libnvrtc.so.12")


@functools.lru_cache(maxsize=None)
def driver() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Error("device", "no CUDA driver: libcuda.so.1 could not be opened; install the NVIDIA driver. Without a "
                              "GPU autotune.find(...) tells what is known, and source= of its answer is the kernel"
                    ) from error
    library.cuPointerGetAttribute.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
    library.cuStreamSynchronize.argtypes = [ctypes.c_void_p]
    library.cuMemcpyDtoDAsync_v2.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
    library.cuCtxPushCurrent_v2.argtypes = [ctypes.c_void_p]
    _check("cuInit", library.cuInit(0))
    return library


def _check(name: str, code: int) -> None:
    if code:
        raise Error("device", f"{name}: the CUDA driver said {code}; `nvidia-smi` should list a GPU")


def _call(name: str, *arguments: object) -> None:
    _check(name, getattr(driver(), name)(*arguments))


@functools.lru_cache(maxsize=None)
def _primary_context(device: int) -> int:
    """Kept until the process ends, as frameworks do."""
    context = ctypes.c_void_p()
    _call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    return context.value or 0


def device_of(address: int) -> int:
    """The GPU that the memory is on."""
    device = ctypes.c_int(-1)
    if driver().cuPointerGetAttribute(ctypes.byref(device), DEVICE_ORDINAL, address):
        raise ValueError(f"found a buffer at {address:#x}; expected memory of a GPU")
    return device.value


def common_device(arrays: Mapping[str, Array]) -> int | None:
    """The one GPU that all of them are on; None: none of them has elements."""
    first = device = None
    for name, array in arrays.items():
        if not array.count:
            continue
        found = device_of(array.address) if array.device is None else array.device
        if device is None:
            first, device = name, found
        elif found != device:
            raise ValueError(f"{name}: found memory of GPU {found}; expected memory of GPU {device}, where {first} is")
    return device


def current_device() -> int:
    """The GPU of the current context; -1: there is none."""
    here = ctypes.c_int(-1)
    return here.value if driver().cuCtxGetDevice(ctypes.byref(here)) == 0 else -1


def is_current(device: int) -> bool:
    """Whether a context of this device is."""
    return current_device() == device


@contextlib.contextmanager
def current(device: int | None) -> Iterator[None]:
    """Within it a context of the device is current: the one that is already, else the primary one. None: any device."""
    if device is None or is_current(device):
        yield
        return
    before = ctypes.c_void_p()
    _call("cuCtxPushCurrent_v2", _primary_context(device))
    try:
        yield
    finally:
        _call("cuCtxPopCurrent_v2", ctypes.byref(before))


def copy_bytes(target: int, source: int, size: int, stream: int) -> None:
    """Within the device of the current context."""
    _call("cuMemcpyDtoDAsync_v2", target, source, size, stream)


def wait_for(stream: int) -> None:
    _call("cuStreamSynchronize", stream)


def nvrtc_folders() -> list[Path]:
    """Where NVIDIA's wheels for CUDA 13 and 12 have it, on this interpreter's path."""
    spec = importlib.util.find_spec("nvidia")
    places = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    return [place / part / "lib" for part in ("cu13", "cuda_nvrtc") for place in places]


@functools.lru_cache(maxsize=None)
def load_nvrtc() -> str | None:
    """Loads it from a wheel, wherever on the path that is: the library, which looks beside this module alone, then finds
    it loaded."""
    if os.environ.get("AUTOTUNE_NVRTC"):
        return None
    for name in (str(folder / name) for folder in nvrtc_folders() for name in NVRTC):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return None
