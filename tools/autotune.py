#!/usr/bin/env python3
"""Kernels that autotune has found, from Python: look-ups anywhere, transposes of PyTorch tensors on a GPU.

    import autotune
    y = autotune.transpose(x)                # x: a tensor (rows, cols) or (batch, rows, cols) on a GPU
    print(autotune.Tuner().find("transpose", (4096, 4096), "f32", device="NVIDIA H200").config)

Needs the standard library and libautotune.so: $AUTOTUNE_LIBRARY, else the one in build/, else an installed one.
As a program it compares transpose(x) with x.t().contiguous(), or only looks up where there is no torch or no GPU:

    python3 tools/autotune.py [SHAPE[:TYPE] ...]          4096x4096:f32 8x4096x128:f16
"""

import ctypes
import ctypes.util
import glob
import os
import statistics
import sys
import threading
from collections.abc import Mapping
from types import SimpleNamespace

MAX_SIZES, MAX_PITCHES, MAX_ALIGNMENTS = 6, 2, 4
TYPES = ("u8", "i8", "f16", "bf16", "u16", "i16", "f32", "i32", "u32", "f64", "i64", "u64", "c64", "c128")
ROLES = ("scalar", "input", "output", "inout", "scratch")
MATCHES = ("exact", "near", "other_device", "none", "predicted")
_TYPE_OF_SIZE = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}  # a transpose only moves bits


class Error(Exception):
    """What the library said; `status` is its word for the kind: "device", "input", ..."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- include/autotune/autotune.h ----


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class _Problem(ctypes.Structure):
    _fields_ = [("op", ctypes.c_char_p), ("type", ctypes.c_int), ("size_count", ctypes.c_int),
                ("sizes", ctypes.c_int64 * MAX_SIZES), ("pitches", ctypes.c_int64 * MAX_PITCHES),
                ("alignments", ctypes.c_int64 * MAX_ALIGNMENTS)]


class _OpenOptions(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("database", ctypes.c_char_p), ("cache", ctypes.c_char_p),
                ("templates", ctypes.c_char_p), ("without_shipped", ctypes.c_int),
                ("tune_s", ctypes.c_double), ("tune_in_background", ctypes.c_int), ("program", ctypes.c_char_p)]


class _Target(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("device", ctypes.c_char_p), ("cc", ctypes.c_int), ("sms", ctypes.c_int)]


class _Arg(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("bytes", ctypes.c_int64),
                ("value", ctypes.c_int64), ("align", ctypes.c_int64)]


class _Found(ctypes.Structure):
    _fields_ = [("match", ctypes.c_int), ("why", ctypes.c_char_p), ("warning", ctypes.c_char_p),
                ("op", ctypes.c_char_p), ("shape", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("device", ctypes.c_char_p), ("cc", ctypes.c_int), ("sms", ctypes.c_int),
                ("template_name", ctypes.c_char_p), ("config", ctypes.c_char_p), ("kernel", ctypes.c_char_p),
                ("grid", ctypes.c_int64 * 3), ("block", ctypes.c_int64 * 3), ("shared_bytes", ctypes.c_int64),
                ("arg_count", ctypes.c_int), ("args", ctypes.POINTER(_Arg)),
                ("measured_device", ctypes.c_char_p), ("measured_shape", ctypes.c_char_p),
                ("measured_at", ctypes.c_char_p),
                ("median_s", ctypes.c_double), ("gb_per_s", ctypes.c_double), ("ceiling_s", ctypes.c_double),
                ("origin", ctypes.c_char_p), ("gflop_per_s", ctypes.c_double),
                ("expected_s", ctypes.c_double), ("doubt", ctypes.c_double)]


def _load(path=None):
    here = os.path.dirname(os.path.abspath(__file__))
    tried = [path or os.environ.get("AUTOTUNE_LIBRARY")]
    tried += sorted(glob.glob(os.path.join(here, "..", "build", "libautotune.so*")))
    tried += [ctypes.util.find_library("autotune")]
    found = next((name for name in tried if name), None)
    if not found:
        raise Error("not_found", "no libautotune.so: build it (cmake --build build), or set AUTOTUNE_LIBRARY")
    library = ctypes.CDLL(found)
    pointer, problem = ctypes.c_void_p, ctypes.POINTER(_Problem)
    error = ctypes.POINTER(_Error)
    library.at_version.restype = ctypes.c_char_p
    library.at_status_name.restype = ctypes.c_char_p
    library.at_open.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(_OpenOptions), error]
    library.at_close.argtypes = [pointer]
    library.at_find.argtypes = [ctypes.POINTER(ctypes.POINTER(_Found)), pointer, problem, ctypes.POINTER(_Target),
                                error]
    library.at_found_close.argtypes = [ctypes.POINTER(_Found)]
    library.at_source.argtypes = [ctypes.POINTER(pointer), ctypes.POINTER(_Found), error]
    library.at_free.argtypes = [pointer]
    library.at_prepare.argtypes = [ctypes.POINTER(ctypes.POINTER(_Found)), pointer, problem, error]
    library.at_run.argtypes = [pointer, problem, ctypes.POINTER(pointer), ctypes.c_int, pointer, error]
    return library


def _text(value):
    return os.fsencode(value) if value is not None else None


def _shown(found):
    """A copy in Python's own types."""
    values = {name: getattr(found, name) for name, _ in _Found._fields_ if name not in ("args", "arg_count")}
    values = {name: v.decode() if isinstance(v, bytes) else v for name, v in values.items()}
    values["match"] = MATCHES[found.match]
    values["grid"], values["block"] = tuple(found.grid), tuple(found.block)
    values["args"] = [SimpleNamespace(name=arg.name.decode(), role=ROLES[arg.role], bytes=arg.bytes, value=arg.value,
                                      align=arg.align) for arg in found.args[:found.arg_count]]
    return SimpleNamespace(**values)


def _in_order(args, buffers):
    """The buffers of a mapping, in the order of the arguments that are none of them scalars."""
    names = [arg.name for arg in args if arg.role != "scalar"]
    if set(names) != set(buffers):
        raise ValueError(f"found buffers {', '.join(sorted(buffers))}; expected {', '.join(names)}")
    return [buffers[name] for name in names]


def _address(buffer):
    """Of a tensor, or what is one already."""
    return buffer.data_ptr() if hasattr(buffer, "data_ptr") else buffer


# ---- the library ----


class Tuner:
    """An open database; any number of threads may use it. Arguments as in at_open_options."""

    def __init__(self, database=None, cache=None, templates=None, library=None, shipped=True, tune_s=0,
                 tune_in_background=False, program=None):
        self._library = _load(library)
        self._handle = ctypes.c_void_p()
        self._problems, self._args = {}, {}
        options = _OpenOptions(2, _text(database), _text(cache), _text(templates), not shipped, tune_s,
                               tune_in_background, _text(program))
        self._call("at_open", ctypes.byref(self._handle), options)

    def close(self):
        """What was run on a GPU must have ended."""
        self._library.at_close(self._handle)
        self._handle = ctypes.c_void_p()

    def version(self):
        return self._library.at_version().decode()

    def find(self, op, sizes, dtype, device=None, cc=0, sms=0):
        """What the database knows: match, why, template_name, config, grid, block, median_s, ..., origin, and source."""
        found, text = ctypes.POINTER(_Found)(), ctypes.c_void_p()
        target = _Target(1, _text(device), cc, sms)
        self._call("at_find", ctypes.byref(found), self._handle, self._problem(op, sizes, dtype), target)
        try:
            shown = _shown(found.contents)
            shown.source = None
            if shown.template_name:
                self._call("at_source", ctypes.byref(text), found)
                shown.source = ctypes.string_at(text).decode()
            return shown
        finally:
            self._library.at_free(text)
            self._library.at_found_close(found)

    def prepare(self, op, sizes, dtype):
        """Compiles and loads for the current CUDA context, as the first run would; what run will use."""
        found = ctypes.POINTER(_Found)()
        self._call("at_prepare", ctypes.byref(found), self._handle, self._problem(op, sizes, dtype))
        return _shown(found.contents)

    def run(self, op, sizes, dtype, buffers, stream=0):
        """Launches in the current CUDA context. Buffers are PyTorch tensors or addresses on the device: a list in the
        operation's order, or a mapping by the names of its arguments. Scalars follow from the sizes."""
        if isinstance(buffers, Mapping):
            buffers = _in_order(self._args_of(op, sizes, dtype), buffers)
        addresses = (ctypes.c_void_p * len(buffers))(*map(_address, buffers))
        self._call("at_run", self._handle, self._problem(op, sizes, dtype), addresses, len(buffers), stream)

    def _args_of(self, op, sizes, dtype):
        """Names and roles, which all problems of an operation have in common."""
        if op not in self._args:
            self._args[op] = self.prepare(op, sizes, dtype).args
        return self._args[op]

    def transpose(self, x, out=None):
        """x with its last two dimensions exchanged, as a new contiguous tensor, or in `out`. No gradients."""
        import torch

        if not x.is_cuda or x.dim() not in (2, 3):
            raise ValueError("expected a tensor on a GPU with two or three dimensions")
        shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
        if out is None:
            out = torch.empty(shape, dtype=x.dtype, device=x.device)
        elif tuple(out.shape) != shape or out.dtype != x.dtype or out.device != x.device or not out.is_contiguous():
            raise ValueError(f"expected out to be contiguous, of shape {shape}, and of x's type and device")
        if x.numel() == 0:
            return out
        if not x.is_contiguous():
            x = x.clone(memory_format=torch.contiguous_format)  # where a view begins does not matter
        with torch.cuda.device(x.device):
            self.run("transpose", tuple(x.shape), _TYPE_OF_SIZE[x.element_size()], (out.data_ptr(), x.data_ptr()),
                     torch.cuda.current_stream().cuda_stream)
        return out

    def _problem(self, op, sizes, dtype):
        key = (op, sizes, dtype)
        problem = self._problems.get(key)
        if problem is None:
            if dtype not in TYPES or len(sizes) > MAX_SIZES:
                raise ValueError(f"expected one of {' '.join(TYPES)}, and at most {MAX_SIZES} sizes")
            problem = _Problem(op.encode(), TYPES.index(dtype), len(sizes), (ctypes.c_int64 * MAX_SIZES)(*sizes))
            self._problems[key] = problem
        return problem

    def _call(self, name, *arguments):
        error = _Error()
        status = getattr(self._library, name)(*arguments, error)
        if status:
            raise Error(self._library.at_status_name(status).decode(), error.text.decode(errors="replace"))


_lock = threading.Lock()
_default = []


def transpose(x, out=None):
    """Tuner.transpose of a tuner that is opened once, on the default database."""
    if not _default:
        with _lock:
            if not _default:
                _default.append(Tuner())
    return _default[0].transpose(x, out)


# ---- the program ----

_TORCH_NAMES = {"u8": "uint8", "i8": "int8", "f16": "float16", "bf16": "bfloat16", "i16": "int16", "f32": "float32",
                "i32": "int32", "f64": "float64", "i64": "int64", "c64": "complex64", "c128": "complex128"}
_SHAPES = ("4096x4096:f32", "16384x16384:f32", "16384x16384:u8", "8191x8193:f32", "1048576x16:f32", "262144x64:f16",
           "8x4096x128:f16", "512x2048:f32", "1000003x3:u8")


def _time_us(torch, call, inputs):
    """Median of one call inside a CUDA graph, over inputs that do not stay in the L2 cache."""
    call(inputs[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for x in inputs:
            call(x)
    times = []
    for _ in range(25):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop) / len(inputs))
    return statistics.median(times[5:])


def _compare(torch, tuner, sizes, dtype):
    """Prints a row; whether the result was right."""
    kind = getattr(torch, _TORCH_NAMES[dtype])
    shape = (*sizes[:-2], sizes[-2], sizes[-1])
    count = 1
    for size in shape:
        count *= size
    size_bytes = torch.empty((), dtype=kind).element_size()
    copies = max(2, min(64, -(-(1 << 28) // (count * size_bytes))))
    inputs = [torch.randint(0, 256, (count * size_bytes,), dtype=torch.uint8, device="cuda").view(kind).view(shape)
              for _ in range(copies)]
    bits = inputs[0].transpose(-1, -2).contiguous().view(-1).view(torch.uint8)
    right = torch.equal(tuner.transpose(inputs[0]).view(-1).view(torch.uint8), bits)
    theirs = _time_us(torch, lambda x: x.transpose(-1, -2).contiguous(), inputs)
    ours = _time_us(torch, tuner.transpose, inputs)
    used = tuner.prepare("transpose", tuple(shape), _TYPE_OF_SIZE[size_bytes])
    moved = 2e-3 * count * size_bytes
    print(f"{'x'.join(map(str, sizes)):>16} {dtype:5} {theirs:10.2f} {moved / theirs:7.0f} {ours:10.2f} "
          f"{moved / ours:7.0f} {theirs / ours:7.2f}  {used.match:12} {'right' if right else 'WRONG'}", flush=True)
    return right


def _look_up(tuner, sizes, dtype):
    found = tuner.find("transpose", sizes, dtype)
    print(f"transpose {found.shape} {found.type}: {found.match}, {found.template_name} {found.config}")


def main(arguments):
    problems = []
    for text in arguments or _SHAPES:
        shape, _, dtype = text.partition(":")
        dtype = dtype or "f32"
        if dtype not in _TORCH_NAMES or not all(size.isdigit() for size in shape.split("x")):
            print(f"autotune.py: found '{text}'; expected SHAPE[:TYPE], such as 4096x4096:f32; types: "
                  f"{' '.join(_TORCH_NAMES)}", file=sys.stderr)
            return 2
        problems.append((tuple(int(size) for size in shape.split("x")), dtype))
    tuner = Tuner()
    try:
        import torch

        gpu = torch.cuda.is_available()
    except ImportError:
        gpu = False
    if not gpu:
        for sizes, dtype in problems:
            _look_up(tuner, sizes, dtype)
        print("not run: no torch, or no GPU")
        return 0
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, autotune {tuner.version()}")
    print(f"{'shape':>16} {'type':5} {'torch us':>10} {'GB/s':>7} {'here us':>10} {'GB/s':>7} {'faster':>7}  match")
    right = [_compare(torch, tuner, sizes, dtype) for sizes, dtype in problems]
    torch.cuda.synchronize()
    tuner.close()
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
