"""python3 -m autotune ...: the program that was installed with this module, or the one that is found in PATH."""

import os
import shutil
import sys

from ._native import installed_program


def main() -> int:
    found = installed_program() or shutil.which("autotune")
    if not found:
        print("autotune: no program `autotune` beside this Python, nor in PATH; `pip install .` in the sources of autotune "
              "brings it", file=sys.stderr)
        return 127
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
