"""The round `faults`: every allocation, file operation and call between processes fails in turn, alone
and from then on.

A try is SCENARIO:KIND:N:HOW:ROLE, see tests/faults/faults.c. A scenario says what is run, in which
folder, and what must hold afterwards, whatever failed.
"""
import difflib
import os
import random
import shutil

from lab import Failure, content, expect, expect_kept, expect_nobody_left
from scripted import MINE

NEVER = 10 ** 9


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def difference(wanted, found):
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), "expected", "found", n=0, lineterm="")
    return "\n".join(line[:300] for line in list(lines)[:12])


class Scenario:
    """A command that reads: when it ends well its output is right, and it changes nothing."""

    kinds = ("memory", "files")
    roles = ("main",)
    weight = 1.0  # how often a sample takes it: slow ones are rare
    most = NEVER  # tries of each kind in a whole run; fewer for slow ones

    def __init__(self, lab, base, name, *args):
        self.lab, self.base, self.name = lab, base, name
        self.args = [lab.faulty, *args]
        self.before = self.right = None
        self.counted = {}

    # ---- what a scenario says ----

    def environment(self, folder):
        return {}

    def prepare(self, folder):
        for name in os.listdir(self.base):
            shutil.copy(os.path.join(self.base, name), folder)

    def observe(self, folder, out):
        """What is the same each time when nothing fails."""
        return out

    def check(self, folder, result, how):
        for name in os.listdir(self.base):
            expect(read(os.path.join(folder, name)) == read(os.path.join(self.base, name)),
                   f"a command that reads has changed {name}")
        if result.code == 0:
            expect(result.out == self.right, f"ended well with a wrong answer:\n{difference(self.right, result.out)}")

    # ---- what is the same of all ----

    def run(self, folder, fault, role):
        log = os.path.join(folder, ".fault")
        more = {"AT_FAULT": fault, "AT_FAULT_ROLE": role, "AT_FAULT_LOG": log}
        return self.lab.run(self.args, folder, {**self.environment(folder), **more}), read(log).decode().split("\n")

    def learn(self):
        """Runs it undisturbed, once."""
        if self.right is not None:
            return
        with self.lab.scratch() as folder:
            self.prepare(folder)
            before = self.observe(folder, "")
            result, _ = self.run(folder, f"memory:{NEVER}:once", "main")
            expect(result.code == 0, "undisturbed it should end well", result)
            self.before, self.right = before, self.observe(folder, result.out)

    def calls(self, kind, role):
        """How many there are that may fail; of several helper processes the most."""
        if (kind, role) not in self.counted:
            with self.lab.scratch() as folder:
                self.prepare(folder)
                _, log = self.run(folder, f"{kind}:{NEVER}:once", role)
                self.counted[kind, role] = max((int(line.split()[1]) for line in log if line), default=0)
        return self.counted[kind, role]

    def attempt(self, kind, number, how, role):
        self.learn()
        with self.lab.scratch() as folder:
            self.prepare(folder)
            result, log = self.run(folder, f"{kind}:{number}:{how}", role)
            try:
                self.check(folder, result, how)
            except Failure as failure:
                raise Failure(f"{failure}\n(what failed: {log[0]})\n{result}") from None


class Library(Scenario):
    """Of each question the right answer or an error; one fault spoils one answer at most."""

    def __init__(self, lab, base, name, *args):
        super().__init__(lab, base, name, *args)
        self.args[0] = lab.library

    def check(self, folder, result, how):
        right, errors = set(self.right.splitlines()), 0
        for line in result.out.splitlines():
            expect("AND NO TEXT" not in line, f"an error without a text: {line}")
            errors += ": error " in line
            expect(": error " in line or line in right, f"a wrong answer: {line}\nexpected one of\n{self.right}")
        expect(how == "on" or errors <= 1, f"one fault, {errors} errors")


class Output(Scenario):
    """A command that writes a file: it is the whole new one when the command ends well, else the one before."""

    def prepare(self, folder):
        super().prepare(folder)
        with open(os.path.join(folder, "output"), "w", encoding="ascii") as file:
            file.write("what was there before\n")

    def observe(self, folder, out):
        return read(os.path.join(folder, "output"))

    def check(self, folder, result, how):
        now, wanted = self.observe(folder, ""), self.right if result.code == 0 else self.before
        expect(now == wanted, f"exit {result.code}, and the file is another one: {len(now)} bytes, not {len(wanted)}")
        known = {"output", *os.listdir(self.base)}
        more = [name for name in os.listdir(folder)
                if name not in known and not name.startswith(".") and not name.endswith(("-wal", "-shm"))]
        expect(how == "on" or not more, f"files are left: {more}")


class Store(Scenario):
    """A command that stores into `into.db`, which holds something: all or nothing, and never less than before."""

    def observe(self, folder, out):
        return content(os.path.join(folder, "into.db"))

    def check(self, folder, result, how):
        now = self.observe(folder, result.out)
        expect_kept(self.before, now, f"exit {result.code}")
        if result.code == 0:
            expect_kept(self.right, now, "it ended well")
        self.check_new(now)

    def check_new(self, now):
        new, all_new = len(now - self.before), len(self.right - self.before)
        expect(now in (self.before, self.right), f"a part is stored: {new} of {all_new} rows")


class Fresh(Store):
    """As Store, where there is no database before."""

    def prepare(self, folder):
        super().prepare(folder)
        os.unlink(os.path.join(folder, "into.db"))


class Steps(Store):
    """Stores one thing after the other."""

    def check_new(self, now):
        expect(now <= self.right, "something else is stored")


class Tune(Steps):
    """The same command ends well afterwards and goes on from there."""

    weight = 0.5

    def check(self, folder, result, how):
        super().check(folder, result, how)
        now = self.observe(folder, result.out)
        rows = [line for line in result.out.splitlines() if line.startswith(("copy ", "transpose "))]
        if any("no winner" not in row for row in rows):
            expect("winner" in {row[0] for row in now - self.before}, "a winner was printed that is not stored")
        self.lab.run_well(self.args, folder, self.environment(folder))
        again = self.observe(folder, "")
        expect_kept(now | self.right, again, "the same command again")


class Scripted(Tune):
    """On a driver that computes on the CPU, with real compilers and processes."""

    kinds = ("memory", "files", "processes")
    roles = ("main", "worker", "runner")
    weight = 0.02
    most = 150

    def __init__(self, lab, base, name, scripted, *args):
        super().__init__(lab, base, name, *args)
        self.scripted = scripted

    def environment(self, folder):
        return self.scripted.environment(folder)

    def prepare(self, folder):
        super().prepare(folder)
        self.scripted.prepare(folder)

    def observe(self, folder, out):
        """Times vary, and with them the winner; which configurations were tried does not. In a helper that
        has no memory the driver may refuse to load a kernel, as a real one does: then that is the outcome."""
        return frozenset(row[:-2] if row[0] == "trial" else row[:4] if row[0] == "winner" else row
                         for row in super().observe(folder, out) if row[0] != "source")

    def check_new(self, now):
        pass

    def check(self, folder, result, how):
        expect_nobody_left(folder)
        super().check(folder, result, how)


class Faults:
    """The round."""

    name = "faults"

    def __init__(self, lab, scripted):
        self.base = os.path.join(lab.folder, "base")
        os.mkdir(self.base)
        lab.run_well([lab.fixture, "a.db"], self.base)
        lab.run_well([lab.program, "dump", "--db", "a.db", "-o", "a.jsonl"], self.base)
        other = lab.data("tests/data/import/scale_t4.json")
        lab.run_well([lab.program, "import", other, "--db", "into.db", "--quiet"], self.base)
        for name in os.listdir(self.base):
            if name.endswith(("-wal", "-shm")):
                os.unlink(os.path.join(self.base, name))
        foreign = [lab.data(f"tests/data/import/scale_{part}.json") for part in ("cache", "t1")]
        shape = ["4096x4096", "f32"]
        self.scenarios = {s.name: s for s in (
            Scenario(lab, self.base, "query", "query", *shape, "--db", "a.db", "--format", "json"),
            Scenario(lab, self.base, "show", "show", *shape, "--db", "a.db"),
            Scenario(lab, self.base, "export", "export", *shape, "--db", "a.db"),
            Scenario(lab, self.base, "dump", "dump", "--db", "a.db"),
            Library(lab, self.base, "library", "a.db"),
            Output(lab, self.base, "export-file", "export", *shape, "--db", "a.db", "-o", "output"),
            Output(lab, self.base, "dump-file", "dump", "--db", "a.db", "-o", "output"),
            Store(lab, self.base, "merge", "merge", "into.db", "a.db"),
            Store(lab, self.base, "merge-text", "merge", "into.db", "a.jsonl"),
            Fresh(lab, self.base, "merge-new", "merge", "into.db", "a.db"),
            Steps(lab, self.base, "import", "import", *foreign, "--db", "into.db"),
            Tune(lab, self.base, "replay", "tune", "--device", "replay:a.db", *shape, "--db", "into.db"),
            Scripted(lab, self.base, "tune", scripted, *MINE, "--db", "into.db"),
        )}
        if not scripted.is_possible:
            del self.scenarios["tune"]

    def kinds(self):
        for s in self.scenarios.values():
            for role in s.roles:
                for kind in s.kinds:
                    for how in ("once", "on"):
                        yield s, kind, how, role

    def whole(self, seed):
        """All, in an order of its own: whoever ends it early has seen some of everything."""
        dice, points = random.Random(f"faults.{seed}"), []
        for s, kind, how, role in self.kinds():
            numbers = range(1, s.calls(kind, role) + 1)
            numbers = numbers if len(numbers) <= s.most else dice.sample(numbers, s.most)
            points += (f"{s.name}:{kind}:{n}:{how}:{role}" for n in numbers)
        dice.shuffle(points)
        return points

    def sample(self, count, seed):
        """Every other one near the end, where a command stores and prints: most calls read templates, before that."""
        dice, kinds = random.Random(f"faults.{seed}"), list(self.kinds())
        for i in range(count):
            s, kind, how, role = dice.choices(kinds, [s.weight for s, _, _, _ in kinds])[0]
            calls = max(1, s.calls(kind, role))
            yield f"{s.name}:{kind}:{dice.randint(1 + (i % 2) * calls * 8 // 10, calls)}:{how}:{role}"

    def tries(self, seed, count):
        return self.whole(seed) if count is None else self.sample(count, seed)

    def attempt(self, identity):
        name, kind, number, how, role = identity.split(":")
        self.scenarios[name].attempt(kind, int(number), how, role)
