"""What tools/python/autotune takes as an argument, and what it refuses, with nothing launched: buffers, types, devices, sizes.
usage: test_python_arguments.py FAKE_LIBCUDA"""
import builtins
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from on_fake_driver import FAKE, IN, INDEX, OUT, ROOT, OnTheFakeDriver  # first: the driver that is loaded is the fake one

import autotune
from foreign_arrays import Cuda, DLPack, Dtype

class Refused(OnTheFakeDriver):
    def test_an_output_of_another_shape_type_or_layout(self):
        x = Cuda(IN, (64, 96))
        for out in (Cuda(OUT, (64, 96)), Cuda(OUT, (96, 64), "<f8")):
            self.refused(r"out: found shape .* expected shape \(96, 64\) of f32", self.tuner.transpose, x, out=out)
        self.refused("expected an output that does not overlap itself", self.tuner.transpose, x, out=Cuda(OUT, (96, 64), strides=(4, 4)))

    def test_an_output_that_may_only_be_read(self):
        x, out = Cuda(IN, (64, 96), readonly=True), Cuda(OUT, (96, 64), readonly=True)
        self.refused("out: found a read-only array", self.tuner.transpose, x, out=out)
        self.refused("out: found a read-only array", self.tuner.permute, x, (1, 0), out=out)
        self.refused("out: found a read-only array", self.tuner.run, "transpose", (64, 96), "f32", [out, x])

    def test_an_output_of_another_type_of_the_same_size(self):
        for call, shape in ((self.tuner.transpose, (96, 64)), (self.tuner.copy, (64, 96)),
                            (lambda x, out: self.tuner.permute(x, (1, 0), out=out), (96, 64))):
            for typestr, found in (("<i4", "i32"), ("<u4", "u32"), ("<c8", "c64")):
                self.refused(f"out: found shape .* of {found}, .* expected .*shape .* of f32", call, Cuda(IN, (64, 96)),
                             out=Cuda(OUT, shape, typestr))
        self.tuner.transpose(DLPack(IN, (64, 96), 4, 16), out=Cuda(OUT, (96, 64), "<V2"))  # CuPy's bfloat16 has no name there
        self.launched()

    def test_memory_of_another_gpu(self):
        for call, shape in ((self.tuner.transpose, (96, 64)), (self.tuner.copy, (64, 96))):
            self.refused("x: found memory of GPU 0; expected memory of GPU 1, where out is", call, Cuda(IN, (64, 96)),
                         out=DLPack(OUT, shape, gpu=1))

    def test_an_output_that_overlaps_the_input(self):
        for call, offset in ((self.tuner.transpose, 0), (self.tuner.transpose, 256), (self.tuner.copy, 0),
                             (self.tuner.copy, 24572), (lambda x, out: self.tuner.permute(x, (0, 1), out=out), 0)):
            self.refused("out.* found 24576 bytes at .*; expected an output in memory that no other", call, Cuda(IN, (64, 96)),
                         out=Cuda(IN + offset, (96, 64) if call == self.tuner.transpose else (64, 96)))

    def test_a_stream_that_is_no_number(self):
        for call in (lambda s: self.tuner.transpose(Cuda(IN, (64, 96)), out=Cuda(OUT, (96, 64)), stream=s),
                     lambda s: self.tuner.copy(Cuda(IN, (64, 96)), out=Cuda(OUT, (64, 96)), stream=s),
                     lambda s: self.tuner.permute(Cuda(IN, (64, 96)), (1, 0), out=Cuda(OUT, (96, 64)), stream=s),
                     lambda s: self.tuner.run("transpose", (64, 96), "f32", [OUT, IN], stream=s)):
            self.refused_as(TypeError, "found a str as the stream; expected the integer of a CUstream", call, "0x51")

    def test_memory_of_the_host(self):
        for arrays in ((Cuda(IN, (64, 96)), Cuda(0x64, (96, 64))), (Cuda(0x64, (64, 96)), Cuda(OUT, (96, 64)))):
            self.refused("found a buffer at 0x64; expected memory of a GPU", self.tuner.transpose, arrays[0], out=arrays[1])
        self.refused("found an array on the CPU; expected one on an NVIDIA GPU", self.tuner.copy,
                     DLPack(IN, (4, 4), device=1))
        self.refused("DLPack's device type 12", self.tuner.copy, DLPack(IN, (4, 4), device=12))

    def test_what_is_no_array(self):
        self.refused_as(TypeError, "found a list; expected an array on a GPU", self.tuner.transpose, [[1, 2], [3, 4]])

    def test_a_view_that_repeats_elements_or_goes_backwards(self):
        for strides in ((0, 4), (-384, 4)):
            self.refused("found strides .*; expected strides of 1 or more: make the array contiguous", self.tuner.transpose,
                         Cuda(IN, (64, 96), strides=strides), out=Cuda(OUT, (96, 64)))

    def test_a_framework_for_which_nothing_can_be_allocated(self):
        self.refused(r"expected out=, an array of shape \(96, 64\)", self.tuner.transpose, Cuda(IN, (64, 96)))

    def test_dimensions_that_the_array_does_not_have(self):
        self.refused("found 1 dimensions; expected two or more", self.tuner.transpose, Cuda(IN, (64,)))
        self.refused("found 2 dimensions; expected .* dim0=0 and dim1=2 among them", self.tuner.transpose, Cuda(IN, (64, 96)), 0, 2)
        self.refused("found 17 dimensions; expected at most 16", self.tuner.transpose, Cuda(IN, (1,) * 17), out=Cuda(OUT, (1,) * 17))
        self.refused_as(TypeError, "found a Cuda as dim0; expected an integer \\(an output is given as out=\\)", self.tuner.transpose,
                        Cuda(IN, (64, 96)), Cuda(OUT, (96, 64)))

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
        self.tuner.run(*self.PROBLEM, [OUT, IN], stream=0x58)
        self.assertEqual(self.launched().stream, 0x58)

    def test_refuses_an_array_of_another_size(self):
        for count in (6143, 6145):
            self.refused(rf"in: found {4 * count} bytes, shape \({count},\); expected 24576 bytes", self.tuner.run, *self.PROBLEM,
                         [Cuda(OUT, (96, 64)), Cuda(IN, (count,))])

    def gather(self, index, rows="|u1"):
        """Rows of 128 bytes in type `rows`, by 64 indices."""
        columns = 128 // int(rows[2:])
        self.before = FAKE.fake_read().launches
        self.tuner.run("gather_rows", (100, 64, 128), "i32", {"out": Cuda(OUT, (64, columns), rows), "index": index,
                                                              "in": Cuda(IN, (100, columns), rows)})

    def test_refuses_elements_of_another_type(self):
        for typestr, found in (("<i8", "i64"), ("<f4", "f32"), ("<u4", "u32"), ("<i2", "i16"), ("<V4", "elements of 4 bytes")):
            if typestr != "<V4":
                self.refused(f"index: found {found}; expected i32", self.gather, Cuda(INDEX, (64,), typestr))
        self.refused("index: found i64; expected i32", self.gather, DLPack(INDEX, (64,), 0, 64))
        for typestr in ("<i4", "<V4"):
            self.gather(Cuda(INDEX, (64,), typestr))
            self.launched()

    def test_refuses_elements_of_another_size_where_they_are_only_moved(self):
        arrays = [Cuda(OUT, (96, 64)), Cuda(IN, (64, 96))]
        self.refused("out: found f32; expected elements of 2 bytes, as f16 has", self.tuner.run, "transpose", (64, 96), "f16", arrays)
        self.tuner.run("transpose", (64, 96), "i32", arrays)
        self.launched()

    def test_takes_anything_for_bytes(self):
        for rows in ("|u1", "<f4", "<c16"):
            self.gather(Cuda(INDEX, (64,), "<i4"), rows)
            self.launched()

    def test_refuses_a_scale_that_is_no_float(self):
        shape, size = (1, 1, 1, 1, 64, 96), 64 * 96
        arrays = {"turned": Cuda(OUT, (size,), "|u1"), "straight": Cuda(0, (0,), "|u1"), "largest": Cuda(0, (0,)),
                  "in": Cuda(IN, (64, 96), "<f2"), "scale": Cuda(INDEX, (1,))}
        self.tuner.run("cast_transpose", shape, "f16", arrays)
        self.launched()
        self.before += 1
        for name, wrong, words in (("scale", Cuda(INDEX, (1,), "<f8"), "scale: found f64; expected f32"),
                                   ("in", Cuda(IN, (64, 96), "<i2"), "in: found i16; expected f16")):
            self.refused(words, self.tuner.run, "cast_transpose", shape, "f16", {**arrays, name: wrong})

    def test_refuses_memory_of_another_gpu_and_of_the_host(self):
        x = Cuda(IN, (64, 96))
        self.refused("in: found memory of GPU 0; expected memory of GPU 1, where out is", self.tuner.run, *self.PROBLEM,
                     {"out": DLPack(OUT, (96, 64), gpu=1), "in": x})
        self.refused("found a buffer at 0x64; expected memory of a GPU", self.tuner.run, *self.PROBLEM, [Cuda(0x64, (96, 64)), x])

    def test_refuses_overlap_and_null_of_arrays_and_addresses(self):
        for buffers in ([Cuda(IN, (96, 64)), Cuda(IN, (64, 96))], [IN, IN], [Cuda(IN + 24572, (96, 64)), IN],
                        {"out": IN + 256, "in": IN}):
            self.refused("out and in overlap: found 24576 bytes at .*; expected an output", self.tuner.run, *self.PROBLEM, buffers)
        self.refused("in: found NULL; expected device memory", self.tuner.run, *self.PROBLEM, [OUT, 0])

    def test_refuses_what_are_no_buffers(self):
        self.refused_as(TypeError, "found a Cuda; expected the buffers in a sequence", self.tuner.run, *self.PROBLEM, Cuda(IN, (64, 96)))
        self.refused_as(TypeError, "found a NoneType; expected an array on a GPU", self.tuner.run, *self.PROBLEM, [OUT, None])
        self.refused("found the address -0x100; expected one", self.tuner.run, *self.PROBLEM, [OUT, -256])

    def test_names_of_buffers_need_no_context_that_is_current(self):
        FAKE.fake_use_context(0)
        self.tuner.run(*self.PROBLEM, {"out": Cuda(OUT, (96, 64)), "in": Cuda(IN, (64, 96))})
        self.launched()

    def test_refuses_sizes_that_are_no_integers(self):
        self.refused_as(TypeError, "found a size of 64.5; expected an integer", self.tuner.find, "copy", (64.5,), "f32", arch="sm_90")
        self.refused_as(TypeError, r"found 4096; expected sizes, as \(4096, 4096\)", self.tuner.find, "copy", 4096, "f32", arch="sm_90")
        self.refused_as(TypeError, "found a bytes as the operation; expected its name", self.tuner.find, b"copy", (64,), "f32", arch="sm_90")

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
            self.refused(f"found a size of {size}; expected less than", self.tuner.find, "copy", (size,), "f32", arch="sm_90")

    def test_says_whether_the_type_or_the_sizes_are_wrong(self):
        for sizes, dtype, words in (((64, 96), "float", "^found the type 'float'; expected one of u8 "),
                                    ("64y96", "f32", "found .*64y96"),
                                    ("64 to=e5m2", "f32", "to=e5m2"),
                                    ((1,) * 20, "f32", "^found 20 sizes; expected at most ")):
            self.refused(words, self.tuner.find, "copy", sizes, dtype, arch="sm_90")

    def test_types_have_the_names_of_other_libraries(self):
        for name, spelled in (("f32", "float32"), ("f16", "half"), ("bf16", "bfloat16"), ("u8", "uint8"), ("u8", "bool"),
                              ("i64", "int64"), ("c128", "complex128")):
            found = [self.tuner.find("copy", (4096,), dtype, arch="sm_90") for dtype in (name, spelled)]
            self.assertEqual(found[0], found[1])
            self.assertEqual(autotune._native.type_name(spelled), name)
        # NumPy's bool is moved as bytes.
        self.assertEqual(set(autotune._native.SPELLINGS.values()), set(autotune._native.TYPES) - {"bool"})
        for dtype in ("float", "int", "long", "byte", "Float32", "torch.float32", ""):
            self.refused(f"found the type '{dtype}'; expected one of u8 .* or NumPy's or PyTorch's name", self.tuner.find,
                         "copy", (4096,), dtype, arch="sm_90")

    def test_a_type_may_be_the_dtype_of_an_array(self):
        for spelled, name in autotune._native.SPELLINGS.items():
            for dtype in (Dtype(spelled), type(spelled, (), {})):
                self.assertEqual(autotune._native.type_name(dtype), name)
        dtype = Dtype("float32")
        self.assertEqual(self.tuner.find("copy", (4096,), dtype, arch="sm_90").type, "f32")
        self.assertEqual(self.tuner.prepare("transpose", (64, 96), dtype).type, "f32")
        self.tuner.run("transpose", (64, 96), dtype, {"out": Cuda(OUT, (96, 64)), "in": Cuda(IN, (64, 96))})
        self.launched()

    def test_what_is_no_type(self):
        for dtype, found in ((None, "a NoneType"), (4, "a int"), (Cuda(IN, (4,)), "a Cuda")):
            self.refused_as(TypeError, f"found {found} as the type; expected a text such as 'f32', or the dtype of an array",
                            self.tuner.find, "copy", (4096,), dtype, arch="sm_90")
        self.refused("found the type 'float'; expected one of u8", self.tuner.find, "copy", (4096,), float, arch="sm_90")

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
            with autotune.Tuner(cache="", templates=folder, no_shipped=True) as tuner:
                found = tuner.find("twice", (100,), "f32", arch="sm_90")
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
                self.assertEqual((found.match, found.device, found.arch), ("exact", name, "sm_90"))
            for device, words in ((7, "7"), ("H20", "found 'H20'; expected one of these devices"), ("nvidia", "several")):
                with self.assertRaisesRegex(autotune.Error, words):
                    tuner.find("transpose", (4096, 4096), "f32", device=device)
            for device in (-1, 1.0, True, b"NVIDIA H200"):
                with self.assertRaisesRegex(TypeError, "expected a GPU's number, or a device's name"):
                    tuner.find("transpose", (4096, 4096), "f32", device=device)

    def test_pitches_and_alignments_are_part_of_the_question(self):
        found = self.tuner.find("transpose", (64, 96), "f32", arch="sm_90", pitches=(128, 64), alignments=(4, 16))
        self.assertEqual(found.shape, "64x96/128x64@4x16")
        self.assertEqual([(arg.name, arg.align) for arg in found.buffers], [("out", 16), ("in", 4)])
        self.refused("found 9 pitchs; expected at most 8", self.tuner.find, "copy", (64,), "f32", pitches=range(9))

    def test_a_shape_may_be_a_text_as_the_program_takes_it(self):
        for op, sizes, dtype, shape in (("transpose", "64x96/128x64@4x16", "f32", "64x96/128x64@4x16"),
                                        ("permute", "6x8x64:1.0.2", "f16", "6x8x64:1.0.2"),
                                        ("cast_transpose", "8x8 to=e5m2", "bf16", "8x8")):
            self.assertIn(shape, self.tuner.find(op, sizes, dtype, arch="sm_90").shape)
        self.refused("expected them within the shape", self.tuner.find, "transpose", "64x96", "f32", pitches=(128,))
        self.tuner.run("transpose", "64x96", "f32", {"out": Cuda(OUT, (96, 64)), "in": Cuda(IN, (64, 96))})

    def test_an_error_survives_another_process(self):
        with self.assertRaises(autotune.ArgumentError) as raised:
            self.tuner.find("copy", (0,), "f32", arch="sm_90")
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((type(again), again.status, str(again)), (autotune.ArgumentError, "input", str(raised.exception)))
        self.assertIsInstance(again, ValueError)

    def test_a_fork_opens_a_tuner_of_its_own(self):
        mine = autotune.default()
        child = os.fork()
        if not child:
            found = autotune.find("copy", (4096,), "f32", arch="sm_90")
            os._exit(0 if autotune.default() is not mine and found.template_name else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertIs(autotune.default(), mine)

    def test_the_module_has_public_names_alone(self):
        public = {name for name in vars(autotune) if not name.startswith("_")}
        self.assertEqual(public - set(autotune.__all__) - {"annotations", "sum"}, set())
        self.assertTrue(Path(autotune.get_include(), "autotune", "autotune.h").is_file())

    def test_a_star_import_hides_nothing_of_python(self):
        self.assertEqual(set(autotune.__all__) & set(dir(builtins)), set())
        self.assertTrue(callable(autotune.sum))

    def test_a_library_of_another_version_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder, "libother.so")
            source = "int at_version_number(void) { return 20301; }"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", other, "-"], input=source, text=True, check=True)
            with self.assertRaisesRegex(autotune.NotFoundError, "of version 2.3.1; expected 0.1"):
                autotune.Tuner(library=other)

    def test_nothing_is_expected_of_a_device_that_no_model_knows(self):
        with autotune.Tuner(cache="") as tuner:
            found = tuner.find("transpose", (3000, 5000), "f32", device="Tesla T4")
            self.assertEqual((found.match, found.expected_s, found.expected_loss), ("other_device", None, None))
            self.assertEqual((found.device, found.arch, found.sms), ("Tesla T4", "sm_75", 40))
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
                with autotune.Tuner(cache="", templates=templates, no_shipped=True, allow=allow) as tuner:
                    self.assertEqual(bool(tuner.find("twice", (100,), "f32", arch="sm_90").source), bool(allow))
        with self.assertRaisesRegex(autotune.Error, "allow: /nowhere: No such file"):
            autotune.Tuner(cache="", allow="/nowhere")

    def test_the_program_that_was_installed_with_the_module_is_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            found = Path(folder, "autotune")
            with mock.patch("sysconfig.get_path", lambda name: folder), mock.patch.object(autotune._native, "HERE", Path(folder, "a/b/c")):
                for make in (lambda: found.mkdir(), lambda: found.rmdir() or found.touch(0o644)):
                    make()
                    self.assertIsNone(autotune._program.installed())
                found.chmod(0o755)
                self.assertEqual(autotune._program.installed(), str(found))

    def test_an_error_of_the_library_tells_its_kind(self):
        with self.assertRaises(autotune.Error) as raised:
            self.tuner.find("transpos", (4, 4), "f32")
        self.assertEqual(raised.exception.status, "input")
        self.assertIsInstance(raised.exception, ValueError)
        with self.assertRaises(autotune.Error) as raised:
            autotune.Tuner(database="/nowhere/none.db")
        self.assertNotIsInstance(raised.exception, ValueError)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    unittest.main(argv=sys.argv[:1])
