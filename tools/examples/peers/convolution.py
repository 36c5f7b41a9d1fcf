"""A convolution of 17 x 17: cuDNN, and the loop that one writes first."""

import ctypes

from . import nvcc, optional, rows, sizes, worst

NAME = "convolution"
SIDE = 17


def problems():
    return ["convolution 4096x4096 f32"]


def work(problem):
    rows, cols = sizes(problem)
    read = (rows + SIDE - 1) * (cols + SIDE - 1)
    return 4 * (rows * cols + read + SIDE * SIDE), 2 * SIDE * SIDE * rows * cols


def buffers(problem):
    import torch

    rows, cols = sizes(problem)
    read = torch.empty((rows + SIDE - 1, cols + SIDE - 1), device="cuda").uniform_(-1, 1)
    weights = torch.empty((SIDE, SIDE), device="cuda").uniform_(-1, 1)
    return [torch.empty((rows, cols), device="cuda"), read, weights]


def peers(problem, buffers):
    import torch

    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    out, read, weights = buffers
    found = {}

    def cudnn():
        image, filters = read[None, None], weights[None, None]
        # the first run chooses its algorithm
        return rows.tried(lambda: torch.nn.functional.conv2d(image, filters))

    def plain():
        launch = nvcc("convolution").convolution_plain
        launch.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 2 + [ctypes.c_void_p]
        mine = torch.empty_like(out)
        return lambda: launch(mine.data_ptr(), read.data_ptr(), weights.data_ptr(), *out.shape,
                              torch.cuda.current_stream().cuda_stream)

    optional(found, "cuDNN (torch)", cudnn)
    optional(found, "plain CUDA", plain)
    return found


def check(problem, buffers):
    """Against f64: the sum of 289 shifted products."""
    import torch

    out, read, weights = buffers
    rows = min(out.shape[0], 512)
    right = torch.zeros((rows, out.shape[1]), device=out.device, dtype=torch.float64)
    for i in range(SIDE):
        for j in range(SIDE):
            right += read[i:i + rows, j:j + out.shape[1]].double() * weights[i, j].double()
    off, most = worst(out[:rows], right)
    return "" if off <= 5e-5 + 1e-5 * most else f"off by {off:.3g}"
