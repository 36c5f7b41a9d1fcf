"""test_json_members.py AUTOTUNE FIXTURE - the page of JSON members (tuner/cli/README.md) against what commands print: each
answer, whatever its match, has the members of the page in its order, of its types; what is stored has the views' names."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AUTOTUNE, FIXTURE = sys.argv[1:3]
TYPES = {"text": str, "bool": bool, "int": int, "real": (int, float), "object": dict, "list": list}
OWN = {"schema", "match", "why", "outdated", "origin", "runner_up", "from_shape", "from_device", "expected_s",
       "expected_loss", "dtype", "metrics"}  # of an answer, not of what is stored


def page():
    """{schema: [(member, type)]}, in the page's order."""
    with open(os.path.join(ROOT, "tuner", "cli", "README.md"), encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("\n## JSON\n"):text.index("\n## Environment\n")]
    common, own = [], {"autotune.query/1": []}
    for row in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        cells = row.split(" | ")
        names = re.findall(r"`([^`]+)`", cells[-3])
        if len(cells) == 3:
            common += [(name, cells[1]) for name in names]
        else:
            own.setdefault(cells[0].strip("`"), []).extend((name, cells[2]) for name in names)
    return {schema: common + more for schema, more in own.items()}


class Members(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = os.path.join(folder.name, "store.db")
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder.name}
        subprocess.run([FIXTURE, self.database], check=True, env=self.environment)

    def run_it(self, *arguments, code=0, **environment):
        done = subprocess.run([AUTOTUNE, *arguments], env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def check(self, text, schema):
        answer = json.loads(text)
        self.assertEqual(answer["schema"], schema)
        self.assertEqual(list(answer), [name for name, _ in page()[schema]])
        for name, kind in page()[schema]:
            value = answer[name]
            right = value is None or isinstance(value, TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))
            self.assertTrue(right, f"{name}: found {value!r}; the page says {kind}")
        return answer

    def query(self, *words, match, code=0, **environment):
        answer = self.check(self.run_it("query", *words, "--format", "json", code=code, **environment), "autotune.query/1")
        self.assertEqual(answer["match"], match)
        return answer

    def test_every_match_has_every_member(self):
        exact = self.query("4096x4096", "f32", "--db", self.database, match="exact")
        self.assertEqual((exact["grid_x"], exact["median_s"], exact["origin"]), (16384, 3.6e-5, "database"))
        predicted = self.query("513x2000", "f32", "--device", "H200", match="predicted")
        self.assertIsNone(predicted["median_s"])
        self.assertGreater(predicted["expected_s"], 0)
        near = self.query("513x2000", "f32", "--device", "H200", match="near", AUTOTUNE_NO_MODEL="1")
        self.assertIsNone(near["expected_s"])
        self.assertIsNone(near["registers"], "of a kernel for another problem")
        other = self.query("513x2000", "f32", "--device", "Tesla T4", match="other_device")
        self.assertEqual((other["device"], other["cc"]), ("Tesla T4", 75))
        none = self.query("scatter_rows", "16777223x17", "i64", "--device", "H200", match="none", code=1)
        self.assertIsNone(none["config"])

    def test_export_and_tune_begin_with_an_answer(self):
        for words in ["4096x4096", "--db", self.database], ["513x2000", "--device", "H200"]:
            self.check(self.run_it("export", *words, "--format", "json"), "autotune.export/1")
        words = ["tune", "--device", "replay:" + self.database, "4096x4096", "--quiet", "--format", "json",
                 "--db", self.database + ".other"]
        answer = self.check(self.run_it(*words), "autotune.tune/1")
        self.assertTrue(answer["found"])
        words[3] = "77x78"
        answer = self.check(self.run_it(*words, code=1), "autotune.tune/1")
        self.assertEqual((answer["match"], answer["found"], answer["config"]), ("none", False, None))

    def test_run_ends_with_a_verdict(self):
        recording = os.path.join(ROOT, "db", "recordings", "h200.jsonl.gz")
        answer = self.check(self.run_it("run", "16384x16384", "f32", "--config", "naive", "--device", "replay:" + recording,
                                        "--json"), "autotune.run/1")
        self.assertEqual((answer["match"], answer["template"]), ("exact", "naive"))
        self.assertIsNone(answer["verdict"]["outcome"], "of a recording nothing is checked")
        self.assertEqual(answer["verdict"]["launches_checked"], 0)

    def test_csv_has_the_same_names(self):
        rows = list(csv.reader(io.StringIO(self.run_it("query", "4096x4096", "--db", self.database, "--format", "csv"))))
        names = [name for name, _ in page()["autotune.query/1"] if name != "schema"]
        self.assertEqual(rows[0], names)
        self.assertEqual(len(rows), 2)
        self.assertEqual(dict(zip(*rows))["median_s"], "3.6e-05")

    def test_what_is_stored_has_the_names_of_the_views(self):
        with open(os.path.join(ROOT, "db", "schema.sql"), encoding="utf-8") as file:
            text = file.read()
        view = text[text.index("CREATE VIEW winners_all"):text.index("CREATE VIEW best AS")]
        columns = set(re.findall(r" AS (\w+)", view))
        members = {name for name, _ in page()["autotune.query/1"]} - OWN
        self.assertEqual(members - columns, set())
        self.assertEqual(columns - members, {"rank_at", "strategy", "host", "run_id", "winner_id", "valid"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
