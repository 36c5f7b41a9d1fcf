"""silu(gate) * up, quantized: what torch.compile makes, a kernel in Triton, vLLM's, and a copy of as many bytes."""

from . import optional, serving

NAME = "silu_mul_quant"


def problems():
    return [f"{NAME} {text} bf16" for text in ("8192x7168", "2048x7168", "32768x2048", "256x4096", "16x7168")]


def work(problem):
    _, group, tokens, hidden = serving.choices(problem, 2)
    return tokens * hidden * 5 + 4 * tokens * hidden // serving.size_of(group), 0


def buffers(problem):
    _, group, tokens, hidden = serving.choices(problem, 2)
    return [serving.room(tokens, hidden), serving.room(4 * tokens * hidden // serving.size_of(group)),
            serving.normal(problem, tokens, 2 * hidden, by=4)]


def activated(x):
    import torch

    gate, up = x.float().chunk(2, -1)
    return torch.nn.functional.silu(gate) * up


def by_vllm(buffers, size):
    from . import by_vllm

    q, scales = serving.of_its_own(*buffers[:2])
    return by_vllm.launch("silu_mul_quant", q, buffers[2], scales.view(q.shape[0], -1), size, None, False)


def peers(problem, buffers):
    layout, group = serving.choices(problem, 2)[:2]
    size = serving.size_of(group)
    found = serving.peers(problem, work(problem)[0], lambda x: serving.quantized(activated(x), size), buffers[2])
    serving.groups_by_triton(found, problem, *buffers, size, silu=True)
    if layout == 1:
        optional(found, "vLLM", lambda: by_vllm(buffers, size))
    return found


def check(problem, buffers):
    q, s, x = buffers
    return serving.far(q, s, activated(x), serving.size_of(serving.choices(problem, 2)[1]))
