"""FlashInfer's kernels, by peers/by_flashinfer.cu and the headers of an installed flashinfer-python, which need not load."""

import ctypes
import importlib.util
import os

from . import nvcc


def _library():
    found = importlib.util.find_spec("flashinfer")
    if not found:
        raise RuntimeError("no flashinfer-python is installed")
    data = os.path.join(list(found.submodule_search_locations)[0], "data")
    return nvcc("by_flashinfer", *(os.path.join(data, *folder.split("/"))
                                for folder in ("include", "cccl/libcudacxx/include", "cccl/cub", "cccl/thrust")))


def launch(function, *arguments):
    """A callable that runs it; arguments are tensors, as their addresses, integers and floats."""
    import torch

    run = getattr(_library(), "flashinfer_" + function)
    values = [ctypes.c_void_p(value.data_ptr()) if hasattr(value, "data_ptr") else ctypes.c_float(value) if isinstance(value, float) else value
              for value in arguments]

    def launched(keep=arguments):
        code = run(*values, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if code:
            raise RuntimeError(f"{function}: CUDA error {code}")

    launched()
    return launched
