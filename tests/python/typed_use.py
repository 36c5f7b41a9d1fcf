"""What type checkers make of the module autotune: test_typed.py gives it to mypy, and nobody runs it. A line that must be found
wrong says so; where it is not, its comment is."""
from __future__ import annotations

import autotune


class Matrix:
    """An array of any framework."""


x = Matrix()
found: autotune.Found = autotune.find("transpose", (4096, 4096), "f32", device="NVIDIA H200")
seconds: float | None = found.median_s
kernel: str = found.launches[0].kernel
size: int = found.buffers[0].bytes
struct: bytes | None = found.launches[0].args[0].contents
moved: Matrix = autotune.permute(autotune.transpose(x, 0, 1), (1, 0), out=x)
rows: Matrix = autotune.gather_rows(x, x)
autotune.run("transpose", (64, 96), "f32", {"in": x, "out": x}, stream=7)
page: str = autotune.report(op="transpose").html
tuned: autotune.Found = autotune.tune("permute", (4, 6, 8), "f32", dims=(2, 0, 1), budget_s=2.5)
with autotune.Tuner("results.db", templates="kernels", headers=["a", "b"]) as tuner:
    names: tuple[str, ...] = tuner.ops()[0].sizes

autotune.find("transpose", 4096, "f32")  # type: ignore[arg-type]
autotune.transpose(x, x)  # type: ignore[arg-type]
autotune.permute(x, (1, 0), x)  # type: ignore
autotune.find("transpose", (64, 96), "f32", gpu=0)  # type: ignore[call-arg]
found.winner  # type: ignore[attr-defined]
found.config = "TILE=32"  # type: ignore[misc]
wrong: int = found.config  # type: ignore[assignment]
