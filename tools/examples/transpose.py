#!/usr/bin/env python3
"""Transposes of PyTorch tensors by the module `autotune`, beside x.t().contiguous(): time, and whether each is right.
Where there is no PyTorch or no GPU, what is known of the problems.

    python3 tools/examples/transpose.py [SHAPE[:TYPE] ...]          4096x4096:f32 8x4096x128:f16
"""

import os
import statistics
import sys

try:
    import autotune
except ImportError:  # not installed: the one in these sources
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))
    import autotune

_BITS = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}  # a transpose only moves bits
_TORCH_NAMES = {"u8": "uint8", "i8": "int8", "f16": "float16", "bf16": "bfloat16", "i16": "int16", "f32": "float32",
                "i32": "int32", "f64": "float64", "i64": "int64", "c64": "complex64", "c128": "complex128"}
_SHAPES = ("4096x4096:f32", "16384x16384:f32", "16384x16384:u8", "8191x8193:f32", "1048576x16:f32", "262144x64:f16",
           "8x4096x128:f16", "512x2048:f32", "1000003x3:u8")


def _time_us(torch, call, inputs):
    """Median of one call inside a CUDA graph, over inputs that do not stay in the L2 cache."""
    call(inputs[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for x in inputs:
            call(x)
    times = []
    for _ in range(25):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        stop.record()
        stop.synchronize()
        times.append(1e3 * start.elapsed_time(stop) / len(inputs))
    return statistics.median(times[5:])


def _compare(torch, tuner, sizes, dtype):
    """Prints a row; whether the result was right."""
    kind = getattr(torch, _TORCH_NAMES[dtype])
    shape = (*sizes[:-2], sizes[-2], sizes[-1])
    count = 1
    for size in shape:
        count *= size
    size_bytes = torch.empty((), dtype=kind).element_size()
    copies = max(2, min(64, -(-(1 << 28) // (count * size_bytes))))
    inputs = [torch.randint(0, 256, (count * size_bytes,), dtype=torch.uint8, device="cuda").view(kind).view(shape)
              for _ in range(copies)]
    bits = inputs[0].transpose(-1, -2).contiguous().view(-1).view(torch.uint8)
    right = torch.equal(tuner.transpose(inputs[0]).view(-1).view(torch.uint8), bits)
    theirs = _time_us(torch, lambda x: x.transpose(-1, -2).contiguous(), inputs)
    ours = _time_us(torch, tuner.transpose, inputs)
    used = tuner.prepare("transpose", tuple(shape), _BITS[size_bytes])
    moved = 2e-3 * count * size_bytes
    print(f"{'x'.join(map(str, sizes)):>16} {dtype:5} {theirs:10.2f} {moved / theirs:7.0f} {ours:10.2f} "
          f"{moved / ours:7.0f} {theirs / ours:7.2f}  {used.match:12} {'right' if right else 'WRONG'}", flush=True)
    return right


def _look_up(tuner, sizes, dtype):
    found = tuner.find("transpose", sizes, dtype)
    print(f"transpose {found.shape} {found.type}: {found.match}, {found.template_name} {found.config}")


def main(arguments):
    if arguments == ["--help"]:
        print(__doc__)
        return 0
    problems = []
    for text in arguments or _SHAPES:
        shape, _, dtype = text.partition(":")
        dtype = dtype or "f32"
        if dtype not in _TORCH_NAMES or not all(size.isdigit() for size in shape.split("x")):
            print(f"transpose.py: found '{text}'; expected SHAPE[:TYPE], such as 4096x4096:f32; types: "
                  f"{' '.join(_TORCH_NAMES)}", file=sys.stderr)
            return 2
        problems.append((tuple(int(size) for size in shape.split("x")), dtype))
    tuner = autotune.Tuner()
    try:
        import torch

        gpu = torch.cuda.is_available()
    except ImportError:
        gpu = False
    if not gpu:
        for sizes, dtype in problems:
            _look_up(tuner, sizes, dtype)
        print("not run: no torch, or no GPU")
        return 0
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, autotune {tuner.version()}")
    print(f"{'shape':>16} {'type':5} {'torch us':>10} {'GB/s':>7} {'here us':>10} {'GB/s':>7} {'faster':>7}  match")
    right = [_compare(torch, tuner, sizes, dtype) for sizes, dtype in problems]
    torch.cuda.synchronize()
    tuner.close()
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
