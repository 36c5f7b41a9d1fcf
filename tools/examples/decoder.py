#!/usr/bin/env python3
"""A decoder layer in 8 bits, whose kernels between the matrix products are PyTorch's or autotune's: time of a layer in a CUDA
graph, and how far the results are apart.

    python3 tools/examples/decoder.py [--tokens 16,256,2048] [--experts] [--layers 4]

dense: RMSNorm, q, k and v, rotary embeddings, a cache of e4m3, attention, its projection, RMSNorm, SwiGLU, all products of
e4m3 with a scale for each 128 elements, as Llama 3 8B is large. --experts: norm, permutation of rows to 8 experts of which each
token has 2, their products in bf16, weighted sums. The graph holds --layers of them, one after the other, so that weights come
from memory. `products` are the matrix products and attention alone: what is above that is spent between them.
"""

import argparse
import statistics
import sys
from pathlib import Path

try:
    import torch
except ImportError:
    torch = None

try:
    import autotune
except ImportError:  # not installed: the one in these sources
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
    import autotune

HIDDEN, BETWEEN, Q_HEADS, K_HEADS, HEAD, SLOTS, EPS = 4096, 14336, 32, 8, 128, 65536, 1e-5
EXPERTS, TOP, EXPERT_BETWEEN = 8, 2, 2048
NEAR = 0.1  # torch.compile, which does not round sums to bf16 before they are quantized, is half of that apart


# ---- the kernels between products, in PyTorch ----


class Plain:
    """As a model is written: torch.compile makes few kernels of it."""

    @staticmethod
    def group_quant(x, group=128, layout="columns"):
        grouped = x.float().unflatten(-1, (-1, group))
        s = grouped.abs().amax(-1).clamp(min=1e-10) / 448
        q = (grouped * (1 / s)[..., None]).clamp(-448, 448).flatten(-2).to(torch.float8_e4m3fn)
        return q, s.t().contiguous().t()  # tokens side by side, as the products want them

    @staticmethod
    def norm(x, weight):
        x = x.float()
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPS) * weight.float()

    @classmethod
    def rmsnorm_quant(cls, x, weight, residual, group=128, layout="columns"):
        total = x + residual
        return (*cls.group_quant(cls.norm(total, weight)), total)

    @classmethod
    def silu_mul_quant(cls, x, group=128, layout="columns"):
        gate, up = x.float().chunk(2, -1)
        return cls.group_quant(torch.nn.functional.silu(gate) * up)

    @staticmethod
    def rope(q, k, table, position):
        cosine, sine = table[position][:, None].chunk(2, -1)

        def turned(x):
            a, b = x.float().chunk(2, -1)
            return torch.cat((a * cosine - b * sine, b * cosine + a * sine), -1).to(x.dtype)

        return turned(q), turned(k)

    @staticmethod
    def kv_write(k, v, k_cache, v_cache, slot, k_scale, v_scale):
        for rows, cache, scale in ((k, k_cache, k_scale), (v, v_cache, v_scale)):
            q = (rows.float() * (1 / scale)).clamp(-448, 448).to(torch.float8_e4m3fn)
            cache.view(torch.uint8).index_copy_(0, slot, q.view(torch.uint8))

    @staticmethod
    def moe_permute(x, place):
        return x[torch.argsort(place.view(-1)) // TOP]

    @staticmethod
    def moe_unpermute(rows, place, weight):
        return (rows[place].float() * weight[..., None]).sum(1).to(rows.dtype)


class Remembered:
    """What the kernels gave when it was made, in the order of the calls, and then again and again: products alone are left."""

    def __init__(self, kernels):
        self.kernels, self.given, self.at = kernels, [], None

    def __getattr__(self, name):
        def call(*arguments, **named):
            if self.at is None:
                self.given.append(getattr(self.kernels, name)(*arguments, **named))
                return self.given[-1]
            self.at = (self.at + 1) % len(self.given)
            return self.given[self.at - 1]

        return call


# ---- products ----


def define_products():
    """Operators, so that no compiler takes them apart: they are the same for all."""

    @torch.library.custom_op("decoder::product", mutates_args=())
    def product(q: torch.Tensor, scales: torch.Tensor, weight: torch.Tensor, of_weight: torch.Tensor) -> torch.Tensor:
        return torch._scaled_mm(q, weight.t(), scale_a=scales, scale_b=of_weight.t(), out_dtype=torch.bfloat16)

    @product.register_fake
    def _(q, scales, weight, of_weight):
        return q.new_empty((q.shape[0], weight.shape[0]), dtype=torch.bfloat16)

    return product


class Dense:
    """A layer with weights of e4m3, a scale for each 128 x 128 of them."""

    def __init__(self, tokens, product):
        self.product = product
        self.of_q, self.of_k, self.of_v, self.of_out, self.of_gate, self.of_down = (
            autotune.block_quant(torch.randn(rows, cols, device="cuda", dtype=torch.bfloat16) / cols ** 0.5)[::2]
            for rows, cols in ((Q_HEADS * HEAD, HIDDEN), (K_HEADS * HEAD, HIDDEN), (K_HEADS * HEAD, HIDDEN),
                               (HIDDEN, Q_HEADS * HEAD), (2 * BETWEEN, HIDDEN), (HIDDEN, BETWEEN)))
        self.first, self.second = (torch.rand(HIDDEN, device="cuda").bfloat16() + 0.5 for _ in range(2))
        angles = torch.arange(SLOTS, device="cuda")[:, None] * 1e4 ** (-torch.arange(HEAD // 2, device="cuda") / (HEAD // 2))
        self.table = torch.cat((angles.cos(), angles.sin()), -1)
        self.position = torch.arange(tokens, device="cuda", dtype=torch.int32)
        self.slot = torch.randperm(SLOTS, device="cuda")[:tokens]
        self.k_cache, self.v_cache = (torch.zeros(SLOTS, K_HEADS, HEAD, device="cuda", dtype=torch.uint8).view(torch.float8_e4m3fn)
                                      for _ in range(2))
        self.k_scale, self.v_scale = torch.ones(1, device="cuda"), torch.ones(1, device="cuda")

    def __call__(self, kernels, x, residual):
        h, s, residual = kernels.rmsnorm_quant(x, self.first, residual, group=128, layout="columns")
        q, k, v = (self.product(h, s, *weight).view(h.shape[0], -1, HEAD) for weight in (self.of_q, self.of_k, self.of_v))
        q, k = kernels.rope(q, k, self.table, self.position)
        kernels.kv_write(k, v, self.k_cache, self.v_cache, self.slot, k_scale=self.k_scale, v_scale=self.v_scale)
        q, k, v = (rows.transpose(0, 1)[None] for rows in (q, k, v))
        seen = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        h, s = kernels.group_quant(seen[0].transpose(0, 1).flatten(1), layout="columns")
        h, s, residual = kernels.rmsnorm_quant(self.product(h, s, *self.of_out), self.second, residual, group=128, layout="columns")
        h, s = kernels.silu_mul_quant(self.product(h, s, *self.of_gate), layout="columns")
        return self.product(h, s, *self.of_down), residual


class Experts:
    """A layer of experts in bf16, as many tokens to each."""

    def __init__(self, tokens, _):
        weights = (torch.randn(EXPERTS, rows, cols, device="cuda", dtype=torch.bfloat16) / rows ** 0.5
                   for rows, cols in ((HIDDEN, 2 * EXPERT_BETWEEN), (EXPERT_BETWEEN, HIDDEN)))
        self.of_gate, self.of_down = weights
        self.norm = torch.rand(HIDDEN, device="cuda").bfloat16() + 0.5
        self.place = torch.randperm(tokens * TOP, device="cuda", dtype=torch.int32).view(tokens, TOP)
        self.weight = torch.softmax(torch.randn(tokens, TOP, device="cuda"), -1)

    def __call__(self, kernels, x, residual):
        residual = x + residual
        rows = kernels.moe_permute(Plain.norm(residual, self.norm).bfloat16(), self.place)
        gate, up = torch.bmm(rows.view(EXPERTS, -1, HIDDEN), self.of_gate).chunk(2, -1)
        rows = torch.bmm(torch.nn.functional.silu(gate) * up, self.of_down)
        return kernels.moe_unpermute(rows.view(-1, HIDDEN), self.place, self.weight), residual


# ---- measuring ----


def graph_of(call, layers):
    """(a CUDA graph of so many layers, what they give)."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(layers):
            given = call()
    return graph, given


def time_us(graph, layers):
    times = []
    for _ in range(30):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop) / layers)
    return statistics.median(times[5:])


def apart(got, right):
    """The distance of two results, as a share of their size."""
    return max(((a.float() - b.float()).norm() / b.float().norm()).item() for a, b in zip(got, right))


def variants(layer, x, residual):
    """(name, call); the first one's results are right."""
    remembered = Remembered(autotune)
    torch._dynamo.reset()
    yield "PyTorch", lambda: layer(Plain, x, residual)
    compiled = torch.compile(lambda x, residual: layer(Plain, x, residual), fullgraph=True, dynamic=False)
    yield "torch.compile", lambda: compiled(x, residual)
    yield "autotune", lambda: layer(autotune, x, residual)
    ours = torch.compile(lambda x, residual: layer(autotune, x, residual), fullgraph=True, dynamic=False)
    yield "autotune, compiled", lambda: ours(x, residual)
    layer(remembered, x, residual)
    remembered.at = 0
    yield "products", lambda: layer(remembered, x, residual)


def compare(kind, tokens, layers, product):
    """Prints a line for each variant; whether all results are near."""
    layer = kind(tokens, product)
    x, residual = (torch.randn(tokens, HIDDEN, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    right, eager_us, good = None, 0.0, True
    for name, call in variants(layer, x, residual):
        graph, given = graph_of(call, layers)
        graph.replay()
        right = right or [y.clone() for y in given]
        off, us = apart(given, right), time_us(graph, layers)
        eager_us = eager_us or us
        good &= off < NEAR
        print(f"{kind.__name__:8} {tokens:6} {name:20} {us:10.1f} us {eager_us / us:6.2f} times  {off:8.5f} apart{'' if off < NEAR else '  WRONG'}",
              flush=True)
    return good


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--tokens", default="16,256,2048", type=lambda text: [int(number) for number in text.split(",")])
    parse.add_argument("--layers", default=4, type=int)
    parse.add_argument("--experts", action="store_true", help="instead of a dense layer")
    options = parse.parse_args()
    if torch is None or not torch.cuda.is_available():
        print("not run: no PyTorch, or no GPU")
        return 0
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, autotune {autotune.default().version()}")
    torch.manual_seed(1)
    with torch.no_grad():
        product = define_products()
        return 0 if all([compare(Experts if options.experts else Dense, tokens, options.layers, product) for tokens in options.tokens]) else 1


if __name__ == "__main__":
    sys.exit(main())
