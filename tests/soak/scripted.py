"""`autotune tune` on the scripted driver of tests/e2e: real compilers and processes, and a device that is the CPU."""
import os
import shutil

TEMPLATE = """/*!autotune
template mine
param THREADS = {values}
grid ceil_div(count, THREADS)
block THREADS
*/
extern "C" __global__ void copy_mine(T *out, const T *in, long long batch, long long rows, long long cols)
{{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i < batch * rows * cols)
        out[i] = in[i];
}}
"""
MINE = ["tune", "copy", "1000", "f32", "--only", "mine", "--templates", "templates", "--jobs", "2"]
TRIALS = 32


class Scripted:
    """A folder with the template `mine`, which has 32 configurations, and compiled kernels of them."""

    def __init__(self, lab):
        self.lab = lab
        self.cache = os.path.join(lab.folder, "kernels.db")
        self.ready = False
        with lab.scratch() as folder:
            trial = [lab.program, "check", "copy", "--only", "linear", "--shape", "1x1", "--dtype", "u8",
                     "--sample", "1"]
            self.is_possible = lab.run(trial, folder).code != 3  # without NVRTC nothing is compiled

    def environment(self, folder):
        path = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": self.lab.driver + (f":{path}" if path else ""),
                "AT_SCRIPT": os.path.join(folder, "script"),
                "AUTOTUNE_CACHE": os.path.join(folder, "kernels.db")}

    def write(self, folder, script):
        os.makedirs(os.path.join(folder, "templates", "copy"), exist_ok=True)
        with open(os.path.join(folder, "templates", "copy", "mine.cu"), "w", encoding="ascii") as file:
            file.write(TEMPLATE.format(values=" ".join(map(str, range(32, 1025, 32)))))
        with open(os.path.join(folder, "script"), "w", encoding="ascii") as file:
            file.write(f"l2 100000\nnoise 0.005\n{script}\n")

    def prepare(self, folder, script=""):
        """Compiles once for all."""
        if not self.ready:
            with self.lab.scratch() as first:
                self.write(first, "")
                self.lab.run_well([self.lab.quick, *MINE, "--db", "db"], first, self.environment(first))
                shutil.copy(os.path.join(first, "kernels.db"), self.cache)
            self.ready = True
        self.write(folder, script)
        shutil.copy(self.cache, os.path.join(folder, "kernels.db"))
