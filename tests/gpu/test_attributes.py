"""Launches with attributes on a real GPU: cooperative grids, clusters, programmatic launches, the carveout, code for
sm_90a. Whatever is tried of them is right, or left out for the reason that it is declared for.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_attributes.py       exit code 3: no GPU of compute capability 9.0
"""

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(ROOT / "build" / "autotune"))

# y[i] = x[i] + x[n - 1 - i]: of a kernel that does not wait for the other half, or whose blocks do not, something is wrong.
OP = """/*!autotune
op        wave
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       n i32
reference wave_reference
grid      ceil_div(n, 256)
block     256
check     exact
traffic   8 * n
*/
extern "C" __global__ void wave_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = x[i] + x[n - 1 - i];
}
"""
LOOP = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n        "
WAVE = "extern \"C\" __global__ void wave_t(float *y, const float *x, int n)\n{\n    "

TEMPLATES = {
    "grid sync": ("param EACH = 1 2 8 64\ngrid device.sms * EACH\nblock 256\ncooperative", "#include <cooperative_groups.h>\n" + WAVE +
                  LOOP + "y[i] = x[i];\n    cooperative_groups::this_grid().sync();\n    " + LOOP + "if (i < n / 2) {\n"
                  "            const float sum = y[i] + y[n - 1 - i];\n            y[i] = y[n - 1 - i] = sum;\n        } else if (i == n - 1 - i)\n            y[i] *= 2;\n}\n"),
    "cluster": ("param C = 1 2 8 16\ngrid 64\nblock 256\ncluster C", "#include <cooperative_groups.h>\n" + WAVE +
                "__shared__ int rank;\n    auto c = cooperative_groups::this_cluster();\n    rank = c.block_rank();\n    c.sync();\n"
                "    const int next = *c.map_shared_rank(&rank, (c.block_rank() + 1) % c.num_blocks());\n    c.sync();\n"
                "    const bool right = c.num_blocks() == C && next == (c.block_rank() + 1) % C;\n    " + LOOP +
                "y[i] = right ? x[i] + x[n - 1 - i] : 1e30f;\n}\n"),
    "own cluster": ("param C = 2 4\ngrid 64\nblock 256", WAVE.replace("void wave_t", "void __cluster_dims__(C, 1, 1) wave_t") +
                    "unsigned blocks;\n    asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(blocks));\n    " + LOOP +
                    "y[i] = blocks == C ? x[i] + x[n - 1 - i] : 1e30f;\n}\n"),
    "programmatic": ("param LATE = 0 1\nlaunch wave_first grid 264 block 256\nlaunch wave_second grid 264 block 256 programmatic LATE carveout 0",
                     WAVE.replace("wave_t", "wave_first") + LOOP + "y[i] = x[i];\n}\n" + WAVE.replace("wave_t", "wave_second") +
                     "asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n    " + LOOP + "y[i] += x[n - 1 - i];\n}\n"),
    "carveout": ("param PART = 0 50 100\ngrid 264\nblock 256\nshared 1024\ncarveout PART", WAVE + LOOP + "y[i] = x[i] + x[n - 1 - i];\n}\n"),
    "sm_90a": ("grid 264\nblock 128\ntarget sm_90a", WAVE + "asm volatile(\"wgmma.fence.sync.aligned;\");\n    "
               "asm volatile(\"wgmma.commit_group.sync.aligned;\");\n    asm volatile(\"wgmma.wait_group.sync.aligned 0;\");\n    " +
               LOOP + "y[i] = x[i] + x[n - 1 - i];\n}\n"),
}
# What is to be left out, of a device that has 9.0's.
TOO_MANY = {"grid sync": ("EACH=64", "found a cooperative grid of")}


class Attributes(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def tearDown(self):
        shutil.rmtree(self.folder)

    def trials(self, name, problem="wave 1000003 f32"):
        lines, code = TEMPLATES[name]
        place = self.folder / "templates" / "wave"
        place.mkdir(parents=True, exist_ok=True)
        (place / "op.cu").write_text(OP)
        (place / "t.cu").write_text(f"/*!autotune\ntemplate t\n{lines}\n*/\n{code}")
        database = self.folder / "trials.db"
        done = subprocess.run([PROGRAM, "tune", *problem.split(), "--templates", str(self.folder / "templates"), "--db", str(database),
                               "--budget", "5s", "--quiet"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        store = sqlite3.connect(database)
        rows = store.execute("SELECT config, outcome, log FROM trials_all WHERE op = 'wave' AND template = 't'").fetchall()
        store.close()
        return rows

    def test_whatever_is_tried_is_right_or_left_out_for_its_reason(self):
        for name, (lines, _) in TEMPLATES.items():
            with self.subTest(name=name):
                self.setUp()
                rows = self.trials(name)
                print(name, *(f"{config} {outcome}" for config, outcome, _ in rows), sep=", ")
                values = lines.split("\n")[0].split(" = ")[1].split() if lines.startswith("param") else [""]
                self.assertEqual(len(rows), len(values))
                for config, outcome, log in rows:
                    left_out, reason = TOO_MANY.get(name, (None, ""))
                    if config == left_out:
                        self.assertEqual(outcome, "launch_failed")
                        self.assertIn(reason, log)
                    else:
                        self.assertEqual((outcome, log), ("timed", log))


    def test_own_kernels_with_tensor_maps_and_wgmma_are_right(self):
        for number, problem in enumerate(["boxes 1000x1004 f32", "boxes 4096x4096 f32", "hgemm 256x512x384 f16", "hgemm 200x136x72 bf16"]):
            with self.subTest(problem=problem):
                database, op = self.folder / f"{number}.db", problem.split()[0]
                done = subprocess.run([PROGRAM, "tune", *problem.split(), "--templates", str(ROOT / "tools" / "examples"), "--db",
                                       str(database), "--budget", "4s", "--quiet"], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                store = sqlite3.connect(database)
                tried = store.execute("SELECT template, outcome, count(*), max(log) FROM trials_all WHERE op = ? "
                                      "GROUP BY template, outcome ORDER BY template", (op,)).fetchall()
                store.close()
                print(problem, *(f"{template} {outcome} {count}" for template, outcome, count, _ in tried), sep=", ")
                self.assertTrue(tried)
                self.assertEqual([row for row in tried if row[1] != "timed"], [])


if __name__ == "__main__":
    listed = subprocess.run([PROGRAM, "list", "devices", "--format", "json"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        sys.exit(3)
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    if json.loads(listed.stdout)["devices"][0]["cc"] != 90:
        print("no GPU of compute capability 9.0 here")
        sys.exit(3)
    unittest.main(verbosity=2)
