"""What the peers of softmax and rmsnorm share: their problems, and how Triton and torch.compile are tuned for each."""

from . import parts, sizes

COUNT = 1 << 26  # elements, about, of each problem: far more than caches hold
LENGTHS = (4096, 65536, 1024, 16384, 256, 32768, 8192, 512, 2048, 1536, 768, 12288)  # the most telling first


def problems(name):
    """bf16 before f32 of each length, which is how `compare --max-seconds` goes through them."""
    return [f"{name} {COUNT // cols}x{cols} {dtype}" for cols in LENGTHS for dtype in ("bf16", "f32")]


def dtype_of(problem):
    import torch

    return {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[parts(problem)[2]]


def matrix(problem, fill):
    """A new one of the problem's shape and type; the generator needs no second one of 4 bytes an element."""
    import torch

    made = torch.empty(sizes(problem), device="cuda", dtype=dtype_of(problem))
    return fill(made) if fill else made


_made = {}


def once(problem, label, make):
    """make() of this problem, for all of its sets of buffers: compilations take seconds. Others are forgotten."""
    for key in [key for key in _made if key[0] != problem]:
        del _made[key]
    if (problem, label) not in _made:
        _made[problem, label] = make()
    return _made[problem, label]


def compiled(function):
    """By torch.compile, anew for this shape."""
    import torch

    torch._dynamo.reset()
    return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)


def shapes_of_programs(cols):
    """(warps, rows of a program) worth a try."""
    if cols <= 1024:
        return [(1, 1), (4, 1), (4, 4), (4, 8), (8, 16)]
    return [(warps, 1) for warps in (4, 8, 16, 32) if has_room(warps, cols)]


def has_room(warps, cols):
    """More than 256 elements a thread are not in registers, and take minutes to compile."""
    return warps == 32 or cols <= 256 * 32 * warps


def fastest(candidates):
    """The key of the callable that takes least time; one that fails is none."""
    import torch

    best, best_ms = None, float("inf")
    for key, candidate in candidates.items():
        try:
            candidate()
        except Exception:  # too many registers, too much shared memory
            continue
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(10):
            candidate()
        end.record()
        end.synchronize()
        if begin.elapsed_time(end) < best_ms:
            best, best_ms = key, begin.elapsed_time(end)
    if best is None:
        raise RuntimeError("no kernel of Triton's works")
    return best


def tried(launch):
    """It, after it ran once: what is compiled then is not captured in a graph, and what fails is no peer. It returns results of
    its own, which stay until it runs again: launches on other sets of buffers would else have the same memory for theirs, which
    would never leave the L2."""
    results = [launch()]

    def again():
        results[0] = launch()

    return again


def close(got, right):
    """By the norm of op.cu; of large matrices some rows."""
    import torch

    right = right.to(got.dtype).double()  # bf16 alone is 1.7e-3 off what is not rounded
    off = (got.double() - right).norm() / right.norm()
    return "" if torch.isfinite(off) and off <= 5e-4 else f"off by {off.item():.3g} of the norm"


def some_rows(tensor):
    return tensor[:: max(1, tensor.shape[0] // 256)]
