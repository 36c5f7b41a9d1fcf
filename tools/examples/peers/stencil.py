"""Heat in a plate: a copy is the fastest that a pass over memory can be, and each step alone is such a pass."""

from . import optional, sizes, worst

NAME = "stencil"
RATE = 0.2


def problems():
    return [f"stencil 8192x8192x{steps} f32" for steps in (4, 1, 8)]


def work(problem):
    """Bytes of one pass, whatever the steps."""
    rows, cols, steps = sizes(problem)
    return 8 * rows * cols, 6 * rows * cols * steps


def buffers(problem):
    import torch

    rows, cols, _ = sizes(problem)
    return [torch.empty((rows, cols), device="cuda"), torch.randn((rows, cols), device="cuda")]


def step(u):
    """In the type of u."""
    v = u.clone()
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    v[1:-1, 1:-1] += RATE * (around - 4 * u[1:-1, 1:-1])
    return v


def peers(problem, buffers):
    import torch

    out, read, found = torch.empty_like(buffers[0]), buffers[1], {}
    steps = sizes(problem)[2]

    def copies():
        out.copy_(read)
        for i in range(1, steps):
            (other if i % 2 else out).copy_(out if i % 2 else other)

    optional(found, "copy, once", lambda: lambda: out.copy_(read))
    if steps > 1:
        other = torch.empty_like(out)
        optional(found, "copy, each step", lambda: copies)
    return found


def check(problem, buffers):
    """Against f64, in the upper rows and the lower ones."""
    out, read = buffers
    steps = sizes(problem)[2]
    rows = min(out.shape[0], 256)
    for part in (slice(0, rows), slice(out.shape[0] - rows, out.shape[0])):
        right = read[part].double()
        for _ in range(steps):
            right = step(right)
        inner = slice(0, rows - steps) if part.start == 0 else slice(steps, rows)
        if rows == out.shape[0]:
            inner = slice(0, rows)
        off, _ = worst(out[part][inner], right[inner])
        if not off <= 1e-5:
            return f"off by {off:.3g}"
    return ""
