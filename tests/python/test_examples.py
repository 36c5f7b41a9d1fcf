"""test_examples.py - tools/examples/compare without a GPU: the driver and the process that times are the real ones, in a copy
of their folder; the program, the library, PyTorch's part of tools/comparison and the examples are stand-ins."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "tools", "examples")

# Of an example: what its module does when asked for peers.
GOOD = "return {'library': lambda: None, 'copy': lambda: None}"
SILENT = "import time\n    time.sleep(3600)"
CRASHING = "import os\n    os._exit(3)"
RAISING = "raise RuntimeError('no such library')"

MODULE = '''
NAME = "{name}"

def problems():
    return ["{name} 8x16 f32", "{name} 32x16 f32"]

def work(problem):
    return 1000, 2000

class Tensor:
    def numel(self): return 16
    def element_size(self): return 4
    def data_ptr(self): return 4096

def buffers(problem):
    return [Tensor(), Tensor()]

def peers(problem, buffers):
    {peers}

def check(problem, buffers):
    return "{wrong}"
'''

PROGRAM = '''#!/bin/sh
case "$*" in
*built_in*--templates*) echo "autotune: error: it has no templates" >&2; exit 1 ;;
esac
case "$2" in
*unlucky*) echo "autotune: error: nothing is right" >&2; exit 1 ;;
esac
echo "{\\"op\\":\\"$2\\",\\"template\\":\\"fast\\",\\"config\\":\\"N=1\\",\\"median_s\\":0.001}"
'''

TUNER = '''
import types

class Tuner:
    def __init__(self, database=None, templates=None, library=None):
        pass
    def prepare(self, op, sizes, dtype):
        return types.SimpleNamespace(template_name="fast", config="N=1", match="exact", why="")
    def run(self, op, sizes, dtype, buffers, stream):
        pass
'''

DEVICE = '''
class Device:
    name, l2_bytes = "NVIDIA Nothing", 100
    def __init__(self, index):
        pass
    def sync(self):
        pass
    def sweep(self, touched, sets):
        return None

class Batch:
    wall, count = False, 1
    def __init__(self, work, launch, min_seconds):
        launch(0)
    def start(self):
        pass
    def seconds(self):
        return 0.002
'''

TORCH = '''
import types
__version__ = "0.0"
version = types.SimpleNamespace(cuda="0")
cuda = types.SimpleNamespace(mem_get_info=lambda: (1 << 30, 1 << 30), synchronize=lambda: None, empty_cache=lambda: None,
                             current_stream=lambda: types.SimpleNamespace(cuda_stream=0))
'''


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Compare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="autotune-examples-")
        self.addCleanup(shutil.rmtree, self.folder)
        tools = os.path.join(self.folder, "tools")
        for name in ("compare", "peers/__init__.py", "peers/race.py"):
            os.makedirs(os.path.join(tools, "examples", "peers"), exist_ok=True)
            shutil.copy(os.path.join(EXAMPLES, name), os.path.join(tools, "examples", name))
        for name in ("__init__.py", "race.py", "results.py", "problems.py"):
            os.makedirs(os.path.join(tools, "comparison"), exist_ok=True)
            shutil.copy(os.path.join(ROOT, "tools", "comparison", name), os.path.join(tools, "comparison", name))
        write(os.path.join(tools, "comparison", "device.py"), DEVICE)
        write(os.path.join(tools, "python", "autotune", "__init__.py"), TUNER)
        write(os.path.join(tools, "torch.py"), TORCH)
        write(os.path.join(self.folder, "build", "autotune"), PROGRAM)
        os.chmod(os.path.join(self.folder, "build", "autotune"), 0o755)
        self.out = os.path.join(self.folder, "out")

    def example(self, name, peers=GOOD, wrong=""):
        examples = os.path.join(self.folder, "tools", "examples")
        write(os.path.join(examples, name, "op.cu"), "")
        write(os.path.join(examples, "peers", name + ".py"), MODULE.format(name=name, peers=peers, wrong=wrong))

    def compare(self, *arguments):
        """(exit code, table, document)."""
        command = [sys.executable, os.path.join(self.folder, "tools", "examples", "compare"), self.out, "--seconds", "0.01",
                   *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        if done.returncode == 2:
            return 2, done.stderr, None
        with open(os.path.join(self.out, "examples.md"), encoding="utf-8") as file:
            table = file.read()
        with open(os.path.join(self.out, "examples.json"), encoding="utf-8") as file:
            return done.returncode, table, json.load(file)

    def test_launches_go_through_64_l2_sizes_of_what_they_touch_not_of_what_lies_there(self):
        table = MODULE.replace("return 1000, 2000", "return 640, 0").replace("return 16", "return 250000")
        self.example("good")
        write(os.path.join(self.folder, "tools", "examples", "peers", "good.py"), table.format(name="good", peers=GOOD, wrong=""))
        _, _, document = self.compare()
        self.assertEqual([problem["raced"]["sets"] for problem in document["problems"]], [10, 10])

    def test_ours_and_every_peer_have_a_row_with_time_and_rates(self):
        self.example("good")
        code, table, document = self.compare()
        self.assertEqual(code, 0)
        self.assertIn("| good 8x16 f32 | autotune | 2000.0 | 0 | 0 | 100 % | fast N=1 |", table)
        self.assertIn("| good 8x16 f32 | library | 2000.0 |", table)
        self.assertIn("| good 32x16 f32 | copy | 2000.0 |", table)
        self.assertEqual(document["conditions"]["device"], "NVIDIA Nothing")

    def test_an_operation_of_the_program_itself_is_compared_where_it_is_named(self):
        self.example("good")
        self.example("built_in")
        os.rename(os.path.join(self.folder, "tools", "examples", "built_in"), os.path.join(self.folder, "built_in"))
        write(os.path.join(self.folder, "templates", "built_in", "op.cu"), "")
        write(os.path.join(self.folder, "templates", "without_peers", "op.cu"), "")
        code, table, _ = self.compare("built_in")
        self.assertEqual(code, 0, table)
        self.assertIn("| built_in 8x16 f32 | library | 2000.0 |", table)
        code, table, _ = self.compare()
        self.assertNotIn("built_in", table)
        code, table, _ = self.compare("without_peers")
        self.assertEqual(code, 2)
        self.assertIn("expected good built_in", table)

    def test_an_example_that_raises_crashes_or_hangs_does_not_stop_the_others(self):
        for name, peers in (("a_raising", RAISING), ("b_crashing", CRASHING), ("c_silent", SILENT), ("d_good", GOOD)):
            self.example(name, peers)
        asked = [word for name in ("a_raising", "b_crashing", "c_silent", "d_good") for word in ("--problems", name + " 8x16 f32")]
        code, table, _ = self.compare("--timeout", "10", *asked)
        self.assertEqual(code, 1)
        self.assertIn("| a_raising 8x16 f32 | failed | | | | | timing: RuntimeError: no such library |", table)
        self.assertIn("| b_crashing 8x16 f32 | failed | | | | | timing: its process ended |", table)
        self.assertIn("| c_silent 8x16 f32 | failed | | | | | timing: no answer in 10 s |", table)
        self.assertIn("| d_good 8x16 f32 | autotune | 2000.0 |", table)

    def test_a_module_that_cannot_be_loaded_is_told_and_the_others_go_on(self):
        self.example("good")
        self.example("broken")
        write(os.path.join(self.folder, "tools", "examples", "peers", "broken.py"), "import nothing_of_that_name\n")
        code, table, document = self.compare()
        self.assertEqual(code, 1)
        self.assertIn("nothing_of_that_name", document["failures"]["broken"])
        self.assertIn("| good 8x16 f32 | autotune |", table)

    def test_a_wrong_result_is_a_failure(self):
        self.example("wrong", wrong="off by 7")
        code, table, _ = self.compare()
        self.assertEqual(code, 1)
        self.assertIn("result: off by 7", table)

    def test_a_problem_that_cannot_be_tuned_says_what_the_program_said(self):
        self.example("unlucky")
        code, table, _ = self.compare()
        self.assertEqual(code, 1)
        self.assertIn("tune: exit code 1: autotune: error: nothing is right", table)

    def test_problems_on_the_command_line_replace_those_of_their_example_and_leave_out_the_others(self):
        self.example("good")
        self.example("other")
        code, _, document = self.compare("--problems", "good 1x2 f32")
        self.assertEqual((code, [row["problem"] for row in document["problems"]]), (0, ["good 1x2 f32"]))

    def test_with_a_limit_the_first_problems_of_all_examples_come_first(self):
        self.example("a")
        self.example("b")
        _, _, document = self.compare("--max-seconds", "100")
        self.assertEqual([row["problem"] for row in document["problems"]],
                         ["a 8x16 f32", "b 8x16 f32", "a 32x16 f32", "b 32x16 f32"])

    def test_the_first_problems_of_each_example_can_be_enough(self):
        self.example("a")
        self.example("b")
        _, _, document = self.compare("--first", "1")
        self.assertEqual([row["problem"] for row in document["problems"]], ["a 8x16 f32", "b 8x16 f32"])

    def test_an_example_that_is_none_is_named_with_those_that_are(self):
        self.example("good")
        code, text, _ = self.compare("bad")
        self.assertEqual(code, 2)
        self.assertIn("found 'bad'; expected good", text)


class Modules(unittest.TestCase):
    """The real ones, as far as they go without a GPU."""

    def test_every_example_has_a_module_whose_problems_are_of_its_own_operation(self):
        sys.path.insert(0, EXAMPLES)
        for name in sorted(os.listdir(EXAMPLES)):
            if not os.path.exists(os.path.join(EXAMPLES, name, "op.cu")):
                continue
            with self.subTest(name):
                module = importlib.import_module("peers." + name)
                self.assertEqual(module.NAME, name)
                for problem in module.problems():
                    self.assertRegex(problem, "^" + re.escape(name) + " [0-9x]+ [a-z0-9]+$")
                    self.assertEqual(len(module.work(problem)), 2)


class Plot(unittest.TestCase):
    def plot(self, problems):
        """(exit code, picture, messages)."""
        with tempfile.TemporaryDirectory(prefix="autotune-plot-") as folder:
            path = os.path.join(folder, "examples.json")
            write(path, json.dumps({"conditions": {"device": "NVIDIA Nothing"}, "failures": {}, "problems": problems}))
            done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "plot"), path], capture_output=True, text=True, timeout=240, check=False)
            return done.returncode, done.stdout, done.stderr

    @staticmethod
    def raced(text, **seconds):
        times = {label: {"seconds": each} for label, each in seconds.items()}
        return {"example": text.split()[0], "problem": text, "bytes": 1e8, "raced": {"times": times, "wrong": ""}}

    def test_each_problem_is_a_point_at_its_share_of_the_copy_and_odd_rows_have_a_panel(self):
        code, picture, _ = self.plot([self.raced("cast_transpose 64x128 bf16", autotune=2e-5, copy=1e-5, Triton=4e-5),
                                      self.raced("cast_transpose 63x129 bf16", autotune=2e-5, copy=1.5e-5)])
        self.assertEqual(code, 0)
        self.assertIn("cast_transpose 64x128 bf16: autotune 50.0 % of copy", picture)
        self.assertIn("cast_transpose 64x128 bf16: Triton 25.0 % of copy", picture)
        self.assertIn("cast_transpose 63x129 bf16: autotune 75.0 % of copy", picture)
        self.assertIn(">cast_transpose, odd<", picture)

    def test_rows_by_an_index_stand_by_how_long_a_row_is(self):
        times = {"autotune": 2e-5, "copy": 1e-5}
        code, picture, _ = self.plot([self.raced("gather_rows 9x9x100 i64", **times), self.raced("gather_rows 9x9x1000 i32", **times),
                                      self.raced("scatter_rows 9x1000 i64", **times)])
        self.assertEqual(code, 0)
        self.assertIn("by bytes of a row", picture)
        places = re.findall('<circle cx="([0-9.]+)"[^>]*><title>', picture)
        grid = re.findall('<text x="([0-9.]+)" y="[0-9.]+" class="small middle">(100 B|1 kB)</text>', picture)
        self.assertEqual(dict((name, x) for x, name in grid[:2]), {"100 B": places[0], "1 kB": places[1]})

    def test_without_a_copy_beside_it_nothing_is_plotted(self):
        code, picture, said = self.plot([self.raced("sum 100 f32", autotune=2e-5)])
        self.assertEqual((code, picture), (1, ""))
        self.assertIn("no problem that was timed beside a copy", said)


if __name__ == "__main__":
    unittest.main()
