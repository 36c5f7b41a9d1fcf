"""Kernels that cheat, on a real GPU: each of wrong/ is tuned beside the honest kernel of its operation, and must get
the outcome that wrong/README.md says. Where the kernel is wrong, the honest one must win.

    AUTOTUNE_EXE=build/autotune python3 tests/gpu/test_wrong.py [--table FILE] [--jobs N] [OP/KERNEL...]

--table writes what came of each as a table of Markdown. Exit code 3: no GPU.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ.get("AUTOTUNE_EXE", str(HERE.parent.parent / "build" / "autotune"))
SHAPES = {"plain": "4194304 f32", "bits": "4194304 u32", "marked": "4194304 f32", "costly": "262144 f32", "stored": "262144 f32",
          "means": "1024x4096 f32", "lax": "4194304 f32", "relu": "4194304 f32"}
OTHER_SHAPES = {"plain/first_size_only": "4194303 f32", "costly/remembers_sets": "16384 f32"}
FAILURES = {"wrong_result", "crashed", "timed_out", "launch_failed", "compile_failed"}
# What the page may say of a kernel: which outcomes of its trial are right.
OUTCOMES = {name: {name} for name in FAILURES}
OUTCOMES.update({"slower": {"timed"}, "right": {"timed"}, "not found": {"timed"}, "by chance": {"timed", "wrong_result"},
                 "by hardware": {"timed"} | FAILURES})


def expectations(page=HERE / "wrong" / "README.md"):
    """[(op/kernel, words of the page)], in its order."""
    rows = re.findall(r"^\| `(\w+/\w+)` \|[^|]*\| ([^|]*) \|", page.read_text(encoding="utf-8").split("\n## ")[0],
                      re.MULTILINE)
    return [(name, [word.strip() for word in words.split(",")]) for name, words in rows]


def tune(name):
    """(outcome, log and time of the kernel, time of the honest one, template that won, its share of the ceiling)."""
    op, kernel = name.split("/")
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "db")
        done = subprocess.run(
            [PROGRAM, "tune", op, *OTHER_SHAPES.get(name, SHAPES[op]).split(), "--only", f"honest,{kernel}",
             "--templates", str(HERE / "wrong"), "--db", database, "--no-learn", "--format", "json", "--quiet"],
            capture_output=True, text=True, check=False, cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache"), "AUTOTUNE_NO_SHIPPED": "1"})
        if not done.stdout.strip():
            return "no result", done.stderr.strip(), None, None, None, None
        result = json.loads(done.stdout)
        trials = dict((row[0], row[1:]) for row in sqlite3.connect(database).execute(
            "SELECT template, outcome, log, median_s FROM trials_all"))
    honest = trials.get("honest", (None, None, None))[2]
    return (*trials.get(kernel, ("no trial", "", None)), honest, result["template"], result["share_of_ceiling"])


def complaint(expected, outcome, time, honest, winner):
    """None: as it must be."""
    right = set().union(*(OUTCOMES[word] for word in expected))
    if outcome not in right:
        return f"expected {' or '.join(sorted(right))}, found {outcome}"
    if outcome != "timed" and winner != "honest":
        return f"expected the honest kernel to win, found {winner}"
    if "slower" in expected and outcome == "timed" and honest and time < 0.98 * honest:
        return f"expected no less than the {1e6 * honest:.2f} us of the honest kernel, found {1e6 * time:.2f} us"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="file for what came of each")
    parser.add_argument("--jobs", type=int, default=4, help="runs at a time; they take turns on the device")
    parser.add_argument("kernels", nargs="*", help="default: all")
    arguments = parser.parse_args()
    listed = subprocess.run([PROGRAM, "list", "devices"], capture_output=True, text=True, check=False)
    if listed.returncode == 3:
        print("no GPU here")
        return 3
    if listed.returncode != 0:  # a program that fails otherwise is no reason to try nothing
        sys.exit(f"autotune list devices: exit code {listed.returncode}\n{listed.stderr}")
    chosen = [row for row in expectations() if not arguments.kernels or row[0] in arguments.kernels]
    failed, lines = 0, ["| kernel | must be | was | winner | said |", "| --- | --- | --- | --- | --- |"]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (name, expected), (outcome, log, median, honest, winner, share) in zip(
                chosen, pool.map(tune, [row[0] for row in chosen])):
            why = complaint(expected, outcome, median, honest, winner)
            failed += why is not None
            time = f" ({1e6 * median:.2f} us)" if median else ""
            won = f"{winner}{f', {100 * share:.0f} %' if share else ''}"
            said = " ".join((log or "").split())[:250].replace("|", "/")
            lines.append(f"| {'' if why is None else '**'}`{name}`{'' if why is None else '**'} | {', '.join(expected)} "
                         f"| {outcome}{time} | {won} | {said} |")
            print(f"{name}: {outcome}{time}, {won} won: {why or 'as it must be'}", flush=True)
    print(f"{len(chosen)} kernels, {failed} not as they must be")
    if arguments.table:
        pathlib.Path(arguments.table).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
