"""The index of the first of the largest numbers: CUB is what ours is held against."""

from . import cub, optional, rows, sizes

NAME = "argmax"
LENGTHS = (10**8, 10**6, 10**9, 10**5, 10**7, 1000, 1)  # the most telling first


def problems():
    return [f"{NAME} {n} f32" for n in LENGTHS]


def work(problem):
    return 4 * sizes(problem)[0], sizes(problem)[0]


def buffers(problem):
    """out, in, best: see op.cu."""
    import torch

    n = sizes(problem)[0]
    read = torch.empty(n, device="cuda").random_(0, min(n // 4, 1 << 24) + 1)
    return [torch.empty(1, device="cuda", dtype=torch.int64), read, torch.zeros(2, device="cuda", dtype=torch.int64)]


def largest(out, read):
    import torch

    out.copy_(torch.argmax(read, 0, keepdim=True))


def peers(problem, buffers):
    import torch

    out, read, found = torch.empty_like(buffers[0]), buffers[1], {}
    most = torch.empty(1, device="cuda")

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(largest))
        function(out, read)
        return lambda: function(out, read)

    optional(found, "CUB", lambda: cub.launch("cub_argmax", "cub_argmax_f32", read, most, out, cub.big(read.numel())))
    if read.numel() < 10**9:  # a tenth of a second a launch there: rounds would take minutes
        optional(found, "torch.compile", by_compiler)
    optional(found, "PyTorch", lambda: lambda: torch.argmax(read, 0, keepdim=True, out=out))
    return found


def check(problem, buffers):
    """Nothing is larger, and nothing before it is as large."""
    out, read = buffers[:2]
    index = out.item()
    if not 0 <= index < read.numel():
        return f"found index {index} of {read.numel()}"
    if read[index] != read.max() or (index > 0 and read[:index].max() >= read[index]):
        return f"found index {index}, which is not that of the first of the largest"
    return ""
