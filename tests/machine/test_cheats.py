"""test_cheats.py AUTOTUNE - kernels that cheat (tests/gpu/wrong), on the CPU: `check --execute` finds of each what the
last column of that folder's README.md says, and nothing in the honest ones. Exit code 77: no NVRTC."""

import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "gpu" / "wrong"
SHAPES = {"means": "3x2500", "costly": "600", "stored": "600"}  # others: several blocks, the last of them not full
NOT_RUN = "-"  # what needs more than the machine has, and may be right


def expectations():
    rows = re.findall(r"^\| `(\w+)/(\w+)` \|[^|]*\|[^|]*\| ([^|]*) \|$",
                      (FOLDER / "README.md").read_text(encoding="utf-8").split("\n## ")[0], re.MULTILINE)
    expected = {(op, kernel): kind for op, kernel, kind in rows}
    expected.update({(op, "honest"): "nothing" for op, _ in list(expected)})
    return expected


def found(autotune, op):
    """{kernel: kinds of what was found; None: it was not run}."""
    done = subprocess.run([autotune, "check", "--execute", op, "--templates", str(FOLDER), "--shape", SHAPES.get(op, "1500"),
                           "--sample", "1", "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 3:
        print(done.stderr)
        sys.exit(77)
    kernels = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        kernels[row["template"]] = {finding["kind"] for finding in row["findings"]} if row["configs"] or row["wrong"] else None
    return kernels


def main():
    failed = 0
    expected = expectations()
    for op in sorted({op for op, _ in expected}):
        kernels = found(sys.argv[1], op)
        for (_, kernel), kind in sorted(item for item in expected.items() if item[0][0] == op):
            kinds = kernels.get(kernel)
            right = kind == NOT_RUN or (kinds == set() if kind == "nothing" else kinds is not None and kind in kinds)
            failed += not right
            print(f"{'' if right else 'WRONG: '}{op}/{kernel}: expected {kind}, found {kinds}")
    return 1 if failed or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
