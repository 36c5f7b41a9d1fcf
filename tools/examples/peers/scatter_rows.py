"""Rows to where an index says: PyTorch's index_copy_, torch.compile, and a copy of as many bytes."""

from . import by_index, optional, parts, rows, sizes

NAME = "scatter_rows"


def problems():
    return [f"{NAME} {text}" for text in ("8388608x64 i64", "16777216x16 i64", "1048576x512 i64", "32768x14336 i64", "8192x65536 i64")]


def work(problem):
    count, row_bytes = sizes(problem)
    return 2 * count * row_bytes + count * (4 if parts(problem)[2] == "i32" else 8), 0


def buffers(problem):
    count, row_bytes = sizes(problem)
    return [by_index.table(count, row_bytes), by_index.table(count, row_bytes), by_index.spread(count, count, problem)]


def fused(out, read, index):
    out[index] = read


def peers(problem, buffers):
    import torch

    out, read, index = torch.empty_like(buffers[0]), buffers[1], buffers[2]
    found = {"copy": by_index.of_bytes(work(problem)[0])}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(fused))
        function(out, read, index)
        return lambda: function(out, read, index)

    optional(found, "torch.compile", by_compiler)
    optional(found, "index_copy_", lambda: lambda: out.index_copy_(0, index, read))
    return found


def check(problem, buffers):
    import torch

    out, read, index = buffers
    right = torch.empty_like(out)
    right[index.long()] = read
    return "" if torch.equal(out, right) else "rows are wrong"
