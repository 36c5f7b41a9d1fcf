"""What tools/examples/compare knows of each example: a module here of the operation's name.

    NAME = "sgemm"                 the operation, and its folder tools/examples/NAME
    problems() -> ["sgemm 1024x1024x1024 f32", ...]
                                   what is tuned and timed, as `autotune tune` takes it, the most telling one first: time
                                   may end before all are done
    work(problem) -> (bytes, ops)  that any implementation must move and do; 0 where that tells nothing
    buffers(problem) -> [tensor, ...]
                                   new CUDA tensors for the operation's buffer arguments, in the order of its `arg` and
                                   `scratch` lines, scalars left out; inputs filled as the declaration says
    peers(problem, buffers) -> {label: callable}
                                   each computes the same from the same buffers on torch's current stream, without
                                   waiting; callables take no argument and can be captured in a CUDA graph, so what
                                   they need besides is made here, and so are compilations. A peer that is not
                                   installed is left out: see `optional`. Outputs are theirs, or the operation's own
    check(problem, buffers) -> ""  after our kernel ran once on `buffers`: what is wrong with the outputs, "" if nothing.
                                   May be missing: `autotune tune` has verified the kernel against its reference

Only the last three need PyTorch and a GPU: they import it themselves, so that the others work without.

compare calls buffers() several times, so that launches can rotate through more memory than the L2 cache holds, and
peers() for each; what fails in a module is told in the table and stops nothing else. Ours is not among the peers: compare
tunes it, loads it with libautotune and times it in the same rounds. The first peer is the one that ratios are of.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
import tempfile


def parts(problem):
    """('sgemm', (1024, 1024, 1024), 'f32') of 'sgemm 1024x1024x1024 f32'."""
    name, shape, dtype = problem.split()
    return name, tuple(int(size) for size in shape.split("x")), dtype


def sizes(problem):
    return parts(problem)[1]


def optional(found, label, make):
    """Adds make() to the peers `found` under its label, unless that fails, which is told on stderr."""
    try:
        found[label] = make()
    except Exception as error:  # every library has its own
        print(f"compare: left out {label}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


def worst(got, right):
    """(largest difference, largest value) of two tensors, for messages."""
    return (got.double() - right.double()).abs().max().item(), right.double().abs().max().item()


@functools.cache
def nvcc(name, *folders):
    """peers/NAME.cu as a library, compiled once, with headers of these folders; what it exports is extern "C"."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".cu")
    program = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "nvcc")
    folder = tempfile.mkdtemp(prefix="autotune-peer-")
    try:
        library = os.path.join(folder, name + ".so")
        subprocess.run([program, "-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC",
                        *(f"-I{folder}" for folder in folders), "-o", library, source],
                       check=True, capture_output=True, text=True)
        return ctypes.CDLL(library)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"nvcc {source}: {error.stderr.strip()[-500:]}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
