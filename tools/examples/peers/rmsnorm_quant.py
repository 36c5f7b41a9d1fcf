"""RMSNorm, with and without a residual, quantized: what torch.compile makes, a kernel in Triton, and a copy of as many bytes."""

from . import serving

NAME = "rmsnorm_quant"
EPS = 1e-5


def problems():
    return [f"{NAME} {text} bf16" for text in (
        "8192x7168", "2x1x1x8192x7168", "1x1x2x8192x7168", "2048x7168", "2x1x1x2048x7168", "32768x7168", "256x4096", "2x1x1x256x4096")]


def work(problem):
    add, _, group, tokens, hidden = serving.choices(problem, 3)
    return tokens * hidden * (7 if add == 2 else 3) + 2 * hidden + 4 * tokens * hidden // serving.size_of(group, hidden), 0


def buffers(problem):
    import torch

    add, _, group, tokens, hidden = serving.choices(problem, 3)
    added = tokens if add == 2 else 0
    return [serving.room(tokens, hidden), serving.room(4 * tokens * hidden // serving.size_of(group, hidden)),
            serving.normal(problem, added, hidden), serving.normal(problem, tokens, hidden), serving.normal(problem, added, hidden, by=2),
            torch.empty_like(serving.normal(problem, hidden)).uniform_(0.5, 1.5)]


def normalized(x, gamma):
    import torch

    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * gamma.float()


def peers(problem, buffers):
    import torch

    add, _, group, _, hidden = serving.choices(problem, 3)
    size, (x, residual, gamma) = serving.size_of(group, hidden), buffers[3:]

    def plain(x, gamma):
        return serving.quantized(normalized(x.float(), gamma), size)

    def added(x, residual, gamma):
        total = x + residual
        return (*serving.quantized(normalized(total.float(), gamma), size), total)

    found = (serving.peers(problem, work(problem)[0], added, x, residual, gamma) if add == 2 else
             serving.peers(problem, work(problem)[0], plain, x, gamma))

    def by_triton():
        from . import serving_triton

        code, scales = serving.of_its_own(*buffers[:2])
        total = torch.empty_like(buffers[2])
        return {warps: serving_triton.rmsnorm(code, scales, total, x, residual, gamma, EPS, size, warps) for warps in (2, 4, 8, 16, 32)}

    serving.by_triton(found, problem, by_triton)
    return found


def check(problem, buffers):
    add, _, group, _, hidden = serving.choices(problem, 3)
    q, s, total, x, residual, gamma = buffers
    return serving.far(q, s, normalized((x + residual if add == 2 else x).float(), gamma), serving.size_of(group, hidden)) or (
        "" if add == 1 or bool((total == x + residual).all()) else "the sum is wrong")
