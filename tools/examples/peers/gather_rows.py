"""Rows by index: PyTorch's index_select, torch.compile, and a copy of as many bytes."""

from . import by_index, optional, parts, rows, sizes

NAME = "gather_rows"


def problems():
    return [f"{NAME} {text}" for text in (
        "8388608x8388608x64 i64", "16777216x16777216x16 i64", "4096x32768x14336 i64", "1048576x1048576x512 i64",
        "16777216x16777216x32 i64", "50257x16384x3072 i64", "8192x8192x65536 i64", "4194304x4194304x256 i64",
        "16384x131072x4096 i64", "128256x8192x8192 i64", "8388608x8388608x64 i32", "1000000x1000000x100 i32")]


def work(problem):
    there, count, row_bytes = sizes(problem)
    return (min(there, count) + count) * row_bytes + count * (4 if parts(problem)[2] == "i32" else 8), 0


def buffers(problem):
    there, count, row_bytes = sizes(problem)
    return [by_index.table(count, row_bytes), by_index.table(there, row_bytes), by_index.spread(count, there, problem)]


def fused(out, read, index):
    out.copy_(read[index])


def peers(problem, buffers):
    import torch

    out, read, index = torch.empty_like(buffers[0]), buffers[1], buffers[2]
    found = {"copy": by_index.of_bytes(work(problem)[0])}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(fused))
        function(out, read, index)
        return lambda: function(out, read, index)

    optional(found, "torch.compile", by_compiler)
    optional(found, "index_select", lambda: lambda: torch.index_select(read, 0, index, out=out))
    return found


def check(problem, buffers):
    import torch

    out, read, index = buffers
    return "" if torch.equal(out, read[index]) else "rows are wrong"
