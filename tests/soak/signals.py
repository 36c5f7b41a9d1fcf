"""The round `signals`: at a random moment a run is killed, interrupted, terminated or stopped, or one of
its helpers is.

What was stored before is there afterwards, nobody is left behind, and the same command goes on to the
end. A merge is stored whole or not at all. A try is SEED.NUMBER.
"""
import os
import random
import shutil
import signal
import time

from lab import checked, content, expect, expect_kept, expect_nobody_left, helpers_of
from scripted import MINE, TRIALS

SLOW = "pace 3\nl2 20000"  # so that there is something to interrupt
DEADLY = {"kill": [signal.SIGKILL], "term": [signal.SIGTERM], "int": [signal.SIGINT],
          "int twice": [signal.SIGINT, signal.SIGINT]}


def send(process, number):
    """False: it has ended already."""
    if process.poll() is not None:
        return False
    os.kill(process.pid, number)
    return True


class Signals:
    """The round."""

    name = "signals"

    def __init__(self, lab, scripted):
        self.lab, self.scripted = lab, scripted
        self.times = {}

    def tries(self, seed, count):
        return (f"{seed}.{k}" for k in range(100 if count is None else count))

    def attempt(self, identity):
        dice = random.Random(f"signals.{identity}")
        with self.lab.scratch() as folder:
            if dice.random() < 0.7 and self.scripted.is_possible:
                self.interrupt_tune(dice, folder)
            else:
                self.interrupt_merge(dice, folder)

    def time_of(self, name, folder, args, more):
        """How long it takes undisturbed: moments are chosen from that."""
        if name not in self.times:
            self.times[name] = self.lab.run_well(args, folder, more).seconds
        return self.times[name]

    # ---- a search ----

    def interrupt_tune(self, dice, folder):
        self.scripted.prepare(folder, SLOW)
        more, tune = self.scripted.environment(folder), [self.lab.quick, *MINE, "--db"]
        most_s = self.time_of("tune", folder, [*tune, "whole.db"], more)
        known = frozenset()
        for _ in range(dice.randint(1, 3)):
            process = self.lab.start([*tune, "db"], folder, more)
            known = known | self.disturb(dice, folder, process, dice.uniform(0, 1.1 * most_s))
            now = content(os.path.join(folder, "db"))
            expect_kept(known, now, "after a signal")
            known = now
        self.lab.run_well([*tune, "db"], folder, more)
        expect_nobody_left(folder)
        now = content(os.path.join(folder, "db"))
        expect_kept({row for row in known if row[0] == "winner"}, now, "the same command again")
        configs = {row[9] for row in now if row[0] == "trial" and row[7] == "mine"}
        expect(len(configs) == TRIALS, f"{len(configs)} of {TRIALS} configurations were tried")
        expect(any(row[0] == "winner" for row in now), "no winner is stored")

    def disturb(self, dice, folder, process, after_s):
        """Sends what is to be sent; returns what was stored just before."""
        time.sleep(after_s)
        how, seen = dice.choice([*DEADLY, "stop", "worker", "runner"]), frozenset()
        if dice.random() < 0.5:
            seen = content(os.path.join(folder, "db"))
        if how in DEADLY:
            for number in DEADLY[how]:
                send(process, number)
        elif how == "stop":
            if send(process, signal.SIGSTOP):
                time.sleep(dice.uniform(0, 0.3))
                send(process, signal.SIGCONT)
        else:
            for pid, role in helpers_of(folder):
                if role == how:
                    kill_if_there(pid)
                    break
        self.expect_end(process, how)
        expect_nobody_left(folder)
        return seen

    def expect_end(self, process, how):
        """Signals may come before main() has a word to say: then they kill."""
        result = checked(self.lab.finish(process), DEADLY.get(how, ()))
        allowed = {0, *(128 + number for number in DEADLY.get(how, ()))}
        expect(result.code < 0 or result.code in allowed, f"after '{how}' it should not end so", result)

    # ---- a merge ----

    def interrupt_merge(self, dice, folder):
        source = self.lab.data("db/winners/h200.jsonl.gz")
        into = os.path.join(folder, "into.db")
        self.lab.run_well([self.lab.fixture, "into.db"], folder)
        before = content(into)
        shutil.copy(into, os.path.join(folder, "whole.db"))
        most_s = self.time_of("merge", folder, [self.lab.program, "merge", "whole.db", source], None)
        if "merged" not in self.times:
            self.times["merged"] = content(os.path.join(folder, "whole.db")) - before
        process = self.lab.start([self.lab.program, "merge", "into.db", source], folder)
        self.disturb_merge(dice, process, dice.uniform(0, 1.1 * most_s))
        now = content(into)
        expect_kept(before, now, "after a signal")
        expect(now - before in (frozenset(), self.times["merged"]), f"a part is stored: {len(now - before)} rows")
        self.lab.run_well([self.lab.program, "merge", "into.db", source], folder)
        again = content(into) - before
        expect(again == self.times["merged"], "the same command again does not end as the first would have")

    def disturb_merge(self, dice, process, after_s):
        time.sleep(after_s)
        how = dice.choice([*DEADLY, "stop"])
        for number in DEADLY.get(how, (signal.SIGSTOP,)):
            send(process, number)
        if how == "stop":
            time.sleep(dice.uniform(0, 0.2))
            send(process, signal.SIGCONT)
        self.expect_end(process, how)


def kill_if_there(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
