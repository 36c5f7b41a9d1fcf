"""Problems that are tuned at their first use, by a program that uses the shared library (tests/unit/support/first_use.c): which
`autotune` it starts, and that this ends when the program does. The driver of `autotune` is the scripted one.
usage: test_first_use.py BUILD CMAKE"""
import contextlib
import ctypes
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD, CMAKE = Path(sys.argv[1]).resolve(), sys.argv[2]
PROGRAM = BUILD / "tests/unit/first_use"
LIMIT_S = 300  # a busy machine
PR_SET_CHILD_SUBREAPER = 36


def script(path, words, mode=0o755):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{words}\n")
    path.chmod(mode)
    return path


class FirstUse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name).resolve()
        (self.home / "here").mkdir()
        self.environment = {"HOME": str(self.home), "AUTOTUNE_NO_SHIPPED": "1", "PATH": "/usr/bin:/bin",
                            "AUTOTUNE_CACHE": str(BUILD / "tests/e2e/kernels/cache.db")}
        for name in ("AUTOTUNE_NVRTC", "CUDA_HOME", "ASAN_OPTIONS", "TSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def skip_without_nvrtc(self, code, said):
        if code == 77:
            self.skipTest(said)


class Found(FirstUse):
    """Each `autotune` here says where it is, and fails: that becomes the warning of the answer."""

    def setUp(self):
        super().setUp()
        self.prefix = self.home / "prefix"
        installed = subprocess.run([CMAKE, "--install", BUILD, "--prefix", self.prefix], capture_output=True, text=True, check=False)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        self.library = next(self.prefix.glob("lib*/**/libautotune.so")).parent
        self.installed = self.prefix / "bin/autotune"
        (self.library / "autotune").mkdir(exist_ok=True)  # as modules for an MPI make it
        self.application = self.home / "application/first_use"
        self.application.parent.mkdir()
        shutil.copy(PROGRAM, self.application)
        self.environment["LD_LIBRARY_PATH"] = f"{self.library}:{BUILD / 'tests/unit/fake'}"

    def autotune(self, *places, mode=0o755):
        for place in places:
            script(self.home / place / "autotune", f"echo 'autotune: error: the one in {place}' >&2; exit 4", mode)

    def warning(self, database="new.db", **environment):
        run = subprocess.run([self.application, self.home / database, "now"], env={**self.environment, **environment},
                             cwd=self.home / "here", capture_output=True, text=True, check=False)
        self.skip_without_nvrtc(run.returncode, run.stdout)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def test_the_installed_one_goes_before_path_and_a_folder_of_that_name_is_none(self):
        self.autotune("prefix/bin", "path", "application", "here")
        self.assertIn("the one in prefix/bin", self.warning(PATH=f"{self.home}/path"))

    def test_one_beside_the_library_goes_first(self):
        shutil.rmtree(self.library / "autotune")
        beside = self.library.relative_to(self.home)
        self.autotune("prefix/bin", beside)
        self.assertIn(f"the one in {beside}", self.warning())

    def test_in_path_the_first_one_that_is_a_program_and_never_in_the_working_directory(self):
        self.installed.unlink()
        self.autotune("application", "here", "here/relative", "first", "second")
        self.autotune("unexecutable", mode=0o644)
        (self.home / "folder/autotune").mkdir(parents=True)
        folders = ":".join(f"{self.home}/{name}" for name in ("folder", "unexecutable", "nowhere", "first", "second"))
        for path in (folders, f":{folders}", f".:relative::{folders}:", f"{folders}:."):
            self.assertIn("the one in first", self.warning(PATH=path))

    def test_none_is_said_and_nothing_of_that_name_is_started(self):
        self.installed.unlink()
        self.autotune("application", "here", "here/relative")
        for path in ("", ":", ".", "relative", f"{self.home}/nowhere"):
            self.assertIn(f"found no program autotune beside {self.library}/libautotune.so", self.warning(PATH=path))

    def test_a_library_by_a_relative_name_has_path_alone(self):
        self.autotune("prefix/bin", "path")
        os.symlink(self.library, self.home / "here/lib")
        self.assertIn("the one in path", self.warning(LD_LIBRARY_PATH=f"lib:{BUILD / 'tests/unit/fake'}", PATH=f"{self.home}/path"))


class Ended(FirstUse):
    """A tuning that would take days: each kernel is found after 1.5 s only."""

    def setUp(self):
        super().setUp()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # processes without a parent become ours
        self.database, self.started = self.home / "new.db", self.home / "started"
        (self.home / "script").write_text("l2 100000\nhold * nothing\n")
        self.real = script(self.home / "real", f"echo $$ >>'{self.started}'\nexport AT_SCRIPT='{self.home}/script' "
                                               f"LD_LIBRARY_PATH='{BUILD}/tests/e2e/driver'\n"
                                               f"exec '{BUILD}/autotune' \"$@\" --jobs 1 --seed 1")
        self.environment["LD_LIBRARY_PATH"] = f"{BUILD}:{BUILD / 'tests/unit/fake'}"

    def trials(self):
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(self.database, timeout=60)) as store:
            return store.execute("SELECT count(*) FROM trial").fetchone()[0]
        return 0

    def wait_for(self, what):
        end_s = time.monotonic() + LIMIT_S
        while not what():
            self.assertLess(time.monotonic(), end_s)
            time.sleep(0.01)

    def reap(self, found):
        """Whoever has ended of those that are ours by now; true: nobody is left."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return False
                found[pid] = status
        except ChildProcessError:
            return True

    def ends_with_its_program(self, way, end):
        opened, other = os.pipe()
        self.addCleanup(os.close, opened)
        self.addCleanup(os.close, other)
        program = subprocess.Popen([PROGRAM, self.database, way, self.real], env=self.environment, cwd=self.home,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=[opened])
        said = program.stdout.readline()
        if said != "running\n":
            self.skip_without_nvrtc(program.wait(), said)
            self.fail(said)
        self.wait_for(self.trials)
        before = self.trials()
        tuner, = map(int, self.started.read_text().split())
        pipe = os.readlink(f"/proc/self/fd/{opened}")
        self.assertIn(pipe, [os.readlink(fd) for fd in Path(f"/proc/{program.pid}/fd").iterdir()])
        self.assertNotIn(pipe, [os.readlink(fd) for fd in Path(f"/proc/{tuner}/fd").iterdir()], "it has what the program has open")
        end(program)
        program.wait()
        program.stdin.close()
        program.stdout.close()
        ended = {}
        try:
            self.wait_for(lambda: self.reap(ended))
        finally:
            for pid in self.started.read_text().split():
                if int(pid) not in ended:
                    os.kill(int(pid), signal.SIGKILL)
        self.assertTrue(os.WIFEXITED(ended[tuner]), f"in order, not by {ended[tuner]}")
        self.assertGreaterEqual(self.trials(), before)
        with contextlib.closing(sqlite3.connect(self.database)) as store:
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchone()[0], "ok")

    def test_after_return_from_main(self):
        self.ends_with_its_program("return", lambda program: program.stdin.close())

    def test_after_exit(self):
        self.ends_with_its_program("exit", lambda program: program.stdin.close())

    def test_after_exit_without_handlers(self):
        self.ends_with_its_program("_exit", lambda program: program.stdin.close())

    def test_after_kill(self):
        self.ends_with_its_program("return", lambda program: program.kill())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
