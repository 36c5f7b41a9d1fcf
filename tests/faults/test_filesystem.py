"""Databases on file systems that lack something: memory that is shared (FUSE without MAP_SHARED, as of sshfs), locks (NFS
without its daemon), and with few descriptors.

    python3 tests/faults/test_filesystem.py BUILD
"""
import errno
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import unittest
from contextlib import closing

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "soak"))

# pylint: disable=wrong-import-position
from lab import Lab, content

BUILD = sys.argv.pop(1) if len(sys.argv) > 1 else "build"
NO_MEMORY = {"AT_FAULT": "mapping:1:on"}
LOCK_WAIT_S = 30  # of the program, with a lock that somebody has


class FileSystem(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(BUILD, keep=False)
        cls.addClassCleanup(cls.lab.close)
        cls.foreign = cls.lab.data("tests/data/import/scale_cache.json")

    def setUp(self):
        scratch = self.lab.scratch()
        self.folder = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_faulty(self, fault, *words):
        return self.lab.run([self.lab.faulty, *words], self.folder, fault)

    def run_well(self, fault, *words):
        result = self.run_faulty(fault, *words)
        self.assertEqual(result.code, 0, result)
        return result.out

    def mode(self, name):
        with closing(sqlite3.connect(self.path(name))) as store:
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchone()[0], "ok")
            return store.execute("PRAGMA journal_mode").fetchone()[0]

    def beside(self):
        return [name for name in os.listdir(self.folder) if "-wal" in name or "-shm" in name or ".lock-" in name]


class WithoutSharedMemory(FileSystem):
    def test_a_database_is_made_read_merged_and_tuned_with_a_rollback_journal(self):
        self.lab.run_well([self.lab.program, "import", self.foreign, "--db", "there.db"], self.folder)
        self.run_well(NO_MEMORY, "import", self.foreign, "--db", "a.db")
        self.assertEqual(self.mode("a.db"), "delete")
        self.assertEqual(content(self.path("a.db")), content(self.path("there.db")))
        self.assertEqual(self.run_well(NO_MEMORY, "dump", "--db", "a.db"), self.run_well({}, "dump", "--db", "a.db"))
        self.run_well(NO_MEMORY, "merge", "new.db", "a.db")
        self.run_well(NO_MEMORY, "merge", "new.db", "a.db")
        self.run_well(NO_MEMORY, "tune", "--device", "replay:a.db", "--op", "scale", "1024x512", "--quiet", "--db", "tuned.db")
        self.assertIn("exact", self.run_well(NO_MEMORY, "query", "scale", "1024x512", "--db", "tuned.db"))
        self.assertEqual([self.mode(name) for name in ("new.db", "tuned.db")], ["delete", "delete"])
        self.assertEqual(self.beside(), [])

    def test_the_log_is_used_where_memory_is_shared(self):
        self.run_well({}, "import", self.foreign, "--db", "a.db")
        self.assertEqual(self.mode("a.db"), "wal")

    def test_a_database_with_a_log_that_was_brought_there_is_read_and_leaves_it_when_it_is_written(self):
        self.run_well({}, "import", self.foreign, "--db", "a.db")
        before = self.run_well({}, "dump", "--db", "a.db")
        self.assertEqual(self.run_well(NO_MEMORY, "dump", "--db", "a.db"), before)
        self.assertEqual(self.mode("a.db"), "wal")
        self.run_well(NO_MEMORY, "import", self.foreign, "--name", "other", "--db", "a.db")
        self.assertEqual(self.mode("a.db"), "delete")
        self.assertTrue(set(before.splitlines()) < set(self.run_well(NO_MEMORY, "dump", "--db", "a.db").splitlines()))
        self.assertEqual(self.beside(), [])

    def test_a_log_that_was_not_brought_in_is_said_to_a_reader_and_brought_in_by_a_writer(self):
        self.run_well({}, "import", self.foreign, "--db", "was.db")
        with closing(sqlite3.connect(self.path("was.db"), isolation_level=None)) as store:
            store.execute("UPDATE trial SET log = 'in the log'")
            for ending in ("", "-wal"):
                shutil.copy(self.path("was.db" + ending), self.path("a.db" + ending))
        result = self.run_faulty(NO_MEMORY, "dump", "--db", "a.db")
        self.assertEqual(result.code, 4, result)
        self.assertIn("its log a.db-wal must be brought in first, and the file system has no shared memory", result.err)
        self.run_well(NO_MEMORY, "import", self.foreign, "--name", "other", "--db", "a.db")
        self.assertIn("in the log", self.run_well(NO_MEMORY, "dump", "--db", "a.db"))

    @unittest.skipUnless(shutil.which("bindfs") and os.path.exists("/dev/fuse"), "there is no bindfs here")
    def test_on_a_real_one(self):
        for name in ("behind", "mounted"):
            os.mkdir(self.path(name))
        if subprocess.run(["bindfs", "-o", "direct_io", self.path("behind"), self.path("mounted")], capture_output=True,
                          check=False).returncode:
            self.skipTest("bindfs may not mount here")
        self.addCleanup(subprocess.run, ["umount", self.path("mounted")], check=True)
        self.run_well({}, "import", self.foreign, "--db", "mounted/a.db")
        self.run_well({}, "merge", "mounted/a.db", self.lab.data("db/winners/h200_permute.jsonl.gz"))
        self.assertEqual(os.listdir(self.path("behind")), ["a.db"])
        self.assertEqual(self.mode("behind/a.db"), "delete")


class WithoutLocks(FileSystem):
    def refused(self, number, words, *command):
        result = self.run_faulty({"AT_FAULT": "locks:1:on", "AT_FAULT_ERRNO": str(number)}, *command)
        self.assertEqual(result.code, 4, result)
        self.assertIn(f"{words}; its file system has no locks", result.err)
        self.assertNotIn("full", result.err)
        self.assertNotIn("locked by another process", result.err)
        self.assertLess(result.seconds, LOCK_WAIT_S, "nobody's lock was waited for")
        self.assertEqual(self.beside(), [])

    def test_it_is_said_at_once(self):
        self.run_well({}, "import", self.foreign, "--db", "there.db")
        for command in (("import", self.foreign, "--db", "a.db"), ("dump", "--db", "there.db"), ("merge", "there.db", "there.db")):
            with self.subTest(command=command):
                self.refused(errno.ENOLCK, "it cannot be locked: No locks available", *command)

    def test_so_are_other_words_of_the_system_for_it(self):
        for number in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
            with self.subTest(errno=errno.errorcode[number]):
                self.refused(number, os.strerror(number), "import", self.foreign, "--db", "a.db")


class WithFewDescriptors(FileSystem):
    def test_the_limit_is_named(self):
        for limit in (4, 5):  # 3: the program cannot be loaded
            result = self.lab.finish(self.lab.start([self.lab.program, "import", self.foreign, "--db", "a.db"], self.folder,
                                                    preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))))
            self.assertEqual(result.code, 4, result)
            self.assertIn("Too many open files; raise the limit of open files (`ulimit -n`)", result.err)


if __name__ == "__main__":
    unittest.main()
