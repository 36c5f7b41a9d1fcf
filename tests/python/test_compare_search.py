"""test_compare_search.py AUTOTUNE BENCH_SEARCH - tools/compare_search on small made-up recordings, with the search that needs no
package: what it counts as a trial, and the table."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH, AUTOTUNE = sys.argv.pop(), sys.argv.pop()


def load():
    loader = importlib.machinery.SourceFileLoader("compare_search", os.path.join(ROOT, "tools", "compare_search"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_search", loader))
    with contextlib.redirect_stderr(io.StringIO()):
        loader.exec_module(module)
    return module


COMPARE = load()


def result(config, time_ms):
    good = time_ms is not None
    value = time_ms if good else "RuntimeFailedConfig"
    return {"timestamp": "2026-01-01T00:00:00Z", "configuration": config, "invalidity": "correct" if good else "runtime",
            "correctness": int(good), "objectives": ["time"], "measurements": [{"name": "time", "value": value, "unit": "ms"}],
            "times": {"compilation": 0, "framework": 0, "search_algorithm": 0, "validation": 0, "runtimes": [value] if good else []}}


def write(folder, results):
    path = os.path.join(folder, "made_up.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds"}, "results": results}, file)
    return path


def bowl():
    """400 configurations, the fastest in the middle; one in the corner fails."""
    return [result({"A": a, "B": b}, 1 + (a - 9) ** 2 + (b - 12) ** 2 if a + b else None) for a in range(20) for b in range(20)]


class Counting(unittest.TestCase):
    def space(self, results):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return COMPARE.Space(write(folder.name, results))

    def test_a_configuration_counts_once_and_one_that_does_not_exist_never(self):
        run = COMPARE.Run(self.space(bowl()), 3)
        self.assertEqual(run.tell((9, 12)), 1)
        run.tell((9, 12))
        self.assertIsNone(run.tell((9, 99)))
        self.assertEqual(run.tried, [(9, 12)])
        self.assertGreater(run.tell((0, 0)), 2 * 100, "a failure counts, and is worse than the slowest")
        run.tell((1, 1))
        self.assertTrue(run.over())

    def test_parameters_that_a_template_does_not_have_keep_one_value(self):
        space = self.space([result({"template": "x", "N": 1}, 2.0), result({"template": "y", "M": 8}, 1.0),
                            result({"template": "y", "M": 4}, 3.0)])
        self.assertEqual(space.names, ["template", "N", "M"])
        self.assertEqual(space.times, {("x", 1, 4): 2.0, ("y", 1, 8): 1.0, ("y", 1, 4): 3.0})
        self.assertEqual(space.texts[("y", 1, 8)], "M=8")

    def test_pattern_search_walks_to_the_best(self):
        space = self.space(bowl())
        tried = COMPARE.pattern_search(space, 1, 300)
        self.assertEqual(len(tried), len(set(tried)))
        self.assertIn((9, 12), tried)

    def test_pattern_search_takes_words_and_numbers_of_one_parameter(self):
        equally_fast = [result({"UNROLL": unroll, "A": a}, 1.0) for unroll in ("full", 1, 2) for a in range(4)]
        self.assertEqual(len(COMPARE.pattern_search(self.space(equally_fast), 1, 12)), 12)


class Table(unittest.TestCase):
    def test_theirs_and_ours_stand_in_one_table(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, os.path.join(ROOT, "tools", "compare_search"), write(folder, bowl()), "--only", "pattern_search",
                       "--seeds", "2", "--evals", "300", "--program", AUTOTUNE, "--bench", BENCH]
            run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": folder})
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith("mean of 1 of made_up ")]
        self.assertEqual([row[5] for row in rows], ["model", "random", "pattern_search"], run.stdout)
        self.assertEqual(rows[2][10], "1.000", "pattern_search is at the optimum after 400 trials")


if __name__ == "__main__":
    unittest.main()
