"""cuBLAS and cuBLASLt through ctypes: the libraries that PyTorch has loaded, or those that the loader finds."""

import ctypes
import ctypes.util
import os
import re

from .peers import Peer, Prepared, Skip

_OP_N, _OP_T = 0, 1
_NOT_SUPPORTED = 15


def load(name, versions=("13", "12"), folders=()):
    """The copy that is in this process already comes first, then the loader's, then those of the folders."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        loaded = re.findall(rf"\S*/lib{name}\.so[.\d]*", maps.read())
    names = [f"lib{name}.so.{version}" for version in versions]
    inside = [os.path.join(folder, file) for folder in folders for file in names]
    for path in [*loaded[:1], *names, ctypes.util.find_library(name), *inside]:
        try:
            if path:
                return ctypes.CDLL(path)
        except OSError:
            continue
    raise Skip(f"not installed: lib{name}.so")


def _check(status, what):
    if status == _NOT_SUPPORTED:
        raise Skip("not supported for this type")
    if status:
        raise Skip(f"{what}: status {status}")


class Geam(Peer):
    """C = 1 * A^T + 0 * B, the transpose of classical BLAS libraries."""

    name, title = "geam", "cuBLAS geam"
    TYPES = {4: ("S", ctypes.c_float, 1), 8: ("D", ctypes.c_double, 1), 16: ("Z", ctypes.c_double, 2)}

    def open(self, device):
        self._library, self._handle = load("cublas"), ctypes.c_void_p()
        _check(self._library.cublasCreate_v2(ctypes.byref(self._handle)), "cublasCreate")
        stream = ctypes.c_void_p(device.stream.cuda_stream)
        _check(self._library.cublasSetStream_v2(self._handle, stream), "cublasSetStream")
        version = ctypes.c_int()
        self._library.cublasGetVersion_v2(self._handle, ctypes.byref(version))
        self.version = str(version.value)

    def prepare(self, work):
        problem = work.problem
        if problem.element_bytes not in self.TYPES:
            raise Skip(f"no elements of {problem.element_bytes} bytes")
        if problem.batch > 1:
            raise Skip("no batches")
        letter, real, parts = self.TYPES[problem.element_bytes] if problem.dtype != "c64" else ("C", ctypes.c_float, 2)
        call = getattr(self._library, f"cublas{letter}geam_64", None) or getattr(self._library, f"cublas{letter}geam")
        one, zero = (real * parts)(1.0), (real * parts)(0.0)
        wide = ctypes.c_int64 if call.__name__.endswith("_64") else ctypes.c_int
        rows, cols = wide(problem.rows), wide(problem.cols)

        def launch(i):  # column-major, so in is cols x rows there
            out, x = ctypes.c_void_p(work.flat_output(i).data_ptr()), ctypes.c_void_p(work.flat_input(i).data_ptr())
            _check(call(self._handle, _OP_T, _OP_N, rows, cols, one, x, cols, zero, out, rows, out, rows),
                   call.__name__)

        return Prepared(launch)


class CublasLt(Peer):
    """cublasLtMatrixTransform; which types it takes, it says when it is called."""

    name, title = "cublaslt", "cublasLtMatrixTransform"
    # cudaDataType of the matrices, of the scale, and the scale's C type; the first that is supported is used.
    TYPES = {1: [(3, 0, ctypes.c_float), (3, 10, ctypes.c_int32)],
             2: [(2, 0, ctypes.c_float), (14, 0, ctypes.c_float)],
             4: [(0, 0, ctypes.c_float), (10, 10, ctypes.c_int32)],
             8: [(1, 1, ctypes.c_double), (4, 4, ctypes.c_float)],
             16: [(5, 5, ctypes.c_double)]}
    TRANSA, BATCH_COUNT, BATCH_STRIDE = 2, 5, 6  # of the descriptors' attributes

    def open(self, device):
        self._library, self._handle = load("cublasLt"), ctypes.c_void_p()
        _check(self._library.cublasLtCreate(ctypes.byref(self._handle)), "cublasLtCreate")
        self._library.cublasLtGetVersion.restype = ctypes.c_size_t
        self.version = str(self._library.cublasLtGetVersion())

    def _layout(self, kind, rows, cols, problem):
        """Of a column-major matrix, or of many."""
        layout = ctypes.c_void_p()
        _check(self._library.cublasLtMatrixLayoutCreate(ctypes.byref(layout), kind, ctypes.c_uint64(rows),
                                                        ctypes.c_uint64(cols), ctypes.c_int64(rows)), "layout")
        if problem.batch > 1:
            for attribute, value in ((self.BATCH_COUNT, ctypes.c_int32(problem.batch)),
                                     (self.BATCH_STRIDE, ctypes.c_int64(rows * cols))):
                _check(self._library.cublasLtMatrixLayoutSetAttribute(
                    layout, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))), "layout's batch")
        return layout

    def _descriptor(self, scale):
        descriptor, transposed = ctypes.c_void_p(), ctypes.c_int32(_OP_T)
        _check(self._library.cublasLtMatrixTransformDescCreate(ctypes.byref(descriptor), scale), "descriptor")
        _check(self._library.cublasLtMatrixTransformDescSetAttribute(
            descriptor, self.TRANSA, ctypes.byref(transposed), ctypes.c_size_t(4)), "descriptor's transpose")
        return descriptor

    def _launcher(self, work, kind, scale, number):
        problem = work.problem
        descriptor = self._descriptor(scale)
        source = self._layout(kind, problem.cols, problem.rows, problem)
        target = self._layout(kind, problem.rows, problem.cols, problem)
        one, zero = (number * 2)(1, 0), (number * 2)(0, 0)
        stream = ctypes.c_void_p(work.stream)

        def launch(i):
            out, x = ctypes.c_void_p(work.flat_output(i).data_ptr()), ctypes.c_void_p(work.flat_input(i).data_ptr())
            _check(self._library.cublasLtMatrixTransform(self._handle, descriptor, one, x, source, zero, None, None,
                                                         out, target, stream), "cublasLtMatrixTransform")

        return launch

    def prepare(self, work):
        reason = None
        for kind, scale, number in self.TYPES[work.problem.element_bytes]:
            try:
                launch = self._launcher(work, kind, scale, number)
                launch(0)
                return Prepared(launch, data_type=kind, scale_type=scale)
            except Skip as skip:
                reason = reason or skip
        raise reason
