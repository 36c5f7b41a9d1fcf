"""Transposes that convert: what PyTorch, torch.compile and a tuned kernel in Triton make of them; a copy of as many bytes."""

from . import optional, rows, sizes

NAME = "cast_transpose"
TO = {1: "float8_e4m3fn", 2: "float8_e5m2", 3: "float16", 4: "bfloat16"}
SHAPES = ("8192x8192", "8191x8193", "4096x14336", "14336x4096", "4033x7169", "1223x1583", "2048x12288", "576x7168")


def problems():
    """Each turned alone, then with the untransposed conversion, then with the largest magnitude too."""
    return [f"{NAME} {kind}x1x{shape} bf16" for shape in SHAPES for kind in ("1x1x1", "1x2x1", "1x2x2")]


def _shape(problem):
    """to, both, amax, batch, rows, cols; what a shape leaves out has its default."""
    given = sizes(problem)
    return (1,) * (6 - len(given)) + given


def _count(problem):
    _, _, _, batch, high, wide = _shape(problem)
    return batch * high * wide


def work(problem):
    to, both = _shape(problem)[:2]
    return _count(problem) * ((4 if problem.endswith("f32") else 2) + both * (1 if to <= 2 else 2)), 0


def buffers(problem):
    """turned, straight, largest, in, scale: see op.cu."""
    import torch

    to, both, amax, batch, high, wide = _shape(problem)
    kind = getattr(torch, TO[to])
    return [torch.empty(batch, wide, high, device="cuda", dtype=kind),
            torch.empty(*((batch, high, wide) if both == 2 else (0,)), device="cuda", dtype=kind),
            torch.zeros(amax - 1, device="cuda"),
            torch.empty(batch, high, wide, device="cuda", dtype=rows.dtype_of(problem)).normal_(0, 100),
            torch.full((1,), 0.75, device="cuda")]


def converted(read, scale, kind):
    import torch

    x = read.float() * scale
    if kind in (torch.float8_e4m3fn, torch.float8_e5m2):
        most = torch.finfo(kind).max
        x = x.clamp(-most, most)
    return x.to(kind)


def fused(turned, straight, largest, read, scale):
    bits = converted(read, scale, turned.dtype)
    turned.copy_(bits.transpose(1, 2))
    if straight.numel():
        straight.copy_(bits)
    if largest.numel():
        largest.copy_(read.float().abs().amax().view(1))


def by_triton(problem, turned, straight, largest, read, scale):
    from . import cast_transpose_triton as kernels

    def choose():
        shapes = [(high, wide, warps) for high in (32, 64, 128) for wide in (32, 64, 128) for warps in (4, 8)]
        return rows.fastest({shape: kernels.launch(turned, straight, largest, read, scale, *shape) for shape in shapes})

    return kernels.launch(turned, straight, largest, read, scale, *rows.once(problem, "triton", choose))


def peers(problem, buffers):
    import torch

    turned, straight, largest, read, scale = [torch.empty_like(each) for each in buffers[:3]] + buffers[3:]
    words = -(-work(problem)[0] // 32) * 4  # of whole accesses: PyTorch copies others slowly
    to, of, found = torch.empty(words, device="cuda"), torch.empty(words, device="cuda"), {}

    def by_compiler():
        function = rows.once(problem, "compiled", lambda: rows.compiled(fused))
        function(turned, straight, largest, read, scale)
        return lambda: function(turned, straight, largest, read, scale)

    found["copy"] = lambda: to.copy_(of)
    optional(found, "Triton", lambda: by_triton(problem, turned, straight, largest, read, scale))
    optional(found, "torch.compile", by_compiler)
    found["PyTorch"] = lambda: fused(turned, straight, largest, read, scale)
    return found


def check(problem, buffers):
    """Bit for bit."""
    import torch

    turned, straight, largest, read, scale = buffers
    right = converted(read, scale, turned.dtype).view(torch.uint8)
    if straight.numel() and not torch.equal(straight.view(torch.uint8), right):
        return "the untransposed conversion is wrong"
    elements = right.view(*read.shape, -1).transpose(1, 2).contiguous()
    if not torch.equal(turned.view(torch.uint8).view_as(elements), elements):
        return "the transpose is wrong"
    if largest.numel() and largest.item() != read.float().abs().max().item():
        return f"the largest is {largest.item()}, expected {read.float().abs().max().item()}"
    return ""
