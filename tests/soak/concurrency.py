"""The round `concurrency`: eight processes on one database at once, one of them perhaps killed. Each of
the others ends well, and everything that they were to store is there. A try is SEED.NUMBER.
"""
import os
import random
import signal
import time

from lab import checked, content, expect, expect_kept

PROCESSES = 8


class Concurrency:
    """The round."""

    name = "concurrency"

    def __init__(self, lab, scripted):
        self.lab = lab
        self.base = os.path.join(lab.folder, "shared")
        os.mkdir(self.base)
        lab.run_well([lab.fixture, "a.db"], self.base)
        lab.run_well([lab.program, "dump", "--db", "a.db", "-o", "a.jsonl"], self.base)
        foreign = [lab.data(f"tests/data/import/scale_{part}.json") for part in ("cache", "t1", "t4")]
        shape = ["4096x4096", "f32"]
        self.writers = {
            "merge": ["merge", "one.db", f"{self.base}/a.db"],
            "merge text": ["merge", "one.db", f"{self.base}/a.jsonl"],
            "import": ["import", *foreign[:2], "--db", "one.db", "--quiet"],
            "import t4": ["import", foreign[2], "--db", "one.db", "--quiet"],
            "replay": ["tune", "--device", f"replay:{self.base}/a.db", *shape, "--db", "one.db", "--quiet"],
            "again": ["tune", "--device", f"replay:{self.base}/a.db", *shape, "--db", "one.db", "--quiet", "--force"],
        }
        self.readers = {
            "query": ["query", *shape, "--db", "one.db"],
            "show": ["show", *shape, "--db", "one.db"],
            "dump": ["dump", "--db", "one.db", "-o", "dump.jsonl"],
            "from": ["merge", "other.db", "one.db"],
        }
        self.stored = {}

    def tries(self, seed, count):
        return (f"{seed}.{k}" for k in range(200 if count is None else count))

    def rows_of(self, name):
        """What it stores when it is alone; times of measurement apart, that is what it stores in company."""
        if name not in self.stored:
            with self.lab.scratch() as folder:
                self.lab.run_well([self.lab.program, *self.writers[name]], folder)
                self.stored[name] = content(os.path.join(folder, "one.db"))
        return self.stored[name]

    def attempt(self, identity):
        dice = random.Random(f"concurrency.{identity}")
        names = [dice.choice([*self.writers, *self.writers, *self.readers]) for _ in range(PROCESSES)]
        victim = dice.randrange(PROCESSES) if dice.random() < 0.5 else None
        with self.lab.scratch() as folder:
            if dice.random() < 0.5:
                self.lab.run_well([self.lab.program, *self.writers["merge"]], folder)
            everybody = {**self.writers, **self.readers}
            started = [self.lab.start([self.lab.program, *everybody[name]], folder) for name in names]
            if victim is not None:
                time.sleep(dice.uniform(0, 0.1))
                started[victim].send_signal(signal.SIGKILL)
            results = [self.lab.finish(process) for process in started]
            now = content(os.path.join(folder, "one.db"))
            for i, (name, result) in enumerate(zip(names, results)):
                checked(result, {signal.SIGKILL} if i == victim else ())
                # A reader may come before there is anything to read.
                allowed = {0} if name in self.writers else {0, 1, 2, 4}
                expect(result.code in allowed or i == victim, f"{name} did not end well beside {names}", result)
                if name in self.writers and result.code == 0:
                    expect_kept(self.rows_of(name), now, f"{name} ended well beside {names}")
