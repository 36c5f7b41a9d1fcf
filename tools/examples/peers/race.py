"""Times our kernel and its peers in one process: `python3 tools/examples/peers/race.py`, started by tools/examples/compare.

Reads lines of JSON, {"name", "problem", "database", "templates", "library", "seconds", "seed"}, and answers each with a
line: {"conditions", "sets", "wrong", "times": {label: {...}}, "skipped": {label: why}}, or {"error"}. A process for
each example: a kernel that faults takes the device from all that the process would do after it.
"""

import importlib
import json
import os
import random
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.dirname(HERE), TOOLS, os.path.join(TOOLS, "python")]  # peers; comparison; autotune

OURS = "autotune"
# Launches go through so much memory in turn, in L2 sizes, as in comparison.device. What is touched counts: with two sets of buffers
# that were larger, a gather found so much of its rows again that it was 5 % faster, unless it had asked the L2 to keep them.
L2_TIMES = 64
MAX_SETS = 64
MEMORY_SHARE = 0.6


class Sets:
    """Buffers and callables, several times; what comparison.device.Batch wants of a work."""

    def __init__(self, module, problem, device):
        import torch

        first = module.buffers(problem)
        size = sum(tensor.numel() * tensor.element_size() for tensor in first)
        touched = min(size, module.work(problem)[0] or size)  # a gather reads some rows of a table
        wanted = -(-L2_TIMES * device.l2_bytes // max(1, touched))
        room = int(MEMORY_SHARE * torch.cuda.mem_get_info()[0]) // max(1, 3 * size)
        self.sets = max(1, min(max(2, wanted), MAX_SETS, room))
        self.fewest = self.sets
        self.sweep = device.sweep(touched, self.sets)
        self.buffers = [first] + [module.buffers(problem) for _ in range(self.sets - 1)]


def our_launch(tuner, problem, sets):
    """launch(i); prepares, so that the first is as fast as the others."""
    import torch
    from peers import parts

    name, sizes, dtype = parts(problem)
    found = tuner.prepare(name, sizes, dtype)
    if not found.template_name:
        raise RuntimeError(found.why)
    addresses = [tuple(tensor.data_ptr() for tensor in buffers) for buffers in sets.buffers]

    def launch(i):
        tuner.run(name, sizes, dtype, addresses[i % sets.sets],
                  stream=torch.cuda.current_stream().cuda_stream)

    return launch, {"template": found.template_name, "config": found.config, "match": found.match}


def what_is_wrong(module, problem, sets, launch):
    import torch

    launch(0)
    torch.cuda.synchronize()
    return module.check(problem, sets.buffers[0]) if hasattr(module, "check") else ""


def launches_of(module, problem, sets):
    """{label: launch(i)} of the peers, in their order."""
    made = [module.peers(problem, buffers) for buffers in sets.buffers]
    labels = [label for label in made[0] if all(label in each for each in made)]
    return {label: lambda i, label=label: made[i % sets.sets][label]() for label in labels}


def batches_of(launches, sets, seconds, skipped):
    """What can be timed; the others are in `skipped`."""
    from comparison.device import Batch

    batches = {}
    for label, launch in launches.items():
        try:
            batches[label] = Batch(sets, launch, min_seconds=seconds / 60)
        except Exception as error:  # every library has its own
            skipped[label] = f"{type(error).__name__}: {error}"
    return batches


def measure(asked, device, tuner):
    from comparison.race import describe, race

    module, skipped = importlib.import_module("peers." + asked["name"]), {}
    problem = asked["problem"]
    sets = Sets(module, problem, device)
    launch, ours = our_launch(tuner, problem, sets)
    wrong = what_is_wrong(module, problem, sets, launch)
    launches = {OURS: launch, **launches_of(module, problem, sets)}
    batches = batches_of(launches, sets, asked["seconds"], skipped)
    samples = race(batches, device.sync, asked["seconds"], random.Random(asked["seed"]))
    times = {label: describe(values) for label, values in samples.items()}
    return {"ours": ours, "sets": sets.sets, "wrong": wrong, "times": times, "skipped": skipped}


def conditions(device):
    import torch

    return {"device": device.name, "torch": torch.__version__, "cuda": torch.version.cuda, "l2_bytes": device.l2_bytes}


def main():
    device = tuner = None
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")  # what libraries print goes to stderr
    os.dup2(2, 1)
    begin_early()
    for line in sys.stdin:
        try:
            asked = json.loads(line)
            if device is None:
                from comparison.device import Device

                import autotune

                device = Device(0)
                tuner = autotune.Tuner(asked["database"], templates=asked["templates"], library=asked["library"])
            answer = {**measure(asked, device, tuner), "conditions": conditions(device)}
        except Exception as error:  # the next problem may do better
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
        if device is not None:
            free_memory()


def begin_early():
    """What takes seconds, before the first problem is there; what is missing says so then."""
    for name in ("torch", "triton", "torch._dynamo", "torch._inductor.compile_fx"):
        try:
            importlib.import_module(name)
        except ImportError:
            pass


def free_memory():
    import gc

    import torch

    gc.collect()
    try:
        torch.cuda.empty_cache()
    except RuntimeError:  # the device is lost: the next problem says so
        pass


if __name__ == "__main__":
    main()
