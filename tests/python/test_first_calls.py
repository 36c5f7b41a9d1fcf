"""test_first_calls.py - what tools/first_calls makes of calls, with answers that are made up."""

import importlib.machinery
import importlib.util
import os
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOADER = importlib.machinery.SourceFileLoader("first_calls", os.path.join(ROOT, "tools/first_calls"))
FIRST = importlib.util.module_from_spec(importlib.util.spec_from_loader("first_calls", LOADER))
LOADER.exec_module(FIRST)


class Knowledge:
    """A tenth slower than tuned, until it has learned: a hundredth."""

    def __init__(self):
        self.learned = []

    def learn(self, tuned):
        self.learned.append(len(tuned))

    def loss(self, _):
        return 0.01 if self.learned else 0.1


def run(calls, mode, rate=1.0, tune_s=2.5):
    knowledge = Knowledge()
    return (*FIRST.run(calls, rate, tune_s, mode, knowledge), knowledge)


class Calls(unittest.TestCase):
    def test_the_same_seed_draws_the_same_calls_some_of_them_often(self):
        calls = FIRST.calls_of(list(range(200)), 1000, 5)
        self.assertEqual(calls, FIRST.calls_of(list(range(200)), 1000, 5))
        self.assertNotEqual(calls, FIRST.calls_of(list(range(200)), 1000, 6))
        self.assertGreater(max(calls.count(k) for k in range(200)), 100)
        self.assertGreater(len(set(calls)), 100)

    def test_without_tuning_every_call_has_the_first_answer(self):
        losses, first, waited, _ = run(["a", "b", "a", "a"], "no tuning")
        self.assertEqual((losses, first, waited), ([0.1] * 4, {"a": 0.1, "b": 0.1}, 0))

    def test_who_waits_has_the_tuned_one_at_once(self):
        losses, _, waited, _ = run(["a", "b", "a"], "waits")
        self.assertEqual((losses, waited), ([0.0] * 3, 5.0))

    def test_in_the_background_one_is_tuned_after_the_other(self):
        losses, _, waited, _ = run(["a", "b", "a", "a", "b", "b", "b"], "goes on")
        self.assertEqual((losses, waited), ([0.1, 0.1, 0.1, 0.0, 0.1, 0.0, 0.0], 0.0))

    def test_what_was_tuned_teaches_answers_of_others_when_there_is_half_as_much_again(self):
        _, first, _, knowledge = run(list(range(40)), "learns", tune_s=1)
        self.assertEqual(knowledge.learned[:4], [8, 12, 18, 27])
        self.assertEqual((first[5], first[39]), (0.1, 0.01))

    def test_an_answer_that_was_never_tried_counts_as_unknown(self):
        self.assertIn("1 of 3", FIRST.shares([0.0, None, 0.2]))
        self.assertIn("50.0 %", FIRST.shares([0.0, None, 0.2]))


if __name__ == "__main__":
    unittest.main()
