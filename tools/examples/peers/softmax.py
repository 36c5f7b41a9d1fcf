"""Softmax of rows: what torch.compile makes, kernels in Triton, Liger's and Helion's, and PyTorch's own."""

from . import optional, rows, sizes

NAME = "softmax"


def problems():
    return rows.problems(NAME)


def work(problem):
    count = sizes(problem)[0] * sizes(problem)[1]
    return 2 * count * (4 if problem.endswith("f32") else 2), 5 * count


def buffers(problem):
    return [rows.matrix(problem, None), rows.matrix(problem, lambda made: made.normal_())]


def fused(out, read):
    import torch

    out.copy_(torch.softmax(read, -1))


def by_triton(problem, out, read):
    from . import rows_triton

    def choose():
        return rows.fastest({shape: rows_triton.softmax(out, read, *shape) for shape in rows.shapes_of_programs(read.shape[1])})

    return rows_triton.softmax(out, read, *rows.once(problem, "triton", choose))


def by_liger(read):
    from liger_kernel.ops.softmax import LigerSoftmaxFunction

    return rows.tried(lambda: LigerSoftmaxFunction.apply(read))


def by_helion(problem, read):
    from . import rows_helion

    kernel = rows.once(problem, "helion", lambda: rows_helion.fastest_of(rows_helion.SOFTMAX, read))
    return rows.tried(lambda: kernel(read))


def peers(problem, buffers):
    import torch

    out, read, found = torch.empty_like(buffers[0]), buffers[1], {}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(fused))
        function(out, read)
        return lambda: function(out, read)

    optional(found, "torch.compile", by_compiler)
    optional(found, "Triton", lambda: by_triton(problem, out, read))
    optional(found, "Liger", lambda: by_liger(read))
    optional(found, "Helion", lambda: by_helion(problem, read))
    optional(found, "PyTorch", lambda: lambda: torch.softmax(read, -1, out=out))
    optional(found, "copy", lambda: lambda: out.copy_(read))
    return found


def check(problem, buffers):
    import torch

    out, read = map(rows.some_rows, buffers)
    return rows.close(out, torch.softmax(read.double(), -1))
