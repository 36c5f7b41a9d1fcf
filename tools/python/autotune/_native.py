"""include/autotune/autotune.h in ctypes: the structures, and libautotune.so with the types of its calls."""

from __future__ import annotations

import ctypes
import ctypes.util
import glob
import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_SIZES, MAX_PITCHES, MAX_ALIGNMENTS, MAX_RANK = 6, 2, 4, 8
TYPES = ("u8", "i8", "f16", "bf16", "u16", "i16", "f32", "i32", "u32", "f64", "i64", "u64", "c64", "c128")
# NumPy's and PyTorch's names of them. Left out: those of other widths in other libraries, such as float, int and byte.
SPELLINGS = {"uint8": "u8", "bool": "u8", "int8": "i8", "float16": "f16", "half": "f16", "bfloat16": "bf16",
             "uint16": "u16", "int16": "i16", "float32": "f32", "int32": "i32", "uint32": "u32", "float64": "f64",
             "double": "f64", "int64": "i64", "uint64": "u64", "complex64": "c64", "complex128": "c128"}
TYPE_BYTES = {name: int(name.lstrip("uifbc")) // 8 for name in TYPES}
ROLES = ("scalar", "input", "output", "inout", "scratch")
MATCHES = ("exact", "near", "other_device", "none", "predicted")
HERE = Path(__file__).resolve().parent


class Error(Exception):
    """What the library said; `status` is its word for the kind: "device", "input", ..."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status


class ArgumentError(Error, ValueError):
    """The library refused an argument of the call; `status` is "usage" or "input"."""


def _spelled(dtype: Any) -> str:
    """The text of a type that may be a text, a dtype of NumPy or PyTorch, or a class such as numpy.float32."""
    if isinstance(dtype, str):
        return dtype
    if isinstance(dtype, type):
        return dtype.__name__.removesuffix("_")  # NumPy 1 has bool_
    if type(dtype).__name__ == "dtype" and type(dtype).__module__ == "torch":
        return str(dtype).removeprefix("torch.")
    name = getattr(dtype, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"found a {type(dtype).__name__} as the type; expected a text such as 'f32', or the dtype of an array of "
                        "PyTorch, NumPy or JAX")
    return name if getattr(dtype, "isnative", True) else str(dtype)


def type_name(dtype: Any) -> str:
    """The library's name of a type: "f32" of "f32", "float32", numpy.float32, x.dtype."""
    spelled = _spelled(dtype)
    name = SPELLINGS.get(spelled, spelled)
    if name not in TYPES:
        raise ValueError(f"found the type '{spelled}'; expected one of {' '.join(TYPES)}, or NumPy's or PyTorch's name of one")
    return name


class ErrorStruct(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class ProblemStruct(ctypes.Structure):
    _fields_ = [("op", ctypes.c_char_p), ("type", ctypes.c_int), ("size_count", ctypes.c_int),
                ("sizes", ctypes.c_int64 * MAX_SIZES), ("pitches", ctypes.c_int64 * MAX_PITCHES),
                ("alignments", ctypes.c_int64 * MAX_ALIGNMENTS)]


class LayoutStruct(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("extents", ctypes.c_int64 * MAX_RANK),
                ("strides_in", ctypes.c_int64 * MAX_RANK), ("strides_out", ctypes.c_int64 * MAX_RANK)]


class LaidOutStruct(ProblemStruct):
    """A problem of an operation that looks at its layout; of others it may be left out."""
    _fields_ = [("layout", LayoutStruct)]


class OpenOptionsStruct(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("database", ctypes.c_char_p), ("cache", ctypes.c_char_p),
                ("templates", ctypes.c_char_p), ("without_shipped", ctypes.c_int),
                ("tune_s", ctypes.c_double), ("tune_in_background", ctypes.c_int), ("program", ctypes.c_char_p),
                ("headers", ctypes.c_char_p), ("allow", ctypes.c_char_p)]


class TargetStruct(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("device", ctypes.c_char_p), ("cc", ctypes.c_int), ("sms", ctypes.c_int)]


class ArgStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("type", ctypes.c_int), ("opaque", ctypes.c_int),
                ("buffer", ctypes.c_int), ("bytes", ctypes.c_int64), ("elements", ctypes.c_int64),
                ("value", ctypes.c_int64), ("align", ctypes.c_int64)]


ArgList = ctypes.POINTER(ctypes.POINTER(ArgStruct))


class LaunchStruct(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3),
                ("shared_bytes", ctypes.c_int64), ("arg_count", ctypes.c_int), ("args", ArgList)]


class VariableStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("arg", ctypes.POINTER(ArgStruct))]


class MetricStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double)]


class FoundStruct(ctypes.Structure):
    _fields_ = [("match", ctypes.c_int), ("why", ctypes.c_char_p), ("warning", ctypes.c_char_p),
                ("op", ctypes.c_char_p), ("shape", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("device", ctypes.c_char_p), ("cc", ctypes.c_int), ("sms", ctypes.c_int),
                ("template_name", ctypes.c_char_p), ("config", ctypes.c_char_p),
                ("launch_count", ctypes.c_int), ("launches", ctypes.POINTER(ctypes.POINTER(LaunchStruct))),
                ("variable_count", ctypes.c_int), ("variables", ctypes.POINTER(ctypes.POINTER(VariableStruct))),
                ("buffer_count", ctypes.c_int), ("buffers", ArgList),
                ("measured_device", ctypes.c_char_p), ("measured_shape", ctypes.c_char_p),
                ("measured_at", ctypes.c_char_p),
                ("median_s", ctypes.c_double), ("gb_per_s", ctypes.c_double), ("ceiling_s", ctypes.c_double),
                ("origin", ctypes.c_char_p), ("gflop_per_s", ctypes.c_double),
                ("metric_count", ctypes.c_int), ("metrics", ctypes.POINTER(MetricStruct)),
                ("expected_s", ctypes.c_double), ("doubt", ctypes.c_double)]


@dataclass(frozen=True)
class Arg:
    """An argument of the operation. `buffer`: its place in Found.buffers, None of a scalar. `value`: of a scalar.
    `bytes`, `elements`, `align`: of a buffer. `opaque`: its elements are only moved, so that any type of that size will do."""

    name: str
    role: str
    type: str
    opaque: bool
    buffer: int | None
    bytes: int
    elements: int
    value: int
    align: int


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel, whose arguments are in its own order; at_launch in autotune.h says more."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    args: tuple[Arg, ...]


@dataclass(frozen=True)
class Found:
    """An answer; at_found in autotune.h says what each member means. `buffers`: what run takes, in its order;
    `variables`: of the kernels' code, with the buffer that each is filled from. A metric without a value is NaN; a time that
    nobody expects, and the doubt about it, are None."""

    match: str
    why: str
    warning: str
    op: str
    shape: str
    type: str
    device: str
    cc: int
    sms: int
    template_name: str | None
    config: str
    launches: tuple[Launch, ...]
    variables: Mapping[str, Arg]
    buffers: tuple[Arg, ...]
    measured_device: str
    measured_shape: str
    measured_at: str
    median_s: float
    gb_per_s: float
    ceiling_s: float
    origin: str
    gflop_per_s: float
    metrics: Mapping[str, float]
    expected_s: float | None
    doubt: float | None
    source: str | None = None


def decoded(text: bytes) -> str:
    """What files and databases of others hold need not be UTF-8: a comment in a kernel, a device's name."""
    return text.decode(errors="replace")


def _arg(arg: ArgStruct) -> Arg:
    return Arg(arg.name.decode(), ROLES[arg.role], TYPES[arg.type], bool(arg.opaque),
               None if arg.buffer < 0 else arg.buffer, arg.bytes, arg.elements, arg.value, arg.align)


def _args(args: Any, count: int) -> tuple[Arg, ...]:
    return tuple(_arg(arg.contents) for arg in args[:count])


def _launch(launch: LaunchStruct) -> Launch:
    return Launch(decoded(launch.kernel), tuple(launch.grid), tuple(launch.block), launch.shared_bytes,
                  _args(launch.args, launch.arg_count))


def shown(found: FoundStruct, source: str | None = None) -> Found:
    """A copy in Python's own types, which outlives the tuner."""
    values: dict[str, Any] = {field[0]: getattr(found, field[0]) for field in FoundStruct._fields_
                              if not field[0].endswith("_count")}
    values = {name: decoded(v) if isinstance(v, bytes) else v for name, v in values.items()}
    values["match"] = MATCHES[found.match]
    values["launches"] = tuple(_launch(launch.contents) for launch in found.launches[:found.launch_count])
    values["variables"] = {decoded(variable.contents.name): _arg(variable.contents.arg.contents)
                           for variable in found.variables[:found.variable_count]}
    values["buffers"] = _args(found.buffers, found.buffer_count)
    values["metrics"] = {metric.name.decode(): metric.value for metric in found.metrics[:found.metric_count]}
    if not found.expected_s:
        values["expected_s"] = values["doubt"] = None
    return Found(**values, source=source)


def device_text(device: str | int | None) -> bytes | None:
    """As at_target has it: a number is a GPU of this machine, a text a name."""
    if device is None or isinstance(device, str):
        return device.encode() if device else None
    if isinstance(device, bool) or not hasattr(device, "__index__") or device.__index__() < 0:
        raise TypeError(f"found device={device!r}; expected a GPU's number, or a device's name, as 'NVIDIA H200'")
    return b"%d" % device.__index__()


def installed_program() -> str | None:
    """`autotune` as it was installed with this module, or built in the sources that it is in."""
    beside = [Path(sysconfig.get_path("scripts")) / "autotune", HERE.parents[2] / "build" / "autotune"]
    return next((str(path) for path in beside if path.is_file() and os.access(path, os.X_OK)), None)


def library_path(path: str | os.PathLike[str] | None = None) -> str:
    """$AUTOTUNE_LIBRARY, the one beside this module, the one in build/ of the sources, the one that `pip install -e`
    installed, the system's."""
    given = path or os.environ.get("AUTOTUNE_LIBRARY")
    if given:
        return os.fspath(given)
    built = sorted(glob.glob(str(HERE.parents[2] / "build" / "libautotune.so*")))
    editable = (os.path.join(place, "autotune", "libautotune.so") for place in sys.path
                if os.path.isabs(place))
    for found in (str(HERE / "libautotune.so"), *built, *editable):
        if os.path.exists(found):
            return found
    installed = ctypes.util.find_library("autotune")
    if not installed:
        raise Error("not_found", "no libautotune.so: `pip install .` in the sources of autotune installs it with this "
                                 "module, `cmake --build build` makes it; or set AUTOTUNE_LIBRARY to its path")
    return installed


def load(path: str | os.PathLike[str] | None = None) -> ctypes.CDLL:
    """The library, with the types of all calls that are made."""
    library = ctypes.CDLL(library_path(path))
    pointer, problem = ctypes.c_void_p, ctypes.POINTER(ProblemStruct)
    error, found = ctypes.POINTER(ErrorStruct), ctypes.POINTER(FoundStruct)
    library.at_version.restype = ctypes.c_char_p
    library.at_status_name.restype = ctypes.c_char_p
    library.at_open.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(OpenOptionsStruct), error]
    library.at_close.argtypes = [pointer]
    library.at_close.restype = None
    library.at_find.argtypes = [ctypes.POINTER(found), pointer, problem, ctypes.POINTER(TargetStruct), error]
    library.at_found_close.argtypes = [found]
    library.at_found_close.restype = None
    library.at_source.argtypes = [ctypes.POINTER(pointer), found, error]
    library.at_free.argtypes = [pointer]
    library.at_free.restype = None
    library.at_prepare.argtypes = [ctypes.POINTER(found), pointer, problem, error]
    library.at_run.argtypes = [pointer, problem, ctypes.POINTER(pointer), ctypes.c_int, pointer, error]
    return library
