"""include/autotune/autotune.h in ctypes: the structures, and libautotune.so with the types of its calls."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import glob
import html
import os
import struct
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Optional

VERSION = 100  # of the header that is mirrored here, as AT_VERSION_NUMBER
MAX_SIZES, MAX_PITCHES, MAX_ALIGNMENTS, MAX_RANK = 16, 8, 16, 16
TYPES = {"u8": 10, "u16": 11, "u32": 12, "u64": 13, "i8": 20, "i16": 21, "i32": 22, "i64": 23,
         "f16": 30, "bf16": 31, "f32": 32, "f64": 33, "c64": 40, "c128": 41, "bool": 45}
# NumPy's and PyTorch's names of them. Left out: those of other widths in other libraries, such as float, int and byte.
SPELLINGS = {"uint8": "u8", "bool": "u8", "int8": "i8", "float16": "f16", "half": "f16", "bfloat16": "bf16",
             "uint16": "u16", "int16": "i16", "float32": "f32", "int32": "i32", "uint32": "u32", "float64": "f64",
             "double": "f64", "int64": "i64", "uint64": "u64", "complex64": "c64", "complex128": "c128"}
TYPE_BYTES = {name: 1 if name == "bool" else int(name.lstrip("uifbc")) // 8 for name in TYPES}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
ROLES = {1: "scalar", 2: "input", 3: "output", 4: "inout", 5: "scratch", 6: "tensor_map"}
MATCHES = {0: "none", 10: "other_device", 20: "predicted", 30: "near", 40: "exact"}
HERE = Path(__file__).resolve().parent


class Error(Exception):
    """What the library said; `status` is its word for the kind: "device", "input", ..."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(status, text)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[1])


class ArgumentError(Error, ValueError):
    """The library refused an argument of the call; `status` is "usage" or "input"."""


class DeviceError(Error):
    """GPU, driver or NVRTC is missing or said no; `status` is "device"."""


class StoreError(Error):
    """The database cannot be used; `status` is "store"."""


class NotFoundError(Error):
    """What was asked for does not exist; `status` is "not_found"."""


ERRORS = {"usage": ArgumentError, "input": ArgumentError, "device": DeviceError, "store": StoreError,
          "not_found": NotFoundError}


def spelled(dtype: Any) -> str:
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
    word = spelled(dtype)
    name = SPELLINGS.get(word, word)
    if name not in TYPES:
        raise ValueError(f"found the type '{word}'; expected one of {' '.join(TYPES)}, or NumPy's or PyTorch's name of one")
    return name


class ErrorStruct(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class Sized(ctypes.Structure):
    """A structure that begins with its size; members that are not given are 0."""

    _fields_: ClassVar[Any] = [("struct_bytes", ctypes.c_size_t)]

    def __init__(self, **members: Any) -> None:
        super().__init__(ctypes.sizeof(type(self)), **members)


class LayoutStruct(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("extents", ctypes.c_int64 * MAX_RANK),
                ("strides_in", ctypes.c_int64 * MAX_RANK), ("strides_out", ctypes.c_int64 * MAX_RANK)]


class ProblemStruct(Sized):
    _fields_ = [("op", ctypes.c_char_p), ("type", ctypes.c_int), ("size_count", ctypes.c_int),
                ("sizes", ctypes.c_int64 * MAX_SIZES), ("pitches", ctypes.c_int64 * MAX_PITCHES),
                ("alignments", ctypes.c_int64 * MAX_ALIGNMENTS), ("layout", LayoutStruct)]


class OpenOptionsStruct(Sized):
    _fields_ = [("database", ctypes.c_char_p), ("cache", ctypes.c_char_p),
                ("templates", ctypes.c_char_p), ("no_shipped", ctypes.c_int),
                ("tune_s", ctypes.c_double), ("tune_in_background", ctypes.c_int), ("program", ctypes.c_char_p),
                ("headers", ctypes.c_char_p), ("allow", ctypes.c_char_p), ("log", ctypes.c_void_p),
                ("log_context", ctypes.c_void_p), ("no_environment", ctypes.c_int),
                ("log_shapes", ctypes.c_char_p), ("packs", ctypes.c_char_p), ("no_compile", ctypes.c_int)]


class OpStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("about", ctypes.c_char_p), ("size_count", ctypes.c_int),
                ("sizes", ctypes.POINTER(ctypes.c_char_p)), ("takes_layout", ctypes.c_int),
                ("buffer_count", ctypes.c_int), ("buffers", ctypes.POINTER(ctypes.c_char_p)),
                ("scalar_count", ctypes.c_int), ("scalars", ctypes.POINTER(ctypes.c_char_p))]


class TargetStruct(Sized):
    _fields_ = [("device", ctypes.c_char_p), ("arch", ctypes.c_char_p), ("sms", ctypes.c_int)]


class BufferStruct(ctypes.Structure):
    _fields_ = [("address", ctypes.c_void_p), ("bytes", ctypes.c_int64)]


Scalars = tuple[tuple[str, float], ...]  # names and values


class ScalarStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_int64)]


class RunOptionsStruct(Sized):
    _fields_ = [("no_compile", ctypes.c_int), ("no_tuning", ctypes.c_int), ("scalars", ctypes.POINTER(ScalarStruct)),
                ("scalar_count", ctypes.c_int)]


class PointerStruct(ctypes.Structure):
    _fields_ = [("offset", ctypes.c_int64), ("buffer", ctypes.c_int)]


class ArgStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("type", ctypes.c_int), ("opaque", ctypes.c_int),
                ("buffer", ctypes.c_int), ("bytes", ctypes.c_int64), ("elements", ctypes.c_int64),
                ("value", ctypes.c_int64), ("align", ctypes.c_int64), ("contents", ctypes.c_void_p),
                ("pointer_count", ctypes.c_int), ("pointers", ctypes.POINTER(PointerStruct))]


ArgList = ctypes.POINTER(ctypes.POINTER(ArgStruct))


class LaunchStruct(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3),
                ("dynamic_shared_bytes", ctypes.c_int64), ("arg_count", ctypes.c_int), ("args", ArgList),
                ("cluster", ctypes.c_int64 * 3), ("cooperative", ctypes.c_int), ("programmatic", ctypes.c_int),
                ("carveout", ctypes.c_int)]


class VariableStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("arg", ctypes.POINTER(ArgStruct))]


class MetricStruct(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_double)]


class FoundStruct(ctypes.Structure):
    _fields_ = [("parts", ctypes.c_void_p), ("match", ctypes.c_int), ("why", ctypes.c_char_p), ("warning", ctypes.c_char_p),
                ("op", ctypes.c_char_p), ("shape", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("device", ctypes.c_char_p), ("arch", ctypes.c_char_p), ("sms", ctypes.c_int),
                ("template_name", ctypes.c_char_p), ("config", ctypes.c_char_p),
                ("launch_count", ctypes.c_int), ("launches", ctypes.POINTER(ctypes.POINTER(LaunchStruct))),
                ("variable_count", ctypes.c_int), ("variables", ctypes.POINTER(ctypes.POINTER(VariableStruct))),
                ("buffer_count", ctypes.c_int), ("buffers", ArgList),
                ("measured_device", ctypes.c_char_p), ("measured_shape", ctypes.c_char_p),
                ("measured_at", ctypes.c_char_p),
                ("median_s", ctypes.c_double), ("gb_per_s", ctypes.c_double), ("ceiling_s", ctypes.c_double),
                ("origin", ctypes.c_char_p), ("gflop_per_s", ctypes.c_double),
                ("metric_count", ctypes.c_int), ("metrics", ctypes.POINTER(ctypes.POINTER(MetricStruct))),
                ("expected_s", ctypes.c_double), ("expected_loss", ctypes.c_double)]


@dataclass(frozen=True)
class Op:
    """An operation as it is declared: the names of its sizes, in the order of a shape, of its buffers, in that of run, and of
    its scalars that have a value of their own."""

    name: str
    about: str
    sizes: tuple[str, ...]
    takes_layout: bool
    buffers: tuple[str, ...]
    scalars: tuple[str, ...]


Contents = Optional[bytes]  # a name, since Arg.bytes is a number


@dataclass(frozen=True)
class Arg:
    """An argument of the operation. `buffer`: its place in Found.buffers, None of a scalar. `value`: of a scalar.
    `bytes`, `elements`, `align`: of a buffer. `opaque`: its elements are only moved, so that any type of that size will do.
    `type` "struct": a struct by value, or a buffer of structs; `contents` are the bytes of the former, zero where the
    addresses of buffers belong: `pointers` are these offsets and places in Found.buffers. The role "tensor_map" is a
    CUtensorMap of a buffer."""

    name: str
    role: str
    type: str
    opaque: bool
    buffer: int | None
    bytes: int
    elements: int
    value: int
    align: int
    contents: Contents = None
    pointers: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        what = f" = {self.value}" if self.buffer is None and self.type != "struct" else f"[{self.elements}]"
        return f"<autotune.Arg {self.name}: {self.role} {self.type}{what}>"


@dataclass(frozen=True)
class Launch:
    """A launch of a kernel, whose arguments are in its own order; at_launch in autotune.h says more. `carveout`: the shared
    memory that is preferred, in percent, None where that is not set."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int
    args: tuple[Arg, ...]
    cluster: tuple[int, int, int] = (0, 0, 0)
    cooperative: bool = False
    programmatic: bool = False
    carveout: int | None = None


@dataclass(frozen=True)
class Found:
    """An answer; at_found in autotune.h says what each member means. `buffers`: what run takes, in its order;
    `variables`: of the kernels' code, with the buffer that each is filled from. Figures that are not
    known are None, a metric without a value is NaN."""

    match: str
    why: str
    warning: str
    op: str
    shape: str
    type: str
    device: str
    arch: str
    sms: int
    template_name: str | None
    config: str
    launches: tuple[Launch, ...]
    variables: Mapping[str, Arg]
    buffers: tuple[Arg, ...]
    measured_device: str
    measured_shape: str
    measured_at: str
    median_s: float | None
    gb_per_s: float | None
    ceiling_s: float | None
    origin: str
    gflop_per_s: float | None
    metrics: Mapping[str, float]
    expected_s: float | None
    expected_loss: float | None
    source: str | None = None

    def __repr__(self) -> str:
        time = self.median_s or self.expected_s
        return (f"<autotune.Found {self.op} {self.shape} {self.type} on {self.device}: {self.match}"
                f"{f', {self.template_name} {self.config}' if self.template_name else ''}"
                f"{f', {1e6 * time:.2f} us' if time else ''}>")

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        rows = {"match": f"{self.match} {self.why}", "template": self.template_name, "configuration": self.config, **self._figures(),
                "measured": f"{self.measured_shape} on {self.measured_device} {self.measured_at}" if self.measured_at else "",
                "from": self.origin, "warning": self.warning}
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(text))}</td></tr>" for name, text in rows.items() if text)
        source = f"<details><summary>kernel</summary><pre>{html.escape(self.source)}</pre></details>" if self.source else ""
        title = html.escape(f"{self.op} {self.shape} {self.type} on {self.device}")
        return f"<table><caption>{title}</caption>{cells}</table>{source}"

    def _figures(self) -> dict[str, str]:
        figures = {"time": f"{1e6 * self.median_s:.2f} us" if self.median_s else "",
                   "expected": f"{1e6 * self.expected_s:.2f} us" if self.expected_s else "",
                   "bandwidth": f"{self.gb_per_s:.4g} GB/s" if self.gb_per_s else "",
                   "ceiling": f"{100 * self.ceiling_s / self.median_s:.1f} % of it reached" if self.ceiling_s and self.median_s else ""}
        for i, launch in enumerate(self.launches):
            figures[f"launch {i + 1}" if len(self.launches) > 1 else "launch"] = (
                f"grid {' x '.join(map(str, launch.grid))}, block {' x '.join(map(str, launch.block))}, "
                f"{launch.dynamic_shared_bytes} bytes of dynamic shared memory")
        return figures


@functools.lru_cache(maxsize=64)
def run_options(scalars: Scalars) -> Any:
    """A pointer to the options of a call that gives these scalars, which are f32, a value. None: there are none."""
    if not scalars:
        return None
    given = (ScalarStruct * len(scalars))(*(ScalarStruct(name.encode(), struct.unpack("<i", struct.pack("<f", value))[0])
                                            for name, value in scalars))
    return ctypes.pointer(RunOptionsStruct(scalars=given, scalar_count=len(scalars)))


def decoded(text: bytes) -> str:
    """What files and databases of others hold need not be UTF-8: a comment in a kernel, a device's name."""
    return text.decode(errors="replace")


def _arg(arg: ArgStruct) -> Arg:
    return Arg(arg.name.decode(), ROLES[arg.role], TYPE_NAMES.get(arg.type, "struct"), bool(arg.opaque),
               None if arg.buffer < 0 else arg.buffer, arg.bytes, arg.elements, arg.value, arg.align,
               ctypes.string_at(arg.contents, arg.bytes) if arg.contents else None,
               tuple((pointer.offset, pointer.buffer) for pointer in arg.pointers[:arg.pointer_count]))


def _args(args: Any, count: int) -> tuple[Arg, ...]:
    return tuple(_arg(arg.contents) for arg in args[:count])


def _three(numbers: Any) -> tuple[int, int, int]:
    x, y, z = numbers
    return x, y, z


def _launch(launch: LaunchStruct) -> Launch:
    return Launch(decoded(launch.kernel), _three(launch.grid), _three(launch.block), launch.dynamic_shared_bytes,
                  _args(launch.args, launch.arg_count), _three(launch.cluster), bool(launch.cooperative), bool(launch.programmatic),
                  launch.carveout - 1 if launch.carveout else None)


def op(of: OpStruct) -> Op:
    return Op(of.name.decode(), decoded(of.about), tuple(name.decode() for name in of.sizes[:of.size_count]),
              bool(of.takes_layout), tuple(name.decode() for name in of.buffers[:of.buffer_count]),
              tuple(name.decode() for name in of.scalars[:of.scalar_count]))


def shown(found: FoundStruct, source: str | None = None) -> Found:
    """A copy in Python's own types, which outlives the tuner."""
    values: dict[str, Any] = {member[0]: getattr(found, member[0]) for member in FoundStruct._fields_
                              if member[0] != "parts" and not member[0].endswith("_count")}
    values = {name: decoded(v) if isinstance(v, bytes) else None if v != v else v for name, v in values.items()}
    values["match"] = MATCHES[found.match]
    values["launches"] = tuple(_launch(launch.contents) for launch in found.launches[:found.launch_count])
    values["variables"] = {decoded(variable.contents.name): _arg(variable.contents.arg.contents)
                           for variable in found.variables[:found.variable_count]}
    values["buffers"] = _args(found.buffers, found.buffer_count)
    values["metrics"] = {metric.contents.name.decode(): metric.contents.value
                         for metric in found.metrics[:found.metric_count]}
    return Found(**values, source=source)


def device_text(device: Any) -> str:
    """As at_target has it: a number, or a torch.device, is a GPU of this machine, a text a name."""
    if device is None or isinstance(device, str):
        return device or ""
    if type(device).__module__ == "torch" and getattr(device, "type", "") == "cuda":
        device = sys.modules["torch"].cuda.current_device() if device.index is None else device.index
    if isinstance(device, bool) or not hasattr(device, "__index__") or device.__index__() < 0:
        raise TypeError(f"found device={device!r}; expected a GPU's number, or a device's name, as 'NVIDIA H200'")
    return str(device.__index__())


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
        raise NotFoundError("not_found", "no libautotune.so: `pip install .` in the sources of autotune installs it with this "
                                 "module, `cmake --build build` makes it; or set AUTOTUNE_LIBRARY to its path")
    return installed


def _check_version(library: ctypes.CDLL) -> None:
    """The structures above are those of this version, and of later ones that only add to them."""
    found = library.at_version_number() if hasattr(library, "at_version_number") else 0
    if found // 100 != VERSION // 100:
        raise NotFoundError("not_found", f"found {library._name} of version {found // 10000}.{found // 100 % 100}.{found % 100}; "
                                 f"expected {VERSION // 10000}.{VERSION // 100 % 100}, as this module is: set "
                                 "AUTOTUNE_LIBRARY to the path of that one")


def load(path: str | os.PathLike[str] | None = None) -> ctypes.CDLL:
    """The library, with the types of all calls that are made."""
    library = ctypes.CDLL(library_path(path))
    _check_version(library)
    pointer, problem = ctypes.c_void_p, ctypes.POINTER(ProblemStruct)
    error, found = ctypes.POINTER(ErrorStruct), ctypes.POINTER(FoundStruct)
    library.at_version.restype = ctypes.c_char_p
    library.at_status_name.restype = ctypes.c_char_p
    library.at_open.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(OpenOptionsStruct), error]
    library.at_close.argtypes = [pointer]
    library.at_close.restype = None
    library.at_find.argtypes = [ctypes.POINTER(found), pointer, problem, ctypes.POINTER(TargetStruct), error]
    library.at_problem_parse.argtypes = [problem, pointer, ctypes.c_char_p, error]
    library.at_found_close.argtypes = [found]
    library.at_found_close.restype = None
    library.at_source.argtypes = [ctypes.POINTER(pointer), found, error]
    library.at_free.argtypes = [pointer]
    library.at_free.restype = None
    library.at_op_at.argtypes = [ctypes.POINTER(ctypes.POINTER(OpStruct)), pointer, ctypes.c_int, error]
    library.at_renew.argtypes = [pointer, error]
    library.at_prepare.argtypes = [ctypes.POINTER(found), pointer, problem, pointer, error]
    library.at_run.argtypes = [pointer, problem, ctypes.POINTER(BufferStruct), ctypes.c_int, pointer, pointer, error]
    return library
