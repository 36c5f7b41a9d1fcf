"""test_adopt_all.py - tools/adopt_all: kernels of a file of answers, whose lines replace those of their drafts. The first
argument is autotune's program."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "adopt_all"
AUTOTUNE = os.path.abspath(sys.argv.pop(1))
KERNEL = """
__global__ void pick(float *out, const float *in, const int *where, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[where[i]];
}
"""


def load():
    loader = importlib.machinery.SourceFileLoader("adopt_all", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("adopt_all", loader))
    loader.exec_module(module)
    return module


class Answers(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name)
        (self.folder / "pick.cu").write_text(KERNEL)

    def run_with(self, answers):
        (self.folder / "answers.txt").write_text(answers)
        return subprocess.run([sys.executable, TOOL, "--program", AUTOTUNE, "--answers", "answers.txt", "--json", "rows.jsonl"],
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def test_a_kernel_gets_its_answers_and_the_table_counts_them(self):
        done = self.run_with("# a comment\npick.cu pick 4096\n    arg where i32[n] input index n\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        row = json.loads((self.folder / "rows.jsonl").read_text())
        if "NVRTC" in row["why"]:
            self.skipTest("no NVRTC")
        self.assertEqual((row["kernel"], row["outcome"], row["answers"]), ("pick", "passes", 1), row)

    def test_an_answer_replaces_the_line_of_its_name_or_the_only_one_of_its_word(self):
        draft = self.folder / "pick"
        draft.mkdir()
        (draft / "op.cu").write_text("arg a T[n] output\narg in T[1] input  # ? how many?\n")
        (draft / "adopted.cu").write_text("grid      1  # ? how many blocks?\nblock     256\n")
        load().answer(self.folder, ["arg in T[n] input", "grid ceil_div(n, 256)"])
        self.assertEqual((draft / "op.cu").read_text(), "arg a T[n] output\narg in T[n] input\n")
        self.assertEqual((draft / "adopted.cu").read_text(), "grid ceil_div(n, 256)\nblock     256\n")

    def test_an_answer_to_nothing_is_an_error(self):
        done = self.run_with("pick.cu pick 4096\n    arg other i32[n] input\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("found no line of a draft for 'arg other i32[n] input'", done.stderr)


if __name__ == "__main__":
    unittest.main()
