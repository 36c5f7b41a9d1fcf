"""python3 -m autotune ...: the program that was installed with this module, or the one that is found in PATH."""

import os
import sys

from . import _program
from ._native import NotFoundError


def main() -> int:
    try:
        program = _program.found()
    except NotFoundError as error:
        print(f"autotune: {error}", file=sys.stderr)
        return 127
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
