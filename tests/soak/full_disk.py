"""The round `full_disk`: no room, on a small file system (root) or under a limit of a file's size. What was
stored stays, the program says why it ends, and with room the same command ends well. A try is SEED.NUMBER.
"""
import os
import random
import resource
import shutil
import subprocess

from lab import content, expect, expect_kept


def has_mounts(folder):
    """May we mount a file system of our own, and is there the program for it?"""
    if not shutil.which("mount"):
        return False
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if made.returncode == 0:
        subprocess.run(["umount", folder], check=True)
    return made.returncode == 0


class FullDisk:
    """The round."""

    name = "full_disk"

    def __init__(self, lab, scripted):
        self.lab = lab
        self.base = os.path.join(lab.folder, "small")
        os.mkdir(self.base)
        self.mounts = has_mounts(self.base)
        lab.run_well([lab.fixture, "a.db"], self.base)
        other = lab.data("tests/data/import/scale_t4.json")
        lab.run_well([lab.program, "import", other, "--db", "into.db", "--quiet"], self.base)
        foreign = [lab.data(f"tests/data/import/scale_{part}.json") for part in ("cache", "t1")]
        shape = ["4096x4096", "f32"]
        self.commands = {
            "merge": ["merge", "into.db", f"{self.base}/a.db"],
            "large": ["merge", "into.db", lab.data("db/winners/h200.jsonl.gz")],
            "import": ["import", *foreign, "--db", "into.db"],
            "replay": ["tune", "--device", f"replay:{self.base}/a.db", *shape, "--db", "into.db"],
            "dump": ["dump", "--db", f"{self.base}/a.db", "-o", "output"],
            "export": ["export", *shape, "--db", f"{self.base}/a.db", "-o", "output"],
        }
        self.right = {}

    def tries(self, seed, count):
        return (f"{seed}.{k}" for k in range(200 if count is None else count))

    def observe(self, folder):
        """The rows and the output. On a full disk not even reading has room for what SQLite puts beside a database."""
        with self.lab.scratch() as room:
            for name in os.listdir(folder):
                if name.startswith("into.db") and not name.endswith("-shm"):
                    shutil.copy(os.path.join(folder, name), room)
            rows = content(os.path.join(room, "into.db"))
        try:
            with open(os.path.join(folder, "output"), "rb") as file:
                return rows, file.read()
        except OSError:
            return rows, b""

    def learn(self, name):
        """What is there when there is room, and how many bytes it takes."""
        if name not in self.right:
            with self.lab.scratch() as folder:
                shutil.copy(os.path.join(self.base, "into.db"), folder)
                self.lab.run_well([self.lab.program, *self.commands[name]], folder)
                size = sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder))
                self.right[name] = (*self.observe(folder), size)
        return self.right[name]

    def attempt(self, identity):
        dice = random.Random(f"full_disk.{identity}")
        name = dice.choice(list(self.commands))
        *right, size = self.learn(name)
        with self.lab.scratch() as folder:
            if self.mounts and dice.random() < 0.5:
                self.on_small_disk(dice, folder, name, right, size)
            else:
                self.under_limit(dice, folder, name, right, size)

    def under_limit(self, dice, folder, name, right, size):
        self.begin(folder)
        limit = dice.randrange(size)
        limits = (limit, resource.RLIM_INFINITY)
        result = self.lab.run([self.lab.program, *self.commands[name]], folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits))
        self.check(folder, name, right, result, lambda: None)

    def on_small_disk(self, dice, folder, name, right, size):
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={2 * size + (1 << 20)}", "tmpfs", disk], check=True)
        try:
            self.begin(disk)
            fill(os.path.join(disk, "filler"), dice.randrange(size))
            result = self.run_there(disk, folder, name)
            self.check(disk, name, right, result, lambda: os.unlink(os.path.join(disk, "filler")))
        finally:
            subprocess.run(["umount", "-l", disk], check=True)

    def run_there(self, disk, folder, name):
        """Its output goes to a folder with room."""
        return self.lab.run(["env", "-C", disk, self.lab.program, *self.commands[name]], folder)

    def begin(self, folder):
        shutil.copy(os.path.join(self.base, "into.db"), folder)
        with open(os.path.join(folder, "output"), "w", encoding="ascii") as file:
            file.write("what was there before\n")

    def check(self, folder, name, right, result, make_room):
        rows, output = self.observe(folder)
        before = content(os.path.join(self.base, "into.db"))
        expect_kept(before, rows, f"{name} ended so:\n{result}")
        if name in ("dump", "export"):
            whole = output in (b"what was there before\n", right[1])
            expect(whole, f"{name} left {len(output)} bytes of {len(right[1])}", result)
        if result.code == 0:
            expect_kept(right[0], rows, f"{name} ended well")
            good = name not in ("dump", "export") or output == right[1]
            expect(good, f"{name} ended well without its output", result)
        make_room()
        self.lab.run_well([self.lab.program, *self.commands[name]], folder)
        rows, output = self.observe(folder)
        expect_kept(right[0], rows, f"{name}, with room")


def fill(path, leave):
    """Takes the room of the file system but for `leave` bytes."""
    room = os.statvfs(os.path.dirname(path))
    with open(path, "wb") as file:
        file.truncate(0)
        left = room.f_bavail * room.f_frsize - leave
        while left > 0:
            file.write(b"x" * min(left, 1 << 16))
            left -= 1 << 16
