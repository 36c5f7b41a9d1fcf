"""A problem of the recording that comes with autotune goes out as T4 results (`dump --format t4`) and comes back by `import`
with the same trials, and a replay of what came back finds its fastest one. tests/unit/exchange/test_t4_shipped.c has all.
It goes out as a cache file of Kernel Tuner, too, which Kernel Tuner reads where it is installed. A template's space goes out
as a T1 declaration (`space --format t1`), of which Python and `import` make the same configurations.
usage: test_t4.py AUTOTUNE"""
import importlib.util
import itertools
import json
import os
import re
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


def configurations(t1):
    """What Python makes of a T1 declaration, as texts "A=1 B=x"."""
    parameters = t1["ConfigurationSpace"]["TuningParameters"]
    names = [parameter["Name"] for parameter in parameters]
    holds = [compile(condition["Expression"], "condition", "eval") for condition in t1["ConfigurationSpace"]["Conditions"]]
    for values in itertools.product(*(eval(parameter["Values"]) for parameter in parameters)):
        config = dict(zip(names, values))
        if all(eval(condition, {}, config) for condition in holds):
            yield config


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

    def test_a_space_goes_out_as_a_t1_declaration(self):
        for words in ("transpose 4096x4096 f32 tile_vec", "transpose 8191x8193 f16 skew", "transpose 1000003x3 u8 records",
                      "softmax 4096x4096 f16 rows", "cast_transpose 4096x4096 f32 tile"):
            *problem, template = words.split()
            with self.subTest(words):
                t1 = json.loads(self.autotune("space", *problem, "--only", template, "--format", "t1"))
                listed = self.autotune("space", *problem, "--only", template, "--list").splitlines()
                self.assertTrue(listed)
                self.assertEqual(sorted(" ".join([template, *(f"{name}={value}" for name, value in config.items())])
                                        for config in configurations(t1)), sorted(listed))
                if importlib.util.find_spec("kernel_tuner"):
                    from kernel_tuner.searchspace import Searchspace
                    space = t1["ConfigurationSpace"]
                    self.assertEqual(len(listed), Searchspace({p["Name"]: eval(p["Values"]) for p in space["TuningParameters"]},
                                                              [c["Expression"] for c in space["Conditions"]], 1 << 20).size)

    def test_a_t1_declaration_comes_back_with_as_many_configurations(self):
        (self.folder / "t1.json").write_text(self.autotune("space", "4096x4096", "f32", "--only", "tile_vec", "--format", "t1"))
        (self.folder / "back/again").mkdir(parents=True)
        (self.folder / "back/again/op.cu").write_text(self.autotune("import", "t1.json", "--print", "--name", "again"))
        counts = [json.loads(self.autotune("space", *words, "--format", "json").splitlines()[0])["space_count"]
                  for words in (["4096x4096", "f32", "--only", "tile_vec"], ["again", "1x4096x4096", "--templates", "back"])]
        self.assertEqual(counts[0], counts[1])

    def test_a_t1_declaration_has_the_launch_of_each_configuration(self):
        t1 = json.loads(self.autotune("space", "1000x3000", "f32", "--only", "tile", "--format", "t1"))
        kernel, config = t1["KernelSpecification"], {"TILE_ROWS": 32, "TILE_COLS": 16, "PAD": 1, "ORDER": "out_fast"}
        size = {name: [eval(kernel[name][axis], {}, config) for axis in "XYZ"] for name in ("GlobalSize", "LocalSize")}
        self.assertEqual(size, {"GlobalSize": [32 * 188, 1, 1], "LocalSize": [16, 32, 1]})
        self.assertEqual((kernel["Language"], kernel["KernelName"]), ("CUDA", "transpose_tile"))
        self.assertEqual([(a["Name"], a["MemoryType"], a.get("Size")) for a in kernel["Arguments"]][:3],
                         [("out", "Vector", 3000000), ("in", "Vector", 3000000), ("batch", "Scalar", None)])

    def test_a_cache_of_kernel_tuner_goes_out_and_comes_back(self):
        self.autotune("merge", "a.db", ROOT / "db/recordings/h200.jsonl.gz")
        (self.folder / "one.txt").write_text("transpose 1048576x16 f32\n")
        self.autotune("dump", "--db", "a.db", "--format", "kernel-tuner", "--template", "tile_vec", "--op", "transpose", "--shapes",
                      "one.txt", "-o", "cache.json")
        self.autotune("import", "cache.json", "--db", "back.db", "--quiet")
        query = "SELECT config, outcome, round(median_s * 1e12) FROM trials_all WHERE op = ? AND shape = '1048576x16' ORDER BY config"
        with closing(sqlite3.connect(self.folder / "a.db")) as store:
            before = store.execute(query.replace("ORDER", "AND template = 'tile_vec' AND type_key = 'b4' ORDER"), ["transpose"]).fetchall()
        with closing(sqlite3.connect(self.folder / "back.db")) as store:
            self.assertEqual(store.execute(query, ["transpose_recorded"]).fetchall(), before)
        self.assertTrue(before)
        text = (self.folder / "cache.json").read_text()
        self.assertEqual(text.strip()[-3:], "}\n}")  # what Kernel Tuner takes for a file that was closed
        if importlib.util.find_spec("kernel_tuner"):
            from kernel_tuner.util import read_cache
            read = read_cache(self.folder / "cache.json", open_cache=False)
            self.assertEqual(len(read["cache"]), len(before))
            self.assertEqual([",".join(str(entry[name]) for name in read["tune_params_keys"]) for entry in read["cache"].values()],
                             list(read["cache"]))

    def test_of_two_drivers_the_newer_is_written(self):
        self.autotune("merge", "a.db", ROOT / "db/recordings/h200.jsonl.gz")
        lines = self.autotune("dump", "--db", "a.db", "--op", "transpose").splitlines()
        newer = [re.sub(r'"driver":"[^"]*"', '"driver":"999.1"', line).replace('"measured_at":"2026-11-22', '"measured_at":"2026-11-23')
                 for line in lines]
        (self.folder / "newer.jsonl").write_text("\n".join(newer) + "\n")
        self.autotune("merge", "both.db", "a.db", "newer.jsonl")
        self.goes_and_comes("a.db", "one.db", "transpose", "1048576x16", "b4")
        (self.folder / "one.txt").write_text("transpose 1048576x16 f32\n")
        both = json.loads(self.autotune("dump", "--db", "both.db", "--format", "t4", "--op", "transpose", "--shapes", "one.txt"))
        self.assertEqual(len(both["results"]), len(trials(self.folder / "a.db", "transpose", "1048576x16", "b4")))
        self.assertEqual({result["timestamp"][:10] for result in both["results"]}, {"2026-11-23"})


if __name__ == "__main__":
    unittest.main()
