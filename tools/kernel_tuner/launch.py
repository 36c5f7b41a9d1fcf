"""launch.py - launches configurations with CuPy, tuner aside: the right answer, and one timing for all winners.

    python launch.py KERNEL SECONDS IN.json OUT.json

IN.json is a list of configurations; OUT.json gets seconds a launch for each, or what failed. All take turns in every
round, in random order, on the same buffers, between CUDA events; medians."""

import concurrent.futures
import json
import os
import random
import statistics
import sys
import time

from kernels import kernel_of

BATCH_S = 0.002  # of launches between two events, at least


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _build(kernel, text, function):
    """A function of a text, its module's constant memory filled."""
    import cupy
    module = cupy.RawModule(code=text, options=tuple(kernel.options), name_expressions=[function])
    found = module.get_function(function)
    for name, value in kernel.constants().items():
        cupy.ndarray(value.shape, value.dtype, module.get_global(name))[:] = cupy.asarray(value)
    return found


def _compile(name, config):
    """Only for CuPy's folder of compiled kernels."""
    kernel = kernel_of(name)
    try:
        _build(kernel, kernel.defines(config) + _read(kernel.source), kernel.function)
    except Exception:  # pylint: disable=broad-except
        pass  # Timer.add says why


def compile_ahead(name, configs):
    """Side by side: by itself CuPy compiles one after the other."""
    with concurrent.futures.ProcessPoolExecutor(min(len(configs), len(os.sched_getaffinity(0))) or 1) as pool:
        list(pool.map(_compile, [name] * len(configs), configs))


def right_answer(kernel, arguments):
    """What the op's reference kernel, or the configuration that is trusted, writes, as tune_kernel's `answer`: None for
    what is no output."""
    import cupy
    if kernel.reference:
        name, grid, block = kernel.reference
        text = _read(os.path.join(kernel.folder, "op.cu"))
        function = cupy.RawModule(code=text, options=tuple(kernel.options)).get_function(name)
    else:
        grid, block = kernel.geometry(kernel.trusted)
        function = _build(kernel, kernel.defines(kernel.trusted) + _read(kernel.source), kernel.function)
    on_device = [cupy.asarray(value) if value.ndim else value for value in arguments + kernel.extra]
    function(grid, block, tuple(on_device))
    cupy.cuda.Device().synchronize()
    return [cupy.asnumpy(on_device[i]) if kernel.is_output(i) and arguments[i].ndim else None
            for i in range(len(arguments))]


class Timer:
    """Compiled configurations of one kernel, and their times so far."""

    def __init__(self, kernel):
        import cupy
        self.cupy, self.kernel = cupy, kernel
        self.arguments = tuple(cupy.asarray(value) if value.ndim else value for value in kernel.arguments())
        self.text = _read(kernel.source)
        self.functions, self.times, self.errors = {}, {}, {}
        self.answer = None if kernel.verified else right_answer(kernel, kernel.arguments())

    def _check(self, function, grid, block):
        """Of kernels that one of the tuners did not verify."""
        values = self.kernel.arguments()
        on_device = [self.cupy.asarray(value) if value.ndim else value for value in values]
        function(grid, block, tuple(on_device))
        for got, right in zip(on_device, self.answer):
            if right is not None and not self.cupy.allclose(got, self.cupy.asarray(right), rtol=1e-3, atol=1e-5):
                raise ValueError("wrong result")

    def add(self, index, config):
        try:
            function = _build(self.kernel, self.kernel.defines(config) + self.text, self.kernel.function)
            grid, block = self.kernel.geometry(config)
            if self.answer:
                self._check(function, grid, block)
            function(grid, block, self.arguments)
            self.cupy.cuda.Device().synchronize()
            self.functions[index] = (function, grid, block)
            self.times[index] = []
        except Exception as error:  # pylint: disable=broad-except
            self.errors[index] = f"{type(error).__name__}: {error}"[:500]

    def _launches(self, index, count):
        function, grid, block = self.functions[index]
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        for _ in range(count):
            function(grid, block, self.arguments)
        end.record()
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / count

    def measure(self, seconds, seed=1):
        """Rounds until the time is over, at least five."""
        order, rng, started = list(self.functions), random.Random(seed), time.monotonic()
        counts = {index: max(1, round(BATCH_S / max(1e-7, self._launches(index, 3)))) for index in order}
        rounds = 0
        while order and (rounds < 5 or time.monotonic() - started < seconds):
            rng.shuffle(order)
            for index in order:
                self.times[index].append(self._launches(index, counts[index]))
            rounds += 1

    def result(self, count):
        def entry(index):
            if index in self.errors:
                return {"error": self.errors[index]}
            values = sorted(self.times[index])
            return {"seconds": statistics.median(values), "p10": values[len(values) // 10],
                    "p90": values[len(values) * 9 // 10], "rounds": len(values)}
        return [entry(index) for index in range(count)]


def main():
    name, seconds, source, out = sys.argv[1:]
    configs = json.loads(_read(source))
    compile_ahead(name, configs)
    timer = Timer(kernel_of(name))
    for index, config in enumerate(configs):
        timer.add(index, config)
    timer.measure(float(seconds))
    with open(out, "w", encoding="utf-8") as file:
        json.dump(timer.result(len(configs)), file)


if __name__ == "__main__":
    main()
