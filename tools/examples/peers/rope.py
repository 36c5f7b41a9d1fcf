"""Rotary embeddings of q and k: what torch.compile makes, FlashInfer's kernel, vLLM's, and a copy of as many bytes."""

from . import optional, serving, sizes

NAME = "rope"
POSITIONS = 8192


def problems():
    return [f"{NAME} {text} bf16" for text in ("8192x24x8x128", "2048x32x8x128", "256x32x8x128", "32768x32x8x128", "2x8192x8192x24x8x128")]


def _of(problem):
    got = sizes(problem)
    return (1, POSITIONS, *got) if len(got) == 4 else got


def work(problem):
    _, positions, tokens, of_q, of_k, head = _of(problem)
    return 4 * tokens * (of_q + of_k) * head + min(tokens, positions) * head * 4 + 4 * tokens, 0


def buffers(problem):
    import torch

    _, positions, tokens, of_q, of_k, head = _of(problem)
    angles = torch.rand(positions, head // 2, device="cuda") * 6
    return [serving.normal(problem, tokens, of_q, head), serving.normal(problem, tokens, of_k, head),
            serving.normal(problem, tokens, of_q, head), serving.normal(problem, tokens, of_k, head),
            torch.cat((angles.cos(), angles.sin()), 1), torch.randint(positions, (tokens,), device="cuda", dtype=torch.int32)]


def turned(x, table, position, interleaved):
    import torch

    cosine, sine = table[position.long()][:, None, :].chunk(2, -1)
    a, b = (x.float()[..., 0::2], x.float()[..., 1::2]) if interleaved else x.float().chunk(2, -1)
    first, second = a * cosine - b * sine, b * cosine + a * sine
    return (torch.stack((first, second), -1).flatten(-2) if interleaved else torch.cat((first, second), -1)).to(x.dtype)


def by_flashinfer(interleaved, q, k, table, position):
    import torch

    from . import by_flashinfer

    (tokens, of_q, head), of_k = q.shape, k.shape[1]
    return by_flashinfer.launch("rope", q, k, torch.empty_like(q), torch.empty_like(k), table, position, tokens, of_q, of_k, head, int(interleaved))


def by_vllm(interleaved, q, k, table, position):
    """It writes over q and k."""
    from . import by_vllm

    return by_vllm.launch("rope", position.long(), q.flatten(1).clone(), k.flatten(1).clone(), q.shape[2], table, not interleaved, 0, False)


def peers(problem, buffers):
    interleaved = _of(problem)[0] == 2

    def both(q, k, table, position):
        return turned(q, table, position, interleaved), turned(k, table, position, interleaved)

    found = serving.peers(problem, work(problem)[0], both, *buffers[2:])
    if problem.endswith("bf16"):
        optional(found, "FlashInfer", lambda: by_flashinfer(interleaved, *buffers[2:]))
    optional(found, "vLLM", lambda: by_vllm(interleaved, *buffers[2:]))
    return found


def check(problem, buffers):
    interleaved = _of(problem)[0] == 2
    for got, given in ((buffers[0], buffers[2]), (buffers[1], buffers[3])):
        if (got.float() - turned(given, buffers[4], buffers[5], interleaved).float()).abs().max().item() > 0.05:
            return "an element is off by more than 0.05"
    return ""
