"""Rows by an index, conversions and the functions of LLM serving in tools/python/autotune: each plan has the buffers that its operation declares, and says what is
wrong with its arguments. What PyTorch asks of operators is skipped where there is none, and on its fake tensors where there is.
usage: test_python_serving.py FAKE_LIBCUDA"""
import math
import os
import sys
import unittest
from unittest import mock

from on_fake_driver import OnTheFakeDriver  # first: the driver that is loaded is the fake one

try:
    import torch
except (ImportError, OSError):
    torch = None

try:
    import jax
    import jax.numpy as jnp
except (ImportError, OSError):
    jax = None

import autotune  # noqa: E402
from autotune import _serving  # noqa: E402
from autotune._serving import New, Spec  # noqa: E402

if torch is not None:  # `import torch, autotune` does this by itself
    from autotune import _torch_serving  # noqa: F401

ITEM_BYTES = {"e4m3": 1, "e5m2": 1, "e8m0": 1, "u8": 1, "bf16": 2, "f16": 2, "f32": 4, "i32": 4, "i64": 8}


def spec(dtype, *shape):
    return Spec(shape, dtype, ITEM_BYTES[dtype])


def bf16(*shape):
    return spec("bf16", *shape)


def f32(*shape):
    return spec("f32", *shape)


X = bf16(5, 256)
PLACE, WEIGHT = spec("i32", 5, 3), f32(5, 3)
SLOT, CACHE, CACHE8, ONE = spec("i64", 5), bf16(64, 2, 32), spec("e4m3", 64, 2, 32), f32(1)
LAYOUTS = ("rows", "columns", "e8m0", "blocks")
CALLS = [
    *(("gather_rows", (x, spec(index, *shape)), ()) for x in (X, f32(9), spec("e4m3", 9, 7, 3)) for index, shape in (("i32", (4,)), ("i64", (2, 3)))),
    ("scatter_rows", (X, SLOT), ()),
    *((f"cast_transpose{more}", (x, ONE), (to,)) for more in ("", "_both", "_amax", "_both_amax")
      for x, to in ((X, "e4m3"), (f32(2, 3, 5, 64), "e5m2"), (spec("f16", 5, 64), "bf16"))),
    *(("group_quant", (X,), (group, layout)) for layout in LAYOUTS for group in (128, 64, 32)),
    ("group_quant", (spec("f16", 2, 3, 384),), ()),
    *(("softmax", (x,), ()) for x in (X, f32(9), spec("f16", 2, 3, 7))),
    ("rmsnorm", (X, bf16(256)), (1e-6,)),
    *(("sum", (x,), ()) for x in (f32(9), spec("i32", 2, 3))),
    ("argmax", (f32(2, 9),), ()),
    *(("silu_mul_quant", (X,), (group, layout)) for layout in LAYOUTS for group in (64, 32)),
    *(("rmsnorm_quant", (X, bf16(256)), (1e-6, group, "rows")) for group in (0, 128, 64, 32)),
    ("rmsnorm_quant", (X, bf16(256)), (1e-6, 32, "blocks")),
    ("add_rmsnorm_quant", (X, bf16(256), X), (1e-6, 0, "columns")),
    ("block_quant", (bf16(130, 300),), ()),
    ("rope", (bf16(5, 4, 64), bf16(5, 2, 64), f32(100, 64), spec("i32", 5)), (False,)),
    ("rope", (bf16(5, 4, 64), bf16(5, 2, 64), f32(100, 64), spec("i32", 5)), (True,)),
    ("moe_permute", (X, PLACE), ()),
    ("moe_permute", (spec("e4m3", 5, 7, 9), spec("i64", 5, 3)), ()),
    ("moe_permute_scaled", (X, PLACE, f32(5, 2)), ()),
    ("moe_unpermute", (bf16(15, 256), PLACE, WEIGHT), ()),
    ("kv_write", (bf16(5, 2, 32), bf16(5, 2, 32), CACHE, CACHE, SLOT), ()),
    ("kv_write", (bf16(5, 2, 32), bf16(5, 2, 32), CACHE8, CACHE8, SLOT, ONE, f32()), ()),
    ("kv_gather", (CACHE, CACHE, SLOT), ()),
    ("kv_gather", (CACHE8, CACHE8, SLOT, ONE, ONE), ("f16",)),
]


class Plans(OnTheFakeDriver):
    def test_buffers_are_those_that_the_operation_declares(self):
        for name, inputs, options in CALLS:
            with self.subTest(f"{name} {inputs} {options}"):
                plan = _serving.planned(name, inputs, options)
                declared = self.tuner.find(_serving.OPERATIONS[name].op, plan.sizes, plan.type, device="NVIDIA H200", arch="sm_90", sms=132).buffers
                self.assertEqual(len(plan.buffers), len(declared))
                for buffer, arg in zip(plan.buffers, declared):
                    self.check(arg, inputs, _serving.OPERATIONS[name].written, buffer, name)

    def check(self, arg, inputs, written, buffer, name):
        if buffer is None:
            self.assertEqual(arg.bytes, 0, arg)
            return
        role = ("inout" if buffer.hidden and buffer.zero else "output") if isinstance(buffer, New) else "inout" if _serving.OPERATIONS[name].inputs[buffer] in written else "input"
        given = inputs[buffer] if isinstance(buffer, int) else buffer
        dtype = inputs[given.dtype].dtype if isinstance(given.dtype, int) else given.dtype
        self.assertEqual(arg.role, role, arg)
        if arg.name.endswith("_scale") and given == SLOT:
            return  # of a cache that is not of e4m3: nobody reads it
        if name == "moe_permute" and arg.name == "scales":
            self.assertLessEqual(arg.bytes, math.prod(given.shape) * ITEM_BYTES[dtype], "a byte a token of the rows themselves")
            return
        self.assertEqual(arg.bytes, math.prod(given.shape) * ITEM_BYTES[dtype], arg)
        self.assertIn(arg.type, (dtype, "u8", dtype.replace("i64", "u64")), arg)

    def test_sizes_are_such_as_a_shape_may_have(self):
        """Else no file of shapes could name what is to be tuned."""
        for name, inputs, options in CALLS:
            plan = _serving.planned(name, inputs, options)
            text = "x".join(map(str, plan.sizes))
            self.assertNotEqual(self.tuner.find(_serving.OPERATIONS[name].op, text, plan.type).shape, "", text)

    def test_every_operation_of_serving_is_tried(self):
        self.assertEqual({name for name, _, _ in CALLS}, set(_serving.OPERATIONS))
        ops = {op.name for op in self.tuner.ops()}
        self.assertLessEqual({operation.op for operation in _serving.OPERATIONS.values()}, ops)

    def test_an_epsilon_goes_to_the_kernel(self):
        for eps in (1e-5, 1e-6):
            plan = _serving.planned("rmsnorm_quant", (X, bf16(256)), (eps,))
            self.assertEqual(plan.scalars, (("eps", eps),))

    def test_what_is_wrong_is_said(self):
        for words, name, inputs, options in (
                ("index: found elements f32; expected i64 or i32", "gather_rows", (X, f32(5)), ()),
                ("x: found no dimensions; expected \\(..., cols\\)", "softmax", (f32(),), ()),
                ("weight: found shape \\(4,\\); expected \\(256,\\): one of each column", "rmsnorm", (X, bf16(4)), ()),
                ("x: found elements bf16; expected f32 or i32", "sum", (X,), ()),
                ("x: found no elements; expected one or more", "argmax", (f32(3, 0),), ()),
                ("index: found shape \\(4,\\); expected \\(5,\\): a place for each row", "scatter_rows", (X, spec("i64", 4)), ()),
                ("dtype: found 'f32'; expected one of 'e4m3', 'e5m2', 'f16', 'bf16'", "cast_transpose", (X, ONE), ("f32",)),
                ("scale: found shape \\(5, 256\\); expected one number", "cast_transpose", (X, f32(5, 256)), ("e4m3",)),
                ("x: found 1 dimensions; expected \\(rows, cols\\)", "cast_transpose", (f32(5), ONE), ("e4m3",)),
                ("x: found elements f32; expected bf16 or f16", "group_quant", (f32(5, 256),), ()),
                ("x: found 1 dimensions; expected \\(tokens, hidden\\)", "group_quant", (bf16(256),), ()),
                ("group: found 100; expected one of 128, 64, 32", "group_quant", (X,), (100,)),
                ("layout: found 'cols'; expected one of 'rows', 'columns'", "group_quant", (X,), (128, "cols")),
                ("x: found rows of 200 elements; expected a multiple of group=128", "group_quant", (bf16(5, 200),), ()),
                ("x: found rows of 257 elements; expected gate and up", "silu_mul_quant", (bf16(5, 257),), ()),
                ("weight: found shape \\(128,\\); expected \\(256,\\)", "rmsnorm_quant", (X, bf16(128)), ()),
                ("weight: found elements f32; expected bf16", "rmsnorm_quant", (X, f32(256)), ()),
                ("layout: found 'e8m0' with a scale for each row", "rmsnorm_quant", (X, bf16(256)), (1e-5, 0, "e8m0")),
                ("residual: found shape \\(5, 128\\); expected \\(5, 256\\): as x", "add_rmsnorm_quant", (X, bf16(256), bf16(5, 128)), ()),
                ("x: found 3 dimensions; expected \\(rows, cols\\)", "block_quant", (bf16(2, 5, 256),), ()),
                ("position: found elements i64; expected i32", "rope",
                 (bf16(5, 4, 64), bf16(5, 2, 64), f32(100, 64), spec("i64", 5)), ()),
                ("k: found shape \\(5, 2, 32\\); expected \\(5, 2, 64\\)", "rope",
                 (bf16(5, 4, 64), bf16(5, 2, 32), f32(100, 64), spec("i32", 5)), ()),
                ("table: found shape \\(100, 32\\)", "rope", (bf16(5, 4, 64), bf16(5, 2, 64), f32(100, 32), spec("i32", 5)), ()),
                ("scales: found shape \\(4, 2\\); expected a row for each of 5 tokens", "moe_permute_scaled", (X, PLACE, f32(4, 2)), ()),
                ("x: found shape \\(14, 256\\); expected \\(15, 256\\)", "moe_unpermute", (bf16(14, 256), PLACE, WEIGHT), ()),
                ("k_cache: found elements f16; expected bf16 or e4m3", "kv_write",
                 (bf16(5, 64), bf16(5, 64), spec("f16", 9, 64), spec("f16", 9, 64), SLOT), ()),
                ("v_cache: found shape \\(8, 64\\); expected \\(9, 64\\)", "kv_write",
                 (bf16(5, 64), bf16(5, 64), bf16(9, 64), bf16(8, 64), SLOT), ()),
                ("k_scale, v_scale: found 0 of them; expected both", "kv_gather", (CACHE8, CACHE8, SLOT), ()),
                ("k_scale, v_scale: found 1 of them; expected both", "kv_gather", (CACHE8, CACHE8, SLOT, ONE), ()),
                ("found rows of f32; expected bf16 or f16", "kv_gather", (CACHE8, CACHE8, SLOT, ONE, ONE), ("f32",)),
                ("slot: found 5 tokens; expected no more than the cache has slots, 4", "kv_write",
                 (bf16(5, 64), bf16(5, 64), bf16(4, 64), bf16(4, 64), SLOT), ())):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                _serving.planned(name, inputs, options)

    def test_other_arrays_are_refused_in_words(self):
        with self.assertRaisesRegex(TypeError, "group_quant: found a list; expected a tensor of PyTorch or an array of JAX"):
            autotune.group_quant([1, 2])


@unittest.skipIf(torch is None, "there is no PyTorch")
class Operators(unittest.TestCase):
    """On fake tensors, which say they are on a GPU, and on tensors of this processor."""

    def setUp(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        self.fake = FakeTensorMode()
        self.dtypes = {"e5m2": torch.float8_e5m2, "bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "i64": torch.int64,
                       "e4m3": torch.float8_e4m3fn, "e8m0": torch.float8_e8m0fnu}

    def tensors(self, specs, device="cuda"):
        return [torch.empty(s.shape, dtype=self.dtypes[s.dtype], device=device) for s in specs]

    def test_fake_kernels_make_what_plans_say(self):
        for name, inputs, options in CALLS:
            with self.subTest(f"{name} {inputs} {options}"), self.fake:
                given = [*self.tensors(inputs), *([None] * 2 if name == "kv_gather" and len(inputs) == 3 else []), *options]
                made = getattr(torch.ops.autotune, name)(*given)
                made = () if made is None else made if isinstance(made, tuple) else (made,)
                new = [new for _, new in _serving.planned(name, inputs, options).results]
                self.assertEqual([tuple(x.shape) for x in made], [tuple(x.shape) for x in new])
                self.assertEqual([x.dtype for x in made],
                                 [self.dtypes[inputs[x.dtype].dtype if isinstance(x.dtype, int) else x.dtype] for x in new])
                self.assertEqual({x.device.type for x in made}, {"cuda"} if made else set())

    def test_rows_on_the_cpu_are_pytorch_s_with_gradients(self):
        x, index, place = torch.randn(10, 3, 4, requires_grad=True), torch.randint(10, (2, 5)), torch.randperm(10, dtype=torch.int32)
        for ours, theirs in ((lambda x: autotune.gather_rows(x, index), lambda x: x[index]),
                             (lambda x: autotune.scatter_rows(x, place), lambda x: x[place.long().argsort()]),
                             (torch.compile(lambda x: autotune.gather_rows(x * 2, index), fullgraph=True, backend="aot_eager"), lambda x: 2 * x[index])):
            self.assertTrue(torch.equal(ours(x), theirs(x)))
            got, expected = (torch.autograd.grad(f(x).sin().sum(), x)[0] for f in (ours, theirs))
            torch.testing.assert_close(got, expected)
        empty = torch.randn(10, 0, requires_grad=True)
        self.assertEqual(torch.autograd.grad(autotune.gather_rows(empty, index).sum(), empty)[0].shape, (10, 0))
        torch.library.opcheck(torch.ops.autotune.gather_rows, (x, index))
        torch.library.opcheck(torch.ops.autotune.scatter_rows, (x, place))

    def test_torch_func_and_forward_mode_keep_derivatives_of_rows(self):
        func, forward_ad = torch.func, torch.autograd.forward_ad
        x, tangent, index, place = torch.randn(10, 3), torch.randn(10, 3), torch.randint(10, (2, 5)), torch.randperm(10)
        for ours, theirs in ((lambda x: autotune.gather_rows(x, index), lambda x: x[index]),
                             (lambda x: autotune.scatter_rows(x, place), lambda x: x[place.argsort()])):
            for way in (lambda f: func.grad(lambda x: f(x).sin().sum())(x), lambda f: func.jvp(f, (x,), (tangent,))[1],
                        lambda f: torch.vmap(f)(torch.stack([x, tangent])), lambda f: func.jacfwd(f)(x),
                        lambda f: torch.compile(lambda x: func.grad(lambda x: f(x).sin().sum())(x), fullgraph=True, backend="aot_eager")(x)):
                torch.testing.assert_close(way(ours), way(theirs))
            with forward_ad.dual_level():
                torch.testing.assert_close(forward_ad.unpack_dual(ours(forward_ad.make_dual(x, tangent))).tangent, theirs(tangent))

    def test_conversions_on_the_cpu_are_the_kernels(self):
        x = torch.tensor([[1.0, -1000.0, 0.3], [float("nan"), 60000.0, -0.1]])
        for dtype, largest in (("e4m3", 448.0), (torch.float8_e5m2, 57344.0), ("f16", None), (torch.bfloat16, None)):
            turned, straight, amax = autotune.cast_transpose(x, torch.tensor([2.0]), dtype, both=True, amax=True)
            expected = ((x * 2).clamp(-largest, largest) if largest else x * 2).to(straight.dtype)
            torch.testing.assert_close(straight.float(), expected.float(), rtol=0, atol=0, equal_nan=True)
            torch.testing.assert_close(turned.float(), expected.float().t(), rtol=0, atol=0, equal_nan=True)
            self.assertEqual(amax.tolist(), [60000.0])
        for number in (torch.tensor(2.0), torch.full((1, 1, 1, 1), 2.0)):
            self.assertTrue(torch.equal(autotune.cast_transpose(x, number, "f16")[:, 0], (x[0] * 2).half()))
        self.assertEqual(autotune.cast_transpose(x[:0], torch.ones(1), amax=True)[1].tolist(), [0])
        torch.library.opcheck(torch.ops.autotune.cast_transpose_both_amax, (torch.randn(2, 3, 4), torch.ones(1)))

    def test_scales_in_columns_have_tokens_side_by_side(self):
        with self.fake:
            scales = torch.ops.autotune.group_quant(*self.tensors([bf16(2, 3, 256)]), layout="columns")[1]
            self.assertEqual((tuple(scales.shape), scales.stride()), ((2, 3, 2), (3, 1, 6)))

    def test_torch_compile_takes_them_whole_whatever_the_number_of_tokens(self):
        """As far as graphs are made: with no GPU nobody runs them."""
        seen = []

        def keep(graph, _):
            seen.append([str(node.target) for node in graph.graph.nodes if "autotune." in str(node.target)])
            return graph.forward

        def layer(x, weight, k, k_cache, slot):
            q, scales = autotune.rmsnorm_quant(x, weight, eps=1e-6)
            q2, scales2, total = autotune.rmsnorm_quant(x, weight, x, group=128)
            autotune.kv_write(k, k, k_cache, k_cache.clone(), slot)
            return autotune.group_quant(total, layout="columns")[1], q, scales, q2, scales2, autotune.kv_gather(k_cache, k_cache, slot)

        compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=keep)
        with self.fake:
            for tokens in (5, 9):
                compiled(*self.tensors([bf16(tokens, 256), bf16(256), bf16(tokens, 2, 32), CACHE, spec("i64", tokens)]))
        self.assertEqual(seen, [["autotune.rmsnorm_quant.default", "autotune.add_rmsnorm_quant.default", "autotune.kv_write.default",
                                 "autotune.group_quant.default", "autotune.kv_gather.default"]])

    def test_a_tensor_that_is_on_no_gpu_is_refused_in_words(self):
        x = torch.zeros(5, 256, dtype=torch.bfloat16)
        for call in (autotune.group_quant, torch.ops.autotune.group_quant):
            with self.assertRaisesRegex(ValueError, "group_quant: found tensor 1 on cpu; expected one on a GPU"):
                call(x)


@unittest.skipIf(jax is None, "there is no JAX")
class Jax(unittest.TestCase):
    """What XLA hands over, with the CPU's programs as a GPU's: they have no stream, and memory that is less aligned."""

    @classmethod
    def setUpClass(cls):
        from autotune import _jax, _jax_serving

        _jax.register("cpu", "cpu")
        cls.jax = _jax
        for module, name, instead in ((_jax, "_stream_of", lambda call: 0x5B), (_jax_serving, "refuse_cpu", lambda *_: None)):
            patch = mock.patch.object(module, name, instead)
            patch.start()
            cls.addClassCleanup(patch.stop)

    def asked(self, call, *arrays):
        """What the call makes, and what was to be launched: operation, sizes, buffers' number, scalars."""
        seen = []
        with mock.patch.object(autotune.default(), "_launch", lambda problem, buffers, stream, scalars: seen.append(
                (problem.op.decode(), tuple(problem.sizes[:problem.size_count]), len(buffers), stream, scalars))):
            made = jax.block_until_ready(jax.jit(call)(*arrays))
        return made, seen

    def test_within_a_program(self):
        x, weight = jnp.ones((5, 256), "bfloat16"), jnp.ones(256, "bfloat16")
        (q, scales), seen = self.asked(lambda x, weight: autotune.rmsnorm_quant(x * 2, weight, eps=1e-6), x, weight)
        self.assertEqual([(y.shape, str(y.dtype)) for y in (q, scales)], [((5, 256), "float8_e4m3fn"), ((5, 1), "float32")])
        self.assertEqual(seen, [("rmsnorm_quant", (1, 1, 1, 5, 256), 6, 0x5B, (("eps", 1e-6),))])

    def test_scales_in_columns_are_shown_by_token(self):
        (q, scales), seen = self.asked(lambda x: autotune.group_quant(x, layout="columns"), jnp.ones((2, 3, 256), "bfloat16"))
        self.assertEqual((q.shape, scales.shape), ((2, 3, 256), (2, 3, 2)))
        self.assertEqual(seen[0][:3], ("group_quant", (2, 1, 6, 256), 3))

    def test_one_output_is_an_array(self):
        place = jnp.arange(15, dtype="int32").reshape(5, 3)
        out, seen = self.asked(autotune.moe_permute, jnp.ones((5, 7), "int8"), place)
        self.assertEqual((out.shape, str(out.dtype)), ((15, 7), "int8"))
        self.assertEqual(seen[0][:3], ("moe_permute", (5, 3, 7, 1), 5))

    def test_rows_and_conversions(self):
        x = jnp.ones((5, 3, 64), "float32")
        rows, seen = self.asked(autotune.gather_rows, x, jnp.zeros((2, 4), "int32"))
        self.assertEqual((rows.shape, seen[0][:3]), ((2, 4, 3, 64), ("gather_rows", (5, 8, 768), 3)))
        (turned, straight), seen = self.asked(lambda x, s: autotune.cast_transpose(x, s, jnp.float8_e5m2, both=True), x, jnp.ones(1))
        self.assertEqual([(y.shape, str(y.dtype)) for y in (turned, straight)], [((5, 64, 3), "float8_e5m2"), ((5, 3, 64), "float8_e5m2")])
        self.assertEqual(seen[0][:3], ("cast_transpose", (2, 2, 1, 5, 3, 64), 5))
        with self.assertRaisesRegex(ValueError, "expected tensors of PyTorch, or no amax=True"):
            autotune.cast_transpose(x, jnp.ones(1), amax=True)

    def test_no_tokens_are_no_launch(self):
        (q, scales), seen = self.asked(autotune.group_quant, jnp.ones((0, 256), "bfloat16"))
        self.assertEqual((q.shape, scales.shape, seen), ((0, 256), (0, 2), []))

    def test_what_would_be_written_is_refused(self):
        x, slot = jnp.ones((5, 64), "bfloat16"), jnp.arange(5)
        with self.assertRaisesRegex(ValueError, "kv_write: found arrays of JAX, which may not be written"):
            autotune.kv_write(x, x, x, x, slot)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    unittest.main(argv=sys.argv[:1])
