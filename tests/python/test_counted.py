"""tools/counted, with stand-ins for autotune and for what ncu wrote."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = subprocess.run([sys.executable, ROOT / "tools/counted", "--metrics"], capture_output=True, text=True, check=True).stdout.strip()
SIDE = {"global_loads": {"requests": 10, "sectors": 40}, "global_stores": {"requests": 10, "sectors": 40},
        "shared_loads": {"wavefronts": 7}, "warp_instructions": 300}


class Counted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "autotune"
        program.write_text(f"#!/bin/sh\necho '{json.dumps({'sides': [SIDE]})}'\n", encoding="utf-8")
        program.chmod(0o755)
        (self.folder / "cases").write_text("copy 8x8 f32 | linear VEC=1\n", encoding="utf-8")

    def counted(self, *rows):
        head = ",".join(f'"{name}"' for name in ["ID", *NAMES.split(",")])
        lines = ["==PROF== Connected", head] + [",".join(f'"{value}"' for value in row) for row in rows]
        (self.folder / "ncu").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, ROOT / "tools/counted", self.folder / "cases", self.folder / "ncu"],
                              env={**os.environ, "AUTOTUNE_EXE": str(self.folder / "autotune")}, capture_output=True, text=True,
                              check=False)

    def test_equal_counts_are_told_with_the_ratio_of_instructions(self):
        done = self.counted(["0", "10", "40", "10", "40", "7", "0", "200"])
        self.assertEqual((done.returncode, done.stdout), (0, "copy 8x8 f32 | linear VEC=1: equal; instructions 1.50\n"))

    def test_a_count_that_differs_is_named_with_both_figures(self):
        done = self.counted(["0", "10", "1,040", "10", "40", "7", "0", "200"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("global_loads sectors: 40 1040;", done.stdout)

    def test_launches_must_be_as_many_as_cases(self):
        done = self.counted()
        self.assertIn("found 0 launches of 1 cases", done.stderr)


if __name__ == "__main__":
    unittest.main()
