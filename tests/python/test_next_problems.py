"""test_next_problems.py - what tools/next_problems chooses, by doubts that are made up; and tools/random_shapes."""

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


NEXT = load("next_problems")


class Choosing(unittest.TestCase):
    def test_the_most_doubted_comes_first(self):
        doubts = {("64x64", "f32"): 0.01, ("9000x30", "u8"): 0.2, ("512x512", "f64"): 0.05}
        self.assertEqual([p for p, _ in NEXT.choose(doubts, 2)], [("9000x30", "u8"), ("512x512", "f64")])

    def test_a_neighbour_of_what_is_chosen_waits(self):
        doubts = {("9000x30", "u8"): 0.2, ("9000x31", "u8"): 0.19, ("64x64", "u8"): 0.15}
        self.assertEqual([p for p, _ in NEXT.choose(doubts, 2)], [("9000x30", "u8"), ("64x64", "u8")])

    def test_sizes_of_batches_and_of_matrices_are_compared(self):
        self.assertEqual(NEXT.distance(("64x32", "u8"), ("2x64x32", "u8")), 1)
        self.assertEqual(NEXT.distance(("64x32", "u8"), ("64x32", "f16")), float("inf"))


class Shapes(unittest.TestCase):
    def test_a_longer_list_begins_with_the_shorter_one(self):
        self.assertEqual(NEXT.random_problems(3, 40)[:10], NEXT.random_problems(3, 10))

    def test_other_seeds_give_other_problems(self):
        self.assertNotEqual(NEXT.random_problems(1, 10), NEXT.random_problems(2, 10))

    def test_the_script_says_how_it_was_called(self):
        text = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "random_shapes"), "1", "3"],
                              capture_output=True, text=True, check=True).stdout
        self.assertTrue(text.startswith("# 3 transposes drawn at random: tools/random_shapes 1 3"))


if __name__ == "__main__":
    unittest.main()
