"""An answer goes out whole or not at all, whichever allocation of its making fails: the last ones of commands that print.

    python3 tests/faults/test_whole.py BUILD

Answers are put together and printed at the end, of some 15,000 allocations, most of which read templates; a sample of
all (tools/soak) seldom meets these.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "soak"))

# pylint: disable=wrong-import-position
from faults import Scenario
from lab import Lab

LAST = 8
PROBLEM = ["4096x4096", "f32", "--db", "a.db"]
COMMANDS = {"query text": ["query", *PROBLEM], "query json": ["query", *PROBLEM, "--format", "json"],
            "show csv": ["show", *PROBLEM, "--format", "csv"], "export": ["export", *PROBLEM]}
BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else "build"


class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(BUILD, keep=False)
        cls.base = os.path.join(cls.lab.folder, "base")
        os.mkdir(cls.base)
        cls.lab.run_well([cls.lab.fixture, "a.db"], cls.base)
        # read once, which leaves no log behind
        cls.lab.run_well([cls.lab.program, "dump", "--db", "a.db", "-o", "a.jsonl"], cls.base)
        for name in os.listdir(cls.base):
            if name.endswith(("-wal", "-shm")):
                os.unlink(os.path.join(cls.base, name))

    @classmethod
    def tearDownClass(cls):
        cls.lab.close()

    def test_what_ends_well_has_printed_all_of_it(self):
        for name, words in COMMANDS.items():
            scenario = Scenario(self.lab, self.base, name, *words)
            count = scenario.calls("memory", "main")
            self.assertGreater(count, LAST)
            for number in range(count - LAST + 1, count + 1):
                for how in ("once", "on"):
                    with self.subTest(command=name, allocation=number, of=count, how=how):
                        scenario.attempt("memory", number, how, "main")


if __name__ == "__main__":
    unittest.main()
