"""Kernels that compute, on a real GPU: right ones win, each kind of wrong one is caught by name, and what is exported
compiles, says that it is right, and says so of a spoiled kernel no more.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_computing.py      exit code 3: no GPU, or no nvcc to compile with
"""

import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(HERE.parent.parent / "build" / "autotune"))
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
PROBLEMS = ["product 300x200x100 f32", "product 65x33x17 f16", "total 1000003 f32", "axpy 100001 f64",
            "axpy 4096 bf16", "bins 1000000 i32", "narrow 65537 f32", "weigh 100001 f32", "parts 10007 i32"]


def autotune(*words, folder, ok=True):
    done = subprocess.run([PROGRAM, *words, "--templates", str(HERE / "computing"), "--db", str(folder / "db")],
                          capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
    if ok and done.returncode != 0:
        raise AssertionError(f"autotune {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Computing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        for problem in PROBLEMS:
            autotune("tune", *problem.split(), folder=cls.folder)
        cls.store = sqlite3.connect(cls.folder / "db")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def outcomes(self, op, template):
        return {row[0] for row in self.store.execute(
            "SELECT outcome FROM trials_all WHERE op = ? AND template = ?", (op, template))}

    def log(self, op, template):
        return self.store.execute("SELECT log FROM trials_all WHERE op = ? AND template = ?",
                                  (op, template)).fetchone()[0]

    def test_right_kernels_are_timed_in_every_configuration(self):
        for op, template in (("product", "source"), ("total", "two"), ("axpy", "stride"), ("bins", "shared"),
                             ("narrow", "plain"),
                             ("weigh", "constant"), ("parts", "runs")):
            with self.subTest(op=op, template=template):
                self.assertEqual(self.outcomes(op, template), {"timed"})

    def test_wrong_kernels_are_caught_and_the_worst_element_is_named(self):
        for op, template, words in (
                ("product", "nan", "found nan, expected"), ("product", "half", "the worst is element"),
                ("product", "swapped", "the worst is element"), ("product", "nothing", "the worst is element"),
                ("product", "outside", "after its end"), ("total", "late", "the worst is element 0"),
                ("axpy", "twice", "not within 1 ulp"), ("weigh", "other", "the worst is element"),
                ("parts", "short", "same_sum")):
            with self.subTest(op=op, template=template):
                self.assertEqual(self.outcomes(op, template), {"wrong_result"})
                self.assertIn(words, self.log(op, template))

    def export(self, problem, name):
        source = self.folder / f"{name}.cu"
        autotune("export", *problem.split(), "--main", "-o", str(source), folder=self.folder)
        return source

    def compiled(self, source):
        program = source.with_suffix("")
        done = subprocess.run([NVCC, "-O3", "-arch=native", "-o", str(program), str(source)], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return subprocess.run([str(program)], capture_output=True, text=True, check=False)

    def test_exports_compile_and_say_that_they_are_right(self):
        for number, problem in enumerate(PROBLEMS):
            if problem.startswith("parts"):
                continue  # an export does not have the kernel that validates
            with self.subTest(problem=problem):
                done = self.compiled(self.export(problem, f"right{number}"))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                print(f"{problem}: {done.stdout.strip().splitlines()[-1]}")

    def test_a_spoiled_export_says_that_it_is_wrong(self):
        for problem, right, wrong in (("total 1000003 f32", r"y\[0\] = \(T\)sum;", "y[0] = (T)(sum * 1.001);"),
                                      ("axpy 4096 bf16", r"double\)a \*", "double)a * 1.25 *"),
                                      ("bins 1000000 i32", r"own\[x\[i\]\], 1\)", "own[x[i]], 2)"),
                                      # right in the self-test, and wrong in timed batches
                                      ("total 1000003 f32", r"y\[0\] = \(T\)sum;", "if (launches++ < 200) y[0] = (T)sum;")):
            with self.subTest(problem=problem):
                source = self.export(problem, "wrong")
                text = source.read_text(encoding="utf-8")
                spoiled, times = re.subn(right, wrong, text, count=1)
                self.assertEqual(times, 1, text)
                source.write_text("__device__ int launches;\n" + spoiled, encoding="utf-8")
                done = self.compiled(source)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("self-test: WRONG", done.stdout)


if __name__ == "__main__":
    listed = subprocess.run([PROGRAM, "list", "devices"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        sys.exit(3)
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    if not os.access(NVCC, os.X_OK):
        print("no nvcc here")
        sys.exit(3)
    unittest.main(verbosity=2)
