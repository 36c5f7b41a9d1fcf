"""Arrays as other libraries show theirs, of addresses that nobody reads: for tests of what takes them."""
import ctypes

from autotune import _arrays


class Cuda:
    """An array as CuPy and Numba show theirs."""

    def __init__(self, address, shape, typestr="<f4", strides=None, stream=None, readonly=False):
        self.__cuda_array_interface__ = {"version": 3, "data": (address, readonly), "shape": shape, "typestr": typestr,
                                         "strides": strides, "stream": stream}


class Dtype:
    """A type as NumPy and JAX show theirs: an object with a name."""

    def __init__(self, name):
        self.name = name


class DLTensor(ctypes.Structure):
    _fields_ = [*_arrays._DLTensor._fields_, ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class DLPack:
    """An array as JAX shows its own: the protocol alone."""

    def __init__(self, address, shape, code=2, bits=32, device=2, strides=None, gpu=0):
        sizes = ctypes.c_int64 * len(shape)
        self.kept = sizes(*shape), sizes(*strides) if strides else None
        pointers = [ctypes.cast(p, ctypes.POINTER(ctypes.c_int64)) if p else None for p in self.kept]
        self.tensor = DLTensor(address - 16, device, gpu, len(shape), code, bits, 1, *pointers, 16)
        self.device, self.asked = (device, gpu), []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)
