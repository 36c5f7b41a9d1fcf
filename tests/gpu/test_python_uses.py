"""What people do with the module `autotune` and PyTorch on a GPU, one use a test: calls as they are typed, held against
PyTorch's own. Exit code 3: no PyTorch, or no GPU.     --first: what the first call of a new shape takes, last."""
import os
import pickle
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # its processes take longer to begin than these kernels
HOME = tempfile.TemporaryDirectory()  # whatever the user has measured decides nothing here, and stays as it is
os.environ.update(XDG_DATA_HOME=HOME.name, XDG_CACHE_HOME=HOME.name)
for name in ("AUTOTUNE_DB", "AUTOTUNE_CACHE"):
    os.environ.pop(name, None)
sys.path.insert(0, os.environ.get("AUTOTUNE_MODULE") or str(Path(__file__).resolve().parents[2] / "tools/python"))

try:
    import torch
except ImportError:
    torch = None
if torch is None or not torch.cuda.is_available():
    print("skipped: no PyTorch, or no GPU", file=sys.stderr)
    sys.exit(3)

import autotune  # noqa: E402

TYPES = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
         torch.float64, torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2)
HEADS = 0, 2, 1, 3  # (batch, tokens, heads, head) to (batch, heads, tokens, head)


def numbers(*shape, dtype=torch.float32):
    return torch.randint(0, 200, shape, device="cuda").to(dtype)


class Case(unittest.TestCase):
    def same(self, got, expected):
        self.assertEqual((got.shape, got.dtype, got.device), (expected.shape, expected.dtype, expected.device))
        self.assertTrue(got.is_contiguous())
        self.assertTrue(torch.equal(*(x.contiguous().flatten().view(torch.uint8) for x in (got, expected))))

    def refused(self, words, call, kind=ValueError):
        with self.assertRaisesRegex(kind, words):
            call()


class Moves(Case):
    def test_01_a_matrix_of_every_type(self):
        for dtype in TYPES:
            with self.subTest(str(dtype)):
                x = numbers(130, 70, dtype=dtype)
                self.same(autotune.transpose(x), x.t().contiguous())

    def test_02_batches_of_one_two_and_three_dimensions(self):
        for shape in ((5, 64, 33), (3, 4, 64, 33), (2, 3, 4, 8, 9)):
            x = numbers(*shape)
            self.same(autotune.transpose(x), x.mT.contiguous())

    def test_03_dimensions_that_are_named(self):
        x = numbers(4, 33, 6, 64)
        for dims in ((1, 2), (0, -1), (-3, -2), (2, 2)):
            self.same(autotune.transpose(x, *dims), x.transpose(*dims).contiguous())

    def test_04_heads_of_attention(self):
        x = numbers(2, 77, 12, 64, dtype=torch.bfloat16)
        self.same(autotune.permute(x, HEADS), x.permute(HEADS).contiguous())

    def test_05_images_both_ways(self):
        x = numbers(8, 3, 224, 224)
        y = autotune.permute(x, (0, 2, 3, 1))
        self.same(y, x.permute(0, 2, 3, 1).contiguous())
        self.same(autotune.permute(y, (0, 3, 1, 2)), x)

    def test_06_dimensions_counted_from_the_end(self):
        x = numbers(4, 5, 6, 7)
        self.same(autotune.permute(x, (-1, 0, -2, 1)), x.permute(-1, 0, -2, 1).contiguous())

    def test_07_slices_steps_and_transposed_views(self):
        x = numbers(6, 40, 50)
        for view in (x[:, 3:17], x[..., ::3], x[::2, 1:, 5:], x.mT, x.permute(2, 0, 1), x[:, :1], x[0]):
            dims = tuple(range(view.dim()))[::-1]
            self.same(autotune.permute(view, dims), view.permute(dims).contiguous())
            self.same(autotune.transpose(view), view.mT.contiguous())
            self.same(autotune.copy(view), view.contiguous())

    def test_08_broadcasts(self):
        for view in (numbers(1, 64).expand(33, 64), numbers(33, 1).expand(33, 64), numbers(4, 1, 6).expand(4, 5, 6)):
            dims = tuple(range(view.dim()))[::-1]
            self.same(autotune.permute(view, dims), view.permute(dims).contiguous())
            self.same(autotune.transpose(view), view.mT.contiguous())
            self.same(autotune.copy(view), view.contiguous())

    def test_09_into_an_output(self):
        x = numbers(10, 20, 30)
        out = torch.empty(30, 10, 20, device="cuda")
        self.assertIs(autotune.permute(x, (2, 0, 1), out=out), out)
        self.same(out, x.permute(2, 0, 1).contiguous())
        self.refused("out: found shape", lambda: autotune.permute(x, (0, 2, 1), out=out))
        self.refused("an output is given as out=", lambda: autotune.transpose(x, out), TypeError)

    def test_10_no_elements_one_element_and_no_dimensions(self):
        for x in (numbers(0, 5), numbers(5, 0, 3), numbers(1, 1)):
            self.same(autotune.transpose(x), x.mT.contiguous())
        number = torch.tensor(3.0, device="cuda")
        self.same(autotune.permute(number, ()), number)
        self.same(autotune.copy(number), number)

    def test_11_more_than_two_to_the_thirty_first_elements(self):
        x = torch.randint(0, 255, (50_000, 50_000), device="cuda", dtype=torch.uint8)
        self.assertTrue(torch.equal(autotune.transpose(x), x.t()))

    def test_12_twelve_dimensions(self):
        x = numbers(*[2] * 12)
        self.same(autotune.permute(x, (6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5)), x.flatten(0, 5).flatten(1).t().contiguous().view(x.shape))
        self.refused("found 12 dimensions of which no two are one in both layouts; permute takes 8",
                     lambda: autotune.permute(x, (11, 0, 10, 1, 9, 2, 8, 3, 7, 4, 6, 5)))


class Differentiated(Case):
    def test_13_gradients(self):
        x = torch.randn(3, 4, 5, 6, device="cuda", requires_grad=True)
        for f, g in ((lambda x: autotune.permute(x, HEADS), lambda x: x.permute(HEADS)), (lambda x: autotune.transpose(x, 0, -1), lambda x: x.transpose(0, -1))):
            got, expected = (torch.autograd.grad(h(x).sin().sum(), x)[0] for h in (f, g))
            torch.testing.assert_close(got, expected)

    def test_14_gradients_of_gradients(self):
        x = torch.randn(3, 2, 4, device="cuda", dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradgradcheck(lambda x: autotune.permute(x, (2, 0, 1)) ** 2, (x,)))

    def test_15_torch_func(self):
        x, t = torch.randn(3, 4, 5, device="cuda"), torch.randn(3, 4, 5, device="cuda")
        ours, theirs = (lambda x: autotune.permute(x, (2, 0, 1))), (lambda x: x.permute(2, 0, 1))
        for way in (lambda f: torch.func.jvp(f, (x,), (t,))[1], lambda f: torch.func.grad(lambda x: f(x).sin().sum())(x),
                    lambda f: torch.vmap(f)(torch.stack([x, t])), lambda f: torch.vmap(f, in_dims=2)(torch.stack([x, t], 2)),
                    lambda f: torch.vmap(torch.func.grad(lambda x: f(x).sin().sum()))(torch.stack([x, t]))):
            torch.testing.assert_close(way(ours), way(theirs))

    def test_16_a_module_trains(self):
        class Mixer(torch.nn.Module):
            def __init__(self, permute):
                super().__init__()
                self.linear, self.permute = torch.nn.Linear(16, 16, device="cuda"), permute

            def forward(self, x):
                return self.permute(self.linear(self.permute(x)))

        ours, theirs = Mixer(lambda x: autotune.permute(x, (0, 2, 1))), Mixer(lambda x: x.permute(0, 2, 1))
        theirs.load_state_dict(ours.state_dict())
        x = torch.randn(4, 16, 9, device="cuda")
        for model in (ours, theirs):
            model(x).square().mean().backward()
        torch.testing.assert_close(ours.linear.weight.grad, theirs.linear.weight.grad)

    def test_17_autocast(self):
        x = torch.randn(8, 6, 4, device="cuda", requires_grad=True)
        with torch.autocast("cuda", torch.bfloat16):
            y = autotune.permute(x @ x.mT, (1, 2, 0))
            self.same(y.detach(), (x @ x.mT).permute(1, 2, 0).contiguous().detach())


class Compiled(Case):
    def f(self, x):
        return autotune.permute(x * 2, HEADS) + autotune.transpose(x, 1, 2)

    def check(self, shapes, **how):
        torch._dynamo.reset()
        compiled = torch.compile(self.f, fullgraph=True, **how)
        for shape in shapes:
            x = torch.randn(*shape, device="cuda", requires_grad=True)
            got, expected = compiled(x).clone(), 3 * x.permute(HEADS)
            torch.testing.assert_close(got, expected)
            torch.testing.assert_close(torch.autograd.grad(compiled(x).sin().sum(), x)[0], torch.autograd.grad((3 * x.permute(HEADS)).sin().sum(), x)[0])

    def test_18_fullgraph(self):
        self.check([(2, 3, 4, 5)])

    def test_19_sizes_that_change(self):
        self.check([(2, 3, 4, 5), (2, 7, 4, 6), (3, 9, 5, 8)], dynamic=True)

    def test_20_reduce_overhead(self):
        self.check([(2, 30, 4, 16)] * 3, mode="reduce-overhead")

    def test_21_export(self):
        class Heads(torch.nn.Module):
            def forward(self, x):
                return autotune.permute(x, HEADS) + 1

        x = torch.randn(2, 3, 4, 5, device="cuda")
        torch.testing.assert_close(torch.export.export(Heads(), (x,)).module()(x), x.permute(HEADS) + 1)

    def test_22_opcheck(self):
        x = torch.randn(2, 3, 4, 5, device="cuda", requires_grad=True)
        for op, given in ((torch.ops.autotune.permute, (HEADS,)), (torch.ops.autotune.transpose, (1, 2)), (torch.ops.autotune.copy, ())):
            torch.library.opcheck(op, (x, *given))

    def test_23_a_graph_that_captures_the_first_call(self):
        x = numbers(31, 17, 23)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = autotune.permute(x, (2, 0, 1))
        x.add_(5)
        graph.replay()
        self.same(y, x.permute(2, 0, 1).contiguous())

    def test_24_streams(self):
        x, stream = numbers(2048, 512, 4), torch.cuda.Stream()
        autotune.permute(x, (2, 0, 1))
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)
            x.add_(1)
            y = autotune.permute(x, (2, 0, 1))
        stream.synchronize()
        self.same(y, x.permute(2, 0, 1).contiguous())
        row = numbers(1, 512)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)
            row.add_(1)
        y = autotune.default().permute(row.expand(2048, 512), (1, 0), stream=stream.cuda_stream)
        stream.synchronize()
        self.same(y, row.expand(2048, 512).t().contiguous())

    def test_25_threads(self):
        inputs, got = [numbers(20 + i, 30, 5) for i in range(8)], {}
        threads = [threading.Thread(target=lambda i=i: got.update({i: autotune.permute(inputs[i], (2, 0, 1))})) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        torch.cuda.synchronize()
        for i, x in enumerate(inputs):
            self.same(got[i], x.permute(2, 0, 1).contiguous())


class Rows(Case):
    def test_26_gathers(self):
        for dtype in (torch.float32, torch.bfloat16, torch.uint8, torch.float8_e4m3fn):
            for kind in (torch.int64, torch.int32):
                x, index = numbers(1000, 64, dtype=dtype), torch.randint(1000, (7, 33), device="cuda").to(kind)
                self.same(autotune.gather_rows(x, index), x.view(torch.uint8)[index].view(dtype))
        self.refused("index: found elements f32; expected i64 or i32", lambda: autotune.gather_rows(x, index.float()))

    def test_27_scatters_and_their_gradients(self):
        x, place = torch.randn(100, 3, 8, device="cuda", requires_grad=True), torch.randperm(100, device="cuda")
        y = autotune.scatter_rows(x, place)
        self.same(y[place].detach(), x.detach())
        y.sin().sum().backward()
        torch.testing.assert_close(x.grad, x.detach().cos())
        embedding, index = torch.randn(50, 16, device="cuda", requires_grad=True), torch.randint(50, (4, 9), device="cuda")
        got, expected = (torch.autograd.grad(rows.sin().sum(), embedding)[0] for rows in (autotune.gather_rows(embedding, index), embedding[index]))
        torch.testing.assert_close(got, expected)

    def test_28_conversions_are_those_of_the_cpu(self):
        for kind in (torch.float32, torch.bfloat16, torch.float16):
            x, scale = (torch.randn(3, 130, 70, device="cuda") * 300).to(kind), torch.tensor([1.7], device="cuda")
            for dtype in ("e4m3", torch.float8_e5m2, "f16", "bfloat16"):
                for both, amax in ((False, False), (True, False), (False, True), (True, True)):
                    with self.subTest(f"{kind} {dtype} {both} {amax}"):
                        got, expected = (autotune.cast_transpose(a.to(where), b.to(where), dtype, both=both, amax=amax)
                                         for a, b, where in ((x, scale, "cuda"), (x, scale, "cpu")))
                        for a, b in zip(*(made if both or amax else (made,) for made in (got, expected))):
                            self.same(a.cpu(), b)

    def test_29_both_compiled(self):
        def f(x, index, scale):
            return autotune.gather_rows(x + 1, index), *autotune.cast_transpose(x + 1, scale, "bf16", both=True)

        torch._dynamo.reset()
        compiled = torch.compile(f, fullgraph=True, dynamic=True)
        for rows in (64, 96):
            given = torch.randn(rows, 32, device="cuda"), torch.randint(rows, (5,), device="cuda"), torch.ones(1, device="cuda")
            for a, b in zip(compiled(*given), f(*given)):
                self.same(a, b)


class Asked(Case):
    def test_30_types_and_devices_of_pytorch(self):
        x = numbers(4096, 4096, dtype=torch.bfloat16)
        found = autotune.find("transpose", x.shape, x.dtype, device=x.device)
        self.assertEqual(found, autotune.find("transpose", (4096, 4096), "bf16", device=0))
        self.assertEqual(found.type, "bf16")
        self.assertIn(found.device, torch.cuda.get_device_name())

    def test_31_permutations(self):
        found = autotune.find("permute", (8, 2048, 16, 64), torch.float16, dims=HEADS, device=0)
        self.assertTrue(found.template_name)
        self.assertTrue(autotune.prepare("permute", (8, 2048, 16, 64), torch.float16, dims=HEADS).template_name)

    def test_32_run_by_name(self):
        x, y = numbers(128, 64), torch.empty(64, 128, device="cuda")
        autotune.run("transpose", (128, 64), x.dtype, {"in": x, "out": y})
        self.same(y, x.t().contiguous())
        index, rows = torch.randint(128, (50,), device="cuda"), torch.empty(50, 64, device="cuda")
        autotune.run("gather_rows", (128, 50, 256), index.dtype, {"in": x, "out": rows, "index": index})
        self.same(rows, x[index])
        self.refused("found type f32; gather_rows expects one of i32 i64; that is the type of index",
                     lambda: autotune.find("gather_rows", (128, 50, 256), "f32", device=0))

    def test_33_tuned_from_python(self):
        x = numbers(999, 333, 7)
        before = autotune.permute(x, (2, 0, 1))
        found = autotune.tune("permute", x.shape, x.dtype, dims=(2, 0, 1), device=x.device, budget_s=2)
        self.assertEqual((found.match, found.origin), ("exact", "database"))
        self.same(autotune.permute(x, (2, 0, 1)), before)
        self.assertEqual(autotune.prepare("permute", x.shape, x.dtype, dims=(2, 0, 1)).config, found.config)

    def test_34_shown(self):
        autotune.tune("copy", (100_000,), "f32", max_trials=4)
        self.assertIn("<iframe", autotune.report()._repr_html_())
        found = autotune.find("transpose", (4096, 4096), "f32", device=0)
        self.assertLess(len(repr(found)), 300)
        self.assertIn("<table>", found._repr_html_())

    def test_35_pickled(self):
        found = autotune.find("transpose", (4096, 4096), "f32", device=0)
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)
        with self.assertRaises(autotune.Error) as raised:
            autotune.find("transpose", (0, 1), "f32")
        self.assertEqual(str(pickle.loads(pickle.dumps(raised.exception))), str(raised.exception))

    def test_36_what_is_wrong_is_said(self):
        x = numbers(4, 5, 6)
        self.refused(r"found dims \(0, 0, 1\); expected each of 0 to 2 once", lambda: autotune.permute(x, (0, 0, 1)))
        self.refused("found 1 dimensions; expected two or more", lambda: autotune.transpose(x[0, 0]))
        self.refused("found a list; expected an array on a GPU", lambda: autotune.transpose([[1]]), TypeError)
        self.refused("found type f32; ", lambda: autotune.find("scatter_rows", (5, 8), "f32", device=0))
        self.same(autotune.permute(x.cpu(), (2, 0, 1)), x.cpu().permute(2, 0, 1).contiguous())


def first():
    """Where the time goes of a call that is the first of its shape: with nothing in the cache, with the cubin in it, again."""
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    shapes = [(1000 + 17 * i, 900 + 13 * i) for i in range(12)]
    permuted = [(3, 100 + 7 * i, 60 + 5 * i, 8) for i in range(12)]
    for title, calls in (("transpose", [lambda s=s: autotune.transpose(numbers(*s)) for s in shapes]),
                         ("permute", [lambda s=s: autotune.permute(numbers(*s), (3, 1, 0, 2)) for s in permuted])):
        for when in ("nothing cached", "kernels cached", "again"):
            if when == "kernels cached":
                autotune._default.clear()
            took = []
            for call in calls:
                torch.cuda.synchronize()
                began = time.perf_counter()
                call()
                took.append(1e3 * (time.perf_counter() - began))
            took.sort()
            print(f"  {title:10} {when:15} {took[len(took) // 2]:8.3f} ms median, {took[0]:8.3f} to {took[-1]:8.3f}")
    found = [1e3 * (time.perf_counter() - began) for s in shapes for began in [time.perf_counter()]
             if autotune.find("transpose", (s[0] + 1, s[1]), "f32", device=0)]
    print(f"  find, of shapes that are new too: {sorted(found)[len(found) // 2]:.3f} ms median")


if __name__ == "__main__":
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}", file=sys.stderr)
    done = unittest.main(argv=[sys.argv[0], *(a for a in sys.argv[1:] if a != "--first")], verbosity=2, exit=False)
    if "--first" in sys.argv:
        first()
    sys.exit(not done.result.wasSuccessful())
