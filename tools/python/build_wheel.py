"""scikit-build-core's build backend, which takes CUDA's headers from NVIDIA's wheels where the machine has none."""

import importlib.util
import os

from scikit_build_core import build as _backend
from scikit_build_core.build import (build_editable, build_sdist, get_requires_for_build_editable,  # noqa: F401
                                     get_requires_for_build_sdist)

HEADERS = ["nvidia-cuda-runtime==13.*", "nvidia-cuda-nvrtc==13.*"]  # cuda.h; nvrtc.h


def has_headers():
    """Where tools/find_cuda.cmake looks for a toolkit."""
    return any(os.path.exists(os.path.join(place, "include", "cuda.h"))
               for place in (os.environ.get("CUDA_HOME") or "/usr/local/cuda", "/usr/local/cuda"))


def get_requires_for_build_wheel(config_settings=None):
    return _backend.get_requires_for_build_wheel(config_settings) + ([] if has_headers() else HEADERS)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    spec = None if has_headers() else importlib.util.find_spec("nvidia")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if os.path.exists(os.path.join(place, "cu13", "include", "cuda.h")):
            os.environ["CUDA_HOME"] = os.path.join(place, "cu13")
    return _backend.build_wheel(wheel_directory, config_settings, metadata_directory)


if hasattr(_backend, "prepare_metadata_for_build_wheel"):  # not with every version
    prepare_metadata_for_build_wheel = _backend.prepare_metadata_for_build_wheel
