"""python3 -m autotune ...: the program that was installed with this module, or the one that is found in PATH."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from ._native import HERE


def program() -> str | None:
    beside = [Path(sysconfig.get_path("scripts")) / "autotune", HERE.parents[2] / "build" / "autotune"]
    return next((str(path) for path in beside if os.access(path, os.X_OK)), None) or shutil.which("autotune")


def main() -> int:
    found = program()
    if not found:
        print("autotune: no program `autotune` beside this Python, nor in PATH; `pip install .` in the sources of autotune "
              "brings it", file=sys.stderr)
        return 127
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
