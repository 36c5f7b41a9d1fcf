"""What the peers of the kernels of LLM serving share: e4m3 as PyTorch writes it, what torch.compile makes of it, and how results
are compared. Shapes have numbers for their choices: "rmsnorm_quant 2x1x2x8192x7168 bf16" adds a residual, with groups of 128."""

from . import by_index, optional, parts, rows

MOST = 448.0  # of e4m3


def size_of(group, whole=None):
    """Elements of a group by the number of its choice; `whole`: of rmsnorm_quant, whose first choice is a row."""
    return 256 >> group if whole is None else whole if group == 1 else 512 >> group


def choices(problem, count):
    """The sizes with the first `count`, which have defaults, filled up with 1."""
    got = parts(problem)[1]
    return (1,) * (count + 2 - len(got)) + got


def normal(problem, *shape, by=1.0):
    import torch

    return torch.empty(shape, device="cuda", dtype=rows.dtype_of(problem)).normal_(0, by)


def room(*shape, kind=None):
    import torch

    return torch.empty(shape, device="cuda", dtype=kind or torch.uint8)


def quantized(y, size):
    """(q, s) of numbers of f32, as in the operations' references."""
    import torch

    grouped = y.unflatten(-1, (-1, size))
    s = grouped.abs().amax(-1).clamp(min=1e-10) / MOST  # PyTorch multiplies by 1 / MOST: the last bit may differ
    return (grouped * (1 / s)[..., None]).clamp(-MOST, MOST).flatten(-2).to(torch.float8_e4m3fn), s


def by_compiler(found, problem, function, *inputs):
    """Adds what torch.compile makes of it; its outputs are its own."""
    def make():
        compiled = rows.once(problem, "compiled", lambda: rows.compiled(function))
        return rows.tried(lambda: compiled(*inputs))

    optional(found, "torch.compile", make)


def by_triton(found, problem, candidates):
    """Adds the fastest of candidates(), {key: launch}."""
    def make():
        made = candidates()
        return made[rows.once(problem, "triton", lambda: rows.fastest(made))]

    optional(found, "Triton", make)


def of_its_own(q, s):
    """Room for results, as e4m3 and f32."""
    import torch

    return torch.empty_like(q).view(torch.float8_e4m3fn), torch.empty_like(s).view(torch.float32)


def groups_by_triton(found, problem, q, s, read, size, silu=False):
    def candidates():
        from . import serving_triton

        code, scales = of_its_own(q, s)
        return {shape: serving_triton.groups(code, scales, read, size, silu, *shape)
                for shape in ((1, 4), (2, 8), (4, 8), (4, 16), (4, 32), (8, 32))}

    by_triton(found, problem, candidates)


def peers(problem, moved, function, *inputs):
    found = {"copy": by_index.of_bytes(-(-moved // 8192) * 8192)}  # of whole 4096 bytes: others take PyTorch up to 1.5 times as long
    by_compiler(found, problem, function, *inputs)
    return found


def as_rows(s, tokens):
    """Scales that are in columns."""
    import torch

    return s.view(torch.float32).view(-1, tokens).T.contiguous().view(torch.uint8)


def far(q, s, y, size):
    """What is wrong with a quantized result, which may be one number of e4m3 off: rounding differs where numbers are computed
    otherwise. Of the operation's own check, which is exact, this is only the shadow: `autotune tune` has made that."""
    import torch

    got = q.view(torch.float8_e4m3fn).float().unflatten(-1, (-1, size)) * s.view(torch.float32).view(*q.shape[:-1], -1)[..., None]
    right = y.unflatten(-1, (-1, size))
    off = ((got - right).abs() - right.abs() / 8 - right.abs().amax(-1, keepdim=True) / 400000).amax().item()
    return "" if off <= 0 else f"an element is {off:.3g} further off than rounding may be"
