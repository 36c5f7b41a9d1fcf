"""kernels.py - the problems that both tuners get, as users of Kernel Tuner describe them: parameters, restrictions, the
size that the grid is made from, arguments. autotune's side of the same is ops/<name>/*.cu; `compare --spaces` holds the
two against each other."""

import os

try:
    import numpy
except ImportError:  # tables and autotune's side do without
    numpy = None

HERE = os.path.dirname(os.path.abspath(__file__))


class Kernel:
    """What tune_kernel wants to know, and what launching a configuration by ourselves takes."""

    def __init__(self, **fields):
        self.restrictions, self.grid_div_x, self.grid_div_y, self.verify = [], ["block_size_x"], None, None
        self.grid_div_z, self.verified = None, True
        self.extra, self.single = [], {}  # arguments that only the reference takes; parameters of one value
        self.options = ["--std=c++17"]  # as autotune's; CuPy adds -ftz=true, and so do autotune's templates
        self.__dict__.update(fields)

    def __str__(self):
        return f"{self.name}={self.shape}"

    @property
    def label(self):
        return self.name

    @property
    def folder(self):
        return os.path.join(HERE, "ops", self.name)

    @property
    def source(self):
        return os.path.join(HERE, self.file)

    @property
    def shape(self):
        return "x".join(str(size) for size in self.sizes)

    def block_names(self):
        """None: those that Kernel Tuner looks for by itself."""
        return None

    def constants(self):
        """Data of variables in constant memory, by their names."""
        return {}

    def is_output(self, number):
        return number == 0

    def tune_params(self):
        """With the sizes that the source needs as parameters of a single value, as Kernel Tuner's users pass them."""
        return dict(self.params, **{name: [value] for name, value in self.single.items()})

    def geometry(self, config):
        """Grid and block of a configuration, as Kernel Tuner computes them."""
        def product(names):
            result = 1
            for name in names or []:
                result *= eval(name, {}, dict(config, **self.single))  # pylint: disable=eval-used
            return result
        x, y = (list(self.problem_size(config)) + [1])[:2]
        grid = (-(-x // product(self.grid_div_x)), -(-y // product(self.grid_div_y)), 1)
        return grid, (config["block_size_x"], config.get("block_size_y", 1), 1)

    def defines(self, config):
        """The lines that Kernel Tuner puts in front of the source."""
        values = dict(config, **self.single)
        return "".join(f"#define {name} {value}\n" for name, value in values.items())


def _uniform(count, low, high, seed):
    values = numpy.random.default_rng(seed).random(count, dtype=numpy.float32)
    return values * numpy.float32(high - low) + numpy.float32(low)


def vector_add(n=50_000_000):
    return Kernel(
        name="vector_add", sizes=(n,), file="vector_add.cu", function="vector_add",
        params={"block_size_x": list(range(32, 1025, 32)), "tile_size_x": [1, 2, 4, 8], "vector": [1, 2, 4]},
        restrictions=[f"{n} % vector == 0"],
        problem_size=lambda p: (n,), grid_div_x=["block_size_x", "tile_size_x", "vector"],
        arguments=lambda: [numpy.zeros(n, numpy.float32), _uniform(n, 0, 1, 1), _uniform(n, 0, 1, 2), numpy.int32(n)],
        reference=("vector_add_reference", (-(-n // 256), 1, 1), (256, 1, 1)), atol=1e-6)


def matmul(n=4096):
    return Kernel(
        name="matmul", sizes=(n,), file="matmul.cu", function="matmul", single={"WIDTH": n},
        params={"block_size_x": [16, 32, 64], "block_size_y": [2**i for i in range(6)],
                "tile_size_x": [2**i for i in range(4)], "tile_size_y": [2**i for i in range(5)],
                "vector": [1, 2, 4], "unroll_factor": [2**i for i in range(5)]},
        restrictions=["block_size_x == block_size_y * tile_size_y", "tile_size_x % vector == 0",
                      "4 * block_size_x * block_size_x * (1 + tile_size_x) <= 49152",
                      f"{n} % (block_size_x * tile_size_x) == 0"],
        problem_size=lambda p: (n, n), grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        arguments=lambda: [numpy.zeros(n * n, numpy.float32), _uniform(n * n, 0, 1, 1), _uniform(n * n, 0, 1, 2)],
        extra=[numpy and numpy.int32(n)],
        reference=("matmul_reference", (-(-n // 32), -(-n // 8), 1), (32, 8, 1)), atol=1e-2)


def convolution(height=4096, width=4096):
    inputs = (height + 16) * (width + 16)
    return Kernel(
        name="convolution", sizes=(height, width), file="convolution.cu", function="convolution",
        single={"image_width": width, "image_height": height},
        params={"block_size_x": [16 * i for i in range(1, 9)], "block_size_y": [2**i for i in range(6)],
                "tile_size_x": [1, 2, 4], "tile_size_y": [1, 2, 4], "use_shmem": [0, 1], "use_padding": [0, 1],
                "read_only": [0, 1]},
        restrictions=["block_size_x * block_size_y >= 64",
                      "use_padding == 0 or (use_shmem == 1 and block_size_x % 32 != 0)",
                      "use_shmem == 0 or 4 * (block_size_x * tile_size_x + 16 + use_padding)"
                      " * (block_size_y * tile_size_y + 16) <= 49152"],
        problem_size=lambda p: (width, height), grid_div_x=["block_size_x", "tile_size_x"],
        grid_div_y=["block_size_y", "tile_size_y"],
        arguments=lambda: [numpy.zeros(height * width, numpy.float32), _uniform(inputs, 0, 1, 1),
                           _uniform(17 * 17, 0, 1, 2)],
        extra=[numpy and numpy.int32(height), numpy and numpy.int32(width)],
        reference=("convolution_reference", (-(-width // 32), -(-height // 8), 1), (32, 8, 1)), atol=1e-3)


def reduction(n=100_000_000):
    return Kernel(
        name="reduction", sizes=(n,), file="reduction.cu", function="reduction",
        params={"block_size_x": [2**i for i in range(5, 11)], "num_blocks": [2**i for i in range(5, 16)],
                "vector": [1, 2, 4], "use_shuffle": [0, 1], "unroll_factor": [1, 2, 4, 8]},
        restrictions=[f"{n} % vector == 0"],
        problem_size=lambda p: (p["num_blocks"],), grid_div_x=[],
        arguments=lambda: [numpy.zeros(1, numpy.float32), _uniform(n, 0, 1, 1), numpy.int32(n)],
        reference=("reduction_reference", (256, 1, 1), (1024, 1, 1)), atol=1000)


def _mostly_equal(answer, result, atol=None):
    """Within `atol` by norm, as ops/pnpoly has it: of zeros and ones that is a count."""
    return numpy.count_nonzero(answer[0] != result[0]) <= atol * atol * numpy.count_nonzero(answer[0])


def pnpoly(n=20_000_000):
    return Kernel(
        name="pnpoly", sizes=(n,), file="pnpoly.cu", function="pnpoly", single={"VERTICES": 600},
        params={"block_size_x": list(range(32, 1025, 32)), "tile_size": [1] + list(range(2, 21, 2)),
                "between_method": [0, 1, 2, 3], "use_precomputed_slopes": [0, 1], "use_method": [0, 1, 2]},
        problem_size=lambda p: (n,), grid_div_x=["block_size_x", "tile_size"],
        arguments=lambda: [numpy.zeros(n, numpy.int32), _uniform(2 * n, -1, 1, 1),
                           numpy.load(os.path.join(HERE, "ops", "pnpoly", "vertices.npy")), numpy.int32(n)],
        reference=("pnpoly_reference", (-(-n // 256), 1, 1), (256, 1, 1)), atol=0.03, verify=_mostly_equal)


KERNELS = {build.__name__: build for build in (vector_add, matmul, convolution, reduction, pnpoly)}


def kernel_of(text):
    """`vector_add`, or with sizes of its own: `vector_add=1000000`; or a T1 file. KeyError, TypeError, ValueError."""
    if text.endswith(".json"):
        from published import Published
        return Published(text)
    name, _, sizes = text.partition("=")
    return KERNELS[name](*(int(size) for size in sizes.split("x"))) if sizes else KERNELS[name]()
