"""`pip install .` into a fresh virtual environment: the program in its bin/, the module with its library, the winners
that come along, NVRTC from NVIDIA's wheel; and in it tools/python/first_minutes.md, command by command: what needs a GPU
on the driver of tests/e2e, the model on the CPU where there is a PyTorch. And `pip install -e .` into another.
AUTOTUNE_TEST_VENV: an environment that these sources were installed into, to test in place of a new one; its file `sources`
holds what `test_wheel.py --sources` printed then.
usage: test_wheel.py AUTOTUNE      exit code 77, which skips: pip cannot fetch the build backend"""
import ast
import hashlib
import importlib.machinery
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AUTOTUNE = sys.argv.pop()
PAGE = ROOT / "tools/python/first_minutes.md"
SMALL = [("autotune 4096x4096 f32", "autotune 64x64 f32 --max-trials 8"), ("4096x4096", "64x64"), ("native", "sm_90")]
LIMIT_S = 300  # for each of the page's parts
SMALL_CHECK = ["check", "--only", "linear", "--shape", "64", "--dtype", "u8", "--sample", "1", "--jobs", "1"]  # two kernels
DOWNLOAD = ["-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet", "--no-deps", "--retries", "1",
            "--timeout", "20"]
PIP = ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]


def load(path):
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


guide = load(ROOT / "tools/guide")


SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "db", "include", "templates", "tools/find_cuda.cmake",
           "tools/python/autotune", "tools/python/build_wheel.py", "tuner")


def digest_of(root):
    """Of all files that a wheel is made of."""
    found = [path for name in SOURCES for path in ([root / name] if (root / name).is_file() else (root / name).rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts]
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(f"{path.relative_to(root)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def check_sources(venv, root=ROOT):
    note = venv / "sources"
    found = note.read_text().strip() if note.is_file() else "none"
    expected = digest_of(root)
    if found != expected:
        raise AssertionError(f"AUTOTUNE_TEST_VENV: {note}: found sources {found[:12]}; expected {expected[:12]}, these: install them "
                             f"with {venv}/bin/pip install ., then {Path(__file__).name} --sources >{note}")


def masked(lines):
    """What does not depend on the machine, without what tells of progress and how long it took."""
    lines = [line for line in lines if not re.match(r"GPU \d|.* trials; ", line) and not guide.TOOK.match(line)]
    return [re.sub(r"\s+", " ", re.sub(r"[0-9]+(\.[0-9]+)?", "N", line)).strip().split(" ")[:2] for line in lines]


def run(*command, **more):
    """(exit code, stdout, stderr), in an empty home and without what this build has."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOTUNE") and k != "PYTHONPATH"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**kept, **Wheel.home, **more})
    return done.returncode, done.stdout, done.stderr


class Sources(unittest.TestCase):
    def test_an_environment_of_other_sources_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            venv, root = Path(name) / "venv", Path(name) / "root"
            (root / "tuner").mkdir(parents=True)
            venv.mkdir()
            (root / "tuner/one.c").write_text("1")
            self.assertRaisesRegex(AssertionError, "found sources none; expected .*, these", check_sources, venv, root)
            (venv / "sources").write_text(digest_of(root) + "\n")
            check_sources(venv, root)
            (root / "tuner/__pycache__").mkdir()
            (root / "tuner/__pycache__/one.pyc").write_text("made by a test")
            check_sources(venv, root)
            (root / "tuner/one.c").write_text("2")
            self.assertRaisesRegex(AssertionError, "install them", check_sources, venv, root)


class Wheel(unittest.TestCase):
    """One environment for all tests."""

    home = {}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        given = os.environ.get("AUTOTUNE_TEST_VENV")
        cls.venv = Path(given) if given else cls.make_environment("venv")
        if given:
            check_sources(cls.venv)
        cls.bin = cls.venv / "bin"
        if not given:
            code, _, said = run(cls.bin / "python", *DOWNLOAD, "-d", cls.folder / "downloaded", "scikit-build-core>=0.12")
            cls.need(code, said, "network: pip cannot fetch scikit-build-core")
            cls.install(cls.bin, cls.clone())
        home = str(cls.folder / "home")
        cls.home = {"HOME": home, "XDG_DATA_HOME": home, "XDG_CACHE_HOME": home, "CUDA_VISIBLE_DEVICES": ""}
        cls.site = next((cls.venv / "lib").glob("python3*/site-packages"))

    @classmethod
    def make_environment(cls, name):
        code, _, said = run(sys.executable, "-m", "venv", cls.folder / name)
        cls.need(code, said, "python3 -m venv (Debian: python3-venv)")
        return cls.folder / name

    @classmethod
    def clone(cls):
        """These sources as in a fresh clone, where nothing was built."""
        if not (cls.folder / "clone").exists():
            shutil.copytree(ROOT, cls.folder / "clone", symlinks=True, ignore=lambda folder, names: [
                name for name in names if Path(folder) == ROOT and (name.startswith("build") or name == ".git")])
        return cls.folder / "clone"

    @classmethod
    def install(cls, to, *what):
        """Without what else it needs to run: that is large. A compiler's cache takes the clone's files for ours."""
        code, _, said = run(to / "python", *PIP, "--no-deps", *what, CCACHE_BASEDIR=f"{cls.folder}/clone")
        if code:
            raise AssertionError(said)

    @classmethod
    def need(cls, code, said, what):
        if code:
            print(f"skipped: no {what}\n{said[-500:]}", file=sys.stderr)
            cls.doClassCleanups()
            sys.exit(77)

    def test_the_program_is_on_the_path_and_has_the_winners(self):
        code, version, said = run(self.bin / "autotune", "--version")
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(version, run(AUTOTUNE, "--version")[1])
        code, winner, said = run(self.bin / "autotune", "query", "4096x4096", "f32")
        self.assertEqual(code, 0, said)
        self.assertEqual(winner, run(AUTOTUNE, "query", "4096x4096", "f32")[1])
        self.assertEqual(run(self.bin / "python", "-m", "autotune", "query", "4096x4096", "f32")[1], winner)

    def test_the_module_answers_from_its_own_library(self):
        code, seen, said = run(self.bin / "python", "-c", "import autotune; found = autotune.find('transpose', (4096, 4096), "
                               "'f32'); print(found, found.origin); print(autotune._native.library_path())")
        self.assertEqual(code, 0, said)
        self.assertRegex(seen, r"^<autotune\.Found transpose 4096x4096 f32 on NVIDIA \w+: exact, .*> shipped with autotune\n")
        self.assertEqual(seen.splitlines()[-1], str(self.site / "autotune/libautotune.so"))

    def test_a_c_program_finds_the_headers(self):
        code, folder, said = run(self.bin / "python", "-c", "import autotune; print(autotune.get_include())")
        self.assertEqual(code, 0, said)
        self.assertEqual(folder.strip(), str(self.site / "autotune/include"))
        self.assertTrue((self.site / "autotune/include/autotune/autotune.h").is_file())

    @unittest.skipUnless(shutil.which("pkg-config"), "no pkg-config")
    def test_pkg_config_has_what_a_c_program_needs_of_the_wheel(self):
        source, program = self.folder / "version.c", self.folder / "version"
        source.write_text("#include <autotune/autotune.h>\n#include <stdio.h>\nint main(void) { return puts(at_version()) < 0; }\n")
        code, flags, said = run("pkg-config", "--cflags", "--libs", "autotune", PKG_CONFIG_PATH=self.site / "autotune/pkgconfig")
        self.assertEqual(code, 0, said)
        code, _, said = run("cc", source, "-o", program, *flags.split())
        self.assertEqual(code, 0, said)
        version = run(program, LD_LIBRARY_PATH=self.site / "autotune")[1]
        self.assertEqual(f"autotune {version}", run(AUTOTUNE, "--version")[1])

    @unittest.skipUnless(os.environ.get("AUTOTUNE_TEST_ALL"), "builds all once more: with tools/test --all")
    def test_an_editable_install_has_the_modules_sources_and_all_that_was_built(self):
        to = self.make_environment("editable") / "bin"
        self.install(to, "-e", self.clone())
        code, seen, said = run(to / "python", "-c", "import autotune; print(autotune.__file__); print(autotune.find("
                               "'transpose', (4096, 4096), 'f32').match); print(autotune._native.library_path())")
        self.assertEqual(code, 0, said)
        site = next((self.folder / "editable/lib").glob("python3*/site-packages"))
        self.assertEqual(seen.splitlines(), [str(self.folder / "clone/tools/python/autotune/__init__.py"), "exact",
                                             str(site / "autotune/libautotune.so")])
        self.assertEqual(run(to / "autotune", "--version")[1], run(AUTOTUNE, "--version")[1])

    def test_all_that_is_needed_is_in_it_and_nothing_else(self):
        files = {str(path.relative_to(self.site / "autotune")) for path in (self.site / "autotune").rglob("*")
                 if "__pycache__" not in str(path)}
        sources = {path.name for path in (ROOT / "tools/python/autotune").iterdir() if path.name != "__pycache__"}
        headers = {"include", "include/autotune", *(f"include/autotune/{path.name}" for path in (ROOT / "include/autotune").iterdir())}
        self.assertEqual(files, sources | headers | {"libautotune.so", "pkgconfig", "pkgconfig/autotune.pc"})
        self.assertIn("py.typed", files)

    def test_the_manual_page_and_completions_are_beside_the_program(self):
        share = self.venv / "share"
        for page in ("man/man1/autotune.1", "bash-completion/completions/autotune", "zsh/site-functions/_autotune",
                     "fish/vendor_completions.d/autotune.fish"):
            self.assertIn("autotune", (share / page).read_text())

    def test_the_page_of_the_first_minutes_does_what_it_shows(self):
        """The page's install is this environment; with a GPU's driver, and for a problem that a CPU has done soon."""
        folder, driver = self.folder / "page", Path(AUTOTUNE).resolve().parent / "tests/e2e/driver"
        folder.mkdir()
        own = {"PATH": f"{self.bin}:{os.environ['PATH']}", "XDG_DATA_HOME": f"{folder}/data", "XDG_CACHE_HOME": f"{folder}/cache"}
        kept = {k: v for k, v in os.environ.items() if not k.startswith("AUTOTUNE") and k != "PYTHONPATH"}
        for library in (Path(AUTOTUNE).resolve().parent / "cuda/lib64").glob("libnvrtc.so.*"):
            own["AUTOTUNE_NVRTC"] = str(library)  # of tools/setup, where there is no toolkit
        nvrtc = run(AUTOTUNE, *SMALL_CHECK)[0] == 0
        for block in guide.blocks(PAGE.read_text(encoding="utf-8")):
            here = {**kept, **self.home, **own, **({"LD_LIBRARY_PATH": str(driver)} if "gpu" in block.words else {})}
            left_out = ("network" in block.words or "nvcc" in block.words or ("gpu" in block.words and not nvrtc)
                        or ("torch" in block.words and not guide.has_torch(here)))
            if block.file():
                guide.write_file(folder, block)
                if block.language == "python":
                    ast.parse("\n".join(block.lines), block.file())
            elif block.language == "sh" and not left_out:
                self.as_shown(block, folder, here)

    def as_shown(self, block, folder, here):
        for command, shown in block.commands():
            small = command
            for large, little in SMALL if "gpu" in block.words else []:
                small = small.replace(large, little)
            got = guide.run(small, folder, here)
            with self.subTest(command):
                self.assertFalse(got and guide.EXIT.match(got[-1]), got)
                self.assertEqual(masked(got), masked(shown))

    def test_each_part_of_that_page_takes_less_than_five_minutes(self):
        for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
            with self.subTest(part.split("\n")[0]):
                self.assertLess(sum(float(took) for took in re.findall(r"^\[(\d+\.\d) s\]$", part, re.M)), LIMIT_S)

    def test_what_it_says_of_itself(self):
        info = next(self.site.glob("cuda_autotune-*.dist-info"))
        version = re.search(r"project\(autotune VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(info.name, f"cuda_autotune-{version}.dist-info")
        described = (info / "METADATA").read_text()
        self.assertNotIn("Requires-Dist: torch", described)
        for line in ("License-Expression: MIT", "License-File: LICENSE", "Author: the autotune authors",
                     "Classifier: Operating System :: POSIX :: Linux"):
            self.assertIn(line + "\n", described)
        for wheel in ("nvidia-cuda-nvrtc", "nvidia-cuda-runtime"):  # templates include headers of CUDA
            self.assertRegex(described, rf"Requires-Dist: {wheel}; extra == .nvrtc.")

    def test_program_and_module_take_nvrtc_from_the_environment(self):
        self.without_nvidias_wheels()
        for place in ("cu13", "cuda_nvrtc"):
            with self.subTest(place):
                library = self.site / "nvidia" / place / "lib/libnvrtc.so.13"
                library.parent.mkdir(parents=True)
                self.addCleanup(library.unlink, missing_ok=True)
                library.write_text("not a library")  # it is opened, and something else is taken
                for command in ([self.bin / "autotune", *SMALL_CHECK],
                                [self.bin / "python", "-c", "import autotune; autotune._driver.load_nvrtc()"]):
                    opened = run(*command, LD_DEBUG="files")[2]
                    self.assertIn(f"nvidia/{place}/lib/libnvrtc.so.13", opened)
                library.unlink()

    def without_nvidias_wheels(self):
        """Until the test ends."""
        folder, kept = self.site / "nvidia", self.site / "nvidia-kept"
        if folder.exists():
            folder.rename(kept)
            self.addCleanup(kept.rename, folder)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)


if __name__ == "__main__":
    if AUTOTUNE == "--sources":
        print(digest_of(ROOT))
        sys.exit(0)
    unittest.main(argv=sys.argv[:1])
