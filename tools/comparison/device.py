"""The GPU through PyTorch: buffers that leave the L2 cache between two launches, a reference, and timed batches.

Everything runs on one stream, the current one of this thread.
"""

import math
import time

import torch

L2_MULTIPLE = 64  # launches rotate through buffers of so many L2 sizes: whatever a library keeps there is of no use to it
L2_LEAST = 3  # a batch of launches takes at least so many: slow libraries need not use all
MAX_SETS = 1024  # of tiny problems, before whose batches the L2 is swept
ALIGNMENT = 512
BATCH_SECONDS = 2e-3  # a timed batch lasts about so long
MAX_LAUNCHES = 2048
CHUNK = 1 << 26  # elements of the reference that are made at a time

STORAGE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
# For libraries that compute: every 64-bit word of random bits & keep | set is finite and normal as the type's floats,
# so that a product with one changes nothing.
FINITE = {"f16": (0x4000400040004000, 0x2000200020002000), "f32": (0x4000000040000000, 0x2000000020000000),
          "f64": (0x4000000000000000, 0x2000000000000000)}
FINITE_AS = {1: None, 2: "f16", 4: "f32", 8: "f64", 16: "f64"}


class OutOfMemory(Exception):
    """The problem does not fit into the device's memory."""


def _padded(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


class Device:
    """The memory and the stream that all problems share."""

    def __init__(self, index=0):
        torch.cuda.set_device(index)
        properties = torch.cuda.get_device_properties(index)
        self.name, self.l2_bytes = properties.name, properties.L2_cache_size
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.arena = torch.empty(0, dtype=torch.uint8, device="cuda")

    def sync(self):
        torch.cuda.synchronize()

    def memory(self, size):
        """The first bytes of the arena, which grows when it must."""
        if self.arena.numel() < size:
            self.arena = None
            torch.cuda.empty_cache()
            self.arena = torch.empty(_padded(size), dtype=torch.uint8, device="cuda")
        return self.arena[:size]

    def sweep(self, touched, sets):
        """Puts other memory into the L2, to be called before a batch; None: so many sets, of so many bytes, do that. It is read, as
        lines that are written would have to leave the L2 while the batch is timed."""
        if touched * sets >= L2_LEAST * self.l2_bytes:
            return None
        return torch.zeros(L2_LEAST * self.l2_bytes // 4, device="cuda").sum

    def sets_for(self, problem):
        """How many pairs of input and output the launches rotate through; and how many a batch must take at least."""
        pair = 2 * _padded(problem.bytes)
        wanted, fewest = (max(2, -(-times * self.l2_bytes // (2 * problem.bytes))) for times in (L2_MULTIPLE, L2_LEAST))
        held = self.arena.numel() if self.arena is not None else 0
        room = int(0.9 * (torch.cuda.mem_get_info()[0] + held)) - 3 * problem.bytes - (4 << 30)
        if room < pair:
            raise OutOfMemory(f"needs {(pair + 3 * problem.bytes) / 1e9:.1f} GB of device memory")
        sets = max(1, min(wanted, MAX_SETS, room // 2 // pair))
        return sets, min(fewest, sets)


class Work:
    """A problem with its buffers, `sets` times, and the right answer for the first."""

    def __init__(self, device, problem, seed):
        self.device, self.problem = device, problem
        self.sets, self.fewest = device.sets_for(problem)
        self.sweep = device.sweep(2 * problem.bytes, self.sets)
        self.stream = device.stream.cuda_stream
        step = _padded(problem.bytes)
        memory = device.memory(2 * step * self.sets)
        memory.zero_()
        parts = [memory[i * step:(i + 1) * step] for i in range(2 * self.sets)]
        self._inputs, self._outputs = parts[0::2], parts[1::2]
        generator = torch.Generator(device="cuda").manual_seed(seed)
        for part in self._inputs:
            self._fill(part, generator)
        self._reference = torch.empty(step, dtype=torch.uint8, device="cuda").zero_()
        self._make_reference()

    def _fill(self, part, generator):
        words = part.view(torch.int64)
        words.random_(-(1 << 63), (1 << 63) - 1, generator=generator)
        floats = {"c64": "f32"}.get(self.problem.dtype, FINITE_AS[self.problem.element_bytes])
        if floats:
            clear, fixed = FINITE[floats]
            words.bitwise_and_(~clear).bitwise_or_(fixed)

    def _make_reference(self):
        """By index arithmetic and a gather: none of the code under test takes part."""
        problem, dtype = self.problem, STORAGE[self.problem.element_bytes]
        source = self._inputs[0][:problem.bytes].view(dtype)
        target = self._reference[:problem.bytes].view(dtype)
        steps = [math.prod(problem.sizes[d + 1:]) for d in range(len(problem.sizes))]
        for first in range(0, problem.count, CHUNK):
            rest = torch.arange(first, min(first + CHUNK, problem.count), device="cuda")
            index = torch.zeros_like(rest)
            for d in reversed(problem.order):
                index += rest % problem.sizes[d] * steps[d]
                rest //= problem.sizes[d]
            target[first:first + CHUNK] = source[index]

    # ---- what peers get ----

    def input(self, i, dtype=None):
        """Set i's input, in the problem's sizes, as integers of the element's size (16: complex128)."""
        return self.flat_input(i).view(dtype or STORAGE[self.problem.element_bytes]).view(self.problem.sizes)

    def output(self, i, dtype=None):
        return self.flat_output(i).view(dtype or STORAGE[self.problem.element_bytes]).view(self.problem.turned_sizes)

    def flat_input(self, i):
        """Bytes."""
        return self._inputs[i % self.sets][:self.problem.bytes]

    def flat_output(self, i):
        return self._outputs[i % self.sets][:self.problem.bytes]

    # ---- checks: of the first set ----

    def poison(self, copy=False):
        """Makes every byte of the output wrong."""
        right = self._inputs[0] if copy else self._reference
        torch.bitwise_not(right.view(torch.int64), out=self._outputs[0].view(torch.int64))

    def is_right(self, output=None, copy=False):
        """Whether all bytes of the output are as they must be."""
        right = (self._inputs[0] if copy else self._reference)[:self.problem.bytes]
        output = self.flat_output(0) if output is None else output.reshape(-1).view(torch.uint8)
        step = 1 << 30
        return output.numel() == right.numel() and all(
            torch.equal(output[i:i + step], right[i:i + step]) for i in range(0, right.numel(), step))


def seconds_of(launch, count):
    """Of one launch, from events around `count` of them."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for i in range(count):
        launch(i)
    stop.record()
    stop.synchronize()
    return 1e-3 * start.elapsed_time(stop) / count


class Batch:
    """So many launches that a batch is long enough to be timed, in a CUDA graph where they can be captured.

    Where the L2 has to be swept before them, one for each set at most.
    """

    wall = False

    def __init__(self, work, launch, min_seconds=BATCH_SECONDS, max_launches=MAX_LAUNCHES):
        self._launch, self._graph, self._sweep = launch, None, work.sweep
        max_launches = min(max_launches, work.sets) if work.sweep else max_launches
        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        once = min(seconds_of(launch, 1) for _ in range(2))
        if once < BATCH_SECONDS:  # longer ones hide what launching costs
            self.count = min(work.fewest, max_launches)
            self._try_to_capture()
            once = self._once()
        wanted = max(work.fewest, round(min_seconds / once))
        if wanted > work.sets:
            wanted = round(wanted / work.sets) * work.sets
        wanted = min(wanted, max_launches)
        if self._graph and wanted > self.count:
            self.count = wanted
            self._try_to_capture()
        self.count = wanted if not self._graph else self.count

    def _once(self):
        """Of a launch, in the batch as it is."""
        self.start()
        torch.cuda.synchronize()
        return max(self.seconds(), 1e-7)

    def _try_to_capture(self):
        """Libraries that cannot be captured are launched one by one."""
        graph = torch.cuda.CUDAGraph()
        try:
            graph.capture_begin(capture_error_mode="thread_local")
            try:
                for i in range(self.count):
                    self._launch(i)
            finally:
                graph.capture_end()
            graph.replay()
        except Exception:  # every library has its own
            self._graph = None
        else:
            self._graph = graph

    @property
    def captured(self):
        return self._graph is not None

    def start(self):
        if self._sweep:
            self._sweep()
        self._events[0].record()
        if self._graph:
            self._graph.replay()
        else:
            for i in range(self.count):
                self._launch(i)
        self._events[1].record()

    def seconds(self):
        return 1e-3 * self._events[0].elapsed_time(self._events[1]) / self.count


class WallBatch:
    """A library with streams of its own: timed from outside, from an idle device until all is done."""

    wall = True
    captured = False

    def __init__(self, run, count):
        self._run, self.count, self._seconds = run, count, 0.0

    def start(self):
        torch.cuda.synchronize()
        began = time.perf_counter()
        self._run()
        self._seconds = (time.perf_counter() - began) / self.count

    def seconds(self):
        return self._seconds


def quick(work, launch, launches=64):
    """A rough time of a launch, to choose between variants."""
    batch = Batch(work, launch, min_seconds=2e-4, max_launches=launches)
    times = []
    for _ in range(3):
        batch.start()
        torch.cuda.synchronize()
        times.append(batch.seconds())
    return sorted(times)[1]
