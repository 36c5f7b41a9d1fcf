"""test_json_members.py AUTOTUNE FIXTURE - the page of JSON members (tuner/cli/json.md) against what commands print: each
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
ANSWERS = {"autotune.query/1", "autotune.export/1", "autotune.tune/1", "autotune.run/1"}  # they begin with the same members
TYPES = {"text": str, "bool": bool, "int": int, "real": (int, float), "object": dict, "list": list}
OWN = {"schema", "match", "why", "outdated", "origin", "runner_up", "from_shape", "from_device", "expected_s",
       "expected_loss", "dtype", "metrics"}  # of an answer, not of what is stored


def page():
    """{schema: [(member, type)]}, in the page's order."""
    with open(os.path.join(ROOT, "tuner", "cli", "json.md"), encoding="utf-8") as file:
        text = file.read()
    common, own = [], {"autotune.query/1": []}
    text, alone = text[:text.index("\n## What `check` says")], text[text.index("\n## What `check` says"):]
    for row in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        cells = row.split(" | ")
        names = re.findall(r"`([^`]+)`", cells[-3])
        if len(cells) == 3:
            common += [(name, cells[1]) for name in names]
        else:
            own.setdefault(cells[0].strip("`"), []).extend((name, cells[2]) for name in names)
    own = {schema: (common if schema in ANSWERS else []) + more for schema, more in own.items()}
    for schema, names, kind in re.findall(r"^\| `(autotune[^`]*)` \| (.*?) \| (.*?) \|", alone, re.MULTILINE):
        own.setdefault(schema, [("schema", "text")]).extend((name, kind) for name in re.findall(r"`([^`]+)`", names))
    return own


def verdict_page():
    """{member} of a verdict."""
    with open(os.path.join(ROOT, "tuner", "cli", "json.md"), encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("\n## A verdict\n"):]
    return [name for names in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for name in re.findall(r"`([^`]+)`", names)]


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
        none = self.query("scatter_rows", "16777223x17", "i64", "--device", "H200", match="none", code=1,
                          AUTOTUNE_NO_MODEL="1")
        self.assertIsNone(none["config"])

    def test_a_pack_describes_itself(self):
        folder = os.path.join(os.path.dirname(self.database), "pack")
        done = subprocess.run([AUTOTUNE, "pack", "transpose", "--sizes", "rows=1..4096 cols=1..4096", "--problems", "16",
                               "--device", "H200", "--kernels", "2", "-o", folder], env=self.environment, capture_output=True,
                              text=True, check=False)
        if done.returncode == 3:
            self.skipTest("there is no NVRTC here")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(folder, "transpose_f32.json"), encoding="utf-8") as file:
            self.check(file.read(), "autotune.pack/1")

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

    def test_check_says_what_its_page_says(self):
        kernels = ["--templates", os.path.join(ROOT, "tests", "data", "machine"), "flawed", "--shape", "512"]
        if subprocess.run([AUTOTUNE, "check", *kernels, "--only", "good"], env=self.environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("NVRTC is not here")
        self.check(self.run_it("check", *kernels, "--only", "good", "--json").splitlines()[0], "autotune.check/1")
        done = subprocess.run([AUTOTUNE, "check", "--execute", *kernels, "--only", "good,wrong", "--json"],
                              env=self.environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode == 2:
            self.skipTest("the machine is not in this build")
        self.assertEqual(done.returncode, 14)
        good, wrong = (self.check(line, "autotune.check_execute/1") for line in done.stdout.splitlines())
        self.assertEqual((good["verdict"]["outcome"], good["verdict"]["launches_checked"] > 0), ("right", True))
        self.assertEqual(list(wrong["verdict"]), verdict_page())
        self.assertEqual(wrong["verdict"]["outcome"], "wrong_result")
        self.assertEqual((wrong["verdict"]["buffer"], wrong["verdict"]["set"]), ("out", 0))
        for name in ("element", "found", "expected", "launch"):
            self.assertIsNotNone(wrong["verdict"][name], name)

    def test_trials_and_comparisons(self):
        shown = self.run_it("show", "4096x4096", "--db", self.database, "--format", "json").splitlines()
        for line in shown:
            trial = self.check(line, "autotune.show/1")
        self.assertEqual((trial["outcome"], trial["share_of_best"]), ("timed", 0.5))
        failed = self.check(self.run_it("show", "4096x4096", "--db", self.database, "--failed", "--format", "json"),
                            "autotune.show/1")
        self.assertEqual((failed["outcome"], failed["median_s"], failed["registers"]), ("crashed", None, None))
        for line in self.run_it("show", "4096x4096", "--db", self.database, "--by", "outcome", "--format", "json").splitlines():
            self.check(line, "autotune.show_outcomes/1")
        compared = self.check(self.run_it("compare", self.database, self.database, "--format", "json").splitlines()[0],
                              "autotune.compare/1")
        self.assertEqual(compared["before"], compared["after"])
        self.assertEqual(compared["before"]["median_s"], 3.6e-5)

    def test_spaces(self):
        for line in self.run_it("space", "64x64", "--only", "tile,tiny", "--format", "json").splitlines():
            self.check(line, "autotune.space/1")
        for line in self.run_it("space", "64x64", "--only", "tiny", "--sample", "2", "--format", "json").splitlines():
            self.check(line, "autotune.space_config/1")

    def test_what_a_trial_has_in_common_with_the_view(self):
        with open(os.path.join(ROOT, "db", "schema.sql"), encoding="utf-8") as file:
            text = file.read()
        view = text[text.index("CREATE VIEW trials_all"):text.index("CREATE VIEW winner_parameters")]
        columns = set(re.findall(r" AS (\w+)", view))
        members = {name for name, _ in page()["autotune.show/1"]}
        self.assertEqual(members - columns, {"schema", "dtype", "share_of_best", "outdated", "metrics"})
        self.assertEqual(columns - members, {"strategy", "host", "run_id", "trial_id"})

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
