"""A tiled transpose in Triton, with its own search: what a Triton programmer gets from autotuning tile and warps."""

import concurrent.futures
import contextlib

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

    @triton.jit
    def _transpose_many(out, source, batch, rows, cols, BB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
        """BB whole matrices a program."""
        b = (tl.program_id(0) * BB + tl.arange(0, BB))[:, None, None].to(tl.int64)
        r, c = tl.arange(0, BM), tl.arange(0, BN)
        first, inside = b * rows * cols, b < batch
        x = tl.load(source + first + r[None, :, None] * cols + c[None, None, :],
                    mask=inside & (r[None, :, None] < rows) & (c[None, None, :] < cols))
        tl.store(out + first + c[None, :, None] * rows + r[None, None, :], tl.permute(x, (0, 2, 1)),
                 mask=inside & (c[None, :, None] < cols) & (r[None, None, :] < rows))


SMALLEST, LARGEST = 2048, 32768  # bytes of a tile


def _powers(longest):
    """1, 2, 4, ... up to the first that holds `longest`, at most 2048."""
    return [1 << i for i in range(12) if i == 0 or 1 << (i - 1) < longest]


def _warps(tile_bytes):
    return (4, 8, 16) if tile_bytes >= LARGEST // 2 else (4, 8)


def _of_many(problem):
    """Where a matrix is smaller than a tile: several matrices, whole."""
    rows, cols = _powers(problem.rows)[-1], _powers(problem.cols)[-1]
    chosen = []
    for matrices in _powers(problem.batch):
        size = matrices * rows * cols * problem.element_bytes
        if SMALLEST <= size <= LARGEST:
            chosen += [(matrices, rows, cols, warps) for warps in _warps(size)]
    return chosen


def configurations(problem):
    """(matrices, BM, BN, warps): tiles of powers of two, 2 to 32 KiB, much longer than wide only if a side is short."""
    tall, wide = _powers(problem.rows), _powers(problem.cols)
    whole = problem.element_bytes * tall[-1] * wide[-1]
    if problem.batch > 1 and whole < SMALLEST and problem.element_bytes < 16:
        return _of_many(problem) or [(1, tall[-1], wide[-1], 4)]
    chosen = []
    for rows in tall:
        for cols in wide:
            size = rows * cols * problem.element_bytes
            limited = rows >= problem.rows or cols >= problem.cols
            even = max(rows, cols) <= 4 * min(rows, cols) and min(rows, cols) * problem.element_bytes >= 32
            if min(SMALLEST, whole) <= size <= LARGEST and (even or (limited and max(rows, cols) >= 16)):
                chosen += [(1, rows, cols, warps) for warps in _warps(size)]
    return chosen or [(1, tall[-1], wide[-1], 4)]


class Triton(Peer):
    """Every configuration is timed, the three best once more and in both orders of tiles."""

    name, title = "triton", "Triton, tuned"

    def open(self, device):
        if not triton:
            raise Skip("not installed: triton")
        self.version = triton.__version__

    def _launcher(self, work, config):
        problem = work.problem
        matrices, rows, cols, warps, down = config
        pairs = problem.element_bytes == 16
        dtype = gpu.torch.int64 if pairs else gpu.STORAGE[problem.element_bytes]
        views = [(work.flat_output(i).view(dtype), work.flat_input(i).view(dtype)) for i in range(work.sets)]
        if matrices > 1:
            kernel, sizes = _transpose_many, (problem.batch, problem.rows, problem.cols)
            grid, fixed = (-(-problem.batch // matrices),), {"BB": matrices}
        else:
            kernel, sizes = _transpose_pairs if pairs else _transpose, (problem.rows, problem.cols)
            grid = (problem.batch * -(-problem.rows // rows) * -(-problem.cols // cols),)
            fixed = {"DOWN": down, "WIDE": problem.rows * problem.cols >= 1 << 31}
        fixed.update(BM=rows, BN=cols, num_warps=warps)

        def launch(i, warm_up=False):
            out, x = views[i % work.sets]
            if warm_up:
                kernel.warmup(out, x, *sizes, grid=grid, **fixed)
            else:
                kernel[grid](out, x, *sizes, **fixed)

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
        again = [(*config[:4], down) for _, config in timed[:3] for down in (True, False)]
        final = self._times(work, again, 256)
        if not final:
            raise Skip("no configuration could be launched")
        matrices, rows, cols, warps, down = final[0][1]
        return Prepared(self._launcher(work, final[0][1]), configurations=len(configs) + len(again) // 2,
                        config=f"MATRICES={matrices} BM={rows} BN={cols} num_warps={warps} DOWN={down}")
