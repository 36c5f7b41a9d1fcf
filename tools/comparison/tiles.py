"""A tiled transpose in Triton, with its own search: what a Triton programmer gets from autotuning tile and warps."""

import concurrent.futures
import contextlib
import math

from . import device as gpu
from .peers import Peer, Prepared, Skip

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if triton:

    @triton.jit
    def _transpose(out, source, rows, cols, BM: tl.constexpr, BN: tl.constexpr, DOWN: tl.constexpr, WIDE: tl.constexpr):
        """A tile of BM x BN a program; DOWN: tiles that follow each other share columns, so output rows."""
        down, across = tl.cdiv(rows, BM), tl.cdiv(cols, BN)
        program = tl.program_id(0)
        tile = program % (down * across)
        first = (program // (down * across)).to(tl.int64) * rows * cols
        r = (tile % down if DOWN else tile // across) * BM + tl.arange(0, BM)
        c = (tile // down if DOWN else tile % across) * BN + tl.arange(0, BN)
        if WIDE:
            r, c = r.to(tl.int64), c.to(tl.int64)
        x = tl.load(source + first + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols))
        tl.store(out + first + c[:, None] * rows + r[None, :], tl.trans(x),
                 mask=(c[:, None] < cols) & (r[None, :] < rows))

    @triton.jit
    def _transpose_pairs(out, source, rows, cols, BM: tl.constexpr, BN: tl.constexpr, DOWN: tl.constexpr,
                         WIDE: tl.constexpr):
        """The same for elements of two words."""
        down, across = tl.cdiv(rows, BM), tl.cdiv(cols, BN)
        program = tl.program_id(0)
        tile = program % (down * across)
        first = (program // (down * across)).to(tl.int64) * rows * cols
        r = (tile % down if DOWN else tile // across) * BM + tl.arange(0, BM)
        c = (tile // down if DOWN else tile % across) * BN + tl.arange(0, BN)
        if WIDE:
            r, c = r.to(tl.int64), c.to(tl.int64)
        word = tl.arange(0, 2)[None, None, :]
        x = tl.load(source + (first + r[:, None, None] * cols + c[None, :, None]) * 2 + word,
                    mask=(r[:, None, None] < rows) & (c[None, :, None] < cols))
        tl.store(out + (first + c[:, None, None] * rows + r[None, :, None]) * 2 + word, tl.permute(x, (1, 0, 2)),
                 mask=(c[:, None, None] < cols) & (r[None, :, None] < rows))


def configurations(problem, most_tile_bytes=32768):
    """(BM, BN, warps): powers of two, tiles of 2 to 32 KiB, not much longer than wide unless a side is short."""
    def sides(length):
        longest = 1 << max(0, math.ceil(math.log2(length)))
        return [side for side in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048) if side <= longest], longest

    (tall, most_rows), (wide, most_cols) = sides(problem.rows), sides(problem.cols)
    least = min(2048, problem.element_bytes * most_rows * most_cols)
    chosen = []
    for rows in tall:
        for cols in wide:
            size = rows * cols * problem.element_bytes
            limited = rows == most_rows or cols == most_cols
            even = max(rows, cols) <= 4 * min(rows, cols) and min(rows, cols) * problem.element_bytes >= 32
            if least <= size <= most_tile_bytes and (even or (limited and max(rows, cols) >= 16)):
                chosen += [(rows, cols, warps) for warps in (4, 8)]
    return chosen or [(most_rows, most_cols, 4)]


class Triton(Peer):
    """Every configuration is timed, the three best once more and in both orders of tiles."""

    name, title = "triton", "Triton, tuned"

    def open(self, device):
        if not triton:
            raise Skip("not installed: triton")
        self.version = triton.__version__

    def _launcher(self, work, config):
        problem = work.problem
        rows, cols, warps, down = config
        kernel = _transpose_pairs if problem.element_bytes == 16 else _transpose
        dtype = gpu.torch.int64 if problem.element_bytes == 16 else gpu.STORAGE[problem.element_bytes]
        views = [(work.flat_output(i).view(dtype), work.flat_input(i).view(dtype)) for i in range(work.sets)]
        grid = (problem.batch * -(-problem.rows // rows) * -(-problem.cols // cols),)
        wide = problem.rows * problem.cols >= 1 << 31
        fixed = {"BM": rows, "BN": cols, "DOWN": down, "WIDE": wide, "num_warps": warps}

        def launch(i, warm_up=False):
            out, x = views[i % work.sets]
            if warm_up:
                kernel.warmup(out, x, problem.rows, problem.cols, grid=grid, **fixed)
            else:
                kernel[grid](out, x, problem.rows, problem.cols, **fixed)

        return launch

    def _compile(self, launchers):
        """In threads, where this Triton can."""
        try:
            from triton.runtime._async_compile import AsyncCompileMode
        except ImportError:
            return
        with concurrent.futures.ThreadPoolExecutor() as pool, contextlib.suppress(RuntimeError):
            with AsyncCompileMode(pool, ignore_errors=True):
                for launch in launchers:
                    launch(0, warm_up=True)

    def _times(self, work, configs, launches):
        """[(seconds, config)], fastest first; those that do not compile or do not fit are left out."""
        launchers = {config: self._launcher(work, config) for config in configs}
        self._compile(launchers.values())
        timed = []
        for config, launch in launchers.items():
            try:
                launch(0)
                timed.append((gpu.quick(work, launch, launches), config))
            except triton.TritonError:
                continue
        return sorted(timed)

    def prepare(self, work):
        configs = configurations(work.problem)
        timed = self._times(work, [(*config, True) for config in configs], 64)
        again = [(*config[:3], down) for _, config in timed[:3] for down in (True, False)]
        final = self._times(work, again, 256)
        if not final:
            raise Skip("no configuration could be launched")
        rows, cols, warps, down = final[0][1]
        return Prepared(self._launcher(work, final[0][1]), configurations=len(configs) + len(again) // 2,
                        config=f"BM={rows} BN={cols} num_warps={warps} DOWN={down}")
