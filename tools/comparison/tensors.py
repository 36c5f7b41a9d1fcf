"""cuTENSOR through ctypes: the copy that this process has, the loader's, or that of the Python package."""

import ctypes
import importlib.util
import math
import os
import time

from . import device as gpu
from .blas import load
from .peers import Peer, Prepared, Skip

_HALF, _BFLOAT, _FLOAT, _DOUBLE, _COMPLEX, _DOUBLE_COMPLEX = 2, 14, 0, 1, 4, 5  # cudaDataType
_IDENTITY, _ANY_ALGORITHM, _SCALAR_TYPE = 1, -1, 1
ALIGNMENT = 256
TRY_SECONDS = 1.0  # of a problem's plans, about

# Types of so many bytes, each with the type it computes in.
TYPES = {2: [(_HALF, "32F"), (_BFLOAT, "32F")], 4: [(_FLOAT, "32F")], 8: [(_DOUBLE, "64F"), (_COMPLEX, "32F")],
         16: [(_DOUBLE_COMPLEX, "64F")]}
ONES = {_HALF: (ctypes.c_uint16, [0x3C00]), _BFLOAT: (ctypes.c_uint16, [0x3F80]), _FLOAT: (ctypes.c_float, [1]),
        _DOUBLE: (ctypes.c_double, [1]), _COMPLEX: (ctypes.c_float, [1, 0]), _DOUBLE_COMPLEX: (ctypes.c_double, [1, 0])}


def widths(problem):
    """Bytes of the elements that the problem may be told in: wider ones, too, where the fastest dimension stays and the
    bits are finite as they are as well."""
    last, wide = len(problem.sizes) - 1, [problem.element_bytes]
    if problem.order[last] == last and problem.element_bytes > 1:
        row = problem.sizes[last] * problem.element_bytes
        wide += [size for size in (2, 4, 8, 16) if size > problem.element_bytes and row % size == 0]
    return wide


def candidates(problem):
    """(type, type of the computation, bytes of an element, compiled for the problem or not), compiled ones last. A rank
    among the library's kernels is no part of it: on permutations it changes nothing."""
    no_pairs = problem.element_bytes == 8 and problem.dtype != "c64"  # their lower halves are any bits
    kinds = [(kind, compute, size) for size in widths(problem) for kind, compute in TYPES.get(size, [])
             if not (no_pairs and kind == _COMPLEX)]
    return [(*kind, compiled) for compiled in (False, True) for kind in kinds]


def described(sizes, order):
    """((extents, strides, modes) of the input, the same of the output), row-major."""
    steps = [math.prod(sizes[d + 1:]) for d in range(len(sizes))]
    turned = [sizes[d] for d in order]
    turned_steps = [math.prod(turned[d + 1:]) for d in range(len(turned))]
    return (sizes, steps, range(len(sizes))), (turned, turned_steps, order)


class CuTensor(Peer):
    """cutensorPermute, with the fastest of its plans: types of the same size, wider elements where rows allow that,
    kernels compiled for the problem or not."""

    name, title, permutes = "cutensor", "cuTENSOR", True

    def open(self, device):
        self._library, self._handle = self._load(), ctypes.c_void_p()
        self._library.cutensorGetErrorString.restype = ctypes.c_char_p
        self._call("Create", ctypes.byref(self._handle))
        self._library.cutensorGetVersion.restype = ctypes.c_size_t
        number = self._library.cutensorGetVersion()
        self.version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def _load(self):
        package = importlib.util.find_spec("cutensor")
        folders = package.submodule_search_locations if package else []
        return load("cutensor", ["2"], [os.path.join(folder, "lib") for folder in folders or []])

    def _call(self, function, *arguments):
        status = getattr(self._library, f"cutensor{function}")(*arguments)
        if status:
            raise Skip(f"cutensor{function}: {self._library.cutensorGetErrorString(status).decode()}")

    def _tensor(self, extents, steps, kind):
        found, count = ctypes.c_void_p(), len(extents)
        numbers = ctypes.c_int64 * count
        self._call("CreateTensorDescriptor", self._handle, ctypes.byref(found), ctypes.c_uint32(count), numbers(*extents),
                   numbers(*steps), ctypes.c_int(kind), ctypes.c_uint32(ALIGNMENT))
        return found

    def _operation(self, problem, kind, compute, size):
        """The permutation, told in elements of `size` bytes; and a one to multiply by."""
        sizes = list(problem.sizes)
        sizes[-1] = sizes[-1] * problem.element_bytes // size
        (extents, steps, modes), (turned, turned_steps, order) = described(sizes, problem.order)
        numbers = ctypes.c_int32 * len(sizes)
        operation, scalar = ctypes.c_void_p(), ctypes.c_int(-1)
        self._call("CreatePermutation", self._handle, ctypes.byref(operation), self._tensor(extents, steps, kind),
                   numbers(*modes), ctypes.c_int(_IDENTITY), self._tensor(turned, turned_steps, kind), numbers(*order),
                   ctypes.c_void_p.in_dll(self._library, f"CUTENSOR_COMPUTE_DESC_{compute}"))
        self._call("OperationDescriptorGetAttribute", self._handle, operation, ctypes.c_int(_SCALAR_TYPE),
                   ctypes.byref(scalar), ctypes.c_size_t(4))
        word, values = ONES[scalar.value]
        return operation, (word * len(values))(*values)

    def _plan(self, operation, compiled):
        preference, plan = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("CreatePlanPreference", self._handle, ctypes.byref(preference), ctypes.c_int(_ANY_ALGORITHM),
                   ctypes.c_int(int(compiled)))
        self._call("CreatePlan", self._handle, ctypes.byref(plan), operation, preference, ctypes.c_uint64(0))
        return plan

    def _launcher(self, work, kind, compute, size, compiled):
        operation, one = self._operation(work.problem, kind, compute, size)
        plan, stream = self._plan(operation, compiled), ctypes.c_void_p(work.stream)

        def launch(i):
            self._call("Permute", self._handle, plan, one, ctypes.c_void_p(work.flat_input(i).data_ptr()),
                       ctypes.c_void_p(work.flat_output(i).data_ptr()), stream)

        return launch

    def prepare(self, work):
        found, why, began = [], f"no elements of {work.problem.element_bytes} bytes", time.perf_counter()
        for wanted in candidates(work.problem):
            if found and time.perf_counter() - began > TRY_SECONDS:
                break
            try:
                launch = self._launcher(work, *wanted)
                launch(0)
                found.append((gpu.quick(work, launch), len(found), wanted, launch))
            except Skip as error:
                why = str(error)
        if not found:
            raise Skip(why)
        _, _, (kind, _, size, compiled), launch = min(found)
        return Prepared(launch, configurations=len(found), config=f"TYPE={kind} BYTES={size} COMPILED={int(compiled)}")
