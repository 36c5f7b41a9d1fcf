"""Data in rows and launches in loops, on a real GPU: every configuration is right, and a loop's time is that of its launches.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_sequences.py      exit code 3: no GPU
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "machine"
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(DATA.parents[2] / "build" / "autotune"))
PROBLEMS = {"rows": ["spmv 100000x80000x2000000 f32", "spmv 1000x1000x999999 f64", "merge 1000003x2000001 i32",
                     "merge 4096x1 f32", "bag 4096x65536x10000x64 f32"],
            "loops": ["relax 1024x1024x1 f32", "relax 1024x1024x20 f32", "relax 511x333x7 f32", "relax 60x60x4 f32",
                      "relax 64x64x1000 f32", "sort 1048576 f32", "sort 4096 i32"]}


def autotune(*words, folder, ok=True):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})
    if ok and done.returncode != 0:
        raise AssertionError(f"autotune {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done


class Sequences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        for group, problems in PROBLEMS.items():
            for problem in problems:
                autotune("tune", *problem.split(), "--templates", str(DATA / group), "--db", "db", folder=cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def median_s(self, group, problem):
        done = autotune("query", *problem.split(), "--exact", "--json", "--templates", str(DATA / group), "--db", "db",
                        folder=self.folder)
        return json.loads(done.stdout)["median_s"]

    def test_every_configuration_is_right(self):
        store = sqlite3.connect(self.folder / "db")
        trials = list(store.execute("SELECT op, template, config, outcome, log FROM trials_all WHERE op != 'copy'"))
        store.close()
        self.assertGreater(len(trials), 100)
        self.assertEqual([row for row in trials if row[3] != "timed"], [])

    def test_a_loop_takes_the_time_of_its_launches(self):
        one, twenty = (self.median_s("loops", f"relax 1024x1024x{steps} f32") for steps in (1, 20))
        print(f"relax 1024x1024: 1 step {1e6 * one:.2f} us, 20 steps {1e6 * twenty:.2f} us")
        self.assertTrue(5 * one < twenty < 25 * one, f"{one} s, {twenty} s")

    def test_short_launches_of_a_long_loop_do_not_wait_for_the_host(self):
        each = self.median_s("loops", "relax 64x64x1000 f32") / 1000
        print(f"relax 64x64: {1e6 * each:.2f} us a step of 1000")
        self.assertLess(each, 4e-6)


if __name__ == "__main__":
    listed = subprocess.run([PROGRAM, "list", "devices"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        sys.exit(3)
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    unittest.main(verbosity=2)
