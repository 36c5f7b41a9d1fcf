"""tools/python/autotune on tests/fake_driver.c, which writes launches down: arrays of every protocol, streams, contexts, what
is refused. PyTorch's part needs a PyTorch, and is skipped without one.  usage: test_python_module.py FAKE_LIBCUDA"""
import ctypes
import inspect
import json
import os
import sys
import tempfile
import typing
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/python"))
FAKE = ctypes.CDLL(sys.argv.pop(), mode=ctypes.RTLD_GLOBAL)

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
from autotune import _arrays, _driver  # noqa: E402
from foreign_arrays import Cuda, DLPack  # noqa: E402

IN, OUT = 0x7000_0000, 0x7100_0000
PRIMARY = 0xC0DE


class Record(ctypes.Structure):
    """fake_record of fake_driver.h."""
    _fields_ = [("loads", ctypes.c_int), ("unloads", ctypes.c_int), ("launches", ctypes.c_int),
                ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared_bytes", ctypes.c_uint),
                ("params", ctypes.c_int64 * 5), ("stream", ctypes.c_void_p), ("waited", ctypes.c_void_p),
                ("current", ctypes.c_void_p)]


class Copied(ctypes.Structure):
    """fake_copy of fake_driver.h."""
    _fields_ = [("to", ctypes.c_uint64), ("at", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("stream", ctypes.c_void_p), ("launches", ctypes.c_int)]


FAKE.fake_read.restype = Record
FAKE.fake_copied.restype = Copied


class OnTheFakeDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tuner = autotune.Tuner(cache="")
        cls.addClassCleanup(cls.tuner.close)

    def setUp(self):
        FAKE.fake_use_context(7)
        self.before = FAKE.fake_read().launches

    def launched(self):
        """What the one launch of this test was."""
        seen = FAKE.fake_read()
        self.assertEqual(seen.launches, self.before + 1)
        return seen

    def refused(self, words, call, *arguments, **named):
        with self.assertRaisesRegex(ValueError, words):
            call(*arguments, **named)
        self.assertEqual(FAKE.fake_read().launches, self.before)


class Arrays(OnTheFakeDriver):
    def test_a_cuda_array_interface_is_transposed_on_its_stream(self):
        out = Cuda(OUT, (96, 64), stream=0x51)
        self.assertIs(self.tuner.transpose(Cuda(IN, (64, 96), stream=0x51), out), out)
        seen = self.launched()
        self.assertEqual(list(seen.params)[:2], [OUT, IN])
        self.assertEqual((seen.stream, seen.waited), (0x51, None))

    def test_dlpack_is_transposed_on_the_stream_that_was_agreed_on(self):
        x, out = DLPack(IN, (64, 96)), DLPack(OUT, (96, 64))
        self.tuner.transpose(x, out, stream=0x52)
        seen = self.launched()
        self.assertEqual(list(seen.params)[:2], [OUT, IN], "with the offset in bytes")
        self.assertEqual(seen.stream, 0x52)
        self.assertEqual(x.asked, [0x52])

    def test_without_a_stream_dlpack_is_asked_for_the_default_one(self):
        x = DLPack(IN, (64, 96))
        self.tuner.transpose(x, Cuda(OUT, (96, 64)))
        self.assertEqual(x.asked, [1])
        self.assertEqual(self.launched().stream, 1)

    def test_another_stream_on_which_an_input_is_made_is_waited_for(self):
        self.tuner.transpose(Cuda(IN, (64, 96), stream=0x53), Cuda(OUT, (96, 64), stream=0x54))
        seen = self.launched()
        self.assertEqual((seen.stream, seen.waited), (0x54, 0x53))

    def test_a_given_stream_waits_for_that_of_the_array(self):
        self.tuner.copy(Cuda(IN, (64, 96), stream=0x55), Cuda(OUT, (64, 96)), stream=0x56)
        seen = self.launched()
        self.assertEqual((seen.stream, seen.waited), (0x56, 0x55))

    def test_rows_that_lie_apart_are_taken_as_they_are(self):
        self.tuner.transpose(Cuda(IN, (64, 96), strides=(512, 4)), Cuda(OUT, (96, 64)))
        self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_any_order_of_dimensions_and_any_strides_are_one_launch(self):
        self.tuner.permute(Cuda(IN, (4, 6, 8, 10)), (2, 0, 3, 1), Cuda(OUT, (8, 4, 10, 6)))
        self.assertEqual(list(self.launched().params)[:2], [OUT, IN])
        self.tuner.permute(Cuda(IN, (4, 6, 8), strides=(768, 128, 16)), (2, 1, 0), Cuda(OUT, (8, 6, 4)))
        self.assertEqual(FAKE.fake_read().launches, self.before + 2)

    def test_what_a_permutation_will_use_is_known_before_and_launches_nothing(self):
        arrays = Cuda(IN, (4, 6, 8)), (2, 1, 0), Cuda(OUT, (8, 6, 4))
        found = self.tuner.prepare_permute(*arrays)
        self.assertTrue(found.template_name)
        self.assertEqual(FAKE.fake_read().launches, self.before)
        self.tuner.permute(*arrays)
        self.assertEqual(FAKE.fake_read().launches, self.before + 1)

    def test_a_permutation_that_is_a_transpose_runs_as_one(self):
        self.tuner.permute(Cuda(IN, (64, 96)), (1, 0), Cuda(OUT, (96, 64)))
        seen = self.launched()
        self.tuner.transpose(Cuda(IN, (64, 96)), Cuda(OUT, (96, 64)))
        again = FAKE.fake_read()
        self.assertEqual((list(seen.grid), list(seen.block), list(seen.params)),
                         (list(again.grid), list(again.block), list(again.params)))

    def test_dims_that_are_no_permutation(self):
        self.refused("expected each of 0 to 2 once", self.tuner.permute, Cuda(IN, (4, 6, 8)), (0, 1, 1))
        self.refused("expected shape", self.tuner.permute, Cuda(IN, (4, 6, 8)), (2, 1, 0), Cuda(OUT, (4, 6, 8)))

    def test_a_context_of_the_array_s_device_is_current_meanwhile_and_not_after(self):
        FAKE.fake_use_context(0)
        self.tuner.transpose(Cuda(IN, (64, 96)), Cuda(OUT, (96, 64)))
        self.assertIsNone(self.launched().current)
        with _driver.current(_arrays.as_array(Cuda(IN, (64, 96)))):
            self.assertEqual(FAKE.fake_read().current, PRIMARY)

    def test_nothing_is_launched_for_no_elements(self):
        self.tuner.transpose(Cuda(IN, (0, 96)), Cuda(OUT, (96, 0)))
        self.assertEqual(FAKE.fake_read().launches, self.before)

    def test_copies_bytes_of_any_type(self):
        for typestr in ("|b1", "<f2", "<i4", "<c8", "<c16"):
            with self.subTest(typestr):
                self.before = FAKE.fake_read().launches
                self.tuner.copy(Cuda(IN, (64, 96), typestr), Cuda(OUT, (64, 96), typestr))
                self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_copies_what_begins_anywhere_by_the_driver(self):
        self.tuner.copy(Cuda(IN + 16, (64, 96), stream=0x59), Cuda(OUT, (64, 96)))
        seen = FAKE.fake_copied()
        self.assertEqual((seen.to, seen.at, seen.bytes, seen.stream), (OUT, IN + 16, 24576, 0x59))
        self.assertEqual(FAKE.fake_read().launches, self.before)

    def test_the_short_way_launches_the_same(self):
        self.tuner.submit("transpose", (64, 96), "u32", OUT, IN, 0x5A)
        seen = self.launched()
        self.assertEqual((list(seen.params)[:2], seen.stream), ([OUT, IN], 0x5A))
        with self.assertRaisesRegex(autotune.Error, "buffer") as raised:
            self.tuner.submit("transpose", (64, 96), "u32", OUT, 0, 0)
        self.assertEqual(raised.exception.status, "usage")

    def test_reads_types_of_all_protocols(self):
        for value, dtype in [(Cuda(IN, (4,), "<f8"), "f64"), (Cuda(IN, (4,), "|b1"), "u8"), (Cuda(IN, (4,), "<c16"), "c128"),
                             (DLPack(IN, (4,), 4, 16), "bf16"), (DLPack(IN, (4,), 5, 64), "c64"), (DLPack(IN, (4,), 6, 8), "u8")]:
            self.assertEqual(_arrays.as_array(value).dtype, dtype)

    def test_strides_of_one_element_s_dimension_do_not_matter(self):
        self.assertTrue(_arrays.as_array(Cuda(IN, (1, 96), strides=(4, 4))).dense)
        self.assertFalse(_arrays.as_array(Cuda(IN, (2, 96), strides=(4, 4))).dense)


class Refused(OnTheFakeDriver):
    def test_an_output_of_another_shape_type_or_layout(self):
        x = Cuda(IN, (64, 96))
        for out in (Cuda(OUT, (64, 96)), Cuda(OUT, (96, 64), "<f8"), Cuda(OUT, (96, 64), strides=(4, 384))):
            self.refused(r"out: found shape .* expected a contiguous array of shape \(96, 64\)", self.tuner.transpose, x, out)

    def test_an_output_that_may_only_be_read(self):
        x, out = Cuda(IN, (64, 96), readonly=True), Cuda(OUT, (96, 64), readonly=True)
        self.refused("out: found a read-only array", self.tuner.transpose, x, out)
        self.refused("out: found a read-only array", self.tuner.run, "transpose", (64, 96), "f32", [out, x])

    def test_memory_of_the_host(self):
        self.refused("found a buffer at 0x64; expected memory of a GPU", self.tuner.transpose, Cuda(IN, (64, 96)),
                     Cuda(0x64, (96, 64)))
        self.refused("found an array on the CPU; expected one on an NVIDIA GPU", self.tuner.copy,
                     DLPack(IN, (4, 4), device=1))
        self.refused("DLPack's device type 12", self.tuner.copy, DLPack(IN, (4, 4), device=12))

    def test_what_is_no_array(self):
        self.refused("found a list; expected an array on a GPU", self.tuner.transpose, [[1, 2], [3, 4]])

    def test_a_view_that_no_kernel_takes(self):
        self.refused("expected dense rows", self.tuner.transpose, Cuda(IN, (64, 96), strides=(4, 256)), Cuda(OUT, (96, 64)))

    def test_a_framework_for_which_nothing_can_be_allocated(self):
        self.refused(r"expected out=, an array of shape \(96, 64\)", self.tuner.transpose, Cuda(IN, (64, 96)))

    def test_four_dimensions(self):
        self.refused("found 4 dimensions", self.tuner.transpose, Cuda(IN, (2, 2, 64, 96)))

    def test_foreign_byte_order(self):
        self.refused("found elements '>f4'", self.tuner.copy, Cuda(IN, (64, 96), ">f4"))


LATIN = {"op.cu": """/*!autotune
op twice
shape n
type T = f32
arg out T[n] output
arg in T[n] input uniform 0 1
reference twice_slowly
grid n
block 1
check exact
traffic 2 * n * sizeof(T)
*/
extern "C" __global__ void twice_slowly(T *out, const T *in) { out[blockIdx.x] = 2 * in[blockIdx.x]; }
""", "plain.cu": """/*!autotune
template plain
grid n
block 1
*/
// f\xfcr alle
extern "C" __global__ void twice_plain(T *out, const T *in) { out[blockIdx.x] = 2 * in[blockIdx.x]; }
"""}


class Run(OnTheFakeDriver):
    PROBLEM = "transpose", (64, 96), "f32"

    def test_takes_buffers_by_name_and_in_order(self):
        named = {"in": Cuda(IN, (64, 96), stream=0x57), "out": Cuda(OUT, (96, 64))}
        for buffers in (named, [named["out"], named["in"]]):
            self.before = FAKE.fake_read().launches
            self.tuner.run(*self.PROBLEM, buffers)
            seen = self.launched()
            self.assertEqual((list(seen.params)[:2], seen.stream), ([OUT, IN], 0x57))

    def test_takes_addresses_at_their_word(self):
        self.tuner.run(*self.PROBLEM, [OUT, IN], 0x58)
        self.assertEqual(self.launched().stream, 0x58)

    def test_refuses_an_array_that_is_too_small(self):
        self.refused("in: found 24572 bytes; expected 24576", self.tuner.run, *self.PROBLEM,
                     [Cuda(OUT, (96, 64)), Cuda(IN, (6143,))])

    def test_refuses_one_that_is_not_contiguous(self):
        self.refused("out: found strides", self.tuner.run, *self.PROBLEM,
                     [Cuda(OUT, (96, 64), strides=(4, 384)), Cuda(IN, (64, 96))])

    def test_refuses_another_number_of_buffers(self):
        self.refused("found 1 buffers; expected out, in", self.tuner.run, *self.PROBLEM, [Cuda(OUT, (96, 64))])
        self.refused("found buffers input, out; expected out, in", self.tuner.run, *self.PROBLEM, {"out": OUT, "input": IN})

    def test_folders_of_headers_are_named_one_or_several(self):
        with tempfile.TemporaryDirectory() as folder:
            autotune.Tuner(cache="", headers=folder).close()
            autotune.Tuner(cache="", headers=[folder, Path(folder)]).close()
            for headers in ("/nowhere", [folder, "/nowhere"]):
                with self.assertRaisesRegex(autotune.Error, "headers: /nowhere: No such file"):
                    autotune.Tuner(cache="", headers=headers)

    def test_a_size_that_the_library_cannot_hold_is_not_cut_to_one_that_it_can(self):
        for size in (2**64 + 5, -2**64 + 5, 2**63):
            self.refused(f"found a size of {size}; expected less than", self.tuner.find, "copy", (size,), "f32", cc=90)

    def test_says_whether_the_type_or_the_sizes_are_wrong(self):
        for sizes, dtype, words in (((64, 96), "float", "^found the type 'float'; expected one of u8 "),
                                    ("64x96", "f32", "^found the text '64x96'; expected sizes, as "),
                                    ((1,) * 20, "f32", "^found 20 sizes; expected at most ")):
            self.refused(words, self.tuner.find, "copy", sizes, dtype, cc=90)

    def test_types_have_the_names_of_other_libraries(self):
        number = autotune._native.type_number
        for name, spelled in (("f32", "float32"), ("f16", "half"), ("bf16", "bfloat16"), ("u8", "uint8"), ("u8", "bool"),
                              ("i64", "int64"), ("c128", "complex128")):
            found = [self.tuner.find("copy", (4096,), dtype, cc=90) for dtype in (name, spelled)]
            self.assertEqual(found[0], found[1])
            self.assertEqual(number(spelled), number(name))
        self.assertEqual(set(autotune._native.SPELLINGS.values()), set(autotune._native.TYPES))
        for dtype in ("float", "int", "long", "byte", "Float32", "torch.float32", ""):
            self.refused(f"found the type '{dtype}'; expected one of u8 .* or NumPy's or PyTorch's name", self.tuner.find,
                         "copy", (4096,), dtype, cc=90)

    def test_names_of_types_mean_what_they_mean_to_the_program(self):
        rows = (ROOT / "tuner/declare/dtype.c").read_text(encoding="utf-8")
        for spelled, name in autotune._native.SPELLINGS.items():
            if spelled != "bool":  # the program has none
                self.assertRegex(rows, rf'\{{ "{name}", .*"{spelled}"')

    def test_a_kernel_runs_by_another_librarys_name_of_its_type(self):
        self.tuner.run("transpose", (64, 96), "float32", [OUT, IN])
        self.assertEqual(list(self.launched().params)[:2], [OUT, IN])

    def test_a_kernel_with_a_comment_that_is_no_utf_8_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in LATIN.items():
                Path(folder, name).write_text(text, encoding="latin-1")
            with autotune.Tuner(cache="", templates=folder, shipped=False) as tuner:
                found = tuner.find("twice", (100,), "f32", cc=90)
        self.assertIn("// f\ufffdr alle", found.source)

    def test_folders_of_headers_may_have_any_name_but_one_with_a_colon(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a b", "a,b", "a:b"):
                Path(folder, name).mkdir()
            Path(folder, "link").symlink_to(Path(folder, "a:b"))
            autotune.Tuner(cache="", headers=[Path(folder, name) for name in ("a b", "a,b", "link")]).close()
            with self.assertRaisesRegex(autotune.Error, "found the folder .*/a:b, and ':' stands between folders"):
                autotune.Tuner(cache="", headers=[folder, Path(folder, "a:b")])

    def test_no_folders_of_headers_are_not_those_of_the_environment(self):
        os.environ["AUTOTUNE_HEADERS"] = "/nowhere"
        self.addCleanup(os.environ.pop, "AUTOTUNE_HEADERS")
        autotune.Tuner(cache="", headers=[]).close()
        with self.assertRaisesRegex(autotune.Error, "headers: /nowhere: No such file"):
            autotune.Tuner(cache="")

    def test_a_device_is_a_number_or_a_name(self):
        """The driver has an H200 and an H100."""
        with autotune.Tuner(cache="") as tuner:
            for device, name in ((0, "NVIDIA H200"), (1, "NVIDIA H100 80GB HBM3"), ("1", "NVIDIA H100 80GB HBM3"),
                                 ("h100", "NVIDIA H100 80GB HBM3")):
                found = tuner.find("transpose", (4096, 4096), "f32", device=device)
                self.assertEqual((found.match, found.device, found.cc), ("exact", name, 90))
            for device, words in ((7, "7"), ("H20", "found 'H20'; expected one of these devices"), ("nvidia", "several")):
                with self.assertRaisesRegex(autotune.Error, words):
                    tuner.find("transpose", (4096, 4096), "f32", device=device)
            for device in (-1, 1.0, True, b"NVIDIA H200"):
                with self.assertRaisesRegex(TypeError, "expected a GPU's number, or a device's name"):
                    tuner.find("transpose", (4096, 4096), "f32", device=device)

    def test_nothing_is_expected_of_a_device_that_no_model_knows(self):
        with autotune.Tuner(cache="") as tuner:
            found = tuner.find("transpose", (3000, 5000), "f32", device="Tesla T4")
            self.assertEqual((found.match, found.expected_s, found.doubt), ("other_device", None, None))
            self.assertEqual((found.device, found.cc, found.sms), ("Tesla T4", 75, 40))
            found = tuner.find("transpose", (3000, 5000), "f32", device="NVIDIA H200")
            self.assertGreater(found.expected_s, 0)

    def test_templates_read_files_elsewhere_when_they_are_allowed_to(self):
        with tempfile.TemporaryDirectory() as folder:
            templates = Path(folder, "templates", "twice")
            templates.mkdir(parents=True)
            for name, text in LATIN.items():
                Path(templates, name).write_text(text, encoding="latin-1")
            code = templates / "plain.cu"
            Path(folder, "more.h").write_text("#define MORE 1\n", encoding="utf-8")
            code.write_text(code.read_text(encoding="latin-1").replace("*/\n", '*/\n#include "../../more.h"\n', 1),
                            encoding="latin-1")
            for allow in None, folder, [folder]:
                with autotune.Tuner(cache="", templates=templates, shipped=False, allow=allow) as tuner:
                    self.assertEqual(bool(tuner.find("twice", (100,), "f32", cc=90).source), bool(allow))
        with self.assertRaisesRegex(autotune.Error, "allow: /nowhere: No such file"):
            autotune.Tuner(cache="", allow="/nowhere")

    def test_an_error_of_the_library_tells_its_kind(self):
        with self.assertRaises(autotune.Error) as raised:
            self.tuner.find("transpos", (4, 4), "f32")
        self.assertEqual(raised.exception.status, "input")


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


@unittest.skipIf(sys.version_info < (3, 10), "older ones cannot evaluate X | Y")
class Typed(unittest.TestCase):
    def test_all_that_is_public_is_annotated(self):
        self.assertTrue((ROOT / "tools/python/autotune/py.typed").exists())
        public = [getattr(autotune, name) for name in autotune.__all__]
        calls = [value for value in public if inspect.isfunction(value)]
        calls += [value for _, value in inspect.getmembers(autotune.Tuner, inspect.isfunction) if value.__name__[:1] != "_"]
        self.assertGreater(len(calls), 10)
        for call in calls:
            with self.subTest(call.__qualname__):
                self.assertEqual(set(typing.get_type_hints(call)) - {"return"}, set(inspect.signature(call).parameters) - {"self"})
                self.assertIn("return", call.__annotations__)


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

    def test_operators_are_what_pytorch_asks_of_them(self):
        for op in (torch.ops.autotune.transpose, torch.ops.autotune.copy):
            torch.library.opcheck(op, (self.x,))
            torch.library.opcheck(op, (torch.randn(2, 4, 6)[..., ::2],))

    def test_torch_compile_takes_them_whole(self):
        def f(x):
            return autotune.transpose(x * 2) + autotune.copy(x).t()

        compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
        self.assertTrue(torch.equal(compiled(self.x), f(self.x)))

    def ours_and_theirs(self):
        return (autotune.transpose, lambda x: x.transpose(-1, -2)), (autotune.copy, torch.clone)

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
                     (lambda x: autotune.permute(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1))):
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

    def test_an_output_is_refused(self):
        self.refused("may not be written; leave it away", autotune.transpose, self.x, self.x)
        self.refused("out: found a read-only array|on the CPU", self.tuner.transpose, Cuda(IN, (64, 96)), jnp.ones((96, 64)))

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
        self.refused("out: found 24192 bytes; expected 24576", autotune.run, "transpose", (64, 96), "f32", [small, jnp.ones((64, 96))])
        self.refused("in: found a ShapeDtypeStruct; expected an array", autotune.run, "transpose", (64, 96), "f32",
                     [jax.ShapeDtypeStruct((96, 64), "float32"), small])

    def knows_nothing(self):
        """A tuner without a database: what it answers follows from the device that is asked for."""
        with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, XDG_DATA_HOME=home):
            os.environ.pop("AUTOTUNE_DB", None)
            tuner = autotune.Tuner(shipped=False)
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
