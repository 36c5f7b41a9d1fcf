"""RMSNorm, with and without a residual, quantized: what torch.compile makes, a kernel in Triton, vLLM's, FlashInfer's of groups
in columns behind a residual, and a copy of as many bytes."""

from . import optional, serving

NAME = "rmsnorm_quant"
EPS = 1e-5


def problems():
    return [f"{NAME} {text} bf16" for text in (
        "8192x7168", "2x1x1x8192x7168", "1x1x2x8192x7168", "2048x7168", "2x1x1x2048x7168", "32768x7168", "256x4096", "2x1x1x256x4096", "2x2x2x8192x7168",
        "2x2x2x2048x7168")]


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


def by_flashinfer(buffers):
    """It writes the sum over the residual, the norm in bf16, too, and columns of scales that begin at multiples of four of them."""
    import torch

    from . import by_flashinfer

    q, (x, residual, gamma) = serving.of_its_own(*buffers[:2])[0], buffers[3:]
    pitch = -(-x.shape[0] // 4) * 4
    scales = torch.empty(x.shape[1] // 128, pitch, device="cuda")
    return by_flashinfer.launch("add_rmsnorm_quant", x, residual.clone(), gamma, q, scales, torch.empty_like(x), *x.shape, pitch, EPS)


def by_vllm(buffers, layout, size):
    """It writes the sum over the residual."""
    from . import by_vllm

    (q, scales), (x, residual, gamma) = serving.of_its_own(*buffers[:2]), buffers[3:]
    residual = residual.clone() if residual.numel() else None
    if size == x.shape[1]:
        return by_vllm.launch("rmsnorm_quant", q, x, gamma, scales, EPS, None, residual)
    shape = (x.shape[0], x.shape[1] // size)
    scales = scales.view(shape) if layout == 1 else scales.view(shape[::-1]).T
    return by_vllm.launch("rmsnorm_quant_groups", q, x, gamma, scales, EPS, None, residual, size, layout == 2)


def peers(problem, buffers):
    import torch

    add, layout, group, _, hidden = serving.choices(problem, 3)
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
    if layout <= 2:
        optional(found, "vLLM", lambda: by_vllm(buffers, layout, size))
    if (add, layout, group) == (2, 2, 2) and problem.endswith("bf16"):
        optional(found, "FlashInfer", lambda: by_flashinfer(buffers))
    return found


def check(problem, buffers):
    add, layout, group, tokens, hidden = serving.choices(problem, 3)
    q, s, total, x, residual, gamma = buffers
    s = serving.as_rows(s, tokens) if layout == 2 else s
    return serving.far(q, s, normalized((x + residual if add == 2 else x).float(), gamma), serving.size_of(group, hidden)) or (
        "" if add == 1 or bool((total == x + residual).all()) else "the sum is wrong")
