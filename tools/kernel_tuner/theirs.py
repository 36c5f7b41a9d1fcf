"""theirs.py - tunes one kernel with Kernel Tuner, in a process of its own that `compare` starts:

    python theirs.py KERNEL STRATEGY LIMIT_S SEED CACHE.json RESULT.json

The clock starts where tune_kernel is called: inputs and the right answer are there by then. Trials and their times of
day are in Kernel Tuner's cache file, also when this process is ended early."""

import json
import os
import sys
import threading
import time

from kernels import kernel_of
from launch import right_answer


def restrictions_of(kernel, max_threads=1024):
    """As Kernel Tuner takes them: its reader of texts fails on some published ones; then as a function, which it calls
    with values and with names."""
    from kernel_tuner.searchspace import Searchspace
    try:
        Searchspace(kernel.tune_params(), list(kernel.restrictions), max_threads)
        return list(kernel.restrictions)
    except (TypeError, ValueError):
        rules, names = [compile(rule, "restriction", "eval") for rule in kernel.restrictions], list(kernel.tune_params())

        def is_valid(*values, **config):
            return all(eval(rule, {}, config or dict(zip(names, values))) for rule in rules)  # pylint: disable=eval-used

        return [is_valid]


def space_of(kernel, max_threads=1024):
    """The configurations that Kernel Tuner would walk, without a GPU: a set of tuples, in the order of the names."""
    from kernel_tuner.searchspace import Searchspace
    names = list(kernel.params)
    space = Searchspace(kernel.tune_params(), restrictions_of(kernel, max_threads), max_threads)
    return {tuple(entry[:len(names)]) for entry in space.list}


class Result:
    """Written once: at the end, or when the time is over (brute_force knows no limit)."""

    def __init__(self, path, limit_s):
        self.path, self.started, self.lock = path, time.time(), threading.Lock()
        self.timer = threading.Timer(limit_s, self._time_is_over)
        self.timer.daemon = True
        self.timer.start()

    def write(self, **more):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(dict(more, started=self.started, elapsed_s=time.time() - self.started), file)

    def _time_is_over(self):
        with self.lock:
            self.write(limited=True)
            os._exit(0)

    def end(self, **more):
        with self.lock:
            self.timer.cancel()
            self.write(**more)


def mend_uuid():
    """CuPy gives the bytes of a GPU's UUID up to the first zero in it; Kernel Tuner 1.5 wants all sixteen."""
    from cupy.cuda import runtime
    properties = runtime.getDeviceProperties

    def whole(device):
        found = properties(device)
        return dict(found, uuid=bytes(found["uuid"])[:16].ljust(16, b"\0"))

    runtime.getDeviceProperties = whole


def tune(kernel, strategy, limit_s, seed, cache, out):
    import kernel_tuner
    mend_uuid()
    with open(kernel.source, encoding="utf-8") as file:
        text = file.read()  # a name in its place would have to end as Kernel Tuner wants it
    arguments = kernel.arguments()
    answer = right_answer(kernel, arguments) if kernel.verified else None
    limited = {} if strategy == "brute_force" else {"strategy_options": {"time_limit": limit_s}}
    restrictions = restrictions_of(kernel)
    result = Result(out, limit_s if strategy == "brute_force" else limit_s + 10)
    try:
        kernel_tuner.tune_kernel(
            kernel.function, text, kernel.problem_size, arguments, kernel.tune_params(),
            grid_div_x=kernel.grid_div_x, grid_div_y=kernel.grid_div_y, grid_div_z=kernel.grid_div_z,
            restrictions=restrictions, answer=answer, atol=kernel.atol, verify=kernel.verify, lang="CUPY",
            compiler_options=list(kernel.options), cmem_args=kernel.constants() or None,
            block_size_names=kernel.block_names(), strategy=strategy, cache=cache, seed=seed, quiet=True, **limited)
    except Exception as error:  # pylint: disable=broad-except
        result.end(error=f"{type(error).__name__}: {error}")
        raise
    result.end(limited=time.time() - result.started >= limit_s)


def main():
    name, strategy, limit_s, seed, cache, out = sys.argv[1:]
    tune(kernel_of(name), strategy, float(limit_s), int(seed), cache, out)


if __name__ == "__main__":
    main()
