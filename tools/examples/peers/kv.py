"""What kv_write and kv_gather share: caches of k and v, rows, and the slots of tokens. Shapes: "kv_write 2x65536x8192x1024 bf16"
converts to e4m3."""

from . import by_index, parts, rows, serving


def sizes(problem):
    """(whether caches are of e4m3, slots, tokens, width)"""
    got = parts(problem)[1]
    return (got[0] == 2 if len(got) == 4 else False), *got[-3:]


def work(problem):
    convert, _, tokens, width = sizes(problem)
    size = 4 if problem.endswith("f32") else 2
    return 2 * tokens * width * (size + (1 if convert else size)) + 8 * tokens, 0


def cache(problem):
    import torch

    convert, slots, _, width = sizes(problem)
    made = torch.empty(slots, width, device="cuda", dtype=rows.dtype_of(problem)).normal_(0, 4)
    return made.to(torch.float8_e4m3fn) if convert else made


def buffers(problem, cached_first):
    """In the order of kv_write, or of kv_gather. Each token has a slot of its own."""
    import torch

    _, slots, tokens, width = sizes(problem)
    caches, new = [cache(problem), cache(problem)], [serving.normal(problem, tokens, width, by=4) for _ in range(2)]
    slot = by_index.spread(tokens, slots, "kv 1 i64")
    return (caches + new if cached_first else new + caches) + [slot] + [torch.ones(1, device="cuda") for _ in range(2)]
