"""A pack in programs of others: C and C++ that have its files, cuda.h and a libcuda to link with, and nothing of autotune.
They are built in a folder of their own, and run on the driver that takes notes.
usage: test_pack_program.py AUTOTUNE FAKE_LIBCUDA CUDA_INCLUDE"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CUDA_INCLUDE, FAKE, PROGRAM = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
NO_NVRTC = 3

MAIN = r"""
#include "transpose_f16.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    CUdevice device;
    CUcontext context;
    int launched = 0;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxPushCurrent(context))
        return 1;
    void *out = (void *)(size_t)0x10000000;
    const void *in = (const void *)(size_t)0x20000000;
    for (int64_t rows = 1; rows < 200; rows += 7)
        for (int64_t cols = 1; cols < 200; cols += 5) {
            CUresult status = transpose_f16(out, in, 1, rows, cols, NULL);
            if (status != CUDA_SUCCESS) {
                printf("%dx%d: %d\n", (int)rows, (int)cols, (int)status);
                return 1;
            }
            launched++;
        }
    printf("%d launched\n", launched);
    printf("misaligned %d\n", (int)(transpose_f16((char *)out + 1, in, 1, 8, 8, NULL) == CUDA_ERROR_MISALIGNED_ADDRESS));
    printf("no such size %d\n", (int)(transpose_f16(out, in, 1, 0, 8, NULL) == CUDA_ERROR_NOT_SUPPORTED));
    printf("model %d %d\n", transpose_f16_model("NVIDIA H200", 90, 132), transpose_f16_model("NVIDIA A100", 80, 108));
    return 0;
}
"""
SAYS = "1160 launched\nmisaligned 1\nno such size 1\nmodel 0 -1\n"


def runs(compiler):
    """A name in PATH may lead to a toolkit that is not there."""
    try:
        return subprocess.run([compiler, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        environment = {"PATH": os.environ["PATH"], "HOME": cls.folder}
        done = subprocess.run([PROGRAM, "pack", "transpose", "f16", "--sizes", "rows=1..4096 cols=1..4096", "--kernels", "5",
                               "--problems", "40", "--device", "H200,H100", "-o", cls.folder], capture_output=True, text=True,
                              check=False, env=environment)
        if done.returncode == NO_NVRTC:
            raise unittest.SkipTest("there is no NVRTC here")
        assert done.returncode == 0, done.stderr

    def build(self, compiler, main, *options):
        with open(os.path.join(self.folder, main), "w", encoding="utf-8") as file:
            file.write(MAIN)
        cc = shutil.which(os.environ.get("CC", "cc")) or "cc"
        common = ["-O1", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE]
        for command in ([cc, "-std=c11", *common, "-c", "transpose_f16.c"],
                        [shutil.which(compiler) or compiler, *options, *common, main, "transpose_f16.o", FAKE, "-o", "program"]):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def run_program(self):
        return subprocess.run([os.path.join(self.folder, "program")], capture_output=True, text=True, check=True,
                              env={"LD_LIBRARY_PATH": os.path.dirname(FAKE)}).stdout

    def test_a_C_program(self):
        self.build("cc", "main.c", "-std=c11")
        self.assertEqual(self.run_program(), SAYS)

    def test_a_C_plus_plus_program(self):
        self.build("c++", "main.cpp", "-std=c++11")
        self.assertEqual(self.run_program(), SAYS)

    def test_sources_for_nvcc(self):
        nvcc = shutil.which("nvcc") or os.path.join(os.path.dirname(CUDA_INCLUDE), "bin", "nvcc")
        if not runs(nvcc):
            self.skipTest("no nvcc runs here")
        subprocess.run([PROGRAM, "pack", "transpose", "f16", "--sizes", "rows=1..4096 cols=1..4096", "--kernels", "5", "--problems",
                        "40", "--device", "H200,H100", "--source", "-o", self.folder], check=True, capture_output=True,
                       env={"PATH": os.environ["PATH"], "HOME": self.folder})
        for words in (["-c", "transpose_f16.cu"], ["-x", "cu", "-c", "main.cpp"]):
            with open(os.path.join(self.folder, "main.cpp"), "w", encoding="utf-8") as file:
                file.write(MAIN)
            done = subprocess.run([nvcc, "-std=c++17", "-arch=sm_90", "-Werror", "all-warnings", *words], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_problems_of_the_test_program(self):
        """They have 128 MiB at most, the small ones first, however large the sizes are that the pack is for."""
        subprocess.run([PROGRAM, "pack", "transpose", "f16", "--sizes", "rows=1..65536 cols=1..65536", "--kernels", "5", "--problems",
                        "40", "--device", "H200", "--name", "large", "-o", self.folder], check=True, capture_output=True,
                       env={"PATH": os.environ["PATH"], "HOME": self.folder})
        with open(os.path.join(self.folder, "large_test.c"), encoding="utf-8") as file:
            cases = re.search(r"pt_cases_0\[\]\[PT_SIZES\] = \{\n(.*?)\};", file.read(), re.DOTALL).group(1)
        problems = [[int(size) for size in row.split(",")] for row in re.findall(r"\{ (.*) \}", cases)]
        tree = json.loads(Path(self.folder, "large.json").read_text(encoding="utf-8"))["models"][0]["tree"]
        self.assertGreater(len(problems), len(tree))
        sizes = [4 * batch * rows * cols for batch, rows, cols in problems]
        self.assertEqual(sizes, sorted(sizes))
        self.assertLessEqual(sizes[-1], 128 << 20)
        for node in tree:
            if node.get("of") in ("rows", "cols") and "at_most" in node:
                self.assertLessEqual({node["at_most"], node["at_most"] + 1}, {problem[node["of"] == "cols" and 2 or 1] for problem in problems})

    def test_the_test_program_ends_in_time(self):
        """Without any it tries nothing, and says so; nor is it content where no kernel takes what it is asked for."""
        cc = shutil.which(os.environ.get("CC", "cc")) or "cc"
        with open(os.path.join(self.folder, "rest.c"), "w", encoding="utf-8") as file:  # which the driver here has not
            for name in ("cuMemsetD8_v2", "cuMemcpyDtoD_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuEventElapsedTime_v2",
                         "cuStreamCreate", "cuEventCreate"):
                file.write(f"int {name}(void);\nint {name}(void)\n{{\n    return 0;\n}}\n")
        done = subprocess.run([cc, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", CUDA_INCLUDE, "transpose_f16_test.c",
                               "rest.c", FAKE, "-o", "test"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([os.path.join(self.folder, "test"), "0"], capture_output=True, text=True, check=False,
                              env={"LD_LIBRARY_PATH": os.path.dirname(FAKE)})
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertRegex(done.stdout, r"(?m)^0 of \d+ problems were tried in the time; ")
        self.assertRegex(done.stdout, r"(?m)^0 right, 0 wrong, 0 without a kernel, 0 without memory; by kernel:( 0)+$")
        done = subprocess.run([os.path.join(self.folder, "test"), "1", "1", "0", "5"], capture_output=True, text=True, check=False,
                              env={"LD_LIBRARY_PATH": os.path.dirname(FAKE)})
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertRegex(done.stdout, r"(?m)^0 right, 0 wrong, 1 without a kernel, ")
        self.assertIn("nothing was compared", done.stdout)

    def test_it_needs_the_driver_and_the_C_library_alone(self):
        self.build("cc", "main.c")
        read = subprocess.run(["readelf", "-d", os.path.join(self.folder, "program")], capture_output=True, text=True, check=True)
        needed = [line.split("[")[1].rstrip("]\n") for line in read.stdout.splitlines() if "(NEEDED)" in line]
        self.assertEqual(sorted(needed), ["libc.so.6", "libcuda.so.1"])


if __name__ == "__main__":
    unittest.main()
