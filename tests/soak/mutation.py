"""The round `mutation`: files with random damage. Any answer is right that is no crash, no hang, no
sanitizer's report and no bug of autotune's. A try is SEED.NUMBER.
"""
import glob
import gzip
import os
import random
import shutil

from scripted import MINE

TOKENS = [b"-1", b"0", b"1e999", b"nan", b"9223372036854775807", b"9223372036854775808", b"4294967296",
          b"\0", b"\n", b"\"", b"\\", b"{", b"}", b"[", b"]", b"null", b"x",
          b"/", b"@", b"*", b"%", b"(" * 500, b"..", b"\xff\xfe", b"'", b"#", b",", b":"]


def damage(dice, data):
    """A few edits: bytes changed, ranges gone, repeated or exchanged, words put in, the end cut off."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 3, 5, 10, 40))):
        at = dice.randrange(len(data) + 1)
        span = min(len(data) - at, dice.choice((1, 2, 4, 16, 100, 4096)))
        how = dice.randrange(7)
        if how == 0 and at < len(data):
            data[at] = dice.randrange(256)
        elif how == 1 and at < len(data):
            data[at] ^= 1 << dice.randrange(8)
        elif how == 2:
            del data[at:at + span]
        elif how == 3:
            data[at:at] = data[at:at + span] * dice.choice((1, 2, 50))
        elif how == 4:
            data[at:at] = dice.choice(TOKENS)
        elif how == 5:
            other = dice.randrange(len(data) + 1)
            data[at:at + span] = data[other:other + span]
        elif dice.random() < 0.3:
            del data[at:]
        if not data:
            break
    return bytes(data)


def damage_database(dice, data):
    """Pages keep their size and place, else SQLite alone would be tested; headers are hit more often."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 2, 5, 20, 100))):
        page = 4096 * dice.randrange(len(data) // 4096)
        at = page + (dice.randrange(120) if dice.random() < 0.5 else dice.randrange(4096))
        data[at] = dice.choice((0, 1, 255, dice.randrange(256)))
    return bytes(data) if dice.random() < 0.9 else bytes(data[:dice.randrange(len(data))])


class Mutation:
    """The round."""

    name = "mutation"

    def __init__(self, lab, scripted):
        self.lab, self.scripted = lab, scripted
        self.base = os.path.join(lab.folder, "undamaged")
        os.mkdir(self.base)
        lab.run_well([lab.fixture, "a.db"], self.base)
        other = lab.data("tests/data/import/scale_cache.json")
        lab.run_well([lab.program, "import", other, "--db", "a.db", "--quiet"], self.base)
        lab.run_well([lab.program, "dump", "--db", "a.db", "-o", "a.jsonl"], self.base)
        lab.run_well([lab.program, "dump", "--db", "a.db", "--compact", "-o", "compact.jsonl"], self.base)
        for name in glob.glob(os.path.join(self.base, "*-shm")) + glob.glob(os.path.join(self.base, "*-wal")):
            os.unlink(name)
        self.kinds = [self.shapes, self.declarations, self.dumps, self.databases, self.imports]
        if scripted.is_possible:
            self.kinds.append(self.caches)

    def tries(self, seed, count):
        return (f"{seed}.{k}" for k in range(2000 if count is None else count))

    def attempt(self, identity):
        dice = random.Random(f"mutation.{identity}")
        with self.lab.scratch() as folder:
            for name in os.listdir(self.base):
                shutil.copy(os.path.join(self.base, name), folder)
            for args in dice.choice(self.kinds)(dice, folder):
                self.lab.run([self.lab.program, *args], folder)

    def put(self, folder, name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    def any_file(self, dice, *patterns):
        found = [name for pattern in patterns for name in glob.glob(self.lab.data(pattern))]
        names = sorted(filter(os.path.isfile, found))
        with open(dice.choice(names), "rb") as file:
            return file.read()

    def shapes(self, dice, folder):
        source = self.any_file(dice, "tests/data/*.txt", "tests/fuzz/corpus/shapes/*")
        self.put(folder, "shapes.txt", damage(dice, source))
        yield ["tune", "--device", "replay:a.db", "--shapes", "shapes.txt", "--db", "new.db", "--quiet"]
        yield ["dump", "--db", "a.db", "--shapes", "shapes.txt"]

    def declarations(self, dice, folder):
        op = dice.choice(("transpose", "copy", "scale"))
        os.makedirs(os.path.join(folder, "more", op))
        source = self.any_file(dice, f"templates/{op}/*.cu", "tests/fuzz/corpus/declare/*",
                               "tests/data/templates/*/*.cu*")
        self.put(folder, f"more/{op}/{dice.choice(('op', 'mine'))}.cu", damage(dice, source))
        yield ["list", "templates", "--templates", "more"]
        yield ["space", op, "64x64", "--arch", "sm_90", "--templates", "more"]
        yield ["tune", "--device", "replay:a.db", "transpose", "4096x4096", "--templates", "more", "--db", "new.db",
               "--quiet"]

    def dumps(self, dice, folder):
        with open(os.path.join(folder, dice.choice(("a.jsonl", "compact.jsonl"))), "rb") as file:
            data = file.read()
        how = dice.randrange(4)
        data = damage(dice, gzip.compress(data) if how == 0 else data)
        self.put(folder, "in.jsonl", gzip.compress(data) if how == 1 else data)
        yield ["merge", "new.db", "in.jsonl"]
        yield ["merge", "a.db", "in.jsonl"]
        yield ["tune", "--device", "replay:in.jsonl", "4096x4096", "f32", "--db", "other.db", "--quiet"]
        yield ["query", "4096x4096", "f32", "--db", "a.db", "--format", "json"]

    def databases(self, dice, folder):
        with open(os.path.join(self.base, "a.db"), "rb") as file:
            self.put(folder, "a.db", damage_database(dice, file.read()))
        yield ["query", "4096x4096", "f32", "--db", "a.db", "--format", "json"]
        yield ["query", "4096x2048", "f32", "--db", "a.db"]
        yield ["show", "4096x4096", "f32", "--db", "a.db"]
        yield ["export", "4096x4096", "f32", "--db", "a.db"]
        yield ["dump", "--db", "a.db"]
        yield ["merge", "new.db", "a.db"]
        yield ["tune", "--device", "replay:a.db", "4096x4096", "f32", "--db", "other.db", "--quiet"]
        yield ["merge", "a.db", "a.jsonl"]
        yield ["import", self.lab.data("tests/data/import/scale_t4.json"), "--db", "a.db"]

    def caches(self, dice, folder):
        """Of kernels; a look-up in it takes the compiler's library, so only sometimes."""
        self.scripted.prepare(folder)
        with open(self.scripted.cache, "rb") as file:
            self.put(folder, "kernels.db", damage_database(dice, file.read()))
        environment = self.scripted.environment(folder)
        commands = [["cache"], ["cache", "--shrink", "--cache-limit", "1"]]
        if dice.random() < 0.1:
            commands.insert(0, [*MINE, "--db", "db", "--max-trials", "3"])
        for args in commands:
            self.lab.run([self.lab.quick, *args], folder, environment)
        return ()

    def imports(self, dice, folder):
        source = self.any_file(dice, "tests/data/import/*.json", "tests/fuzz/corpus/import/*")
        self.put(folder, "in.json", damage(dice, source))
        yield ["import", "in.json", "--db", "new.db"]
        yield ["import", "in.json", self.lab.data("tests/data/import/scale_t1.json"), "--db", "a.db"]
        yield ["import", self.lab.data("tests/data/import/scale_cache.json"), "in.json", "--print"]
