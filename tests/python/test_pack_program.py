"""A pack in programs of others: C and C++ that have its files, cuda.h and a libcuda to link with, and nothing of autotune.
They are built in a folder of their own, and run on the driver that takes notes.
usage: test_pack_program.py AUTOTUNE FAKE_LIBCUDA CUDA_INCLUDE"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

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

    def test_it_needs_the_driver_and_the_C_library_alone(self):
        self.build("cc", "main.c")
        read = subprocess.run(["readelf", "-d", os.path.join(self.folder, "program")], capture_output=True, text=True, check=True)
        needed = [line.split("[")[1].rstrip("]\n") for line in read.stdout.splitlines() if "(NEEDED)" in line]
        self.assertEqual(sorted(needed), ["libc.so.6", "libcuda.so.1"])


if __name__ == "__main__":
    unittest.main()
