"""test_compare.py - tools/compare without a GPU: shapes, classes, turns, tables, plot, early ends, and what is said
when something is missing. PyTorch is replaced by a stand-in with no more than what the modules look up when imported."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUITE = os.path.join(ROOT, "tests", "data", "suite.txt")
COMPARE = os.path.join(ROOT, "tools", "compare")
sys.path.insert(0, os.path.join(ROOT, "tools"))

_torch = types.ModuleType("torch")
for _name in ("uint8", "int16", "int32", "int64", "complex128"):
    setattr(_torch, _name, _name)
_torch.__version__ = "0.0-none"
sys.modules["torch"] = _torch

from comparison import blas, peers, plot, problems, race, results, run, tensors, tiles  # noqa: E402


def problem(text):
    return problems.parse_problem(text)


def raised(call, *arguments):
    """The text of what the call raises."""
    try:
        call(*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


class Shapes(unittest.TestCase):
    def test_reads_what_autotune_reads(self):
        for text, expected in [("4096x4096", "4096x4096 f32"), ("4096 1024 f16", "4096x1024 f16"),
                               ("8x4096x128 bf16", "8x4096x128 bf16"), ("1x4096x128", "4096x128 f32"),
                               ("transpose 512 2048 u8", "512x2048 u8"), ("f64 8*16", "8x16 f64"),
                               ("4_096 X 1_024 double", "4096x1024 f64"), ("8,16;c128", "8x16 c128")]:
            with self.subTest(text):
                self.assertEqual(str(problem(text)), expected)

    def test_says_what_it_does_not_understand(self):
        self.assertIn("found 'u9'; expected sizes, a type", raised(problem, "512 2048 u9"))
        self.assertIn("found 'copy'", raised(problem, "copy 512 2048"))
        self.assertIn("found 1 sizes; expected", raised(problem, "512"))
        self.assertIn("found 4 sizes; expected", raised(problem, "1x2x3x4"))
        self.assertIn("all positive", raised(problem, "0x8"))
        self.assertIn("missing.txt", raised(problems.read_shapes, "missing.txt"))

    def test_reads_the_suite_in_its_order(self):
        suite = problems.read_shapes(SUITE)
        with open(SUITE, encoding="utf-8") as file:
            lines = [line.split()[:2] for line in file if line.strip() and not line.startswith("#")]
        self.assertEqual([str(found).split() for found in suite], lines)

    def test_reads_permutations_and_their_classes(self):
        for text, expected, turned, kind in [
                ("permute 8x2048x3x32x128 2,0,3,1,4 bf16", "8x2048x3x32x128 2,0,3,1,4 bf16", (3, 8, 32, 2048, 128), "rows"),
                ("permute 7264x4096 1,0", "7264x4096 1,0 f32", (4096, 7264), "turned"),
                ("permute 3x5x7 2,1,0 double", "3x5x7 2,1,0 f64", (7, 5, 3), "reversed"),
                ("permute 3x5x7 1,2,0 u8", "3x5x7 1,2,0 u8", (5, 7, 3), "turned")]:
            with self.subTest(text):
                found = problem(text)
                self.assertEqual((str(found), found.turned_sizes, found.kind), (expected, turned, kind))
        for text in ("permute", "permute 2x3", "permute 2x3 0,0", "permute 2x3 1,0,2", "permute 0x3 1,0", "permute 2x3 1,0 u9",
                     "permute 2x3 1,0 u8 u8", "permute 2xa 1,0"):
            with self.subTest(text):
                self.assertIn("expected sizes, the order of dimensions and a type, such as", raised(problem, text))

    def test_puts_each_problem_into_one_class(self):
        for text, kind in [("4096x4096 f32", "pow2"), ("14336x4096 bf16", "aligned"), ("8191x8193 u8", "odd"),
                           ("50257x768 f32", "odd"), ("2053x2063 c128", "aligned"), ("1000000x10 f16", "skinny"),
                           ("64x2048x49 f16", "batched"), ("512x512 u16", "small"), ("99999x2x2 f32", "small"),
                           ("1024x1024 f32", "small"), ("5000x50000 f32", "aligned")]:
            with self.subTest(text):
                self.assertEqual(problem(text).kind, kind)

    def test_the_suite_has_every_class_and_turns_begin_with_one_of_each(self):
        suite = problems.read_shapes(SUITE)
        turns = problems.by_turns(suite)
        kinds = [kind for kind in problems.CLASSES if kind not in problems.PERMUTED]
        self.assertEqual([found.kind for found in turns[:len(kinds)]], kinds)
        self.assertEqual(sorted(map(str, turns)), sorted(map(str, suite)))


class FakeBatch:
    """Times that were written down before; the clock moves by what a batch takes."""

    def __init__(self, clock, times, wall=False):
        self.clock, self.times, self.wall, self.starts = clock, list(times), wall, 0
        self.count, self.captured = 10, not wall

    def start(self):
        self.clock.events.append(self)
        self.clock.now += 0.1
        self.starts += 1

    def seconds(self):
        return self.times[(self.starts - 1) % len(self.times)]


class Clock:
    def __init__(self):
        self.now, self.events = 0.0, []

    def __call__(self):
        return self.now


class Race(unittest.TestCase):
    def run_race(self, seconds, **times):
        clock = Clock()
        batches = {name: FakeBatch(clock, values, name == "outside") for name, values in times.items()}
        samples = race.race(batches, lambda: None, seconds, random.Random(1), clock)
        return clock, batches, samples

    def test_every_round_has_all_in_changing_order_and_those_from_outside_last(self):
        clock, batches, _ = self.run_race(0, a=[1], b=[1], c=[1], outside=[1])
        rounds = [tuple(clock.events[i:i + 4]) for i in range(0, len(clock.events), 4)]
        self.assertEqual(len(rounds), race.MIN_ROUNDS + 1)
        for events in rounds:
            self.assertEqual(set(events), set(batches.values()))
            self.assertIs(events[3], batches["outside"])
        self.assertGreater(len(set(rounds)), 1)

    def test_the_first_round_does_not_count(self):
        _, _, samples = self.run_race(0, a=[100, *[1] * race.MIN_ROUNDS])
        self.assertEqual(samples["a"], [1] * race.MIN_ROUNDS)

    def test_goes_on_for_the_time_given_and_not_for_ever(self):
        self.assertEqual(len(self.run_race(1.2, a=[1])[2]["a"]), 11)
        self.assertEqual(len(self.run_race(1000, a=[1])[2]["a"]), race.MAX_ROUNDS)

    def test_describes_by_median_and_spread(self):
        self.assertEqual(race.describe([5, 1, 2, 3, 4]),
                         {"seconds": 3, "min_seconds": 1, "spread": 4 / 3, "rounds": 5})


def document():
    """Two problems, 1 MB each way in 1 us of copying; one library is not there, one is wrong once."""
    def row(name, kind, **found):
        return {"problem": name, "class": kind, "bytes": 1000000, "sets": 3,
                "ceiling": {"name": "memcpy", "seconds": 1e-6},
                "copies": {"memcpy": {"seconds": 1e-6, "spread": 0.01, "right": True}}, "results": found}

    def timed(seconds, right=True, **more):
        return {"seconds": seconds, "spread": 0.01, "right": right, **more}

    return {"conditions": {"device": "A <GPU>"},
            "libraries": {"autotune": {"title": "autotune", "version": "1"},
                          "torch": {"title": "PyTorch", "version": "2"},
                          "geam": {"title": "cuBLAS", "version": "3"},
                          "cupy": {"title": "CuPy", "skipped": "not installed: cupy"}},
            "problems": [row("100x10000 u8", "aligned", autotune=timed(1.25e-6, note="near", match="near"), torch=timed(2.5e-6),
                             geam={"skipped": "no elements of 1 bytes"}),
                         row("500x500 f32", "small", autotune=timed(2e-6), torch=timed(0.5e-6, right=False),
                             geam=timed(1.6e-6))],
            "stopped": "after 9 s: 2 of 3 problems"}


class Results(unittest.TestCase):
    def test_table(self):
        self.assertEqual(results.to_text(document()), """\
problem       class    copy  autotune  torch  geam   share   lead
100x10000 u8  aligned  2000     ~1600    800     -  80.0 %  2.00x
500x500 f32   small    2000      1000  WRONG  1250  50.0 %  0.80x

median share of copy  problems  autotune  torch  geam   lead  first or tied
small                 1             50 %      -  62 %  0.80x         0 of 1
aligned               1             80 %   40 %     -  2.00x         1 of 1
all                   2             65 %   40 %  62 %  1.40x         1 of 2

cupy (CuPy): skipped: not installed: cupy
geam: no elements of 1 bytes: 100x10000 u8
~ not tuned, so the kernel of another shape or a default: 100x10000 u8
ended early: after 9 s: 2 of 3 problems
""")

    def test_csv_has_a_line_a_problem_and_library(self):
        lines = results.to_csv(document()).splitlines()
        self.assertEqual(lines[0], "problem,class,bytes,library,seconds,gb_per_s,share_of_copy,spread,right,note")
        self.assertEqual(lines[2], "100x10000 u8,aligned,1000000,autotune,1.2500e-06,1600.0,0.8000,0.0100,yes,near")
        self.assertEqual(lines[4], "100x10000 u8,aligned,1000000,geam,,,,,,no elements of 1 bytes")
        self.assertEqual(lines[7], "500x500 f32,small,1000000,torch,5.0000e-07,4000.0,2.0000,0.0100,no,")

    def test_a_wrong_result_is_never_the_best(self):
        self.assertEqual(results.best_other(document()["problems"][1]), "geam")

    def test_nothing_measured_is_no_error(self):
        empty = {"conditions": {}, "libraries": {}, "problems": [], "stopped": "before the first problem"}
        self.assertEqual(results.to_text(empty), "ended early: before the first problem\n")
        ElementTree.fromstring(plot.to_svg(empty))

    def test_files_are_replaced_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            results.write_atomically(path, "old")
            results.write_atomically(path, results.to_json(document()))
            self.assertEqual(os.listdir(folder), ["r.json"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file), document())


class Plot(unittest.TestCase):
    def setUp(self):
        space = "{http://www.w3.org/2000/svg}"
        self.picture = ElementTree.fromstring(plot.to_svg(document()))
        self.points = {point.find(f"{space}title").text: (float(point.get("cx")), float(point.get("cy")))
                       for point in self.picture.iter(f"{space}circle") if point.find(f"{space}title") is not None}

    def test_has_a_point_for_each_right_result(self):
        self.assertEqual(sorted(self.points),
                         ["100x10000 u8: autotune 80.0 % of copy", "100x10000 u8: torch 40.0 % of copy",
                          "500x500 f32: autotune 50.0 % of copy", "500x500 f32: geam 62.5 % of copy"])

    def test_points_stand_where_their_values_are(self):
        x, high = self.points["100x10000 u8: autotune 80.0 % of copy"]
        same, low = self.points["100x10000 u8: torch 40.0 % of copy"]
        self.assertEqual(x, same)
        self.assertAlmostEqual(low - high, plot.PANEL_HEIGHT * 0.4 / plot.TOP_SHARE, delta=0.11)

    def test_permutations_stand_side_by_side_from_our_least_share_on(self):
        space, both = "{http://www.w3.org/2000/svg}", document()
        for row in both["problems"]:
            row["class"] = "reversed"
        picture = ElementTree.fromstring(plot.to_svg(both))
        self.assertNotIn("bytes", picture.find(f"{space}title").text)
        places = {point.find(f"{space}title").text[:7]: float(point.get("cx")) for point in picture.iter(f"{space}circle")
                  if point.find(f"{space}title") is not None}
        self.assertEqual(places, {"500x500": plot.LEFT + plot.PANEL_WIDTH / 4, "100x100": plot.LEFT + plot.PANEL_WIDTH * 3 / 4})

    def test_stays_inside_its_frame_and_escapes_names(self):
        width, height = (float(self.picture.get(name)) for name in ("width", "height"))
        for x, y in self.points.values():
            self.assertTrue(0 < x < width and 0 < y < height)
        self.assertIn("A <GPU>", self.picture.find("{http://www.w3.org/2000/svg}title").text)


class Refusals(unittest.TestCase):
    def test_geam_names_what_it_cannot_do(self):
        for text, reason in [("8x8 u8", "Skip: no elements of 1 bytes"), ("8x8 f16", "Skip: no elements of 2 bytes"),
                             ("2x8x8 f32", "Skip: no batches")]:
            work = types.SimpleNamespace(problem=problem(text))
            self.assertEqual(raised(blas.Geam().prepare, work), reason)

    def test_inductor_has_no_complex_numbers(self):
        work = types.SimpleNamespace(problem=problem("8x8 c128"))
        self.assertEqual(raised(peers.TorchCompile().prepare, work), "Skip: no code for complex128")

    def test_what_is_not_installed_is_named(self):
        for peer, module in [(peers.CuPy(), "cupy"), (peers.Jax(), "jax"), (peers.TorchCompile(), "torch._dynamo")]:
            hidden = sys.modules.get(module)
            sys.modules[module] = None
            try:
                self.assertRegex(raised(peer.open, None), rf"^Skip: not installed: {module}")
            finally:
                sys.modules.pop(module)
                if hidden:
                    sys.modules[module] = hidden

    def test_a_library_that_is_nowhere_is_named(self):
        self.assertEqual(raised(blas.load, "nowhereblas"), "Skip: not installed: libnowhereblas.so")


class Tiles(unittest.TestCase):
    def test_there_are_some_tens_of_configurations_for_large_problems(self):
        for text in ("4096x4096 u8", "4096x4096 f16", "4096x4096 f32", "4096x4096 f64", "4096x4096 c128"):
            self.assertTrue(20 <= len(tiles.configurations(problem(text))) <= 40, text)

    def test_there_is_one_for_every_problem_of_the_suite_within_shared_memory(self):
        for found in problems.read_shapes(SUITE):
            for matrices, rows, cols, _ in tiles.configurations(found):
                self.assertLessEqual(matrices * rows * cols * found.element_bytes, 32768, str(found))
                self.assertLess(matrices / 2, found.batch, str(found))
                self.assertLess(rows / 2, found.rows, str(found))
                self.assertLess(cols / 2, found.cols, str(found))

    def test_small_matrices_share_a_tile(self):
        self.assertIn((128, 4, 4, 4), tiles.configurations(problem("1000000x4x4 f32")))


class FakeWork:
    """Buffers without memory: whose output was written last decides whether it is right."""

    sets = 3

    def __init__(self, _device, found, _seed):
        self.problem, self.state = found, "poisoned"

    def poison(self, copy=False):
        self.state = "poisoned"

    def is_right(self, output=None, copy=False):
        return self.state == "right"


class FakePeer(peers.Peer):
    def __init__(self, name, outcome, seconds=1.0):
        self.name, self.title, self.outcome, self.time = name, name.title(), outcome, seconds

    def open(self, device):
        if self.outcome == "missing":
            raise peers.Skip("not installed: it")

    def prepare(self, work):
        if isinstance(self.outcome, Exception):
            raise self.outcome

        def launch(_i):
            work.state = self.outcome

        launch.seconds = self.time
        return peers.Prepared(launch, note="a note")


class Flow(unittest.TestCase):
    """The whole of run.py with stand-ins for the device's parts."""

    def setUp(self):
        self.clock, self.real, self.device = Clock(), run.gpu, types.SimpleNamespace(sync=lambda: None)
        run.gpu = types.SimpleNamespace(
            Work=FakeWork, Batch=lambda work, launch: FakeBatch(self.clock, [getattr(launch, "seconds", 0.5)]))

    def tearDown(self):
        run.gpu = self.real

    def compare(self, *libraries, of="4096x4096 f32"):
        comparison = run.Comparison(libraries, self.device, seconds=0)
        comparison._memcpy.prepare = lambda work: peers.Prepared(lambda i: setattr(work, "state", "right"))
        return comparison, comparison.measure(problem(of))

    def test_of_permutations_only_those_are_asked_that_can_do_them(self):
        able, unable = FakePeer("able", "right"), FakePeer("unable", "right")
        able.permutes = True
        _, row = self.compare(able, unable, of="permute 64x64x64 2,1,0")
        self.assertEqual((row["problem"], row["class"]), ("64x64x64 2,1,0 f32", "reversed"))
        self.assertEqual(row["results"]["able"]["right"], True)
        self.assertEqual(row["results"]["unable"], {"skipped": "only transposes"})

    def test_times_all_checks_all_and_gives_reasons_for_the_rest(self):
        comparison, row = self.compare(
            FakePeer("good", "right"), FakePeer("bad", "wrong", 0.7), FakePeer("gone", "missing"),
            FakePeer("picky", peers.Skip("no batches")), FakePeer("broken", ValueError("no\nmore")))
        self.assertEqual(comparison.libraries["gone"], {"title": "Gone", "skipped": "not installed: it"})
        self.assertEqual({name: (found.get("seconds"), found.get("right"), found.get("skipped"))
                          for name, found in row["results"].items()},
                         {"good": (1.0, True, None), "bad": (0.7, False, None), "picky": (None, None, "no batches"),
                          "broken": (None, None, "failed: ValueError: no")})
        self.assertEqual(row["ceiling"], {"name": "memcpy", "seconds": 0.5})
        self.assertEqual((row["problem"], row["class"]), ("4096x4096 f32", "pow2"))
        self.assertEqual(row["results"]["good"]["note"], "a note")

    def test_a_broken_device_ends_the_comparison_and_names_who_broke_it(self):
        def sync():
            if broken:
                raise RuntimeError("CUDA error: an illegal memory access")

        broken = []
        self.device.sync = sync
        culprit = FakePeer("culprit", "right")
        culprit.prepare = lambda work: broken.append(1)
        self.assertRegex(raised(self.compare, culprit), "DeviceLost: culprit broke the device, failed: RuntimeError: "
                                                        "CUDA error.*leave it out with --peers")


class CuTensor(unittest.TestCase):
    def test_is_told_layouts_in_elements(self):
        self.assertEqual(tensors.described([2, 3, 5], (2, 0, 1)),
                         (([2, 3, 5], [15, 5, 1], range(3)), ([5, 2, 3], [6, 3, 1], (2, 0, 1))))

    def test_rows_that_stay_are_also_told_in_wider_elements(self):
        for text, expected in [("permute 4x6x8 1,0,2 f16", [2, 4, 8, 16]), ("permute 4x6x6 1,0,2 f16", [2, 4]),
                               ("permute 4x6x8 2,1,0 f16", [2]), ("permute 4x6x16 1,0,2 u8", [1])]:
            with self.subTest(text):
                self.assertEqual(tensors.widths(problem(text)), expected)

    def test_bits_that_are_no_numbers_of_a_type_are_not_told_as_such(self):
        kinds = {text: {kind for kind, *_ in tensors.candidates(problem(text))} for text in ("8x8 f64", "8x8 c64", "8x8 u8")}
        self.assertEqual(kinds, {"8x8 f64": {1}, "8x8 c64": {1, 4}, "8x8 u8": set()})

    def test_the_fastest_plan_is_the_one_that_is_compared(self):
        peer, times = tensors.CuTensor(), iter([5.0, 3.0, 4.0])
        work = types.SimpleNamespace(problem=problem("permute 4x6x8 1,0,2 f32"), stream=0)
        peer._launcher = lambda work, *wanted: (lambda i: self.raise_(peers.Skip("none")) if wanted[0] == 4 else None)
        with unittest.mock.patch.object(tensors.gpu, "quick", lambda *_: next(times, 6.0), create=True):
            prepared = peer.prepare(work)
        self.assertEqual((prepared.detail["configurations"], prepared.detail["config"]), (6, "TYPE=1 BYTES=8 COMPILED=0"))

    def raise_(self, error):
        raise error

    def test_says_what_it_cannot_do(self):
        work = types.SimpleNamespace(problem=problem("permute 4x6x8 2,1,0 u8"), stream=0)
        self.assertEqual(raised(tensors.CuTensor().prepare, work), "Skip: no elements of 1 bytes")
        with unittest.mock.patch.object(tensors.importlib.util, "find_spec", lambda name: None):
            with unittest.mock.patch.object(tensors, "load", lambda name, *_: blas.load("nowhere" + name)):
                self.assertEqual(raised(tensors.CuTensor().open, None), "Skip: not installed: libnowherecutensor.so")


class EarlyEnd(unittest.TestCase):
    """The program with a comparison that only takes time, an hour a problem."""

    def run_it(self, *options, at_problem=None, error=None):
        """(exit code, stdout, the document that --json wrote)"""
        loader = importlib.machinery.SourceFileLoader("compare_program", COMPARE)
        program = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_program", loader))
        loader.exec_module(program)
        clock, measured = Clock(), []

        def measure(_self, found):
            if len(measured) == at_problem:
                raise error
            clock.now += 3600
            measured.append(found)
            return {**document()["problems"][0], "problem": str(found), "class": found.kind}

        libraries = document()["libraries"]
        fakes = {"device.Device": lambda index: types.SimpleNamespace(name="A GPU", l2_bytes=1),
                 "run.Comparison": lambda *_: types.SimpleNamespace(libraries=libraries,
                                                                    measure=lambda found: measure(None, found))}
        cuda = types.SimpleNamespace(is_available=lambda: True, OutOfMemoryError=MemoryError)
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            for name, fake in fakes.items():
                stack.enter_context(unittest.mock.patch(f"comparison.{name}", fake))
            for name, value in (("cuda", cuda), ("version", types.SimpleNamespace(cuda="0"))):
                stack.enter_context(unittest.mock.patch.object(_torch, name, value, create=True))
            stack.enter_context(unittest.mock.patch.object(program.time, "monotonic", clock))
            stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
            out = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            names = [os.path.join(folder, name) for name in ("r.json", "r.csv", "r.svg")]
            arguments = ["compare", *options, "--json", names[0], "--csv", names[1], "--svg", names[2]]
            stack.enter_context(unittest.mock.patch.object(sys, "argv", arguments))
            code = program.main()
            ElementTree.parse(names[2])
            with open(names[0], encoding="utf-8") as file:
                return code, out.getvalue(), json.load(file)

    def test_all_problems_in_the_order_of_the_command(self):
        code, _, written = self.run_it("4096x4096", "8x8", "4096x4097")
        self.assertEqual((code, written["stopped"]), (0, ""))
        self.assertEqual([row["problem"] for row in written["problems"]], ["4096x4096 f32", "8x8 f32", "4096x4097 f32"])

    def test_an_interrupt_leaves_what_was_measured(self):
        code, out, written = self.run_it("4096x4096", "8x8", "16x16", at_problem=2, error=KeyboardInterrupt())
        self.assertEqual((code, written["stopped"], len(written["problems"])), (130, "interrupted, 2 of 3 problems", 2))
        self.assertIn("ended early: interrupted, 2 of 3 problems\n", out)

    def test_a_lost_device_leaves_what_was_measured(self):
        code, _, written = self.run_it("4096x4096", "8x8", at_problem=1, error=run.DeviceLost("x broke the device"))
        self.assertEqual((code, written["stopped"]), (4, "x broke the device, 1 of 2 problems"))

    def test_after_max_seconds_no_problem_is_started_and_classes_have_taken_turns(self):
        code, _, written = self.run_it("4096x4096", "8192x8192", "8x8", "4096x4097", "--max-seconds", "7000")
        self.assertEqual((code, written["stopped"]), (0, "after 7000 s: 2 of 4 problems"))
        self.assertEqual([row["problem"] for row in written["problems"]], ["8x8 f32", "4096x4097 f32"])

    def test_a_problem_without_room_is_left_out(self):
        code, _, written = self.run_it("4096x4096", "8x8", at_problem=0, error=MemoryError("no room"))
        self.assertEqual((code, written["problems"]), (0, []))
        self.assertEqual(written["left_out"], {"4096x4096 f32": "no room", "8x8 f32": "no room"})


class Program(unittest.TestCase):
    def run_it(self, *arguments, torch=None):
        """(exit code, stdout, stderr); `torch` is the source of a module of that name."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "torch.py"), "w", encoding="utf-8") as file:
                file.write(torch or "raise ImportError('none')")
            done = subprocess.run([sys.executable, COMPARE, *arguments], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})
        return done.returncode, done.stdout, done.stderr

    def test_prints_and_writes_again_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            source, svg, table = (os.path.join(folder, name) for name in ("r.json", "r.svg", "r.csv"))
            results.write_atomically(source, results.to_json(document()))
            self.assertEqual(self.run_it("--from", source, "--svg", svg, "--csv", table),
                             (0, results.to_text(document()), ""))
            ElementTree.parse(svg)
            with open(table, encoding="utf-8") as file:
                self.assertEqual(file.read(), results.to_csv(document()))

    def test_says_what_is_missing_or_wrong(self):
        no_gpu = "cuda = type('cuda', (), {'is_available': staticmethod(lambda: False)})"
        for arguments, torch, expected in [
                (["8x8"], None, (3, "", "compare: error: needs PyTorch, which is not installed\n")),
                (["8x8"], no_gpu, (3, "", "compare: error: PyTorch finds no GPU here\n")),
                ([], None, (2, "", "compare: error: found no problem; expected a shapes file, or shapes such as "
                            "4096x4096:f32\n")),
                (["8x8", "--classes", "round"], None,
                 (2, "", "compare: error: --classes: found 'round'; expected small batched skinny odd pow2 aligned rows "
                  "turned reversed\n")),
                (["8x8:u9"], None, (2, "", "compare: error: 8x8:u9: found 'u9'; expected sizes, a type (u8 i8 f16 bf16 "
                                    "u16 i16 f32 i32 u32 f64 i64 u64 c64 c128) or 'transpose'\n"))]:
            with self.subTest(arguments):
                self.assertEqual(self.run_it(*arguments, torch=torch), expected)

    def test_a_document_that_is_none_is_an_input_error(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            code, _, words = self.run_it("--from", file.name)
        self.assertEqual(code, 2)
        self.assertIn(os.path.basename(file.name), words)


if __name__ == "__main__":
    unittest.main()
