"""What is in tools/packages: the steps of the GitHub Action, as a runner executes them, on a replay of an H200; the recipe's
version; where they are installed, the schemas of both. usage: test_packages.py AUTOTUNE RECORDING"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "tools/packages"
AUTOTUNE, RECORDING = (Path(name).resolve() for name in sys.argv[1:3])
del sys.argv[1:]
ACTION = (PACKAGES / "action/action.yml").read_text()


def has(module):
    return importlib.util.find_spec(module) is not None


class Action(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = Path(folder.name)
        (cls.made / "shapes.txt").write_text("4096x4096 u8\n4096x4096 f16\n")
        subprocess.run([AUTOTUNE, "tune", "--device", f"replay:{RECORDING}", "--shapes", "shapes.txt", "--db", "stored.db", "--quiet"],
                       cwd=cls.made, env={**os.environ, "HOME": folder.name, "AUTOTUNE_NO_SHIPPED": "1"}, check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.runner = {"RUNNER_TEMP": str(self.folder / "temporary"), "HOME": str(self.folder), "AUTOTUNE_NO_SHIPPED": "1",
                       **{name: str(self.folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_PATH")},
                       "PATH": f"{AUTOTUNE.parent}:{os.environ['PATH']}"}
        Path(self.runner["RUNNER_TEMP"]).mkdir()
        for name in ("shapes.txt", "stored.db"):
            shutil.copy(self.made / name, self.folder)

    def run_in(self, words, **more):
        return subprocess.run(words, cwd=self.folder, env={**self.runner, **more}, capture_output=True, text=True, check=False)

    def autotune(self, *words):
        done = self.run_in([AUTOTUNE, *words])
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, stored):
        """The step that verifies and compares, with `bash` as GitHub calls it."""
        step = ACTION[ACTION.index("id: check"):]
        words = textwrap.dedent(re.search(r"run: \|\n((?: {8}.*\n|\n)+)", step)[1])
        return self.run_in(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", words], BEFORE=stored, SHAPES="shapes.txt",
                           TEMPLATES="", DEVICE=f"replay:{RECORDING}", TOLERANCE="5")

    def dump(self, change):
        lines = self.autotune("dump", "--db", "stored.db").splitlines()
        (self.folder / "stored.jsonl").write_text("\n".join(map(change, lines)) + "\n")

    def test_winners_that_hold_pass_and_are_in_the_summary(self):
        done = self.check("stored.db")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        summary = Path(self.runner["GITHUB_STEP_SUMMARY"]).read_text()
        self.assertIn("## autotune verify: exit code 0", summary)
        self.assertIn("2 problems in common: 0 slower", summary)
        outputs = dict(line.split("=", 1) for line in Path(self.runner["GITHUB_OUTPUT"]).read_text().splitlines())
        self.assertIn("<!DOCTYPE html>", Path(outputs["report"]).read_text())
        self.assertIn("4096x4096", self.autotune("query", "4096x4096", "u8", "--db", outputs["database"]))

    def test_a_problem_that_was_faster_once_fails_with_the_code_of_compare(self):
        self.dump(lambda line: re.sub(r'"(median|min)_s":([0-9.e-]+)', lambda m: f'"{m[1]}_s":{float(m[2]) / 2}', line)
                  if '"kind":"winner"' in line else line)
        done = self.check("stored.jsonl")
        self.assertEqual(done.returncode, 13, done.stdout + done.stderr)

    def test_a_database_that_is_none_fails_before_anything_is_measured(self):
        (self.folder / "stored.jsonl").write_text("nothing\n")
        done = self.check("stored.jsonl")
        self.assertNotIn(done.returncode, (0, 13))
        self.assertIn("stored.jsonl: neither a database nor a dump", done.stderr)

    @unittest.skipUnless(has("check_jsonschema"), "check-jsonschema is not installed")
    def test_it_and_its_workflow_are_what_github_reads(self):
        (self.folder / "workflow.yml").write_text(re.search(r"```yaml\n(.*?)```", (PACKAGES / "README.md").read_text(), re.S)[1])
        for schema, file in (("actions", PACKAGES / "action/action.yml"), ("workflows", self.folder / "workflow.yml")):
            done = self.run_in([sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{schema}", file])
            self.assertEqual(done.returncode, 0, done.stdout)


class Recipe(unittest.TestCase):
    def test_it_has_the_version_of_the_sources(self):
        version = re.search(r"project\(autotune VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertIn(f'version: "{version}"', (PACKAGES / "conda/recipe.yaml").read_text())

    @unittest.skipUnless(has("rattler_build"), "py-rattler-build is not installed")
    def test_rattler_build_reads_it(self):
        import rattler_build
        recipe = rattler_build.Stage0Recipe.from_file(PACKAGES / "conda/recipe.yaml")
        variants = rattler_build.VariantConfig.from_yaml("c_compiler: [gcc]\nc_stdlib: [sysroot]\npython: ['3.12']\n")
        for platform in ("linux-64", "linux-aarch64"):
            config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform=platform))
            self.assertEqual([str(variant.recipe.package.name) for variant in recipe.render(variants, config)], ["cuda-autotune"])


class Debian(unittest.TestCase):
    def test_the_maintainer_has_a_name_and_an_address(self):
        for given, expected in (({}, "the authors of autotune <autotune@packages.invalid>"),
                                ({"DEBEMAIL": "ann@example.org"}, "the authors of autotune <ann@example.org>"),
                                ({"DEBEMAIL": "ann@example.org", "DEBFULLNAME": "Ann Other"}, "Ann Other <ann@example.org>")):
            with tempfile.TemporaryDirectory() as folder:
                kept = {name: value for name, value in os.environ.items() if name not in ("DEBEMAIL", "DEBFULLNAME")}
                subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DAT_TESTS=OFF", "-DAT_MPI=OFF"], env={**kept, **given},
                               capture_output=True, check=True)
                said = re.search(r'CPACK_PACKAGE_CONTACT "(.*)"', (Path(folder) / "CPackConfig.cmake").read_text())
            self.assertEqual(said[1], expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
