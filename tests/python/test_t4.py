"""A problem of the recording that comes with autotune goes out as T4 results (`dump --format t4`) and comes back by `import`
with the same trials, and a replay of what came back finds its fastest one. tests/unit/exchange/test_t4_shipped.c has all.
usage: test_t4.py AUTOTUNE"""
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AUTOTUNE = Path(sys.argv.pop(1)).resolve()
EXACT = ("template", "config", "outcome", "samples", "registers", "shared_bytes", "stack_bytes", "spill_bytes", "local_bytes",
         "measured_at", "device")
ROUNDED = ("median_s", "min_s", "spread", "compile_s")  # 15 digits go out


def trials(path, *problem):
    where = " WHERE op = ? AND shape = ? AND type_key = ?" if problem else ""
    with closing(sqlite3.connect(path)) as store:
        rows = store.execute(f"SELECT {', '.join(EXACT + ROUNDED)} FROM trials_all{where}", problem).fetchall()
    digits = [[None if value is None else f"{value:.12e}" for value in row[len(EXACT):]] for row in rows]
    return sorted(([*row[:len(EXACT)], *more] for row, more in zip(rows, digits)), key=str)


class T4(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {**os.environ, "HOME": folder.name, "AUTOTUNE_NO_SHIPPED": "1"}

    def autotune(self, *words):
        run = subprocess.run([AUTOTUNE, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, f"{words}\n{run.stderr}")
        return run.stdout

    def goes_and_comes(self, database, back, op, shape, key):
        (self.folder / "one.txt").write_text(f"{op} {shape} f32\n")
        self.autotune("dump", "--db", database, "--format", "t4", "--op", op, "--shapes", "one.txt", "-o", "t4.json")
        self.autotune("import", "t4.json", "--db", back, "--quiet")
        before = trials(self.folder / database, op, shape, key)
        self.assertTrue(before)
        self.assertEqual(trials(self.folder / back), before)

    def test_what_came_back_is_replayed(self):
        self.autotune("merge", "a.db", ROOT / "db/recordings/h200.jsonl.gz")
        self.goes_and_comes("a.db", "back.db", "transpose", "1048576x16", "b4")
        with closing(sqlite3.connect(self.folder / "back.db")) as store:
            template, config, count = store.execute("SELECT template, config, (SELECT count(DISTINCT template) FROM trials_all) "
                                                    "FROM trials_all WHERE median_s > 0 ORDER BY median_s").fetchone()
        self.assertGreater(count, 1)
        out = self.autotune("tune", "--device", "replay:back.db", "--op", "transpose_recorded", "1048576x16 f32", "--strategy",
                            "exhaustive", "--quiet", "--db", "tuned.db")
        self.assertIn(f"{template} {config}", out)


if __name__ == "__main__":
    unittest.main()
