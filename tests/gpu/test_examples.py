"""The examples of own kernels, and built-in reductions, on a real GPU: whatever is tried of them is right.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_examples.py       exit code 3: no GPU
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(ROOT / "build" / "autotune"))
EXAMPLES = ROOT / "tools" / "examples"
PROBLEMS = ["sgemm 300x260x130 f32", "convolution 333x444 f32", "stencil 500x600x4 f32", "softmax 300x1000 f32",
            "softmax 2000x96 bf16", "softmax 70x65536 bf16", "softmax 70x65536 f32", "softmax 33x1001 f16", "rmsnorm 3000x1000 f32",
            "rmsnorm 70x65536 bf16", "rmsnorm 33x1001 f16", "sum 1 f32", "sum 1000003 f32", "sum 100000007 i32", "argmax 1003 f32",
            "argmax 10000003 f32", "histogram 256x10000019 u8", "histogram 4096x1000003 i32"]


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_whatever_is_tried_is_right(self):
        for number, problem in enumerate(PROBLEMS):
            database, op = self.folder / f"{number}.db", problem.split()[0]
            with self.subTest(problem=problem):
                own = ["--templates", str(EXAMPLES)] if (EXAMPLES / op).is_dir() else []
                done = subprocess.run([PROGRAM, "tune", *problem.split(), *own, "--db", str(database), "--budget", "2s", "--quiet"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                store = sqlite3.connect(database)
                tried = store.execute("SELECT template, outcome, count(*), max(log) FROM trials_all WHERE op = ? "
                                      "GROUP BY template, outcome ORDER BY template", (op,)).fetchall()
                store.close()
                print(problem, *(f"{template} {outcome} {count}" for template, outcome, count, _ in tried), sep=", ")
                self.assertTrue(tried)
                self.assertEqual([row for row in tried if row[1] != "timed"], [])


if __name__ == "__main__":
    listed = subprocess.run([PROGRAM, "list", "devices"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        sys.exit(3)
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    unittest.main(verbosity=2)
