"""autotune.tune and autotune.report: the program in a process of its own, on the scripted driver of tests/e2e, which computes on
the CPU.     usage: test_python_program.py, with that driver in LD_LIBRARY_PATH; exit code 77, which skips: there is no NVRTC"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name, XDG_DATA_HOME=HOME.name, AUTOTUNE_NO_SHIPPED="1")
for name in ("AUTOTUNE_DB", "AUTOTUNE_NO_MODEL"):
    os.environ.pop(name, None)
sys.path.insert(0, str(ROOT / "tools/python"))

import autotune  # noqa: E402

PROBLEM = "transpose", (64, 64), "float32"


class Tuned(unittest.TestCase):
    def setUp(self):
        data = tempfile.TemporaryDirectory()
        self.addCleanup(data.cleanup)
        changed = mock.patch.dict(os.environ, XDG_DATA_HOME=data.name)
        changed.start()
        self.addCleanup(changed.stop)
        self.tuner = autotune.Tuner()
        self.addCleanup(self.tuner.close)

    def test_what_was_found_is_the_answer_from_then_on(self):
        self.assertNotEqual(self.tuner.find(*PROBLEM).match, "exact")
        found = self.tuner.tune(*PROBLEM, max_trials=3)
        self.assertEqual((found.match, found.origin, found.shape, found.type), ("exact", "database", "64x64", "f32"))
        self.assertEqual(self.tuner.find(*PROBLEM), found)
        self.assertEqual(self.tuner.tune(*PROBLEM, max_trials=3).measured_at, found.measured_at, "it was known")

    def test_an_order_of_dimensions_and_a_shape_as_text_are_problems_too(self):
        found = self.tuner.tune("permute", (4, 6, 8), "f32", dims=(-1, 0, 1), max_trials=1)
        self.assertEqual((found.op, found.shape, found.match), ("transpose", "24x8", "exact"))
        self.assertEqual(self.tuner.tune("permute", "4x6x8:2.0.1", "f32", max_trials=1).measured_at, found.measured_at)

    def test_a_report_is_a_page_that_a_notebook_shows(self):
        self.tuner.tune(*PROBLEM, max_trials=1)
        report = self.tuner.report(op="transpose", device="H200")
        self.assertIn("64x64", report.html)
        self.assertLess(len(repr(report)), 100)
        self.assertTrue(report._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;'))
        report.save(Path(HOME.name) / "report.html")
        self.assertEqual((Path(HOME.name) / "report.html").read_text(), report.html)

    def test_a_fault_is_the_exception_that_the_library_would_raise(self):
        for kind, words, call in (
                (autotune.DeviceError, "there is no CUDA device 7", lambda: self.tuner.tune(*PROBLEM, device=7)),
                (autotune.ArgumentError, "found 'blur'", lambda: self.tuner.tune("blur", (64,), "f32")),
                (autotune.ArgumentError, "found '0'; expected a positive size", lambda: self.tuner.tune("copy", (0,), "f32")),
                (autotune.NotFoundError, "no winner of transpose 64x64: its --budget", lambda: self.tuner.tune(*PROBLEM, budget_s=0.001)),
                (autotune.NotFoundError, "has no winner to report on", self.tuner.report)):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_the_program_has_what_the_tuner_was_opened_with(self):
        folder = Path(HOME.name, "kernels/twice")
        folder.mkdir(parents=True)
        (folder / "op.cu").write_text("/*!autotune\nop twice\nshape n\ntype T = f32\narg out T[n] output\narg in T[n] input\n"
                                      "reference twice_slowly\ngrid n\nblock 1\ncheck exact\ntraffic 8 * n\n*/\n"
                                      'extern "C" __global__ void twice_slowly(T *out, const T *in) '
                                      "{ out[blockIdx.x] = 2 * in[blockIdx.x]; }\n")
        with self.assertRaisesRegex(autotune.NotFoundError, "no winner of twice 64|no template"), \
                autotune.Tuner(templates=folder.parent, tune_s=1) as tuner:
            tuner.tune("twice", (64,), "f32")


if __name__ == "__main__":
    program = autotune._program.found()
    if subprocess.run([program, "check", "--only", "linear", "--shape", "64", "--dtype", "u8", "--sample", "1", "--jobs", "1"], capture_output=True, check=False).returncode:
        print("skipped: no NVRTC", file=sys.stderr)
        sys.exit(77)
    unittest.main()
