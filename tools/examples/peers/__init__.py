"""What tools/examples/compare knows of each example: a module here of the operation's name, which needs PyTorch.

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
                                   installed is left out: see `optional`
    check(problem, buffers) -> ""  after our kernel ran once on `buffers`: what is wrong with the outputs, "" if nothing.
                                   May be missing: `autotune tune` has verified the kernel against its reference

compare calls buffers() several times, so that launches can rotate through more memory than the L2 cache holds, and
peers() for each; what fails in a module is told in the table and stops nothing else. Ours is not among the peers: compare
tunes it, loads it with libautotune and times it in the same rounds. The first peer is the one that ratios are of.
"""

import sys


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
