"""The program `autotune`, run in a process of its own: what tunes, and what writes reports."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _native

# Exit codes of the program, as tuner/cli/README.md lists them, and statuses of the library.
_NO_ANSWER = 1
_STATUSES = {_NO_ANSWER: "not_found", 2: "usage", 3: "device", 4: "store", 5: "system",
             129: "cancelled", 130: "cancelled", 143: "cancelled"}


def installed() -> str | None:
    """`autotune` as it was installed with this module, or built in the sources that it is in."""
    beside = [Path(sysconfig.get_path("scripts")) / "autotune", _native.HERE.parents[2] / "build" / "autotune"]
    return next((str(path) for path in beside if path.is_file() and os.access(path, os.X_OK)), None)


def found() -> str:
    """The one that was installed with this module, or the first in $PATH."""
    path = installed() or shutil.which("autotune")
    if not path:
        raise _native.NotFoundError("not_found", "no program `autotune` beside this Python, nor in PATH; `pip install .` in the "
                                    "sources of autotune installs it")
    return path


def run(program: str | None, arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """What it prints, which says why where it has no answer. Every other exit code is the exception that the library would
    raise for the same fault."""
    done = subprocess.run([program or found(), *arguments], env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", check=False)
    if done.returncode and not (done.returncode == _NO_ANSWER and done.stdout):
        status = _STATUSES.get(done.returncode, "internal")
        said = done.stderr.strip().removeprefix("autotune: error: ") or f"`autotune {' '.join(arguments)}` ended with {done.returncode}"
        raise _native.ERRORS.get(status, _native.Error)(status, said)
    return done.stdout


def last_answer(printed: str) -> dict[str, Any]:
    """Of lines of JSON."""
    return dict(json.loads(printed.strip().splitlines()[-1]))


@dataclass(frozen=True)
class Report:
    """A page of all that was measured, as `autotune report` writes it; a notebook shows it."""

    html: str = field(repr=False)

    def __repr__(self) -> str:
        return f"<autotune.Report, {len(self.html)} characters of HTML: save(path) writes them>"

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """The page has styles of its own, which must not reach the notebook's."""
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:40em;border:0" title="autotune report"></iframe>'
