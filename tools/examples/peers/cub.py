"""CUB's algorithms for whole devices, by peers/cub_*.cu; nvcc brings its headers. A library is compiled once a process."""

import ctypes

from . import nvcc

_libraries = {}


def launch(library, function, *arguments):
    """A callable that runs it; arguments are tensors, as their addresses, and integers, as C's int or as int64 with big()."""
    import torch

    if library not in _libraries:
        _libraries[library] = nvcc(library)
    run = getattr(_libraries[library], function)
    values = [ctypes.c_void_p(value.data_ptr()) if hasattr(value, "data_ptr") else value for value in arguments]
    size = ctypes.c_size_t(0)

    def call(temp):
        code = run(temp, ctypes.byref(size), *values, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if code:
            raise RuntimeError(f"{function}: CUDA error {code}")

    call(None)
    temp = torch.empty(max(1, size.value), device="cuda", dtype=torch.uint8)
    call(ctypes.c_void_p(temp.data_ptr()))

    def launched(keep=(temp, arguments)):
        call(ctypes.c_void_p(keep[0].data_ptr()))

    return launched


def big(value):
    return ctypes.c_int64(value)
