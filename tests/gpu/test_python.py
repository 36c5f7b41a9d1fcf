"""The module `autotune` with PyTorch on a GPU: eager, in views, on streams, in CUDA graphs, under torch.compile and autograd,
and arrays that are no tensors. Exit code 3: no PyTorch, or no GPU.     --times: what a call costs, last."""
import os
import sys
import threading
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


class Foreign:
    """A tensor as other frameworks would hand it over."""

    def __init__(self, tensor, stream=None):
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.detach().__cuda_array_interface__, "stream": stream, "version": 3}


class Packed:
    """One that has DLPack alone."""

    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


def turned(x):
    return x.transpose(-1, -2).contiguous()


def numbers(*shape, dtype=torch.float32):
    return torch.randint(0, 200, shape, device="cuda").to(dtype)


class Case(unittest.TestCase):
    def same(self, got, expected):
        self.assertEqual((got.shape, got.dtype, got.device), (expected.shape, expected.dtype, expected.device))
        self.assertTrue(got.is_contiguous())
        self.assertTrue(torch.equal(got, expected))


class Eager(Case):
    def test_every_element_size_and_ragged_shapes(self):
        for dtype in (torch.bool, torch.uint8, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex128):
            for shape in ((512, 256), (257, 1023), (5, 64, 33)):
                with self.subTest(f"{dtype} {shape}"):
                    x = numbers(*shape, dtype=dtype)
                    self.same(autotune.transpose(x), turned(x))
                    self.same(autotune.copy(x), x)

    def test_views(self):
        x = numbers(300, 500)
        for view in (x[:, 7:400], x[3:, :], x[::2, 1:], x.t(), x[:, ::3], x[None, 5:9], x.view(3, 100, 500)[:, :, 2:9],
                     x[:1], x[:, :1], x[:0]):
            with self.subTest(f"{tuple(view.shape)} {view.stride()}"):
                self.same(autotune.transpose(view), turned(view))
                self.same(autotune.copy(view), view.contiguous())

    def test_lazily_conjugated(self):
        x = numbers(64, 32, dtype=torch.complex64) * 1j
        self.same(autotune.transpose(x.conj()), turned(x.conj().resolve_conj()))

    def test_into_an_output(self):
        x = numbers(100, 70)
        out = torch.empty(70, 100, device="cuda")
        self.assertIs(autotune.transpose(x, out=out), out)
        self.same(out, turned(x))
        with self.assertRaisesRegex(ValueError, "out: found shape"):
            autotune.transpose(x, out=torch.empty(100, 70, device="cuda"))

    def test_on_the_current_stream(self):
        stream = torch.cuda.Stream()
        x = numbers(2048, 2048)
        autotune.transpose(x)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)  # a tenth of a second: a launch on another stream would be over before
            x.add_(1)
            y = autotune.transpose(x)
        stream.synchronize()
        self.same(y, turned(x))

    def test_in_a_cuda_graph(self):
        x = numbers(512, 512)
        autotune.transpose(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = autotune.transpose(x)
        x.add_(5)
        graph.replay()
        self.same(y, turned(x))

    def test_from_a_thread_that_has_no_context(self):
        x, got = numbers(128, 96), []

        def work():
            got.append(autotune.default().transpose(Foreign(x), out=Foreign(torch.empty_like(x.t().contiguous()))).tensor)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        torch.cuda.synchronize()
        self.same(got[0], turned(x))


class Operators(Case):
    def test_the_gradient_of_a_transpose_is_a_transpose(self):
        x = torch.randn(64, 48, device="cuda", requires_grad=True)
        weight = torch.randn(48, 64, device="cuda")
        (autotune.transpose(x) * weight).sum().backward()
        self.same(x.grad, turned(weight))

    def test_gradients_of_gradients(self):
        x = torch.randn(5, 4, device="cuda", dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(autotune.transpose, (x,)))
        self.assertTrue(torch.autograd.gradgradcheck(lambda x: autotune.transpose(x) ** 2, (x,)))

    def test_vmap_takes_them(self):
        x = torch.randn(4, 33, 50, device="cuda")
        self.same(torch.vmap(autotune.transpose)(x), turned(x))
        self.assertTrue(torch.equal(torch.vmap(autotune.copy, in_dims=1)(x), x.transpose(0, 1)))

    def test_torch_func_differentiates_them(self):
        func, x, tangent = torch.func, torch.randn(33, 50, device="cuda"), torch.randn(33, 50, device="cuda")
        for ours, theirs in ((autotune.transpose, turned), (autotune.copy, torch.clone)):
            for way in (lambda f: func.grad(lambda x: f(x.sin()).square().sum())(x),
                        lambda f: func.jvp(f, (x,), (tangent,))[1],
                        lambda f: func.vmap(func.grad(lambda x: f(x).square().sum()))(torch.stack([x, tangent])),
                        lambda f: func.jacrev(f)(x[:3, :4]), lambda f: func.jacfwd(f)(x[:3, :4])):
                torch.testing.assert_close(way(ours), way(theirs))

    def test_forward_mode_keeps_tangents(self):
        x, forward_ad = torch.randn(33, 50, device="cuda"), torch.autograd.forward_ad
        with forward_ad.dual_level():
            y = autotune.transpose(forward_ad.make_dual(torch.ones_like(x), x))
            self.same(forward_ad.unpack_dual(y).tangent, turned(x))

    def test_parameters_are_tensors(self):
        weight = torch.nn.Parameter(torch.randn(64, 48, device="cuda"))
        self.same(autotune.transpose(weight).detach(), turned(weight.detach()))
        autotune.transpose(weight).sum().backward()
        self.same(weight.grad, torch.ones_like(weight))

    def test_they_are_what_pytorch_asks_of_them(self):
        for op in (torch.ops.autotune.transpose, torch.ops.autotune.copy):
            torch.library.opcheck(op, (torch.randn(32, 48, device="cuda", requires_grad=True),))
            torch.library.opcheck(op, (torch.randn(2, 32, 48, device="cuda")[..., ::2],))

    def test_torch_compile_takes_them_whole(self):
        def f(x):
            return autotune.transpose(x * 2).relu() + autotune.copy(x + 1).t()

        x = torch.randn(96, 160, device="cuda", requires_grad=True)
        for backend in ("aot_eager", "inductor"):
            with self.subTest(backend):
                torch._dynamo.reset()
                compiled = torch.compile(f, fullgraph=True, backend=backend)
                y = compiled(x)
                self.assertTrue(torch.equal(y, f(x)))
                self.assertTrue(torch.equal(torch.autograd.grad(y.sum(), x)[0], torch.autograd.grad(f(x).sum(), x)[0]))
                self.assertTrue(torch.equal(compiled(x.detach()), f(x.detach())))

    def test_torch_compile_with_sizes_that_change(self):
        compiled = torch.compile(lambda x: autotune.transpose(x) + 1, fullgraph=True, dynamic=True)
        for shape in ((64, 32), (65, 33), (128, 96)):
            x = numbers(*shape)
            self.assertTrue(torch.equal(compiled(x), turned(x) + 1))


class Foreigners(Case):
    def test_cuda_array_interface(self):
        x = numbers(200, 300)
        out = torch.empty(300, 200, device="cuda")
        autotune.transpose(Foreign(x), out=Foreign(out))
        self.same(out, turned(x))

    def test_dlpack(self):
        x = numbers(200, 300, dtype=torch.float16)
        out = torch.empty(300, 200, device="cuda", dtype=torch.float16)
        autotune.transpose(Packed(x), out=Packed(out))
        self.same(out, turned(x))

    def test_streams_of_both_sides(self):
        first, second = torch.cuda.Stream(), torch.cuda.Stream()
        x, out = numbers(1024, 1024), torch.empty(1024, 1024, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(first):
            torch.cuda._sleep(200_000_000)
            x.add_(1)
        autotune.transpose(Foreign(x, first.cuda_stream), out=Foreign(out, second.cuda_stream))
        second.synchronize()
        self.same(out, turned(x))

    def test_run_by_name(self):
        x, y = numbers(128, 64), torch.empty(64, 128, device="cuda")
        autotune.run("transpose", (128, 64), "f32", {"in": x, "out": Foreign(y)})
        self.same(y, turned(x))

    def test_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("there is no CuPy here")
        x = cupy.arange(6000).reshape(60, 100).astype("f4")
        with cupy.cuda.Stream(non_blocking=True) as stream:
            y = autotune.transpose(x)
            stream.synchronize()
        self.assertTrue((y == x.T).all())


def times():
    """Host time of a call where the GPU is not what it waits for, and the GPU's where it is."""
    small, large = numbers(64, 64), numbers(8192, 8192)
    grad = small.clone().requires_grad_()
    out = torch.empty_like(small)
    compiled = torch.compile(lambda x: autotune.transpose(x), fullgraph=True)
    tuner, stream = autotune.default(), torch.cuda.current_stream().cuda_stream
    calls = {"autotune.transpose(x)": lambda: autotune.transpose(small),
             "autotune.transpose(x, out=out)": lambda: autotune.transpose(small, out=out),
             "the same, with a gradient": lambda: autotune.transpose(grad),
             "torch.ops.autotune.transpose(x)": lambda: torch.ops.autotune.transpose(small),
             "torch.compile of it": lambda: compiled(small),
             "Tuner.run, two addresses": lambda: tuner.run("transpose", (64, 64), "f32", (out.data_ptr(), small.data_ptr()), stream=stream),
             "__cuda_array_interface__": lambda: autotune.transpose(Foreign(small), out=Foreign(out)),
             "x.t().contiguous()": lambda: small.t().contiguous()}
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    for name, call in calls.items():
        best = float("inf")
        for _ in range(7):
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(300):
                call()
            best = min(best, (time.perf_counter() - began) / 300)
        print(f"  64x64, host: {name:36} {1e6 * best:7.2f} us")
    for name, call in {"autotune": lambda: autotune.transpose(large), "torch": lambda: large.t().contiguous()}.items():
        call()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(50):
            call()
        stop.record()
        stop.synchronize()
        print(f"  8192x8192 f32, GPU: {name:9} {1e3 * start.elapsed_time(stop) / 50:8.1f} us")


if __name__ == "__main__":
    timed = "--times" in sys.argv
    done = unittest.main(argv=[sys.argv[0], *(a for a in sys.argv[1:] if a != "--times")], exit=False)
    if timed:
        times()
    sys.exit(not done.result.wasSuccessful())
