"""ours.py - tunes one kernel with autotune, and reads when each trial was known."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time

DEVICE, STORE = 0, 1  # tracks of a trace; compilers are behind them


def command(options, kernel, folder):
    """From nothing: a store and a cache of compiled kernels of its own."""
    line = [options.autotune, "tune", kernel.name, kernel.shape, "--templates", os.path.dirname(kernel.folder),
            "--allow", os.path.dirname(kernel.source), "--db", os.path.join(folder, "ours.db"), "--trace", os.path.join(folder, "trace.json"),
            "--budget", f"{options.limit:g}s", "--seed", str(options.seed), "--format", "json", "--quiet"]
    return line + (["--jobs", str(options.jobs)] if options.jobs else [])


CUPYS_COMPILER = """
import cupy
cupy.RawModule(code="__global__ void f() {}", name_expressions=["f"]).get_function("f")
print(next((line.split()[-1] for line in open("/proc/self/maps") if "/libnvrtc.so" in line), ""))
"""


def compiler_of_cupy():
    """The NVRTC that Kernel Tuner's kernels are compiled with; "": unknown. Two of them make different code of the same
    configuration, and the timing at the end uses this one."""
    done = subprocess.run([sys.executable, "-c", CUPYS_COMPILER], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def read_config(text):
    """`block_size_x=32 vector=float4` as a dictionary."""
    pairs = (pair.split("=", 1) for pair in text.split())
    return {name: int(value) if re.fullmatch(r"-?\d+", value) else value for name, value in pairs}


def read_trace(text, wall_s):
    """Spans of a trace, also of one that lacks its end: (track, what, configuration, start, end) in seconds from the
    start of the process. The trace begins somewhat after the process does: what the process took beyond the last event
    counts as if it had been before the first."""
    events = json.loads(text if text.rstrip().endswith("]") else text.rstrip().rstrip(",") + "]")
    spans = [(event["tid"], event["name"], event.get("args", {}).get("detail", ""), event["ts"] * 1e-6,
              (event["ts"] + event["dur"]) * 1e-6) for event in events if event.get("ph") == "X"]
    offset = max(0.0, wall_s - max((span[4] for span in spans), default=0.0))
    return [(*span[:3], span[3] + offset, span[4] + offset) for span in spans]


def ends_of_trials(spans):
    return {detail: end for track, _, detail, _, end in spans if track == DEVICE and "=" in detail}


def phases(spans):
    """Where the time went, in seconds: what to look at where a run took long."""
    def total(chosen):
        return sum(end - start for _, _, _, start, end in chosen)
    trials = [span for span in spans if span[0] == DEVICE and "=" in span[2]]
    compiled = [span for span in spans if span[0] > STORE]
    return {"set_up_until": max((span[4] for span in spans if span[1] == "set up"), default=None),
            "first_compiled": min((span[4] for span in compiled), default=None),
            "first_trial": min((span[4] for span in trials), default=None),
            "last_trial": max((span[4] for span in trials), default=None),
            "trials_busy": total(trials), "compilers_busy": total(compiled), "compiled": len(compiled),
            "compilers": len({span[0] for span in compiled}),
            "re-measurement": total(span for span in spans if span[1] == "re-measurement")}


def read_trials(database, known):
    """Trials in the order of their ends. The store has one median for each, the last that was taken."""
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute(
        "SELECT template, config, outcome, median_s, compile_s, log FROM trials_all")
    trials = []
    for template, config, outcome, median, compile_s, log in rows:
        for detail, seconds in known.items():
            if detail.endswith(f" {template} {config}"):
                trials.append({"at_s": seconds, "config": read_config(config), "seconds": median,
                               "outcome": outcome, "compile_s": compile_s, "log": log})
    return sorted(trials, key=lambda trial: trial["at_s"])


def tune(options, kernel, folder):
    environment = dict(os.environ, AUTOTUNE_CACHE=os.path.join(folder, "kernels.db"))
    compiler = compiler_of_cupy()
    if compiler:
        environment["AUTOTUNE_NVRTC"] = compiler
    started = time.monotonic()
    done = subprocess.run(command(options, kernel, folder), env=environment, capture_output=True, text=True,
                          timeout=options.limit + 120, check=False)
    wall_s = time.monotonic() - started
    if not done.stdout.startswith("{"):
        raise RuntimeError(f"autotune ended with {done.returncode}: {(done.stderr + done.stdout).strip()[-600:]}")
    answer = json.loads(done.stdout)
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as file:
        spans = read_trace(file.read(), wall_s)
    found = {"wall_s": wall_s, "winner": read_config(answer["config"]) if answer["found"] else None,
             "winner_seconds": answer["median_s"],
             "trials": read_trials(os.path.join(folder, "ours.db"), ends_of_trials(spans)), "answer": answer,
             "phases": phases(spans)}
    return found if answer["found"] else dict(found, error=f"no winner: {answer.get('why')}")
