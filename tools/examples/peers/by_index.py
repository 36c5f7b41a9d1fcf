"""What gather_rows and scatter_rows share: rows of bytes as tensors of what suits them, and indices."""

from . import parts

WORDS = ((8, "int64"), (4, "int32"), (2, "int16"), (1, "uint8"))


def table(count, row_bytes):
    """Rows of elements as long as divide them; random, as far as anybody sees."""
    import torch

    size, name = next(word for word in WORDS if row_bytes % word[0] == 0)
    made = torch.empty(count, row_bytes // size, device="cuda", dtype=getattr(torch, name))
    return made.random_(0, 100) if made.numel() < 1 << 24 else made.fill_(7).add_(torch.arange(count, device="cuda").to(made.dtype)[:, None])


def spread(count, many, problem):
    """As `input spread`."""
    import torch

    order = torch.randperm(max(count, many), device="cuda")[:count] % many
    return order.to(torch.int32 if parts(problem)[2] == "i32" else torch.int64)


def of_bytes(amount):
    """A copy that moves as much."""
    import torch

    to, of = torch.empty(amount // 8, device="cuda"), torch.empty(amount // 8, device="cuda")
    return lambda: to.copy_(of)
