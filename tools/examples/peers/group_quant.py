"""Quantization of groups to e4m3: what torch.compile makes, a kernel in Triton, vLLM's, and a copy of as many bytes."""

from . import optional, serving

NAME = "group_quant"


def problems():
    return [f"{NAME} {text} bf16" for text in ("8192x7168", "2048x7168", "32768x7168", "256x4096", "8192x4096", "16x7168")]


def work(problem):
    _, group, tokens, hidden = serving.choices(problem, 2)
    return tokens * hidden * 3 + 4 * tokens * hidden // serving.size_of(group), 0


def buffers(problem):
    _, group, tokens, hidden = serving.choices(problem, 2)
    return [serving.room(tokens, hidden), serving.room(4 * tokens * hidden // serving.size_of(group)),
            serving.normal(problem, tokens, hidden, by=4)]


def by_vllm(buffers, layout, size):
    from . import by_vllm

    q, scales = serving.of_its_own(*buffers[:2])
    shape = (q.shape[0], q.shape[1] // size)
    scales = scales.view(shape) if layout == 1 else scales.view(shape[::-1]).T
    return by_vllm.launch("group_quant", buffers[2], q, scales, size, 1e-10, -serving.MOST, serving.MOST, False, layout == 2, False)


def peers(problem, buffers):
    layout, group = serving.choices(problem, 2)[:2]
    size = serving.size_of(group)
    found = serving.peers(problem, work(problem)[0], lambda x: serving.quantized(x.float(), size), buffers[2])
    serving.groups_by_triton(found, problem, *buffers, size)
    if layout <= 2:
        optional(found, "vLLM", lambda: by_vllm(buffers, layout, size))
    return found


def check(problem, buffers):
    q, s, x = buffers
    layout, group = serving.choices(problem, 2)[:2]
    s = serving.as_rows(s, q.shape[0]) if layout == 2 else s
    return serving.far(q, s, x.float(), serving.size_of(group))
