"""test_next_problems.py AUTOTUNE - what tools/next_problems reads and chooses, by losses that are made up; tools/random_shapes."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(name):
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(ROOT, "tools", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


NEXT = load("next_problems")
AUTOTUNE = sys.argv.pop()


class Asking(unittest.TestCase):
    """The program's answers, from its built-in results and model, or without them."""

    def loss_of(self, shape, **more):
        with tempfile.TemporaryDirectory() as home, unittest.mock.patch.dict(os.environ, HOME=home, XDG_DATA_HOME=home, **more):
            if not more:
                os.environ.pop("AUTOTUNE_NO_SHIPPED", None)
            return NEXT.loss_of(AUTOTUNE, ["--device", "H200"], shape, "f32")

    def test_the_loss_is_what_the_model_expects(self):
        self.assertTrue(0 < self.loss_of("4000x4096") < 0.2)

    def test_what_was_tuned_is_passed_over(self):
        self.assertIsNone(self.loss_of("4096x4096"))

    def test_where_no_model_answers_the_loss_is_not_known(self):
        self.assertEqual(self.loss_of("4000x4096", AUTOTUNE_NO_SHIPPED="1"), NEXT.UNKNOWN)


class Choosing(unittest.TestCase):
    def test_the_largest_loss_comes_first(self):
        losses = {("64x64", "f32"): 0.01, ("9000x30", "u8"): 0.2, ("512x512", "f64"): 0.05}
        self.assertEqual([p for p, _ in NEXT.choose(losses, 2)], [("9000x30", "u8"), ("512x512", "f64")])

    def test_a_neighbour_of_what_is_chosen_waits(self):
        losses = {("9000x30", "u8"): 0.2, ("9000x31", "u8"): 0.19, ("64x64", "u8"): 0.15}
        self.assertEqual([p for p, _ in NEXT.choose(losses, 2)], [("9000x30", "u8"), ("64x64", "u8")])

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
        self.assertTrue(text.startswith("# 3 transposes drawn at random: tools/random_shapes 1 3\n"))

    def test_transposes_of_a_seed_are_those_that_published_figures_are_of(self):
        self.assertEqual(NEXT.random_problems(1, 4),
                         [('2369x2369', 'u8'), ('497x503', 'u8'), ('512x1024', 'f32'), ('43x589', 'f16')])


class Permutations(unittest.TestCase):
    def drawn(self, seed, count):
        command = [sys.executable, os.path.join(ROOT, "tools", "random_shapes"), str(seed), str(count), "--op", "permute"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    def test_they_are_lines_of_a_shapes_file_and_say_how_they_were_made(self):
        lines = self.drawn(1, 60)
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
        for line in self.drawn(2, 60)[1:]:
            self.assertFalse(shapes.is_transpose([int(d) for d in line.split()[2].split(",")]), line)

    def test_a_longer_list_begins_with_the_shorter_one(self):
        self.assertEqual(self.drawn(3, 40)[1:11], self.drawn(3, 10)[1:])


if __name__ == "__main__":
    unittest.main()
