"""The functions of LLM serving with PyTorch on a GPU: against plain PyTorch, in views, on streams and devices, captured at the
first call, under torch.compile. Exit code 3: no PyTorch, or no GPU.     --times: what a call costs the processor, last."""
import os
import sys
import time
import unittest
from pathlib import Path

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # its processes take longer to begin than these kernels
sys.path.insert(0, os.environ.get("AUTOTUNE_MODULE") or str(Path(__file__).resolve().parents[2] / "tools/python"))

try:
    import torch
except ImportError:
    torch = None
if torch is None or not torch.cuda.is_available():
    print("skipped: no PyTorch, or no GPU", file=sys.stderr)
    sys.exit(3)

import autotune  # noqa: E402

E4M3 = torch.float8_e4m3fn
LAYOUTS = ("rows", "columns", "e8m0", "blocks")


# ---- what is right, in plain PyTorch ----


def numbers(*shape, dtype=torch.bfloat16, by=4.0):
    return (torch.randn(shape, device="cuda") * by).to(dtype)


def to_e4m3(x):
    return x.clamp(-448, 448).to(E4M3)


def scale_of(largest, powers):
    """By a true division: PyTorch multiplies by the inverse of a number that is no tensor."""
    s = largest.clamp(min=1e-10) / torch.full_like(largest, 448)
    if not powers:
        return s
    part, exponent = torch.frexp(s)
    return torch.ldexp(torch.ones_like(s), torch.where(part == 0.5, exponent - 1, exponent))


def quantized(y, size, layout):
    """(q, scales, the same scales as numbers), of y (tokens, hidden)."""
    grouped = y.float().unflatten(-1, (-1, size))
    s = scale_of(grouped.abs().amax(-1), layout in ("e8m0", "blocks"))
    q = to_e4m3(grouped * (torch.ones_like(s) / s)[..., None]).flatten(-2)
    return q, laid_out(s, layout), s


def laid_out(s, layout):
    if layout in ("rows", "columns"):
        return s
    exponents = (torch.frexp(s)[1] + 126).to(torch.uint8)
    if layout == "e8m0":
        return exponents
    tokens, groups = s.shape
    across = -(-groups // 4) * 4
    blocks = torch.zeros(-(-tokens // 128) * 128 * across, dtype=torch.uint8, device=s.device)
    t, g = torch.arange(tokens, device=s.device)[:, None], torch.arange(groups, device=s.device)[None]
    blocks[(t // 128 * (across // 4) + g // 4) * 512 + t % 32 * 16 + t % 128 // 32 * 4 + g % 4] = exponents
    return blocks


def rotated(x, table, position, interleaved):
    cosine, sine = table[position.long()].double()[:, None, :].chunk(2, -1)
    a, b = (x.double()[..., 0::2], x.double()[..., 1::2]) if interleaved else x.double().chunk(2, -1)
    first, second = a * cosine - b * sine, b * cosine + a * sine
    return (torch.stack((first, second), -1).flatten(-2) if interleaved else torch.cat((first, second), -1)).to(x.dtype)


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def same_bits(self, got, expected):
        self.assertEqual((got.shape, got.device), (expected.shape, expected.device))
        got, expected = (x.contiguous().view(torch.uint8) for x in (got, expected))
        off = int((got != expected).sum())
        self.assertEqual(off, 0, f"{off} of {got.numel()} bytes are others")

    def near(self, q, scales, y, size, layout):
        """Of numbers that are not the same to the bit everywhere: y is the exact one."""
        right = quantized(y, size, layout)
        if layout in ("rows", "columns"):
            torch.testing.assert_close(scales.reshape(right[1].shape), right[1], rtol=1e-5, atol=0)
        else:
            self.same_bits(scales, right[1])
        s = right[2].repeat_interleave(size, -1)
        off = (q.float() * s - y).abs() - y.abs() / 15 - s / 500
        self.assertLessEqual(off.max().item(), 0)


class Eager(Case):
    def test_group_quant(self):
        for layout in LAYOUTS:
            for tokens, hidden, group, dtype in ((1, 4096, 128, torch.bfloat16), (130, 384, 64, torch.float16), (7, 4096, 32, torch.bfloat16)):
                with self.subTest(f"{layout} {tokens} {hidden} {group} {dtype}"):
                    x = numbers(tokens, hidden, dtype=dtype)
                    q, scales = autotune.group_quant(x, group=group, layout=layout)
                    right = quantized(x, group, layout)
                    self.assertEqual(q.dtype, E4M3)
                    self.same_bits(q, right[0])
                    self.same_bits(scales, right[1])
                    self.assertEqual(scales.stride(), (1, tokens) if layout == "columns" else right[1].stride())

    def test_silu_mul_quant(self):
        for layout, group in (("rows", 128), ("blocks", 32)):
            x = numbers(130, 2 * 1024)
            gate, up = x.double().chunk(2, -1)
            q, scales = autotune.silu_mul_quant(x, group=group, layout=layout)
            self.near(q, scales, gate / (1 + torch.exp(-gate)) * up, group, layout)

    def test_rmsnorm_quant(self):
        x, residual, weight = numbers(37, 1024), numbers(37, 1024), numbers(1024, by=1)
        for added in (False, True):
            for group, layout, eps in ((None, "rows", 1e-5), (128, "columns", 1e-6), (32, "e8m0", 1.0)):
                with self.subTest(f"{added} {group} {layout} {eps}"):
                    q, scales, *total = autotune.rmsnorm_quant(x, weight, residual if added else None, eps=eps, group=group, layout=layout)
                    right = x + residual if added else x
                    for got in total:
                        self.same_bits(got, right)
                    y = right.double() * torch.rsqrt(right.double().square().mean(-1, keepdim=True) + eps) * weight.double()
                    self.near(q, scales, y, group or 1024, layout)

    def test_block_quant(self):
        x = numbers(200, 300)
        q, turned, scales = autotune.block_quant(x)
        for r in range(0, 200, 128):
            for c in range(0, 300, 128):
                block = x[r:r + 128, c:c + 128].float()
                s = scale_of(block.abs().amax(), False)
                self.assertEqual(scales[r // 128, c // 128].item(), s.item())
                self.same_bits(q[r:r + 128, c:c + 128], to_e4m3(block * (torch.ones_like(s) / s)))
        self.same_bits(turned, q.view(torch.uint8).t().contiguous())

    def test_rope(self):
        table, position = torch.randn(100, 64, device="cuda"), torch.randint(100, (37,), device="cuda", dtype=torch.int32)
        q, k = numbers(37, 8, 64, by=1), numbers(37, 2, 64, by=1)
        for interleaved in (False, True):
            for got, x in zip(autotune.rope(q, k, table, position, interleaved=interleaved), (q, k)):
                torch.testing.assert_close(got, rotated(x, table, position, interleaved), rtol=2**-7, atol=2**-8)

    def test_rows_of_experts(self):
        tokens, top, hidden = 37, 3, 256
        x, scales = numbers(tokens, hidden), torch.rand(tokens, 2, device="cuda")
        place = torch.randperm(tokens * top, device="cuda").view(tokens, top)
        weight = torch.rand(tokens, top, device="cuda")
        for kind in (torch.int32, torch.int64):
            rows, of_scales = autotune.moe_permute(to_e4m3(x.float()), place.to(kind), scales)
            right = torch.empty_like(rows)
            right.view(torch.uint8)[place] = to_e4m3(x.float()).view(torch.uint8)[:, None]
            self.same_bits(rows, right)
            self.same_bits(of_scales[place], scales[:, None].expand(-1, top, -1))
        rows = autotune.moe_permute(x, place)
        self.same_bits(rows[place], x[:, None].expand(-1, top, -1))
        summed = autotune.moe_unpermute(rows, place.int(), weight)
        torch.testing.assert_close(summed, (x.float() * weight.sum(-1, keepdim=True)).bfloat16(), rtol=2**-7, atol=2**-7)

    def test_rows_of_a_cache(self):
        tokens, slots = 37, 96
        k, v = numbers(tokens, 2, 64), numbers(tokens, 2, 64)
        slot = torch.randperm(slots, device="cuda")[:tokens]
        caches = torch.zeros(2, slots, 2, 64, dtype=torch.bfloat16, device="cuda")
        autotune.kv_write(k, v, caches[0], caches[1], torch.where(slot == slot[3], -1, slot))
        right = torch.zeros_like(caches)
        right[0, slot], right[1, slot] = k, v
        right[:, slot[3]] = 0
        self.same_bits(caches, right)
        for got, given in zip(autotune.kv_gather(caches[0], caches[1], slot), right):
            self.same_bits(got, given[slot])

    def test_rows_of_a_cache_of_e4m3(self):
        k, v, slot = numbers(37, 128), numbers(37, 128), torch.randperm(96, device="cuda")[:37]
        scales = torch.tensor([0.5, 2.0], device="cuda")  # the second begins at 4 bytes
        caches = torch.zeros(2, 96, 128, dtype=torch.uint8, device="cuda").view(E4M3)
        autotune.kv_write(k, v, caches[0], caches[1], slot, k_scale=scales[0], v_scale=scales[1])
        for cache, x, scale in zip(caches, (k, v), (0.5, 2.0)):
            self.same_bits(cache.view(torch.uint8)[slot], to_e4m3(x.float() / scale).view(torch.uint8))
        for got, cache, scale in zip(autotune.kv_gather(caches[0], caches[1], slot, k_scale=scales[0], v_scale=scales[1], dtype=torch.float16),
                                     caches, (0.5, 2.0)):
            self.same_bits(got, (cache.view(torch.uint8)[slot].view(E4M3).float() * scale).half())

    def test_rows_and_all_there_is(self):
        weight = numbers(1000, by=1)
        for dtype, off in ((torch.float32, 1e-5), (torch.bfloat16, 2**-7)):
            for x in (numbers(2, 37, 1000, dtype=dtype, by=1), numbers(5, 50257, dtype=dtype, by=1)):
                torch.testing.assert_close(autotune.softmax(x), torch.softmax(x.double(), -1).to(dtype), rtol=off, atol=0)
            x = numbers(2, 37, 1000, dtype=dtype)
            right = x.double() * torch.rsqrt(x.double().square().mean(-1, keepdim=True) + 1e-6) * weight.to(dtype).double()
            torch.testing.assert_close(autotune.rmsnorm(x, weight.to(dtype), eps=1e-6), right.to(dtype), rtol=off, atol=0)
        for dtype in (torch.int32, torch.float32):
            for count in (1, 1000, 1000003):
                x = torch.randint(-100, 100, (count,), device="cuda").to(dtype)
                for _ in range(2):  # the words that blocks meet in are zeros again
                    self.assertEqual(autotune.sum(x).item(), x.long().sum().item())
        x = torch.randint(0, 1000, (300, 7001), device="cuda").float()
        self.assertEqual(autotune.argmax(x).item(), (x.flatten() == x.max()).nonzero()[0].item())
        self.assertEqual((autotune.argmax(x).shape, autotune.argmax(x).dtype), ((), torch.int64))

    def test_views_and_more_dimensions_of_tokens(self):
        x = numbers(4, 10, 1024)
        right = quantized(x[:, 1:6, 256:768].reshape(-1, 512), 128, "rows")
        q, scales = autotune.group_quant(x[:, 1:6, 256:768])
        self.same_bits(q, right[0].view(4, 5, 512))
        self.same_bits(scales, right[1].view(4, 5, 4))
        columns = autotune.group_quant(x[:, 1:6, 256:768], layout="columns")[1]
        self.same_bits(columns, right[1].view(4, 5, 4))
        qkv = numbers(5, 12, 64)  # as a product gives them: q, k and v of a token side by side
        table, position = torch.randn(9, 64, device="cuda"), torch.arange(5, device="cuda", dtype=torch.int32)
        for got, given in zip(autotune.rope(qkv[:, :8], qkv[:, 8:10], table, position), (qkv[:, :8], qkv[:, 8:10])):
            torch.testing.assert_close(got, rotated(given, table, position, False), rtol=2**-7, atol=2**-8)

    def test_nothing_to_do(self):
        q, scales = autotune.group_quant(numbers(0, 256))
        self.assertEqual((q.shape, scales.shape), ((0, 256), (0, 2)))
        cache = numbers(8, 64)
        autotune.kv_write(numbers(0, 64), numbers(0, 64), cache, cache.clone(), torch.zeros(0, dtype=torch.int64, device="cuda"))

    def test_what_cannot_be_is_refused(self):
        x, slot = numbers(4, 64), torch.arange(4, device="cuda")
        with self.assertRaisesRegex(ValueError, "v_cache: found strides \\(128, 1\\) at .*; expected a contiguous tensor"):
            autotune.kv_write(x, x, numbers(8, 64), numbers(8, 128)[:, :64], slot)
        with self.assertRaisesRegex(ValueError, "group_quant: found tensor 1 on cpu; expected one on a GPU"):
            autotune.group_quant(x.cpu())
        with self.assertRaisesRegex(ValueError, "kv_write: found tensor 5 on cpu; expected that of the first, cuda:0"):
            autotune.kv_write(x, x, numbers(8, 64), numbers(8, 64), slot.cpu())

    def test_on_the_current_stream(self):
        stream, x = torch.cuda.Stream(), numbers(2048, 4096)
        autotune.group_quant(x)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)  # a tenth of a second: a launch on another stream would be over before
            x.add_(1)
            q, _ = autotune.group_quant(x)
        stream.synchronize()
        self.same_bits(q, quantized(x, 128, "rows")[0])

    def test_on_another_gpu_than_the_current_one(self):
        if torch.cuda.device_count() < 2:
            self.skipTest("there is one GPU")
        x = numbers(33, 512)
        y = x.to("cuda:1")
        q, scales = autotune.group_quant(y)
        self.assertEqual({q.device, scales.device}, {y.device})
        self.same_bits(q.cpu(), autotune.group_quant(x)[0].cpu())
        torch.cuda.synchronize(y.device)


def layer(x, residual, weight, qkv, table, position, caches, slot, place, chosen):
    """All operations, one after the other, as a layer of a model has them."""
    q8, scales, x = autotune.rmsnorm_quant(x, weight, residual, eps=1e-6)
    q, k = autotune.rope(qkv[:, :8].contiguous(), qkv[:, 8:10].contiguous(), table, position)
    autotune.kv_write(k, qkv[:, 10:].contiguous(), caches[0], caches[1], slot)
    k, v = autotune.kv_gather(caches[0], caches[1], slot)
    h8, h_scales = autotune.silu_mul_quant(torch.cat((x, x * 0.5), -1), group=64)
    rows, row_scales = autotune.moe_permute(h8, place, h_scales)
    back = autotune.moe_unpermute(autotune.moe_permute(x, place), place, chosen)
    straight, turned, of_blocks = autotune.block_quant(back)
    return (q8, scales, x, q, k, v, *autotune.group_quant(back * 2, layout="columns"), rows, row_scales, back, straight, turned, of_blocks,
            *autotune.rmsnorm_quant(back, weight))


def arguments(tokens, hidden=512, slots=96):
    return (numbers(tokens, hidden), numbers(tokens, hidden), numbers(hidden, by=1), numbers(tokens, 12, 64),
            torch.randn(64, 64, device="cuda"), torch.arange(tokens, device="cuda", dtype=torch.int32),
            [torch.zeros(slots, 2, 64, dtype=torch.bfloat16, device="cuda") for _ in range(2)], torch.randperm(slots, device="cuda")[:tokens],
            torch.randperm(tokens * 2, device="cuda", dtype=torch.int32).view(tokens, 2), torch.rand(tokens, 2, device="cuda"))


class Compiled(Case):
    def same(self, got, expected):
        self.assertEqual(len(got), len(expected))
        for i, (a, b) in enumerate(zip(got, expected)):
            with self.subTest(i):
                self.assertEqual((a.dtype, a.stride()), (b.dtype, b.stride()))
                self.same_bits(a, b)

    def test_torch_compile_takes_a_layer_whole(self):
        for backend in ("aot_eager", "inductor"):
            with self.subTest(backend):
                torch._dynamo.reset()
                compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=backend)
                for tokens in (33, 40):
                    given = arguments(tokens)
                    right = layer(*given)
                    for cache in given[6]:
                        cache.zero_()
                    self.same(compiled(*given), right)

    def test_inductor_s_cuda_graphs(self):
        torch._dynamo.reset()
        given = arguments(16)[:3]
        f = torch.compile(lambda x, residual, weight: autotune.rmsnorm_quant(x + 1, weight, residual), fullgraph=True, mode="reduce-overhead")
        for _ in range(4):
            self.same([y.clone() for y in f(*given)], autotune.rmsnorm_quant(given[0] + 1, given[2], given[1]))

    def test_a_cuda_graph_captures_the_first_call(self):
        given = arguments(24, hidden=640)  # of which no other test has kernels
        before = given[0].clone()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            got = layer(*given)
        given[0].copy_(before * 2)
        graph.replay()
        torch.cuda.synchronize()
        captured = [cache.clone() for cache in given[6]]
        for cache in given[6]:
            cache.zero_()
        self.same(got, layer(*given))
        self.same(captured, given[6])

    def test_they_are_what_pytorch_asks_of_them(self):
        x, weight = numbers(8, 512), numbers(512, by=1)
        place, cache = torch.randperm(16, device="cuda", dtype=torch.int32).view(8, 2), numbers(32, 512)
        ops, slot = torch.ops.autotune, torch.arange(8, device="cuda")
        for op, given in ((ops.group_quant, (x,)), (ops.softmax, (x,)), (ops.rmsnorm, (x, weight)), (ops.argmax, (x.float(),)), (ops.add_rmsnorm_quant, (x, weight, x.clone())), (ops.moe_permute, (x, place)),
                          (ops.kv_write, (x, x.clone(), cache, cache.clone(), slot)), (ops.kv_gather, (cache, cache, slot))):
            with self.subTest(str(op)):
                torch.library.opcheck(op, given)

    def test_an_operator_has_no_gradient_and_says_so(self):
        x = numbers(8, 512).requires_grad_()
        with self.assertRaises(RuntimeError):
            autotune.moe_permute(x, torch.arange(8, device="cuda", dtype=torch.int32).view(8, 1)).sum().backward()


def times():
    """Where the GPU is not what a call waits for."""
    x, weight = numbers(1, 512), numbers(512, by=1)
    k, cache, slot = numbers(1, 128), numbers(8, 128), torch.zeros(1, dtype=torch.int64, device="cuda")
    v_cache = cache.clone()
    compiled = torch.compile(autotune.group_quant, fullgraph=True)
    calls = {"autotune.group_quant(x)": lambda: autotune.group_quant(x),
             "torch.ops.autotune.group_quant(x)": lambda: torch.ops.autotune.group_quant(x),
             "torch.compile of it": lambda: compiled(x),
             "autotune.rmsnorm_quant(x, weight, x, eps=1e-6)": lambda: autotune.rmsnorm_quant(x, weight, x, eps=1e-6),
             "autotune.kv_write(...)": lambda: autotune.kv_write(k, k, cache, v_cache, slot)}
    for name, call in calls.items():
        best = float("inf")
        for _ in range(7):
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(300):
                call()
            best = min(best, (time.perf_counter() - began) / 300)
        print(f"  {name:48} {1e6 * best:7.2f} us")


if __name__ == "__main__":
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}", file=sys.stderr)
    done = unittest.main(argv=[sys.argv[0], *(a for a in sys.argv[1:] if a != "--times")], verbosity=2, exit=False)
    if "--times" in sys.argv:
        times()
    sys.exit(not done.result.wasSuccessful())
