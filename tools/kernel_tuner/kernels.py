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
        self.extra, self.single = [], {}
        self.__dict__.update(fields)

    def __str__(self):
        return f"{self.name}={self.shape}"

    @property
    def folder(self):
        return os.path.join(HERE, "ops", self.name)

    @property
    def source(self):
        return os.path.join(HERE, self.file)

    @property
    def shape(self):
        return "x".join(str(size) for size in self.sizes)

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
    return numpy.random.default_rng(seed).uniform(low, high, count).astype(numpy.float32)


def vector_add(n=10_000_000):
    return Kernel(
        name="vector_add", sizes=(n,), file="vector_add.cu", function="vector_add",
        params={"block_size_x": list(range(32, 1025, 32)), "tile_size_x": [1, 2, 4, 8], "vector": [1, 2, 4]},
        restrictions=[f"{n} % vector == 0"],
        problem_size=lambda p: (n,), grid_div_x=["block_size_x", "tile_size_x", "vector"],
        arguments=lambda: [numpy.zeros(n, numpy.float32), _uniform(n, 0, 1, 1), _uniform(n, 0, 1, 2), numpy.int32(n)],
        reference=("vector_add_reference", (-(-n // 256), 1, 1), (256, 1, 1)), atol=1e-6)


KERNELS = {build.__name__: build for build in (vector_add,)}


def kernel_of(text):
    """`vector_add`, or with sizes of its own: `vector_add=1000000`. KeyError, TypeError, ValueError."""
    name, _, sizes = text.partition("=")
    return KERNELS[name](*(int(size) for size in sizes.split("x"))) if sizes else KERNELS[name]()
