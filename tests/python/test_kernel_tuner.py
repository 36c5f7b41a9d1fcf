"""test_kernel_tuner.py - tools/kernel_tuner/compare without a GPU and without Kernel Tuner: both sides describe the
same space, and what is made of runs that ended well, early, or with nothing. The first argument is autotune's
program."""

import importlib.machinery
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tools", "kernel_tuner")
AUTOTUNE = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, FOLDER)

import kernels  # noqa: E402
import ours  # noqa: E402
import published  # noqa: E402
import table  # noqa: E402
from kernels import KERNELS, kernel_of  # noqa: E402


def load_compare():
    loader = importlib.machinery.SourceFileLoader("kt_compare", os.path.join(FOLDER, "compare"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("kt_compare", loader))
    loader.exec_module(module)
    return module


COMPARE = load_compare()


def trial(at_s, seconds, **config):
    return {"at_s": at_s, "seconds": seconds, "config": config, "outcome": "timed" if seconds else "failed"}


def run_of(tool, trials, wall_s, winner, **more):
    return dict({"tool": tool, "trials": trials, "wall_s": wall_s, "winner": winner}, **more)


class Spaces(unittest.TestCase):
    def test_both_sides_have_the_same_configurations(self):
        for name in KERNELS:
            with self.subTest(name):
                kernel = kernel_of(name)
                every = (dict(zip(kernel.params, values)) for values in itertools.product(*kernel.params.values()))
                expected = {tuple(config.values()) for config in every
                            if config["block_size_x"] * config.get("block_size_y", 1) <= 1024
                            and all(eval(text, {}, config) for text in kernel.restrictions)}
                found = COMPARE.our_space(types.SimpleNamespace(autotune=AUTOTUNE), kernel)
                self.assertEqual(found, expected)

    def test_the_files_compile_as_autotune_declares_them(self):
        for name in KERNELS:
            with self.subTest(name):
                done = subprocess.run([AUTOTUNE, "check", name, "--templates", os.path.join(FOLDER, "ops"), "--allow", FOLDER, "--shape",
                                       kernel_of(name).shape, "--sample", "2"],
                                      capture_output=True, text=True, check=False)
                if done.returncode == 3:
                    self.skipTest("no NVRTC")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sizes_may_be_named(self):
        self.assertEqual(str(kernel_of("vector_add=4096")), "vector_add=4096")
        for wrong in ("vector_sub", "vector_add=x", "vector_add=1x2x3"):
            with self.subTest(wrong), self.assertRaises((KeyError, TypeError, ValueError)):
                kernel_of(wrong)


T1 = {"General": {"BenchmarkName": "twice"},
      "ConfigurationSpace": {
          "TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[64, 128, 256]", "Default": 64},
                               {"Name": "EACH", "Type": "int", "Values": "[2**i for i in range(3)]", "Default": 4}],
          "Conditions": [{"Expression": "BLOCK * EACH <= 128", "Parameters": ["BLOCK", "EACH"]}]},
      "KernelSpecification": {
          "Language": "CUDA", "KernelName": "twice", "KernelFile": "twice.cu", "CompilerOptions": ["-std=c++14"],
          "LocalSize": {"X": "BLOCK"},
          "Arguments": [
              {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000,
               "FillType": "Constant", "FillValue": 0.0},
              {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1000,
               "FillType": "Random", "FillValue": 1.0},
              {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}]}}


class Published(unittest.TestCase):
    """A T1 file: autotune takes the draft that it makes of the file, Kernel Tuner what the file says."""

    def kernel(self, folder, **launch):
        with open(os.path.join(folder, "twice.cu"), "w", encoding="utf-8") as file:
            file.write("__global__ void twice(float *out, const float *in, int n)\n{\n"
                       "    for (int i = blockIdx.x * BLOCK * EACH + threadIdx.x, k = 0; k < EACH && i < n; k++, i += BLOCK)\n"
                       "        out[i] = 2 * in[i];\n}\n")
        path = os.path.join(folder, "twice.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(dict(T1, KernelSpecification=dict(T1["KernelSpecification"], **launch)), file)
        os.environ[COMPARE.DRAFTS] = os.path.join(folder, "drafts")
        os.mkdir(os.environ[COMPARE.DRAFTS])
        return COMPARE.prepared(types.SimpleNamespace(autotune=AUTOTUNE), path)

    def test_both_sides_have_the_same_configurations_and_the_defaults_are_valid_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = self.kernel(folder, GlobalSize={"X": "1000 // (BLOCK * EACH) + 1"})
            found = COMPARE.our_space(types.SimpleNamespace(autotune=AUTOTUNE), kernel)
            self.assertEqual(found, {(64, 1), (64, 2), (128, 1)})
            self.assertEqual(kernel.trusted, {"BLOCK": 64, "EACH": 1})
            self.assertEqual((kernel.name, kernel.shape), ("twice", "1000"))
            self.assertEqual(kernel_of(str(kernel)).trusted, kernel.trusted)  # as the processes see it

    @unittest.skipIf(kernels.numpy is None, "no numpy")
    def test_arguments_are_the_drafts_with_its_types_sizes_and_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = self.kernel(folder, GlobalSize={"X": "1000 // (BLOCK * EACH) + 1"}, Arguments=[
                {"Name": "out", "Type": "double", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1000,
                 "FillType": "Constant", "FillValue": 0.0},
                {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1000,
                 "FillType": "Random", "FillValue": 8.0},
                {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}])
            out, values, n = kernel.arguments()
            self.assertEqual([kernel.is_output(i) for i in range(3)], [True, False, False])
            self.assertEqual((out.dtype, out.shape, values.dtype, values.shape, n.dtype, int(n)),
                             ("float32", (1000,), "float32", (1000,), "int32", 1000))
            self.assertTrue(4 < values.max() < 8 and values.min() >= 0)

    def test_problems_that_cannot_be_compared_are_told(self):
        told = COMPARE.told(types.SimpleNamespace(published="."), [])
        self.assertIn("hotspot-CAFF.json: its arrays are as wide and as high as a block", told)
        self.assertNotIn("GEMM-CAFF", told)

    def test_what_no_answer_can_be_right_without_is_changed(self):
        t1 = {"ConfigurationSpace": {"TuningParameters": [{"Name": "tile", "Values": "[1, 2]"},
                                                          {"Name": "temporal_tiling_factor", "Values": "[1, 2, 3]"}]},
              "KernelSpecification": {"Arguments": [{"Name": "power", "Size": 5}, {"Name": "temp", "Size": 4}]}}
        changed = published.change(t1, "/somewhere/hub/kernels/hotspot_milo.json")
        self.assertEqual([entry["Values"] for entry in changed["ConfigurationSpace"]["TuningParameters"]],
                         ["[1, 2]", "[2]"])
        self.assertEqual([entry["Size"] for entry in changed["KernelSpecification"]["Arguments"]], [5, 4116 * 4116])

    def test_the_launch_is_the_one_that_the_file_says(self):
        config = {"BLOCK": 64, "EACH": 2}
        for launch, blocks in (({"GlobalSize": {"X": "1000 // (BLOCK * EACH) + 1"}}, 8),
                               ({"GlobalSize": {"X": "1000 // EACH"}, "GlobalSizeType": "OpenCL"}, 8),
                               ({"ProblemSize": [1000], "GridDivX": ["BLOCK", "EACH"]}, 8),
                               ({"ProblemSize": 1000}, 16)):
            with self.subTest(str(launch)), tempfile.TemporaryDirectory() as folder:
                kernel = self.kernel(folder, **launch)
                self.assertEqual(kernel.geometry(config), ((blocks, 1, 1), (64, 1, 1)))
                self.assertEqual(kernel.problem_size(config), (blocks, 1, 1))
                told = subprocess.run([AUTOTUNE, "check", "twice", "--shape", "1000", "--templates", kernel.draft,
                                       "--allow", folder], capture_output=True, text=True, check=False)
                if told.returncode == 3:
                    self.skipTest("no NVRTC")
                self.assertEqual(told.returncode, 0, told.stdout + told.stderr)


class Trials(unittest.TestCase):
    def test_a_cache_file_that_lacks_its_end_is_read(self):
        entry = '"%d": {"x": %d, "time": %s, "timestamp": "2026-01-01 00:00:%02d+00:00"}'
        text = '{"cache": {' + ",\n".join([entry % (1, 1, "2.0", 3), entry % (2, 2, '"CompilationFailedConfig"', 4)])
        for end in (",", "", "}\n}"):
            with self.subTest(end), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "cache.json")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text + end)
                trials = COMPARE.read_cache(path, 1767225601.0, ["x"])
                self.assertEqual([(t["at_s"], t["seconds"], t["config"]) for t in trials],
                                 [(2.0, 0.002, {"x": 1}), (3.0, None, {"x": 2})])

    def test_a_trace_tells_when_a_trial_ended(self):
        spans = [("set up", "add 8", 0), ("kt", "add 8 f32 kt x=1 y=two", 0), ("kt", "x=1 y=two", 2)]
        events = [{"ph": "X", "name": name, "tid": tid, "ts": 1e6 * i, "dur": 5e5, "args": {"detail": detail}}
                  for i, (name, detail, tid) in enumerate(spans)]
        whole = json.dumps(events)
        for text in (whole, whole[:-1] + ",\n"):
            read = ours.read_trace(text, 3.0)
            self.assertEqual(ours.ends_of_trials(read), {"add 8 f32 kt x=1 y=two": 2.0})
            told = ours.phases(read)
            self.assertEqual([told[name] for name in ("set_up_until", "first_trial", "trials_busy", "compilers_busy")],
                             [1.0, 2.0, 0.5, 0.5])
        self.assertEqual(ours.read_config("x=1 y=two"), {"x": 1, "y": "two"})


class Verdicts(unittest.TestCase):
    def setUp(self):
        first = [trial(0, 3e-3, x=0), trial(1, 1.04e-3, x=1), trial(2, None, x=2), trial(3, 1e-3, x=3),
                 trial(4, 2e-3, x=4)]
        self.result = {"kernel": "add", "shape": "8", "space": 9, "times": {}, "runs": [
            run_of("ours", first, 5.0, {"x": 3}),
            run_of("theirs", [trial(7, 9e-3, x=4)], 8.0, {"x": 4}, limited=True),
            run_of("other", [trial(7, 9e-3, x=5)], 8.0, {"x": 5}),
            {"tool": "broken", "runs": [], "trials": [], "wall_s": None, "winner": None, "error": "Bad: a|b\nc"}]}

    def times(self, **seconds):
        self.result["times"] = {f"x={name[1:]}": {"seconds": value} for name, value in seconds.items()}

    def test_what_is_timed_together_are_winners_and_what_was_answered_before(self):
        self.assertEqual([config["x"] for config in table.to_time(self.result["runs"][:3])], [3, 1, 4, 5])

    def test_near_is_judged_by_the_common_timing_not_by_the_tuner_itself(self):
        self.times(x1=1.005, x3=1.0, x4=1.02, x5=1.02)
        table.judge(self.result)
        self.assertEqual([run.get("near_at_s") for run in self.result["runs"]], [1, None, None, None])

    def test_a_winner_that_a_final_chose_counts_at_the_end(self):
        self.times(x1=2.0, x3=2.0, x4=1.0)
        self.result["runs"][0]["winner"] = {"x": 4}
        table.judge(self.result)
        self.assertEqual(self.result["runs"][0]["near_at_s"], 5.0)

    def test_the_table_says_what_was_not_reached_and_what_failed(self):
        self.times(x1=2.0, x3=1.0, x4=1.02, x5=1.02)
        lines = table.markdown([table.judge(self.result)]).splitlines()
        self.assertEqual(lines[2], "| add | 8 | 9 | ours | 3.0 |  | 3.0 | 5.0 | 5 | 1.0 | 1000000.0 |")
        self.assertIn("| theirs | not within the limit | > 2.7 |  | 8.0 |", lines[3])
        self.assertIn("| other | never |  |  | 8.0 |", lines[4])
        self.assertIn("| broken | failed: Bad: a/b c |", lines[5])

    def test_a_winner_that_the_common_timing_finds_wrong_has_no_time(self):
        self.times(x0=2.0, x1=1.0, x3=1.0)
        self.result["times"]["x=4"] = {"error": "ValueError: wrong result"}
        lines = table.markdown([table.judge(self.result)]).splitlines()
        self.assertTrue(lines[3].endswith("| wrong result |"), lines[3])

    def test_the_table_says_how_many_times_sooner_the_first_was(self):
        self.times(x0=2.0, x1=1.0, x3=1.0, x4=1.0)
        self.result["runs"][1]["prepared_s"] = 4.0  # which its own clock does not count
        lines = table.markdown([table.judge(self.result)]).splitlines()
        self.assertIn("| theirs | 7.0 | 7.0 | 11.0 | 8.0 |", lines[3])

    def test_a_second_table_says_where_the_seconds_went(self):
        self.result["runs"][0]["phases"] = {"first_trial": 0.5, "compilers": 4, "compiled": 8, "compilers_busy": 2.0,
                                            "trials_busy": 0.25, "re-measurement": 1.0}
        lines = table.seconds([self.result]).splitlines()
        self.assertEqual(lines[2], "| add | 0.50 | 4 | 8 | 0.25 | 0.50 | 0.25 | 1.00 | 5.00 |")

    def test_a_table_of_runs_without_times_says_what_is_known(self):
        lines = table.markdown([table.judge(self.result)]).splitlines()
        self.assertEqual(lines[2], "| add | 8 | 9 | ours |  |  |  | 5.0 | 5 | 1.0 |  |")

    def test_a_run_that_fails_is_told_and_does_not_end_the_others(self):
        result = {"kernel": "add", "runs": []}
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stderr, before = nowhere, sys.stderr
            try:
                COMPARE.attempt(result, "ours", lambda: (_ for _ in ()).throw(RuntimeError("no")))
            finally:
                sys.stderr = before
        self.assertEqual(result["runs"][0]["error"], "RuntimeError: no")


if __name__ == "__main__":
    unittest.main()
