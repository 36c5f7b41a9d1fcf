"""Temporary files: the program and its tests leave none.  usage: test_temporary.py AUTOTUNE TEST...      (TEST: a program of
tests/unit that makes some)"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AUTOTUNE, *TESTS = sys.argv[1:]


class Temporary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/tmp")  # a short name, as arrays of tests are short
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def left_by(self, *command):
        """Names of the files that it leaves in its temporary folder, at the beginning an empty one."""
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "TMPDIR": str(self.folder), "AUTOTUNE_NO_SHIPPED": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def test_a_run_leaves_its_database_and_nothing_beside_it(self):
        recording = ROOT / "db/recordings/h200.jsonl.gz"
        self.assertEqual(self.left_by(AUTOTUNE, "--device", f"replay:{recording}", "4096x4096", "f32", "--db", self.folder / "own.db"),
                         ["own.db"])

    def test_a_program_of_tests_leaves_nothing(self):
        for test in TESTS:
            with self.subTest(test):
                self.assertEqual(self.left_by(test, "-j2"), [])

    def test_tests_make_no_file_outside_of_their_folder(self):
        for path in (ROOT / "tests").rglob("*.[ch]"):
            if path.is_relative_to(ROOT / "tests/fuzz/corpus"):
                continue
            with self.subTest(path.relative_to(ROOT)):
                self.assertIsNone(re.search(r'"/tmp/[^"]*XXXXXX', path.read_text(encoding="utf-8")), "expected TEMPORARY()")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
