"""Type hints of the module autotune, by mypy: the module itself, and typed_use.py.  usage: test_typed.py; exit code 77, which skips:
there is no mypy"""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULE = HERE.parents[1] / "tools/python"


class Typed(unittest.TestCase):
    def checked(self, *what):
        done = subprocess.run(["mypy", "--config-file", HERE / "mypy.ini", "--cache-dir", os.devnull, *what], capture_output=True, text=True,
                              check=False, env={**os.environ, "MYPYPATH": str(MODULE)}, cwd=HERE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_module_and_its_use(self):
        self.checked(MODULE / "autotune", "typed_use.py")

    def test_the_mark_that_type_checkers_look_for_is_there(self):
        self.assertTrue((MODULE / "autotune/py.typed").is_file())


if __name__ == "__main__":
    if not shutil.which("mypy"):
        print("skipped: no mypy (Debian: mypy)", file=sys.stderr)
        sys.exit(77)
    unittest.main()
