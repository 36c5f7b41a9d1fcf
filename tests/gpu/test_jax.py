"""The module `autotune` with JAX on a GPU: eagerly, in programs, differentiated, batched; every one goes through XLA's foreign
function interface to the library, which a count of its calls shows. Exit code 3: no JAX, or none that has a GPU."""
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the library has buffers of its own
HOME = tempfile.TemporaryDirectory()  # whatever the user has measured, and asked for, decides nothing here
os.environ.update(XDG_DATA_HOME=HOME.name, XDG_CACHE_HOME=HOME.name)
for name in ("AUTOTUNE_DB", "AUTOTUNE_CACHE", "AUTOTUNE_NO_SHIPPED", "AUTOTUNE_NO_MODEL"):
    os.environ.pop(name, None)
sys.path.insert(0, os.environ.get("AUTOTUNE_MODULE") or str(Path(__file__).resolve().parents[2] / "tools/python"))

try:
    import jax
    import jax.numpy as jnp
    import numpy

    GPU = jax.devices("gpu")[0]
except (ImportError, RuntimeError) as why:
    print(f"skipped: no JAX, or none that has a GPU ({why})", file=sys.stderr)
    sys.exit(3)

import autotune  # noqa: E402
from autotune import _jax  # noqa: E402


def numbers(*shape, dtype="float32"):
    return jnp.asarray(numpy.random.default_rng(1).integers(0, 200, shape), dtype)


class Case(unittest.TestCase):
    """Counts the launches that XLA asks for."""

    def setUp(self):
        self.launches, launch = 0, _jax._launch

        def counting(call):
            self.launches += 1
            launch(call)

        _jax._launch = counting
        self.addCleanup(setattr, _jax, "_launch", launch)

    def same(self, got, expected, launches=None):
        self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
        self.assertTrue(numpy.array_equal(numpy.asarray(got), numpy.asarray(expected)))
        self.assertIn(GPU.platform, {device.platform for device in got.devices()})
        if launches is not None:
            self.assertEqual(self.launches, launches)


class OnTheGpu(Case):
    def test_every_element_size_and_ragged_shapes(self):
        for dtype in ("bool", "uint8", "float16", "bfloat16", "float32", "complex64"):
            for shape in ((512, 256), (257, 1023), (5, 64, 33)):
                with self.subTest(f"{dtype} {shape}"):
                    x, self.launches = numbers(*shape, dtype=dtype), 0
                    self.same(autotune.transpose(x), jnp.swapaxes(x, -1, -2), 1)
                    self.same(autotune.copy(x), x, 2)

    def test_any_order_of_dimensions(self):
        x = numbers(12, 30, 7, 22)
        for dims in ((3, 1, 2, 0), (2, 0, 1, 3), (1, 0, 3, 2), (-1, 0, -3, 2)):
            self.same(autotune.permute(x, dims), jnp.transpose(x, [d % 4 for d in dims]))
        self.same(autotune.transpose(x), jnp.swapaxes(x, -1, -2))
        self.same(autotune.transpose(x, 1, -1), jnp.swapaxes(x, 1, 3))
        self.assertEqual(self.launches, 6)

    def test_rows_and_conversions(self):
        x, index = numbers(100, 30), jnp.asarray(numpy.random.default_rng(2).integers(0, 100, (4, 7)), "int32")
        self.same(jax.jit(autotune.gather_rows)(x, index), x[index], 1)
        place = jnp.asarray(numpy.random.default_rng(3).permutation(100), "int32")
        self.same(autotune.scatter_rows(x, place)[place], x)
        turned, straight = autotune.cast_transpose(x, jnp.ones(1), "bf16", both=True)
        self.same(turned, x.T.astype("bfloat16"))
        self.same(straight, x.astype("bfloat16"))

    def test_large_enough_to_overlap_with_what_computes_it(self):
        """XLA's own kernels come before and behind ours: on any other stream than theirs the result is what was there."""
        x = numbers(4096, 4096) % 4  # products of such numbers are exact in every order
        work = jax.jit(lambda x: autotune.transpose(x @ (x + 1)) + 1)
        right = jax.jit(lambda x: (x @ (x + 1)).T + 1)
        for _ in range(10):
            self.same(work(x), right(x))
        self.assertEqual(self.launches, 10)

    def test_in_a_program(self):
        x = numbers(300, 500)
        self.same(jax.jit(lambda x: autotune.transpose(x * 2) + 1)(x), (x * 2).T + 1, 1)
        self.same(jax.jit(lambda x: autotune.transpose(autotune.transpose(x) + 1))(x), x + 1, 3)

    def test_again_and_again_in_a_loop(self):
        x = numbers(64, 64)
        looped = jax.jit(lambda x: jax.lax.fori_loop(0, 7, lambda _, y: autotune.transpose(y) + 1, x))
        self.same(looped(x), x.T + 7)
        self.assertGreaterEqual(self.launches, 1)

    def test_the_gradient_of_a_transpose_is_a_transpose(self):
        x, weight = numbers(64, 48), numbers(48, 64)
        self.same(jax.grad(lambda x: (autotune.transpose(x) * weight).sum())(x), weight.T)
        self.assertGreaterEqual(self.launches, 1)

    def test_every_way_to_differentiate(self):
        x = numbers(33, 50) / 64
        for ours, theirs in ((autotune.transpose, jnp.transpose), (autotune.copy, lambda x: x)):
            for way in (lambda f: jax.grad(lambda x: (f(jnp.sin(x)) ** 2).sum())(x),
                        lambda f: jax.jvp(f, (x,), (x * 2,))[1],
                        lambda f: jax.jacrev(f)(x[:3, :4]), lambda f: jax.jacfwd(f)(x[:3, :4])):
                self.launches = 0
                numpy.testing.assert_allclose(way(ours), way(theirs), rtol=1e-6)
                self.assertGreaterEqual(self.launches, 1)

    def test_vmap_of_any_axis(self):
        x = numbers(4, 33, 50)
        for axis in (0, 1, 2):
            self.same(jax.vmap(autotune.transpose, axis)(x), jax.vmap(jnp.transpose, axis)(x))
        per_example = jax.vmap(jax.grad(lambda x: (autotune.transpose(x) ** 2).sum()))(x)
        self.same(per_example, 2 * x)
        self.assertGreaterEqual(self.launches, 4)

    def test_an_operation_that_names_its_outputs(self):
        x = numbers(64, 96)
        like = jax.ShapeDtypeStruct((96, 64), "float32")
        run = jax.jit(lambda x: autotune.run("transpose", (64, 96), "f32", {"in": x, "out": like}) * 2)
        self.same(run(x), x.T * 2, 1)

    def test_kernels_of_llm_serving(self):
        x, weight = numbers(33, 512, dtype="bfloat16"), jnp.ones(512, "bfloat16")
        q, scales = jax.jit(lambda x: autotune.group_quant(x * 1, layout="columns"))(x)
        largest = jnp.abs(x.astype("float32").reshape(33, 4, 128)).max(-1)
        numpy.testing.assert_allclose(scales, jnp.maximum(largest, 1e-10) / 448, rtol=1e-6)
        back = q.astype("float32").reshape(33, 4, 128) * scales[..., None]
        numpy.testing.assert_allclose(back.reshape(33, 512), x.astype("float32"), rtol=1 / 15, atol=0.01)
        _, _, total = autotune.rmsnorm_quant(x, weight, x, eps=1e-6)
        self.same(total, x + x, 2)

    def test_rows_and_what_wants_zeros(self):
        x, weight = numbers(33, 512) / 50, numbers(512) / 100
        numpy.testing.assert_allclose(jax.jit(autotune.softmax)(x), jax.nn.softmax(x, -1), rtol=1e-5)
        right = x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weight
        numpy.testing.assert_allclose(autotune.rmsnorm(x, weight, eps=1e-6), right, rtol=1e-5)
        with self.assertRaisesRegex(ValueError, "sum: found arrays of JAX, which XLA does not make of zeros; expected tensors of PyTorch$"):
            autotune.sum(x)

    def test_an_operation_that_nobody_has_measured(self):
        """What JAX says of its GPU is enough to choose a kernel that is valid there."""
        x, like = numbers(64, 96), jax.ShapeDtypeStruct((96, 64), "float32")
        with autotune.Tuner(no_shipped=True) as knows_nothing, mock.patch.object(_jax, "default", lambda: knows_nothing):
            self.same(jax.jit(lambda x: autotune.run("transpose", (64, 96), "f32", {"in": x, "out": like}))(x), x.T, 1)


if __name__ == "__main__":
    print(f"JAX {jax.__version__} on {GPU.device_kind}", file=sys.stderr)
    unittest.main(verbosity=2)
