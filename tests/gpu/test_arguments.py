"""Arguments of every kind, on a real GPU: scalars of all types, a template's own, structs by value and arrays of
structs. Kernels that take them as declared win; one number of one field that is wrong is found.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_arguments.py      exit code 3: no GPU
"""

import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(HERE.parent.parent / "build" / "autotune"))
PROBLEMS = ["small 100001 f32", "move 10007 f32"]


class Arguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        for problem in PROBLEMS:
            done = subprocess.run([PROGRAM, "tune", *problem.split(), "--templates", str(HERE / "arguments"), "--db",
                                   str(cls.folder / "db"), "--no-learn"], capture_output=True, text=True, check=False,
                                  cwd=cls.folder, env={**os.environ, "XDG_CACHE_HOME": str(cls.folder / "cache")})
            if done.returncode != 0:
                raise AssertionError(f"{problem}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        cls.store = sqlite3.connect(cls.folder / "db")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def trials(self, op, template, config=""):
        return self.store.execute("SELECT outcome, log FROM trials_all WHERE op = ? AND template = ? AND config LIKE ?",
                                  (op, template, f"%{config}%")).fetchall()

    def test_what_is_declared_is_passed(self):
        for op, template in (("small", "own"), ("move", "plain"), ("move", "padding")):
            with self.subTest(op=op, template=template):
                self.assertEqual({outcome for outcome, _ in self.trials(op, template)}, {"timed"},
                                 self.trials(op, template))

    def test_a_scalar_of_a_template_is_that_of_the_configuration(self):
        self.assertEqual({outcome for outcome, _ in self.trials("small", "odd", "BLOCK=128")}, {"timed"})
        self.assertEqual({outcome for outcome, _ in self.trials("small", "odd", "BLOCK=64")}, {"wrong_result"})

    def test_the_field_that_is_wrong_is_named(self):
        for template, words in (("wrong", ("'out.id'", "1 of ", "element 7")), ("nothing", ("'out.",))):
            for outcome, log in self.trials("move", template):
                with self.subTest(template=template):
                    self.assertEqual(outcome, "wrong_result")
                    for word in words:
                        self.assertIn(word, log)


if __name__ == "__main__":
    listed = subprocess.run([PROGRAM, "list", "devices"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        sys.exit(3)
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    unittest.main(verbosity=2)
