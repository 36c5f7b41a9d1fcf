"""test_judge.py AUTOTUNE - tools/examples/judge, on the CPU: kernels of tests/gpu/wrong, as if a program had written them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AUTOTUNE = sys.argv[1]
RELU = ROOT / "tests" / "gpu" / "wrong" / "relu"


def judge(kernels, *words):
    done = subprocess.run([sys.executable, str(ROOT / "tools" / "examples" / "judge"), str(kernels), str(RELU / "op.cu"), "1500",
                           "f32", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "AUTOTUNE_EXE": AUTOTUNE})
    return done.returncode, {row["kernel"]: row for row in map(json.loads, done.stdout.splitlines())}, done.stderr


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_honest_one_is_accepted_and_wrong_ones_are_told_why(self):
        for name in "honest.cu", "minus_zero.cu":
            shutil.copy(RELU / name, self.folder)
        (self.folder / "no_declaration.cu").write_text("__global__ void relu() {}\n", encoding="utf-8")
        (self.folder / "no_code.cu").write_text("/*!autotune\ntemplate no_code\ngrid 1\nblock 32\n*/\n"
                                                "extern \"C\" __global__ void relu_no_code() { this is no C++; }\n",
                                                encoding="utf-8")
        code, rows, said = judge(self.folder, "--cpu")
        self.assertEqual(code, 1, said)
        self.assertEqual([name for name, row in rows.items() if row["accepted"]], ["honest.cu"])
        self.assertGreater(rows["honest.cu"]["verdict"]["launches_checked"], 0)
        wrong = rows["minus_zero.cu"]["verdict"]
        self.assertEqual((wrong["outcome"], wrong["found"], wrong["expected"]), ("wrong_result", "-0", "0"))
        self.assertEqual(rows["no_code.cu"]["verdict"]["outcome"], "compile_failed")
        self.assertIn("template NAME", rows["no_declaration.cu"]["why"])

    def test_without_a_gpu_that_is_the_exit_code(self):
        if subprocess.run([AUTOTUNE, "list", "devices"], capture_output=True, check=False).returncode != 3:
            self.skipTest("there is a GPU here")
        shutil.copy(RELU / "honest.cu", self.folder)
        code, rows, said = judge(self.folder)
        self.assertEqual((code, rows), (3, {}))
        self.assertIn("no CUDA driver", said)

    def test_a_kernel_cannot_bring_an_operation_of_its_own(self):
        easier = (RELU / "op.cu").read_text(encoding="utf-8").replace("traffic ", "check within 10 absolute\ntraffic ")
        (self.folder / "op.cu").write_text(easier, encoding="utf-8")
        shutil.copy(RELU / "identity.cu", self.folder)
        _, rows, _ = judge(self.folder, "--cpu")
        self.assertFalse(rows["identity.cu"]["accepted"])
        self.assertFalse(rows["op.cu"]["accepted"])


if __name__ == "__main__":
    compiler = subprocess.run([AUTOTUNE, "check", "relu", "--templates", str(RELU.parent), "--shape", "64"], capture_output=True,
                              text=True, check=False)
    if compiler.returncode == 3:
        print(compiler.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
