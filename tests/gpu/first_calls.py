"""A program that meets shapes which nobody tuned, on a GPU: what its first calls take, and what tuning on a miss makes of them.

    python3 tests/gpu/first_calls.py --shapes FILE --known KNOWN.db [--program build/autotune] [--seconds 60]

FILE has a line a problem: "SHAPE DTYPE", and after a tab, where it is known, the tuned "TEMPLATE CONFIG". KNOWN.db answers
first: it is copied, never written. In turns, each with problems of its own: several processes that ask for one problem at once
(one may tune it), `query --budget`, calls that wait for tuning, calls within a graph's capture (none may tune), and calls that
go on while a thread has them tuned. At last the answers before and after, and the tuned ones, play re-measurements against each other
(tests/gpu/time_answers.c), and the shares within 1, 5, 10 and 25 % are printed. Needs PyTorch. Exit code 1: a result was wrong,
something was tuned more or less often than it may be, or a part could not be tried.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("AUTOTUNE_MODULE") or str(ROOT / "tools/python"))
import torch  # noqa: E402

import autotune  # noqa: E402

BEGAN = time.monotonic()
BOUNDS = (0.01, 0.05, 0.10, 0.25)
TORCH = {"u8": "uint8", "f16": "float16", "f32": "float32", "f64": "float64", "c128": "complex128"}
CALLERS, AT_QUERY, WAITING = 4, 2, 4


def say(text):
    print(f"{time.monotonic() - BEGAN:6.2f} s  {text}", flush=True)


def sizes_of(shape):
    return tuple(int(size) for size in shape.split("x"))


class Program:
    """The tuner's program behind a script that writes down when it is started."""

    def __init__(self, folder, program):
        self.log, self.path = folder / "started", folder / "autotune"
        self.path.write_text(f'#!/bin/sh\necho "$*" >> {self.log}\nexec {program} "$@"\n', encoding="utf-8")
        self.path.chmod(0o755)

    def starts(self, shape=""):
        lines = self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []
        return sum(f" {shape} " in line or not shape for line in lines)


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.program = args, folder, Program(folder, args.program)
        self.answers = {}  # (shape, type): {"tuned", "before", "after"}: "TEMPLATE CONFIG"
        self.wrong = 0  # results, counts of runs, parts that broke off

    def database(self, name):
        path = self.folder / f"{name}.db"
        for end in ("", "-model"):
            if os.path.exists(self.args.known + end):
                shutil.copy(self.args.known + end, f"{path}{end}")
        return path

    def tuner(self, database, **options):
        return autotune.Tuner(database=database, no_shipped=True, program=self.program.path, **options)

    def query(self, database, problem, *options):
        command = [self.args.program, "query", *problem, "--db", database, "--no-shipped", "--format", "json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            say(f"{problem}: query failed: {done.stderr.strip()}")
        elif done.stderr:
            say(f"{problem}: {done.stderr.strip()}")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def expects(self, right):
        """Whether it is right; that it is not is told at the end, too."""
        self.wrong += not right
        return right

    def tuned(self, times, expected):
        self.expects(times == expected)
        return f"{times} times (expected {expected})"

    def note(self, problem, when, answer):
        if answer:
            self.answers.setdefault(problem, {})[when] = f"{answer['template']} {answer['config']}"
        return answer["match"] if answer else "none"


class Call:
    """A transpose of a tensor, its buffers made before."""

    def __init__(self, tuner, problem):
        shape, dtype = problem
        self.tuner, self.sizes, self.dtype = tuner, sizes_of(shape), dtype
        kind = getattr(torch, TORCH[dtype])
        self.x = torch.randint(0, 200, self.sizes, device="cuda", dtype=torch.uint8).to(kind)
        self.out = torch.empty((*self.sizes[:-2], self.sizes[-1], self.sizes[-2]), device="cuda", dtype=kind)
        torch.cuda.synchronize()

    def __call__(self):
        self.tuner.transpose(self.x, self.out)

    def timed(self):
        """Seconds until the result is there."""
        began = time.monotonic()
        self()
        torch.cuda.synchronize()
        return time.monotonic() - began

    def submitted(self, count=50):
        """Seconds of the processor's time a call, the median."""
        times = []
        for _ in range(count):
            began = time.perf_counter()
            self()
            times.append(time.perf_counter() - began)
        torch.cuda.synchronize()
        return statistics.median(times)

    def is_right(self):
        return torch.equal(self.out, self.x.transpose(-1, -2).contiguous())


def one_of_several(bench, database, problem, number):
    call = Call(bench.tuner(database, tune_s=4), problem)
    first = call.timed()
    answer = call.tuner.find("transpose", call.sizes, problem[1], device="H200")
    say(f"    process {number}: first call {first:.2f} s, later {1e3 * call.timed():.2f} ms, {answer.match} "
        f"{answer.template_name} {answer.config}, right: {bench.expects(call.is_right())}")


def several_processes(bench, problem):
    """Before this process opens CUDA: forks it."""
    database = bench.database("several")
    say(f"{CALLERS} processes ask for {' '.join(problem)} at once, 4 s each at most")
    bench.note(problem, "before", bench.query(database, problem))
    children = []
    for number in range(CALLERS):
        pid = os.fork()
        if pid == 0:
            guarded(one_of_several, bench, database, problem, number)
            os._exit(bench.wrong != 0)
        children.append(pid)
    for pid in children:
        bench.expects(os.waitpid(pid, 0)[1] == 0)
    bench.note(problem, "after", bench.query(database, problem))
    say(f"    tuned {bench.tuned(bench.program.starts(problem[0]), 1)}")


def at_query(bench, problems):
    database = bench.database("query")
    for problem in problems:
        bench.note(problem, "before", bench.query(database, problem))
        began = time.monotonic()
        match = bench.note(problem, "after", bench.query(database, problem, "--budget", "2s"))
        first, began = time.monotonic() - began, time.monotonic()
        bench.query(database, problem, "--budget", "2s")
        say(f"query --budget 2s {' '.join(problem)}: first {first:.2f} s ({match}), again {time.monotonic() - began:.3f} s")


def waiting(bench, problems):
    database = bench.database("waiting")
    with bench.tuner(database, tune_s=2) as tuner:
        for problem in problems:
            call = Call(tuner, problem)
            bench.note(problem, "before", bench.query(database, problem))
            first, second = call.timed(), call.timed()
            match = bench.note(problem, "after", bench.query(database, problem))
            found = tuner.prepare("transpose", call.sizes, problem[1])
            say(f"waits: {' '.join(problem)}: first call {first:.2f} s ({match}), second {1e3 * second:.2f} ms, "
                f"then {1e6 * call.submitted():.1f} us of CPU time; right: {bench.expects(call.is_right())}{'; ' * bool(found.warning)}"
                f"{found.warning}")


def in_a_graph(bench, problem):
    """What is met within a capture is not tuned; what was tuned meanwhile is taken after it."""
    database = bench.database("graph")
    graph = torch.cuda.CUDAGraph()
    bench.note(problem, "before", bench.query(database, problem))
    with bench.tuner(database, tune_s=2) as tuner:
        call = Call(tuner, problem)
        starts, began = bench.program.starts(), time.monotonic()
        try:
            with torch.cuda.graph(graph):
                call()
            took = time.monotonic() - began
            graph.replay()
            torch.cuda.synchronize()
            say(f"graph: {' '.join(problem)}: captured in {1e3 * took:.0f} ms, first met there; tuned "
                f"{bench.tuned(bench.program.starts() - starts, 0)}; replayed right: {bench.expects(call.is_right())}")
        except (RuntimeError, autotune.Error) as error:
            say(f"graph: {' '.join(problem)}: first met in a capture: {str(error).splitlines()[0]}; tuned "
                f"{bench.tuned(bench.program.starts() - starts, 0)}")
    with bench.tuner(database, tune_s=2, tune_in_background=True) as tuner:
        call, starts = Call(tuner, problem), bench.program.starts()
        call.timed()
        until = time.monotonic() + 4
        while bench.query(database, problem)["match"] != "exact" and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.3)  # the thread of the library learns that its program has ended
        graph, began = torch.cuda.CUDAGraph(), time.monotonic()
        with torch.cuda.graph(graph):
            call()
        took = time.monotonic() - began
        graph.replay()
        torch.cuda.synchronize()
        right, after = call.is_right(), call.timed()
        bench.note(problem, "after", bench.query(database, problem))
        say(f"graph: the same, tuned in the background {bench.tuned(bench.program.starts() - starts, 1)} before the "
            f"capture, which took {1e3 * took:.1f} ms and loads nothing; replayed right: {bench.expects(right)}; the next call loads what "
            f"was found: {1e3 * after:.1f} ms, then {1e3 * call.timed():.2f} ms")


def in_the_background(bench, problems, until):
    """All are met at once, and again and again."""
    database, left, tuned_at = bench.database("background"), {}, {}
    for problem in problems:
        bench.note(problem, "before", bench.query(database, problem))
    with bench.tuner(database, tune_s=2, tune_in_background=True) as tuner:
        calls = {problem: Call(tuner, problem) for problem in problems}
        began = time.monotonic()
        firsts = {problem: call.timed() for problem, call in calls.items()}
        say(f"in the background: {len(problems)} problems met; a first call takes {1e3 * statistics.median(firsts.values()):.0f} ms "
            f"in the median, {1e3 * max(firsts.values()):.0f} ms at most (look-up, compilation, load)")
        left, later = dict(calls), []
        while left and time.monotonic() < until:
            for problem, call in calls.items():
                later.append(call.timed())
                if problem in left and tuner.find("transpose", call.sizes, problem[1], device="H200").match == "exact":
                    del left[problem]
                    tuned_at[problem] = time.monotonic() - began
            time.sleep(0.05)
        for problem, call in calls.items():
            if problem in tuned_at:
                bench.note(problem, "after", bench.query(database, problem))
            if not bench.expects(call.is_right()):
                say(f"    {' '.join(problem)}: WRONG result")
        for problem, at in tuned_at.items():
            say(f"    {' '.join(problem)}: first call {1e3 * firsts[problem]:.0f} ms, tuned {at:.1f} s after the first of all")
        say(f"    {len(tuned_at)} of {len(problems)} tuned, program started {bench.program.starts()} times in all; later calls: median "
            f"{1e3 * statistics.median(later):.2f} ms, the slowest {1e3 * max(later):.0f} ms (one that loads what was found)")
        began = time.monotonic()
    say(f"    closed in {time.monotonic() - began:.2f} s")


def shares(losses):
    return ", ".join(f"{100 * sum(loss <= bound for loss in losses) / len(losses):.0f} % within {100 * bound:.0f} %"
                     for bound in BOUNDS)


def judge(bench, seconds):
    lines, order = [], []
    for problem, a in bench.answers.items():
        configs = sorted(set(a.values()))
        if "before" in a and len(a) > 1:
            order.append((problem, configs))
            lines.append("\t".join([f"{problem[0]} {problem[1]} transpose", *configs]))
    (bench.folder / "lines").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = subprocess.run([bench.args.timer, str(seconds)], input="\n".join(lines) + "\n", capture_output=True, text=True,
                         check=False)
    known = {line.split("\t")[0]: line.rstrip("\n").split("\t")[1:] for line in run.stdout.splitlines()}
    losses = {"before": [], "after": []}
    for problem, configs in order:
        figures = known.get(f"{problem[0]} {problem[1]} transpose")
        if not figures or "-" in figures:
            say(f"{' '.join(problem)}: not timed")
            continue
        of_config = dict(zip(configs, map(float, figures)))
        times = {when: of_config[bench.answers[problem][when]] for when in ("tuned", "before", "after")
                 if when in bench.answers[problem]}
        best = min(times.values())
        say(f"{problem[0]:>16} {problem[1]:5}" + "".join(f"  {when} {times[when]:9.2f} us ({100 * (times[when] / best - 1):.1f} %)"
                                                        for when in times))
        for when in losses:
            if "after" in times:
                losses[when].append(times[when] / best - 1)
    for when, some in losses.items():
        if some:
            say(f"{when} tuning, {len(some)} problems, against the best of what is known: median "
                f"{100 * statistics.median(some):.1f} %, worst {100 * max(some):.1f} %, {shares(some)}")
    if not bench.expects(run.returncode == 0):
        say(f"time_answers: {run.stderr.strip()}")


def guarded(what, bench, *arguments):
    try:
        what(bench, *arguments)
    except Exception as error:  # one part that fails must not lose the others
        bench.wrong += 1
        say(f"{what.__name__}: {type(error).__name__}: {error}")


def read_shapes(path, bench):
    problems = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        words, _, tuned = line.partition("\t")
        problem = tuple(words.split()[:2])
        problems.append(problem)
        if tuned:
            bench.answers[problem] = {"tuned": tuned}
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--known", required=True, metavar="KNOWN.db")
    parser.add_argument("--program", default=str(ROOT / "build/autotune"))
    parser.add_argument("--timer", default=str(ROOT / "build/tests/gpu/time_answers"))
    parser.add_argument("--seconds", type=float, default=60, help="in all (60)")
    args = parser.parse_args()
    args.program = str(Path(args.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, Path(folder))
        problems = read_shapes(args.shapes, bench)
        several, asked = problems[0], problems[1:1 + AT_QUERY]
        waits, graph = problems[1 + AT_QUERY:1 + AT_QUERY + WAITING], problems[1 + AT_QUERY + WAITING]
        others = problems[2 + AT_QUERY + WAITING:]
        guarded(several_processes, bench, several)
        guarded(at_query, bench, asked)
        guarded(waiting, bench, waits)
        guarded(in_a_graph, bench, graph)
        judging = 0.25 * args.seconds
        guarded(in_the_background, bench, others, BEGAN + args.seconds - judging)
        guarded(judge, bench, max(4, args.seconds - (time.monotonic() - BEGAN)))
        if bench.wrong:
            say(f"{bench.wrong} things are not as they should be")
        return int(bench.wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
