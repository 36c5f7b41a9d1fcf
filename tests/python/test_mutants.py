"""test_mutants.py - tools/mutants without a build: which lines are mutated, how, and that a seed says it all."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "mutants"
_loader = importlib.machinery.SourceFileLoader("mutants", str(TOOL))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", _loader))
_loader.exec_module(mutants)


def changes(line, status=False):
    """What becomes of a line, every way."""
    return {line[:m.column] + m.new + line[m.column + len(m.old):] for m in mutants.of_line("x.c", 1, line, status)}


class Lines(unittest.TestCase):
    def test_comparisons_and_operators_are_swapped(self):
        self.assertEqual(changes("    x = a < b;"), {"    x = a <= b;", "    x = a >= b;"})
        self.assertEqual(changes("    x = a + b;"), {"    x = a - b;"})
        self.assertEqual(changes("    x = a && b;"), {"    x = a || b;"})

    def test_a_function_with_a_status_returns_too_early(self):
        self.assertIn("    return AT_OK; call(a);", changes("    call(a);", True))
        self.assertEqual(changes("    return status;", True), {"    return AT_OK;"})
        self.assertEqual(changes("    call(a);"), set())
        self.assertEqual(changes("    at_status status = call(a);", True), set(), "a declaration stays one")

    def test_texts_comments_and_includes_are_left_alone(self):
        text = '#include <a.h>\nputs("a < b"); /* a < b */ x = a < b; // a < b\n'
        blank = mutants.blank(text)
        self.assertEqual(len(blank), len(text))
        self.assertEqual(blank.count(" < "), 1)
        self.assertEqual(blank.index(" < "), text.index(" < b; //"))

    def test_pointers_shifts_and_signs_are_no_operators(self):
        self.assertEqual(changes("    x = *p; y = -1; z = a->b << 2;"), set())


class Files(unittest.TestCase):
    def test_each_mutant_differs_in_its_line_alone(self):
        for m in mutants.choose(seed=3, count=300, only="tuner/lang/*"):
            before = (ROOT / m.path).read_text().split("\n")
            after = mutants.mutated(m)[1].split("\n")
            self.assertEqual(len(before), len(after))
            self.assertEqual([i + 1 for i in range(len(before)) if before[i] != after[i]], [m.line], m)

    def test_a_seed_says_which(self):
        self.assertEqual(mutants.choose(5, 40, "db/*"), mutants.choose(5, 40, "db/*"))
        self.assertNotEqual(mutants.choose(5, 40, "db/*"), mutants.choose(6, 40, "db/*"))

    def test_only_chooses_files(self):
        self.assertEqual({m.path for m in mutants.choose(1, 20, "db/store_merge.c")}, {"db/store_merge.c"})

    def test_list_prints_and_tries_nothing(self):
        command = [sys.executable, TOOL, "--list", "--count", "7"]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(len(told.stdout.splitlines()), 7)
        self.assertRegex(told.stdout.splitlines()[0], r"^(tuner|db)/\S+\.c:\d+: \S")


if __name__ == "__main__":
    unittest.main()
