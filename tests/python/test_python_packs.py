"""autotune.load_pack: a pack as a function of arrays, with no compiler there, on the driver that takes notes.
usage: test_python_packs.py FAKE_LIBCUDA AUTOTUNE"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop()

from on_fake_driver import FAKE, IN, OUT  # noqa: E402  first: the driver that is loaded is the fake one

import autotune  # noqa: E402
from foreign_arrays import Cuda, DLPack  # noqa: E402

NO_NVRTC = 3


def packed(folder, *words):
    done = subprocess.run([PROGRAM, "pack", *words, "--kernels", "4", "--problems", "24", "--device", "H200,H100", "-o", folder],
                          capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "HOME": folder})
    if done.returncode == NO_NVRTC:
        raise unittest.SkipTest("there is no NVRTC here")
    assert done.returncode == 0, done.stderr
    return os.path.join(folder, words[0] + "_" + words[1] + ".json")


class Packs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = packed(folder.name, "transpose", "f32", "--sizes", "batch=1..8 rows=1..4096 cols=1..4096")
        cls.copy = packed(folder.name, "copy", "u8", "--sizes", "cols=1..100000")
        os.environ["AUTOTUNE_NVRTC"] = "/nowhere/libnvrtc.so"  # what compiles fails
        FAKE.fake_use_context(7)

    def setUp(self):
        self.pack = autotune.load_pack(self.path)
        self.addCleanup(self.pack.close)
        self.before = FAKE.fake_read()

    def launches(self):
        return FAKE.fake_read().launches - self.before.launches

    def test_it_describes_itself(self):
        self.assertEqual((self.pack.name, self.pack.op, self.pack.dtype), ("transpose_f32", "transpose", "f32"))
        self.assertEqual(self.pack.sizes, ("batch", "rows", "cols"))
        self.assertEqual([model["device"] for model in self.pack.description["models"]], ["NVIDIA H200", "NVIDIA H100 80GB HBM3"])
        self.assertEqual(self.pack.roles(), ("output", "input"))

    def test_arrays_of_any_size_are_transposed_by_few_kernels(self):
        choose = random.Random(3)
        for n in range(300):
            rows, cols = choose.randint(1, 1500), choose.randint(1, 1500)
            x = DLPack(IN, (rows, cols)) if n % 2 else Cuda(IN, (rows, cols))
            out = Cuda(OUT, (cols, rows))
            self.assertIs(self.pack(x, out=out), out)
            self.assertEqual(list(FAKE.fake_read().params), [OUT, IN, 1, rows, cols])
        self.assertEqual(self.launches(), 300)
        self.assertLessEqual(FAKE.fake_read().loads - self.before.loads, 4)

    def test_buffers_in_the_order_of_the_operation_with_sizes(self):
        self.pack(Cuda(OUT, (5, 6)), Cuda(IN, (6, 5)), sizes=(6, 5))
        self.pack(Cuda(OUT, (2, 5, 6)), Cuda(IN, (2, 6, 5)))
        self.assertEqual(list(FAKE.fake_read().params), [OUT, IN, 2, 6, 5])
        self.assertEqual(self.launches(), 2)

    def test_another_operation_takes_its_sizes_by_name(self):
        pack = autotune.load_pack(self.copy)
        self.addCleanup(pack.close)
        self.assertEqual(pack.sizes, ("batch", "rows", "cols"))
        pack(Cuda(OUT, (100,), "|u1"), Cuda(IN, (100,), "|i1"), sizes=(100,))
        self.assertEqual(self.launches(), 1)
        with self.assertRaisesRegex(ValueError, r"expected sizes=\(batch, rows, cols\)"):
            pack(Cuda(OUT, (100,), "|u1"), Cuda(IN, (100,), "|u1"))

    def test_what_does_not_fit_is_refused_before_a_launch(self):
        x = Cuda(IN, (64, 96))
        for words, call in ((r"out: found shape", lambda: self.pack(x, out=Cuda(OUT, (64, 96)))),
                            ("expected elements of 4 bytes", lambda: self.pack(Cuda(IN, (64, 96), "<f8"), out=Cuda(OUT, (96, 64), "<f8"))),
                            ("found 1 dimensions", lambda: self.pack(Cuda(IN, (64,)), out=Cuda(OUT, (64,)))),
                            ("in: found f64; expected f32", lambda: self.pack(Cuda(OUT, (96, 64)), Cuda(IN, (64, 96), "<f8"), sizes=(64, 96))),
                            ("found a buffer of .* bytes; expected", lambda: self.pack(Cuda(OUT, (96, 64)), x, sizes=(64, 97))),
                            ("found 3 buffers; expected out, in", lambda: self.pack(x, x, x))):
            with self.assertRaisesRegex(ValueError, words):
                call()
        self.assertEqual(self.launches(), 0)

    def test_packs_that_are_installed_beside_the_library_answer_where_nothing_may_be_compiled(self):
        with tempfile.TemporaryDirectory() as prefix:
            os.makedirs(os.path.join(prefix, "lib"))
            library = shutil.copy(os.environ["AUTOTUNE_LIBRARY"], os.path.join(prefix, "lib", "libautotune.so"))
            for packs in False, True:
                if packs:
                    folder = os.path.join(prefix, "share", "autotune", "packs")
                    os.makedirs(folder)
                    shutil.copy(self.path, folder)
                    with open(os.path.join(folder, "damaged.json"), "w", encoding="utf-8") as file:
                        file.write("{")
                tuner = autotune.Tuner(library=library, no_compile=True, cache="")
                buffers = [Cuda(OUT, (50, 70)), Cuda(IN, (70, 50))]
                if packs:
                    tuner.run("transpose", (70, 50), "f32", buffers)
                else:
                    with self.assertRaisesRegex(autotune.NotFoundError, "neither loaded nor in the cache"):
                        tuner.run("transpose", (70, 50), "f32", buffers)
                tuner.close()
        self.assertEqual(self.launches(), 1)

    def test_with_an_installed_pack_the_first_call_of_a_shape_waits_for_no_compiler(self):
        compiler = os.environ.pop("AUTOTUNE_NVRTC")
        self.addCleanup(os.environ.__setitem__, "AUTOTUNE_NVRTC", compiler)
        with tempfile.TemporaryDirectory() as prefix:
            for name in "lib", "share/autotune/packs":
                os.makedirs(os.path.join(prefix, name))
            library = shutil.copy(os.environ["AUTOTUNE_LIBRARY"], os.path.join(prefix, "lib", "libautotune.so"))
            shutil.copy(self.path, os.path.join(prefix, "share", "autotune", "packs"))
            with autotune.Tuner(library=library, cache="") as tuner:
                for n in range(12):  # each would be compiled for its own sizes
                    tuner.run("transpose", (70 + n, 50), "f32", [Cuda(OUT, (50, 70 + n)), Cuda(IN, (70 + n, 50))])
        self.assertEqual(self.launches(), 12)
        self.assertLessEqual(FAKE.fake_read().loads - self.before.loads, 4)

    def test_a_file_that_is_no_pack_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            autotune.load_pack("/nowhere/pack.json")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"schema": "other/1"}')
            file.flush()
            with self.assertRaisesRegex(autotune.ArgumentError, "found the schema 'other/1'; expected autotune.pack/1"):
                autotune.load_pack(file.name)


if __name__ == "__main__":
    unittest.main()
