#!/usr/bin/env python3
"""templates/own_kernel*.md, command by command: those that need no GPU give the output that the page shows; those that
need one give output of its shape on the scripted driver of tests/e2e, which computes the page's kernel on the CPU.

    tests/python/test_guide.py BUILD        exit code 77, which skips: there is no NVRTC
"""
import importlib.machinery
import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "templates" / page for page in ("own_kernel.md", "own_kernel_checked.md", "own_kernel_used.md")]
SHAPES = [ROOT / "templates" / page for page in ("shapes_elementwise.md", "shapes_sums.md", "shapes_matrices.md",
                                                 "shapes_scattered.md", "shapes_of_kernels.md")]
BUILD = Path(sys.argv.pop()).resolve() if len(sys.argv) > 1 else ROOT / "build"
NOT_RUN = "[not run yet: tools/guide, on a GPU]"
SMALL = [("4096x4096", "16x16"), ("4096, 4096", "16, 16"), ("native", "sm_90"),
         ("autotune tune", "autotune tune --max-trials 8")]
# Compiling all that the page counts takes 6 s.
ALL = "autotune check blur 4096x4096 --templates kernels"


def load(path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


guide = load(ROOT / "tools/guide")

# What `check` says to who waits for long.
WAITING = re.compile(r"\d+ kernels, \d+ failed, \d+ a second; sm_")


def masked(line):
    """What must be the same wherever a page was made: no numbers, no units of time, blanks as one."""
    line = re.sub(r"[0-9]+(\.[0-9]+)?", "N", line)
    return re.sub(r"\s+", " ", re.sub(r"\bN (s|ms|us|ns)\b", "N s", line)).strip()


def shape(lines):
    """How an output that depends on the device begins, line by line; left out is what tells of progress, and the clocks
    and temperatures that only NVML knows."""
    return [masked(line).split(" ")[:2] for line in lines
            if not re.match(r"GPU \d|\d+ of \d+ problems |.* trials?[,;] |  conditions ", line)]


def small(text):
    """The same for a problem that a CPU has done soon, and a compiler without a GPU."""
    for large, little in SMALL:
        text = text.replace(large, little)
    return text


class Page(unittest.TestCase):
    """One run of all pages, in an empty folder."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.real = guide.environment(guide.install(BUILD, cls.scratch.name), cls.scratch.name)
        cls.scripted = {**cls.real, "LD_LIBRARY_PATH": f"{BUILD}/tests/e2e/driver:{cls.real['LD_LIBRARY_PATH']}"}

    def check_here(self, block):
        for command, shown in block.commands():
            some = f"{command} --sample 8" if command == ALL else command
            got = [line for line in guide.run(some, self.folder.name, self.real) if not WAITING.match(line)]
            self.assertEqual([masked(line) for line in got], [masked(line) for line in shown], command)

    def check_shape(self, block):
        for command, shown in block.commands():
            got = guide.run(small(command), self.folder.name, self.scripted)
            self.assertFalse(got and guide.EXIT.match(got[-1]), f"{command}\n" + "\n".join(got))
            if shown != [NOT_RUN]:
                self.assertEqual(shape(got), shape(shown), command)

    def check_compiles(self, block):
        for command, _ in block.commands():
            if command.startswith("nvcc ") and guide.has_nvcc():
                self.assertEqual(guide.run(small(command), self.folder.name, self.real), [], command)

    def test_every_command_does_what_the_page_shows(self):
        for page, block in ((page, block) for page in PAGES for block in guide.blocks(page.read_text(encoding="utf-8"))):
            with self.subTest(page=page.name, line=block.begin):
                if block.file():
                    block.lines = [small(line) for line in block.lines]
                    guide.write_file(self.folder.name, block)
                elif "nvcc" in block.words:
                    self.check_compiles(block)
                elif "gpu" in block.words:
                    self.check_shape(block)
                elif block.language == "sh":
                    self.check_here(block)


class Shapes(unittest.TestCase):
    """templates/shapes_*.md: the drafts that they show are those that are written, and they compile."""

    maxDiff = None

    def test_drafts_are_what_the_page_shows(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
            variables = guide.environment(guide.install(BUILD, scratch), scratch)
            for page, block in ((page, block) for page in SHAPES for block in guide.blocks(page.read_text(encoding="utf-8"))):
                with self.subTest(page=page.name, line=block.begin):
                    if block.file():
                        guide.write_file(folder, block)
                        continue
                    for command, shown in block.commands():
                        got = guide.run(command, folder, variables)
                        self.assertEqual([masked(line) for line in got], [masked(line) for line in shown], command)


class Guide(unittest.TestCase):
    """tools/guide itself."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def update(self, text, *options):
        (self.root / "page.md").write_text(text, encoding="utf-8")
        command = [ROOT / "tools/guide", self.root / "page.md", self.root / "new", "--build", BUILD, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done, (self.root / "page.md").read_text(encoding="utf-8")

    def test_outputs_are_put_into_the_page(self):
        done, page = self.update("# A\n```sh\n$ cat a\nold\n$ echo 1 \\\n  2\n$ true\nold\n```\n"
                                 "b\n```c a\nx\n```\n```sh\n$ cat a\n```\n")
        self.assertEqual(page, "# A\n```sh\n$ cat a\ncat: a: No such file or directory\n[exit 1]\n"
                               "$ echo 1 \\\n  2\n1 2\n$ true\n```\n"
                               "b\n```c a\nx\n```\n```sh\n$ cat a\nx\n```\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("[exit 1]: cat a", done.stderr)

    def test_a_failure_that_the_page_shows_is_meant(self):
        done, page = self.update("```sh\n$ echo no; exit 3\nyes\n[exit 2]\n```\n")
        self.assertEqual((done.returncode, page), (0, "```sh\n$ echo no; exit 3\nno\n[exit 3]\n```\n"))

    def test_what_needs_a_gpu_is_left_as_it_is(self):
        text = "```sh gpu\n$ touch here\nold\n```\n"
        done, page = self.update(text, "--no-gpu")
        self.assertEqual((done.returncode, page), (0, text))
        self.assertIn("line 1: not run: it needs a GPU", done.stderr)
        self.assertFalse((self.root / "new/here").exists())

    def test_a_build_that_is_not_whole_says_how_to_build_it(self):
        done, _ = self.update("", "--build", str(self.root))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"run `cmake --build {self.root}` first", done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_an_empty_folder_is_needed(self):
        (self.root / "new").mkdir()
        (self.root / "new/file").touch()
        done, _ = self.update("")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected an empty folder", done.stderr)


def has_nvrtc():
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([BUILD / "autotune", "check", "--only", "linear", "--shape", "64", "--dtype", "u8",
                               "--sample", "1", "--jobs", "1"], capture_output=True, check=False,
                              env={"HOME": cache, "XDG_CACHE_HOME": cache})
    return done.returncode == 0


if __name__ == "__main__":
    if not has_nvrtc():
        print("skipped: there is no NVRTC here")
        sys.exit(77)
    unittest.main()
