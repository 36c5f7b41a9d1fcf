"""test_tools_help.py - what every tool does with --help: it says what it is, and does nothing."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ("run",)  # its options are those of autotune, which it builds before
SLURM = ".sbatch"  # for sbatch alone


def tools(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK) and path.suffix != SLURM
                  and path.relative_to(folder).as_posix() not in OTHERS)


def files(folder):
    return sorted(str(path) for path in folder.rglob("*") if "__pycache__" not in path.parts)


class Help(unittest.TestCase):
    def test_every_tool_says_what_it_is_and_does_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for part in ("tools", "tests/soak"):  # beside which nothing is built
                shutil.copytree(ROOT / part, Path(folder) / part, ignore=shutil.ignore_patterns("__pycache__"))
            found, before = tools(Path(folder) / "tools"), files(Path(folder))
            self.assertGreater(len(found), 20)
            for tool in found:
                with self.subTest(tool.relative_to(folder)):
                    done = subprocess.run([tool, "--help"], cwd=folder, capture_output=True, text=True, timeout=300, check=False,
                                          stdin=subprocess.DEVNULL)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertIn(tool.name, done.stdout)
            self.assertEqual(files(Path(folder)), before)


if __name__ == "__main__":
    unittest.main()
