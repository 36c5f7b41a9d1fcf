"""scikit-build-core's build backend, which takes CUDA's headers from NVIDIA's wheels where the machine has none."""

import importlib.util
import os

from scikit_build_core import build as _backend
from scikit_build_core.build import build_sdist, get_requires_for_build_sdist  # noqa: F401

HEADERS = ["nvidia-cuda-runtime==13.*", "nvidia-cuda-nvrtc==13.*"]  # cuda.h; nvrtc.h


def has_headers():
    """Where tools/find_cuda.cmake looks for a toolkit."""
    return any(os.path.exists(os.path.join(place, "include", "cuda.h"))
               for place in (os.environ.get("CUDA_HOME") or "/usr/local/cuda", "/usr/local/cuda"))


def name_wheels():
    """CUDA_HOME, for CMake: the wheels that get_requires_... asked for."""
    spec = None if has_headers() else importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if os.path.exists(os.path.join(place, "cu13", "include", "cuda.h")):
            os.environ["CUDA_HOME"] = os.path.join(place, "cu13")


def get_requires_for_build_wheel(config_settings=None):
    return _backend.get_requires_for_build_wheel(config_settings) + ([] if has_headers() else HEADERS)


def get_requires_for_build_editable(config_settings=None):
    return _backend.get_requires_for_build_editable(config_settings) + ([] if has_headers() else HEADERS)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name_wheels()
    return _backend.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name_wheels()
    return _backend.build_editable(wheel_directory, config_settings, metadata_directory)


for _name in ("prepare_metadata_for_build_wheel", "prepare_metadata_for_build_editable"):
    if hasattr(_backend, _name):  # not with every version
        globals()[_name] = getattr(_backend, _name)
