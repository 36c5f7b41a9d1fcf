"""tools/python/autotune on a fake driver, which writes launches down: arrays of every protocol, streams, contexts, types of
other libraries. The parts of PyTorch, JAX and NumPy are skipped where there is none.
usage: test_python_module.py FAKE_LIBCUDA"""
import ctypes
import json
import os
import pickle
import re
import sys
import tempfile
import traceback
import unittest
from pathlib import Path
from unittest import mock

from on_fake_driver import FAKE, IN, OUT, PRIMARY, ROOT, OnTheFakeDriver  # first: the driver that is loaded is the fake one

try:
    import torch
except (ImportError, OSError):
    torch = None

try:
    import jax
    import jax.numpy as jnp
except (ImportError, OSError):
    jax = None

try:
    import numpy
except (ImportError, OSError):
    numpy = None

import autotune  # noqa: E402
from autotune import _arrays, _driver, _native  # noqa: E402
from foreign_arrays import Cuda, DLPack  # noqa: E402

class Tuners(OnTheFakeDriver):
    def test_operations_are_told_without_a_problem(self):
        ops = {op.name: op for op in self.tuner.ops()}
        self.assertEqual(ops["transpose"].sizes, ("batch", "rows", "cols"))
        self.assertEqual(ops["transpose"].buffers, ("out", "in"))
        self.assertTrue(ops["permute"].takes_layout)

    def test_an_architecture_may_be_one_that_later_devices_do_not_share(self):
        found = self.tuner.find("transpose", (64, 96), "f32", device="NVIDIA H200", arch="sm_90a")
        self.assertEqual(found.arch, "sm_90a")
        with self.assertRaisesRegex(autotune.ArgumentError, "found 'sm_80a'; expected sm_90a or newer"):
            self.tuner.find("transpose", (64, 96), "f32", arch="sm_80a")

    def test_no_variable_of_the_environment_counts_where_none_is_to(self):
        with mock.patch.dict(os.environ, AUTOTUNE_HEADERS="/nowhere/at/all"):
            with self.assertRaises(autotune.ArgumentError):
                autotune.Tuner()
            autotune.Tuner(no_environment=True).close()


    def test_the_structures_are_those_of_the_header(self):
        """Member by member: what is missing here nobody sees, and launches of a cluster would lose it."""
        text = re.sub(r"/\*.*?\*/", "", (ROOT / "include/autotune/autotune.h").read_text(), flags=re.DOTALL)
        for name, body in re.findall(r"typedef struct at_(\w+) \{(.*?)\} at_\w+;", text, re.DOTALL):
            mirror = getattr(_native, "".join(map(str.capitalize, name.split("_"))) + "Struct", None)
            lines = (re.sub(r"\(\*(\w+)\)\(.*\)", r"\1", " ".join(line.split())) for line in body.split(";"))  # a function's pointer: its name
            members = [word for line in lines for word in re.findall(r"(\w+)(?:\[\w+\])?(?:,|$)", line)]
            if name in ("code", "compile_options"):  # of calls that are not made here
                continue
            with self.subTest(name):
                mirrored = [member[0] for member in [*getattr(mirror.__base__, "_fields_", ()), *mirror._fields_]]
                sized = issubclass(mirror, _native.Sized)  # which we fill, and may be shorter
                self.assertEqual(mirrored, members[:len(mirrored)] if sized else members)
        for kind, known in (("role", _native.ROLES), ("match", _native.MATCHES)):
            numbers = re.findall(rf"AT_{kind.upper()}_\w+ = (\d+)", text)
            self.assertEqual({int(number) for number in numbers} - {0}, set(known) - {0})

    def test_a_kernel_s_tensor_maps_and_scalars_of_an_operation_are_told(self):
        with autotune.Tuner(cache="", templates=ROOT / "tools/examples") as tuner:
            found = tuner.find("hgemm", (4096, 4096, 4096), "bf16", device="any", arch="sm_90a", sms=132)
            self.assertIn(("tensor_map", 1), [(arg.role, arg.buffer) for arg in found.launches[0].args])
            self.assertEqual({op.name: op.scalars for op in tuner.ops()}["rmsnorm_quant"], ("eps",))

    def test_a_permutation_is_asked_for_by_its_order(self):
        found = self.tuner.find("permute", (6, 8, 64), "f32", device="NVIDIA H200", dims=(-2, 0, 2))
        self.assertEqual(found.shape, "6x8x64:1.0.2")
        self.assertEqual(found, self.tuner.find("permute", "6x8x64:1.0.2", "f32", device="NVIDIA H200"))
        for words, sizes, dims in (("found dims .*; expected each of 0 to 2 once", (6, 8, 64), (0, 1)), ("expected the order within", "6x8", (1, 0)),
                                   ("permute: found 3 sizes without an order of dimensions", (6, 8, 64), ())):
            self.refused(words, self.tuner.find, "permute", sizes, "f32", arch="sm_90", dims=dims)


class Arrays(OnTheFakeDriver):
    def test_a_cuda_array_interface_is_transposed_on_its_stream(self):
        out = Cuda(OUT, (96, 64), stream=0x51)
        self.assertIs(self.tuner.transpose(Cuda(IN, (64, 96), stream=0x51), out=out), out)
        seen = self.launched()
        self.assertEqual(list(seen.params)[:2], [OUT, IN])
        self.assertEqual((seen.stream, seen.waited), (0x51, None))

    def test_dlpack_is_transposed_on_the_stream_that_was_agreed_on(self):
        x, out = DLPack(IN, (64, 96)), DLPack(OUT, (96, 64))
        self.tuner.transpose(x, out=out, stream=0x52)
        seen = self.launched()
        self.assertEqual(list(seen.params)[:2], [OUT, IN], "with the offset in bytes")
        self.assertEqual(seen.stream, 0x52)
        self.assertEqual(x.asked, [0x52])

    def test_without_a_stream_dlpack_is_asked_for_the_default_one(self):
        x = DLPack(IN, (64, 96))
        self.tuner.transpose(x, out=Cuda(OUT, (96, 64)))
        self.assertEqual(x.asked, [1])
        self.assertEqual(self.launched().stream, 1)

    def test_another_stream_on_which_an_input_is_made_is_waited_for(self):
        self.tuner.transpose(Cuda(IN, (64, 96), stream=0x53), out=Cuda(OUT, (96, 64), stream=0x54))
        seen = self.launched()
        self.assertEqual((seen.stream, seen.waited), (0x54, 0x53))

    def test_a_given_stream_waits_for_that_of_the_array(self):
        self.tuner.copy(Cuda(IN, (64, 96), stream=0x55), out=Cuda(OUT, (64, 96)), stream=0x56)
        seen = self.launched()
        self.assertEqual((seen.stream, seen.waited), (0x56, 0x55))

    def test_rows_that_lie_apart_are_taken_as_they_are(self):
        self.tuner.transpose(Cuda(IN, (64, 96), strides=(512, 4)), out=Cuda(OUT, (96, 64)))
        self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_a_batch_of_several_dimensions_is_one_of_one(self):
        self.tuner.transpose(Cuda(IN, (2, 3, 64, 96)), out=Cuda(OUT, (2, 3, 96, 64)))
        seen = self.launched()
        self.tuner.transpose(Cuda(IN, (6, 64, 96)), out=Cuda(OUT, (6, 96, 64)))
        self.assertEqual((list(seen.grid), list(seen.params)), (list(FAKE.fake_read().grid), list(FAKE.fake_read().params)))

    def test_dimensions_to_exchange_may_be_named(self):
        self.tuner.transpose(Cuda(IN, (4, 6, 8, 10)), 1, -2, out=Cuda(OUT, (4, 8, 6, 10)))
        seen = self.launched()
        self.tuner.permute(Cuda(IN, (4, 6, 8, 10)), (0, 2, 1, 3), out=Cuda(OUT, (4, 8, 6, 10)))
        self.assertEqual((list(seen.grid), list(seen.params)), (list(FAKE.fake_read().grid), list(FAKE.fake_read().params)))

    def test_dimensions_that_stay_together_count_as_one(self):
        self.tuner.permute(Cuda(IN, (2,) * 12), (*range(6, 12), *range(6)), out=Cuda(OUT, (2,) * 12))
        seen = self.launched()
        self.tuner.transpose(Cuda(IN, (64, 64)), out=Cuda(OUT, (64, 64)))
        self.assertEqual((list(seen.grid), list(seen.params)), (list(FAKE.fake_read().grid), list(FAKE.fake_read().params)))
        self.before = FAKE.fake_read().launches
        self.refused("found 9 dimensions of which no two are one in both layouts; permute takes 8", self.tuner.permute, Cuda(IN, (2,) * 9),
                     range(8, -1, -1), out=Cuda(OUT, (2,) * 9))

    def test_a_view_is_copied_and_transposed_by_one_launch(self):
        for call, shape in ((self.tuner.copy, (64, 96)), (self.tuner.transpose, (96, 64))):
            self.before = FAKE.fake_read().launches
            call(Cuda(IN, (64, 96), strides=(1024, 8)), out=Cuda(OUT, shape))
            self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_any_order_of_dimensions_and_any_strides_are_one_launch(self):
        self.tuner.permute(Cuda(IN, (4, 6, 8, 10)), (2, 0, 3, 1), out=Cuda(OUT, (8, 4, 10, 6)))
        self.assertEqual(list(self.launched().params)[:2], [OUT, IN])
        self.tuner.permute(Cuda(IN, (4, 6, 8), strides=(768, 128, 16)), (2, 1, 0), out=Cuda(OUT, (8, 6, 4)))
        self.assertEqual(FAKE.fake_read().launches, self.before + 2)

    def test_what_a_permutation_will_use_is_known_before_and_launches_nothing(self):
        arrays, out = (Cuda(IN, (4, 6, 8)), (2, 1, 0)), Cuda(OUT, (8, 6, 4))
        found = self.tuner.prepare_permute(*arrays, out=out)
        self.assertTrue(found.template_name)
        self.assertEqual(FAKE.fake_read().launches, self.before)
        self.tuner.permute(*arrays, out=out)
        self.assertEqual(FAKE.fake_read().launches, self.before + 1)

    def test_dims_below_zero_count_from_the_end(self):
        self.tuner.permute(Cuda(IN, (4, 6, 8)), (-1, 0, -2), out=Cuda(OUT, (8, 4, 6)))
        seen = self.launched()
        self.tuner.permute(Cuda(IN, (4, 6, 8)), (2, 0, 1), out=Cuda(OUT, (8, 4, 6)))
        self.assertEqual(list(seen.params), list(FAKE.fake_read().params))

    def test_an_answer_is_shown_in_a_line_and_an_error_can_be_pickled(self):
        found = self.tuner.find("transpose", (64, 96), "f32", device="NVIDIA H200")
        self.assertLess(len(repr(found)), 300)
        self.assertEqual(repr(found.buffers[0]), "<autotune.Arg out: output f32[6144]>")
        self.assertLess(len(repr(found.launches)), 600)
        self.assertIn(f"transpose 64x96 {found.type} on {found.device}: {found.match}", repr(found))
        self.assertEqual(pickle.loads(pickle.dumps(found)), found)
        error = pickle.loads(pickle.dumps(autotune.NotFoundError("not_found", "nothing")))
        self.assertEqual((type(error), error.status, str(error)), (autotune.NotFoundError, "not_found", "nothing"))
        self.assertEqual("".join(traceback.format_exception_only(type(error), error)), "autotune.NotFoundError: nothing\n")

    def test_a_notebook_shows_an_answer_as_a_table(self):
        shown = self.tuner.find("transpose", (4096, 4096), "f32", device="NVIDIA H200")._repr_html_()
        rows = dict(re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", shown))
        self.assertEqual((rows["match"].strip(), rows["from"]), ("exact", "shipped with autotune"))
        self.assertRegex(rows["time"], r"^\d+\.\d\d us$")
        self.assertRegex(rows["ceiling"], r"^\d+\.\d % of it reached$")
        self.assertIn("&lt;", shown[shown.index("<pre>"):], "source is text")

    def test_the_module_has_the_version_of_the_library(self):
        self.assertEqual(autotune.__version__, self.tuner.version())
        self.assertRaises(AttributeError, getattr, autotune, "no_such")

    def test_a_permutation_that_is_a_transpose_runs_as_one(self):
        self.tuner.permute(Cuda(IN, (64, 96)), (1, 0), out=Cuda(OUT, (96, 64)))
        seen = self.launched()
        self.tuner.transpose(Cuda(IN, (64, 96)), out=Cuda(OUT, (96, 64)))
        again = FAKE.fake_read()
        self.assertEqual((list(seen.grid), list(seen.block), list(seen.params)),
                         (list(again.grid), list(again.block), list(again.params)))

    def test_dims_that_are_no_permutation(self):
        self.refused("expected each of 0 to 2 once", self.tuner.permute, Cuda(IN, (4, 6, 8)), (0, 1, 1))
        self.refused("expected shape", self.tuner.permute, Cuda(IN, (4, 6, 8)), (2, 1, 0), out=Cuda(OUT, (4, 6, 8)))
        self.refused(r"found dims \(-4, 0, 1\); expected", self.tuner.permute, Cuda(IN, (4, 6, 8)), (-4, 0, 1))
        self.refused(r"found dims \(-1, 0, 2\); expected", self.tuner.permute, Cuda(IN, (4, 6, 8)), (-1, 0, 2))

    def test_a_context_of_the_array_s_device_is_current_meanwhile_and_not_after(self):
        FAKE.fake_use_context(0)
        self.tuner.transpose(Cuda(IN, (64, 96)), out=Cuda(OUT, (96, 64)))
        self.assertIsNone(self.launched().current)
        with _driver.current(_driver.device_of(IN)):
            self.assertEqual(FAKE.fake_read().current, PRIMARY)

    def test_nothing_is_launched_for_no_elements(self):
        self.tuner.transpose(Cuda(IN, (0, 96)), out=Cuda(OUT, (96, 0)))
        self.assertEqual(FAKE.fake_read().launches, self.before)

    def test_copies_bytes_of_any_type(self):
        for typestr in ("|b1", "<f2", "<i4", "<c8", "<c16"):
            with self.subTest(typestr):
                self.before = FAKE.fake_read().launches
                self.tuner.copy(Cuda(IN, (64, 96), typestr), out=Cuda(OUT, (64, 96), typestr))
                self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_copies_what_begins_anywhere_by_the_driver(self):
        self.tuner.copy(Cuda(IN + 16, (64, 96), stream=0x59), out=Cuda(OUT, (64, 96)))
        seen = FAKE.fake_copied()
        self.assertEqual((seen.to, seen.at, seen.bytes, seen.stream), (OUT, IN + 16, 24576, 0x59))
        self.assertEqual(FAKE.fake_read().launches, self.before)

    def test_the_short_way_launches_the_same(self):
        self.tuner.submit("transpose", (64, 96), "u32", (OUT, IN), 0x5A)
        seen = self.launched()
        self.assertEqual((list(seen.params)[:2], seen.stream), ([OUT, IN], 0x5A))
        with self.assertRaisesRegex(autotune.Error, "in: found NULL; expected device memory") as raised:
            self.tuner.submit("transpose", (64, 96), "u32", (OUT, 0), 0)
        self.assertEqual(raised.exception.status, "usage")

    def test_reads_types_of_all_protocols(self):
        for value, dtype in [(Cuda(IN, (4,), "<f8"), "f64"), (Cuda(IN, (4,), "|b1"), "u8"), (Cuda(IN, (4,), "<c16"), "c128"),
                             (DLPack(IN, (4,), 4, 16), "bf16"), (DLPack(IN, (4,), 5, 64), "c64"), (DLPack(IN, (4,), 6, 8), "u8"),
                             (Cuda(IN, (4,), "<V2"), None)]:
            self.assertEqual(_arrays.as_array(value).dtype, dtype)

    def test_strides_of_one_element_s_dimension_do_not_matter(self):
        self.assertTrue(_arrays.as_array(Cuda(IN, (1, 96), strides=(4, 4))).dense)
        self.assertFalse(_arrays.as_array(Cuda(IN, (2, 96), strides=(4, 4))).dense)


class Types(OnTheFakeDriver):
    @unittest.skipUnless(numpy, "there is no NumPy here")
    def test_types_of_numpy(self):
        for spelled in ("float32", "float16", "int64", "uint8", "complex128", "bool"):
            for dtype in (numpy.dtype(spelled), numpy.dtype(spelled).type, numpy.zeros(3, spelled).dtype):
                self.assertEqual(autotune._native.type_name(dtype), autotune._native.SPELLINGS[spelled])
        for dtype in (">f4", "f4,f4", "S4", "datetime64[s]"):
            self.refused("found the type .*; expected one of u8", self.tuner.find, "copy", (4096,), numpy.dtype(dtype), arch="sm_90")

    @unittest.skipUnless(torch, "there is no PyTorch here")
    def test_types_of_pytorch(self):
        for spelled in ("float32", "half", "bfloat16", "int64", "uint8", "bool", "complex64"):
            self.assertEqual(autotune._native.type_name(getattr(torch, spelled)), autotune._native.SPELLINGS[spelled])
        self.refused("found the type 'float8_e4m3fn'; expected one of u8", self.tuner.find, "copy", (64,), torch.float8_e4m3fn, arch="sm_90")
        self.refused_as(TypeError, "found a Tensor as the type", self.tuner.find, "copy", (64,), torch.ones(3), arch="sm_90")

    @unittest.skipUnless(torch, "there is no PyTorch here")
    def test_devices_of_pytorch(self):
        self.assertEqual(autotune._native.device_text(torch.device("cuda", 1)), "1")
        with mock.patch.object(torch.cuda, "current_device", lambda: 3):
            self.assertEqual(autotune._native.device_text(torch.device("cuda")), "3")
        self.refused_as(TypeError, "found device=device\\(type='cpu'\\); expected a GPU's number", self.tuner.find, "copy", (64,), "f32",
                        device=torch.device("cpu"))

    @unittest.skipUnless(jax, "there is no JAX here")
    def test_types_of_jax(self):
        for spelled in ("float32", "bfloat16", "uint8"):
            for dtype in (jnp.zeros(3, spelled).dtype, getattr(jnp, spelled)):
                self.assertEqual(autotune._native.type_name(dtype), autotune._native.SPELLINGS[spelled])


class Nvrtc(unittest.TestCase):
    def test_wheels_of_both_layouts_are_searched_on_the_path(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "nvidia").mkdir()
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            sys.modules.pop("nvidia", None)
            found = [str(place) for place in _driver.nvrtc_folders()]
        self.assertIn(f"{folder}/nvidia/cu13/lib", found)
        self.assertIn(f"{folder}/nvidia/cuda_nvrtc/lib", found)


@unittest.skipUnless(torch, "there is no PyTorch here")
class Torch(unittest.TestCase):
    """The operators' frame, on the CPU, where they are PyTorch's own."""

    def setUp(self):
        self.x = torch.randn(3, 5, requires_grad=True)

    def test_the_gradient_of_a_transpose_is_a_transpose(self):
        weight = torch.randn(5, 3)
        (autotune.transpose(self.x) * weight).sum().backward()
        self.assertTrue(torch.equal(self.x.grad, weight.t()))

    def test_vmap_takes_them(self):
        x = torch.randn(4, 3, 5)
        self.assertTrue(torch.equal(torch.vmap(autotune.transpose)(x), x.transpose(1, 2)))
        self.assertTrue(torch.equal(torch.vmap(autotune.transpose, in_dims=1)(x), x.permute(1, 2, 0)))
        deep = torch.randn(2, 4, 3, 5)
        self.assertTrue(torch.equal(torch.vmap(autotune.transpose)(deep), deep.transpose(2, 3)))
        self.assertTrue(torch.equal(torch.vmap(autotune.copy, in_dims=2)(x), x.permute(2, 0, 1)))
        self.assertTrue(torch.equal(torch.vmap(lambda x: autotune.permute(x, (2, 0, 1)), in_dims=1)(deep), deep.permute(1, 3, 0, 2)))

    def test_operators_are_what_pytorch_asks_of_them(self):
        ops, deep = torch.ops.autotune, torch.randn(2, 4, 6, requires_grad=True)
        for op, given in ((ops.transpose, ()), (ops.transpose, (0, 1)), (ops.copy, ()), (ops.permute, ([2, 0, 1],)), (ops.permute, ([-1, 0, -2],))):
            torch.library.opcheck(op, (deep, *given))
            torch.library.opcheck(op, (deep.detach()[..., ::2], *given))

    def test_dimensions_are_those_of_pytorch(self):
        x = torch.randn(2, 3, 4, 5)
        self.assertTrue(torch.equal(autotune.transpose(x), x.mT))
        self.assertTrue(torch.equal(autotune.transpose(x, 1, -2), x.transpose(1, -2)))
        self.assertTrue(torch.equal(autotune.permute(x, (-1, 0, 2, 1)), x.permute(-1, 0, 2, 1)))
        for view in (x.expand(7, 2, 3, 4, 5), x[:, :1].expand(2, 6, 4, 5), x[..., 1:4:2]):
            self.assertTrue(torch.equal(autotune.permute(view, range(view.dim() - 1, -1, -1)), view.permute(*range(view.dim() - 1, -1, -1))))
            self.assertTrue(torch.equal(autotune.copy(view), view))
        self.assertTrue(autotune.permute(x, (3, 0, 2, 1)).is_contiguous())
        for call, words in ((lambda: autotune.transpose(x[0, 0, 0]), "found 1 dimensions; expected two or more"),
                            (lambda: autotune.permute(x, (0, 1, 1, 2)), r"found dims \(0, 1, 1, 2\); expected each of 0 to 3 once")):
            with self.assertRaisesRegex(ValueError, words):
                call()

    def test_torch_compile_takes_them_whole(self):
        def f(x):
            y = autotune.permute((x * 2)[None], (2, -3, 1)) + autotune.transpose(x[None], 0, -1)
            return autotune.transpose(x * 2) + autotune.copy(x).t() + y[:, 0]

        for dynamic in (False, True):
            compiled = torch.compile(f, fullgraph=True, backend="aot_eager", dynamic=dynamic)
            self.assertTrue(torch.equal(compiled(self.x), f(self.x)))
            got, expected = (torch.autograd.grad(g(self.x).square().sum(), self.x)[0] for g in (compiled, f))
            self.assertTrue(torch.equal(got, expected))

    def test_torch_export_takes_a_permutation(self):
        class Heads(torch.nn.Module):
            def forward(self, x):
                return autotune.permute(x, (0, 2, 1, 3)) * 2

        x = torch.randn(2, 3, 4, 5)
        exported = torch.export.export(Heads(), (x,))
        self.assertIn("autotune.permute", str(exported.graph))
        self.assertTrue(torch.equal(exported.module()(x), x.transpose(1, 2) * 2))

    def test_an_output_is_of_that_shape_and_type(self):
        x = self.x.detach()
        compiled = torch.compile(lambda x, out: autotune.transpose(x, out=out), backend="aot_eager")
        for call, shape in ((autotune.transpose, (5, 3)), (compiled, (5, 3)), (autotune.copy, (3, 5))):
            out = torch.zeros(shape)
            self.assertTrue(torch.equal(call(x, out=out), x.t() if shape == (5, 3) else x))
            for wrong in (torch.zeros(2, *shape), torch.zeros(shape, dtype=torch.int32), torch.zeros(shape[::-1]).t(),
                          torch.zeros(shape, device="meta")):
                with self.assertRaisesRegex(ValueError, "out: found shape .*; expected a contiguous tensor of shape"):
                    call(x, out=wrong)

    def ours_and_theirs(self):
        return ((autotune.transpose, lambda x: x.transpose(-1, -2)), (autotune.copy, torch.clone),
                (lambda x: autotune.permute(x, (-1, *range(x.dim() - 1))), lambda x: x.movedim(-1, 0)))

    def test_torch_func_differentiates_them_as_it_does_pytorch_s_own(self):
        func, x, tangent = torch.func, torch.randn(3, 5), torch.randn(3, 5)
        for ours, theirs in self.ours_and_theirs():
            for way in (lambda f: func.grad(lambda x: f(x.sin()).square().sum())(x),
                        lambda f: func.vjp(f, x)[1](theirs(tangent))[0],
                        lambda f: func.jvp(lambda x: f(x.sin()), (x,), (tangent,))[1],
                        lambda f: func.vmap(func.grad(lambda x: f(x).square().sum()))(torch.stack([x, tangent])),
                        lambda f: func.hessian(lambda x: f(x.sin()).square().sum())(x),
                        lambda f: func.jacfwd(f)(x), lambda f: func.jacrev(f)(x)):
                torch.testing.assert_close(way(ours), way(theirs))

    def test_forward_mode_keeps_tangents(self):
        forward_ad = torch.autograd.forward_ad
        for ours, theirs in self.ours_and_theirs():
            with forward_ad.dual_level():
                y = forward_ad.unpack_dual(ours(forward_ad.make_dual(torch.ones(3, 5), self.x.detach())))
            self.assertTrue(torch.equal(y.tangent, theirs(self.x)))

    def test_torch_compile_takes_what_torch_func_made_of_them(self):
        x, tangent = torch.randn(3, 5), torch.randn(3, 5)
        for ours, theirs in self.ours_and_theirs():
            for way in (lambda f: lambda x, _: torch.func.grad(lambda x: f(x).square().sum())(x),
                        lambda f: lambda x, t: torch.func.jvp(f, (x,), (t,))[1],
                        lambda f: lambda x, t: torch.vmap(f)(torch.stack([x, t]))):
                got = torch.compile(way(ours), fullgraph=True, backend="aot_eager")(x, tangent)
                torch.testing.assert_close(got, way(theirs)(x, tangent))


@unittest.skipUnless(jax, "there is no JAX here")
class Jax(OnTheFakeDriver):
    """Where its programs are not for CUDA they are JAX's own transposes."""

    def setUp(self):
        super().setUp()
        self.x = jnp.arange(60.0).reshape(3, 4, 5)

    def same(self, got, expected):
        self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
        self.assertTrue((got == expected).all())

    def test_eagerly_and_within_jit(self):
        for f, g in ((autotune.transpose, lambda x: x.swapaxes(-1, -2)), (autotune.copy, lambda x: x),
                     (lambda x: autotune.permute(x, (-1, 0, 1)), lambda x: x.transpose(2, 0, 1)),
                     (lambda x: autotune.transpose(x[None], 1, -1), lambda x: x[None].swapaxes(1, -1))):
            self.same(f(self.x), g(self.x))
            self.same(jax.jit(lambda x, f=f: f(x + 1) * 2)(self.x), g(self.x + 1) * 2)
        self.same(autotune.transpose(self.x[:0]), self.x[:0].swapaxes(1, 2))

    def test_derivatives_of_both_modes(self):
        for f, g in ((autotune.transpose, lambda x: x.swapaxes(-1, -2)), (autotune.copy, lambda x: x),
                     (lambda x: autotune.permute(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1))):
            weight = jnp.sin(g(self.x))
            for way in (lambda f: jax.grad(lambda x: (f(x) ** 2 * weight).sum())(self.x),
                        lambda f: jax.jvp(f, (self.x,), (self.x * 2,))[1],
                        lambda f: jax.hessian(lambda x: (f(x) ** 3).sum())(self.x),
                        lambda f: jax.vmap(jax.grad(lambda x: (f(x) ** 2).sum()))(jnp.stack([self.x, self.x + 1]))):
                self.assertTrue(jnp.allclose(way(f), way(g)))

    def test_vmap_of_any_axis(self):
        for axis in (0, 1, 2):
            self.same(jax.vmap(autotune.transpose, axis)(self.x), jax.vmap(jnp.transpose, axis)(self.x))

    def test_an_output_and_too_many_dimensions_are_refused(self):
        self.refused("may not be written; leave it away", autotune.transpose, self.x, out=self.x)
        self.refused("found 17 dimensions; expected at most 16", autotune.copy, self.x.reshape([1] * 16 + [-1]))
        self.refused("out: found a read-only array|on the CPU", self.tuner.transpose, Cuda(IN, (64, 96)), out=jnp.ones((96, 64)))

    def test_memory_of_the_host(self):
        self.refused("found an array on the CPU; expected one on an NVIDIA GPU", self.tuner.transpose, self.x[0])
        self.refused("in: found an array of JAX on the CPU", autotune.run, "transpose", (64, 96), "f32",
                     {"in": jnp.ones((64, 96)), "out": jax.ShapeDtypeStruct((96, 64), "float32")})

    def test_what_only_the_functions_take(self):
        with self.assertRaisesRegex(ValueError, "expected autotune.transpose, permute, copy"):
            jax.jit(self.tuner.transpose)(self.x)

    def test_elements_that_are_no_whole_bytes(self):
        self.refused("found elements int4", autotune.transpose, jnp.ones((4, 4), "int4"))


@unittest.skipUnless(jax, "there is no JAX here")
class JaxCallsUs(OnTheFakeDriver):
    """XLA's way to us, with the CPU's programs as a GPU's: they have no stream, all else is the same."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from autotune import _jax

        cls.jax, cls.calls, launch = _jax, [], _jax._launch
        _jax.register("cpu", "cpu")
        jax.clear_caches()
        stream, _jax._stream_of = _jax._stream_of, lambda call: 0x5B
        cls.addClassCleanup(setattr, _jax, "_stream_of", stream)
        cls.addClassCleanup(setattr, _jax, "_launch", launch)

        def seen(call):
            """What was asked, with which buffers, and what was launched: that is known to XLA's thread alone."""
            said = call.attributes.items[0].contents
            buffers = [call.results.items[0].contents.data, call.inputs.items[0].contents.data]
            launch(call)
            cls.calls.append((json.loads(ctypes.string_at(said.at, said.count)), buffers, FAKE.fake_read()))

        _jax._launch = seen

    def setUp(self):
        super().setUp()
        self.calls.clear()

    def test_a_transpose_is_launched_on_xla_s_stream_with_xla_s_buffers(self):
        jax.block_until_ready(jax.jit(lambda x: autotune.transpose(x * 2) + 1)(jnp.ones((64, 96))))
        self.launched()
        (said, buffers, seen), = self.calls
        self.assertEqual((list(seen.params)[:2], seen.stream), (buffers, 0x5B))
        self.assertEqual(said, {"op": "transpose", "sizes": [64, 96], "type": "u32", "results": [0]})

    def test_a_copy_moves_the_bytes(self):
        jax.block_until_ready(autotune.copy(jnp.ones((64, 96), "bfloat16")))
        (said, buffers, seen), = self.calls
        moved = FAKE.fake_read().launches > self.before
        self.assertEqual((said["op"], said["bytes"]), ("copy", 12288))
        if moved:  # else the driver has copied: XLA's memory began at no multiple of 256
            self.assertEqual(list(seen.params)[:2], buffers)

    def test_a_permutation_and_its_gradient_are_two_launches(self):
        x = jnp.ones((6, 8, 10))
        jax.block_until_ready(jax.jit(jax.grad(lambda x: (autotune.permute(x, (2, 0, 1)) ** 2).sum()))(x))
        self.assertEqual(FAKE.fake_read().launches, self.before + 2)
        self.assertEqual([(said["sizes"], said["dims"]) for said, _, _ in self.calls],
                         [([6, 8, 10], [2, 0, 1]), ([10, 6, 8], [1, 2, 0])])

    def test_a_batch_of_transposes_is_one_launch(self):
        jax.block_until_ready(jax.vmap(autotune.transpose)(jnp.ones((5, 64, 96))))
        self.launched()
        self.assertEqual(self.calls[0][0]["sizes"], [5, 64, 96])

    def test_run_makes_the_outputs(self):
        one = jax.ShapeDtypeStruct((96, 64), "float32")
        y = jax.jit(lambda x: autotune.run("transpose", (64, 96), "f32", {"in": x, "out": one}))(jnp.ones((64, 96)))
        self.assertEqual(jax.block_until_ready(y).shape, (96, 64))
        self.launched()
        (_, buffers, seen), = self.calls
        self.assertEqual(list(seen.params)[:2], buffers)

    def test_run_refuses_what_does_not_fit(self):
        small = jax.ShapeDtypeStruct((96, 63), "float32")
        self.refused("out: found 24192 bytes, shape .*; expected 24576", autotune.run, "transpose", (64, 96), "f32",
                     [small, jnp.ones((64, 96))])
        self.refused("in: found a ShapeDtypeStruct; expected an array", autotune.run, "transpose", (64, 96), "f32",
                     [jax.ShapeDtypeStruct((96, 64), "float32"), small])
        self.refused("in: found f16; expected elements of 4 bytes, as f32 has", autotune.run, "transpose", (64, 96), "f32",
                     [jax.ShapeDtypeStruct((96, 64), "float32"), jnp.ones((64, 96), "float16")])
        rows, index = jax.ShapeDtypeStruct((64, 32), "float32"), jnp.ones(64, "uint32")
        gather = jax.jit(lambda x, index: autotune.run("gather_rows", (100, 64, 128), "i32", {"out": rows, "in": x, "index": index}))
        self.refused("index: found u32; expected i32", gather, jnp.ones((100, 32)), index)

    def knows_nothing(self):
        """A tuner without a database: what it answers follows from the device that is asked for."""
        with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, XDG_DATA_HOME=home):
            os.environ.pop("AUTOTUNE_DB", None)
            tuner = autotune.Tuner(no_shipped=True)
        self.addCleanup(tuner.close)
        named = mock.patch.object(self.jax, "default", lambda: tuner)
        named.start()
        self.addCleanup(named.stop)

    def test_run_says_that_an_operation_has_to_be_tuned(self):
        self.knows_nothing()
        one = jax.ShapeDtypeStruct((96, 64), "float32")
        self.refused("found no kernel for transpose 64x96 f32; expected one that was tuned: ", autotune.run, "transpose",
                     (64, 96), "f32", {"in": jnp.ones((64, 96)), "out": one})

    def test_run_needs_no_measurement_on_a_gpu_that_jax_has(self):
        self.knows_nothing()
        gpu = mock.Mock(device_kind="NVIDIA H200", compute_capability="9.0", core_count=132)
        one = jax.ShapeDtypeStruct((96, 64), "float32")
        with mock.patch.object(jax, "local_devices", lambda: [gpu]):
            y = jax.jit(lambda x: autotune.run("transpose", (64, 96), "f32", {"in": x, "out": one}))(jnp.ones((64, 96)))
        self.assertEqual(jax.block_until_ready(y).shape, (96, 64))
        self.launched()

    def test_an_error_of_the_library_is_jax_s(self):
        with mock.patch.object(autotune.default(), "_launch", side_effect=autotune.Error("device", "no room at all")):
            with self.assertRaisesRegex(Exception, "autotune: no room at all"):
                jax.block_until_ready(autotune.transpose(jnp.ones((64, 97))))


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    unittest.main(argv=sys.argv[:1])
