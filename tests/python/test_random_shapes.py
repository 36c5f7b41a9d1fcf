"""test_random_shapes.py - the problems that tools/random_shapes draws."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, "tools", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def drawn(*options):
    """The lines of a list."""
    command = [sys.executable, os.path.join(ROOT, "tools", "random_shapes"), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class Shapes(unittest.TestCase):
    def test_a_longer_list_begins_with_the_shorter_one(self):
        self.assertEqual(drawn(3, 40)[1:11], drawn(3, 10)[1:])

    def test_other_seeds_give_other_problems(self):
        self.assertNotEqual(drawn(1, 10)[1:], drawn(2, 10)[1:])

    def test_the_script_says_how_it_was_called(self):
        self.assertEqual(drawn(1, 3)[0], "# 3 transposes drawn at random: tools/random_shapes 1 3")

    def test_transposes_of_a_seed_are_those_that_published_figures_are_of(self):
        self.assertEqual(drawn(1, 4)[1:], ["2369x2369 u8", "497x503 u8", "512x1024 f32", "43x589 f16"])


class Permutations(unittest.TestCase):
    def test_they_are_lines_of_a_shapes_file_and_say_how_they_were_made(self):
        lines = drawn(1, 60, "--op", "permute")
        self.assertEqual(lines[0], "# 60 permutations drawn at random: tools/random_shapes 1 60 --op permute")
        for line in lines[1:]:
            word, sizes, order, _ = line.split()
            self.assertEqual((word, sorted(map(int, order.split(",")))), ("permute", list(range(len(sizes.split("x"))))))

    def test_none_is_a_transpose_under_another_name(self):
        shapes = load("random_shapes")
        for order, expected in [([1, 0], True), ([1, 2, 0], True), ([0, 2, 1], True), ([0, 1, 3, 2], True),
                                ([0, 2, 3, 1], True), ([1, 0, 2], False), ([0, 2, 1, 3], False), ([2, 1, 0], False)]:
            with self.subTest(order):
                self.assertEqual(shapes.is_transpose(order), expected)
        for line in drawn(2, 60, "--op", "permute")[1:]:
            self.assertFalse(shapes.is_transpose([int(d) for d in line.split()[2].split(",")]), line)

    def test_a_longer_list_begins_with_the_shorter_one(self):
        self.assertEqual(drawn(3, 40, "--op", "permute")[1:11], drawn(3, 10, "--op", "permute")[1:])


if __name__ == "__main__":
    unittest.main()
