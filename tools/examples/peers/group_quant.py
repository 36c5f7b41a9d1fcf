"""Quantization of groups to e4m3: what torch.compile makes, a kernel in Triton, and a copy of as many bytes."""

from . import serving

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


def peers(problem, buffers):
    size = serving.size_of(serving.choices(problem, 2)[1])
    found = serving.peers(problem, work(problem)[0], lambda x: serving.quantized(x.float(), size), buffers[2])
    serving.groups_by_triton(found, problem, *buffers, size)
    return found


def check(problem, buffers):
    q, s, x = buffers
    return serving.far(q, s, x.float(), serving.size_of(serving.choices(problem, 2)[1]))
