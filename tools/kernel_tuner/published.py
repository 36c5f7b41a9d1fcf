"""published.py - a tuning problem in the T1 format, as others publish them, as a Kernel: `compare FILE.json`. autotune
gets the draft that `autotune adopt FILE.json` makes of the same file, Kernel Tuner what the file says."""

import json
import os
import re
import subprocess

from kernels import Kernel, numpy

DRAFTS = "AUTOTUNE_PUBLISHED_DRAFTS"  # the folder where drafts lie, for the processes that compare starts
TYPES = {"bool": "uint8", "int8": "int8", "uint8": "uint8", "int16": "int16", "uint16": "uint16", "int32": "int32",
         "uint32": "uint32", "int64": "int64", "uint64": "uint64", "half": "float16", "float": "float32",
         "double": "float64"}


class Published(Kernel):
    """Fields of Kernel, from the file and, once it was adopted, from the draft. Kernel Tuner verifies nothing here, as its
    publishers have it: it would end at the first wrong answer."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            t1 = json.load(file)
        space, self.spec = t1["ConfigurationSpace"], t1["KernelSpecification"]
        self.path = os.path.abspath(path)
        values = {entry["Name"]: list(eval(entry["Values"], {})) for entry in  # pylint: disable=eval-used
                  space["TuningParameters"]}
        super().__init__(
            function=self.spec["KernelName"], params=values, sizes=(), name=None,
            restrictions=[entry["Expression"] for entry in space.get("Conditions", [])],
            grid_div_x=[], grid_div_y=[], grid_div_z=[], reference=None, atol=None, verify=None, verified=False)
        size = self.spec.get("ProblemSize")
        self.size = [size] if isinstance(size, int) else list(size or [])
        self.divided = bool(self.size) and ("GridDivX" in self.spec or "GridDivY" in self.spec
                                            or "GlobalSize" not in self.spec)
        self.options = [word for option in self.spec.get("CompilerOptions", []) for word in option.split()]
        self._read_draft()

    def __str__(self):
        return self.path

    @property
    def label(self):
        return "/".join(self.path.split(os.sep)[-2:])

    @property
    def draft(self):
        return os.path.join(os.environ[DRAFTS], re.sub(r"\W", "_", self.path))

    @property
    def folder(self):
        return os.path.join(self.draft, self.name)

    @property
    def source(self):
        return os.path.join(os.path.dirname(self.path), self.spec["KernelFile"])

    @property
    def shape(self):
        return self.problem

    def adopt(self, autotune):
        """The draft as it is, but for the option that CuPy adds on the other side."""
        done = subprocess.run([autotune, "adopt", self.path, "-o", self.draft], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"autotune adopt ended with {done.returncode}: {done.stderr.strip()}")
        with open(os.path.join(self.draft, "said"), "w", encoding="utf-8") as file:
            file.write(done.stdout)
        self._read_draft()
        with open(os.path.join(self.folder, "adopted.cu"), encoding="utf-8") as file:
            text = file.read()
        with open(os.path.join(self.folder, "adopted.cu"), "w", encoding="utf-8") as file:
            file.write(text.replace("\ndefine    all\n", "\ndefine    all\noption    -ftz=true\n", 1))

    def _read_draft(self):
        """Names, and the configuration whose answer is taken for right."""
        if not os.path.exists(os.path.join(os.environ.get(DRAFTS, ""), re.sub(r"\W", "_", self.path), "said")):
            return
        with open(os.path.join(self.draft, "said"), encoding="utf-8") as file:
            self.name, self.problem = re.search(r"^the problem is (\S+) (\S+)", file.read(), re.M).groups()
        with open(os.path.join(self.folder, "adopted.cu"), encoding="utf-8") as file:
            pairs = re.search(r"^default +(.*)", file.read(), re.M).group(1).split()
        self.trusted = {name: int(value) for name, value in (pair.split("=") for pair in pairs)}

    # ---- the launch ----

    def _axis(self, name, axis, config):
        text = self.spec.get(name, {}).get(axis)
        return 1 if text is None else int(eval(str(text), {}, dict(config)))  # pylint: disable=eval-used

    def blocks(self, config):
        """GlobalSize is in blocks, or as OpenCL has it in threads."""
        threads = self.spec.get("GlobalSizeType", self.spec["Language"]) == "OpenCL"
        grid = []
        for axis in "XYZ":
            size = self._axis("GlobalSize", axis, config)
            grid.append(-(-size // self._axis("LocalSize", axis, config)) if threads else size)
        return tuple(grid)

    def problem_size(self, config):
        if not self.divided:
            return self.blocks(config)
        grid, _ = self.geometry(config)
        return grid

    def geometry(self, config):
        block = tuple(self._axis("LocalSize", axis, config) for axis in "XYZ")
        if not self.divided:
            return self.blocks(config), block
        grid = []
        for number, axis in enumerate("XYZ"):
            size = self.size[number] if number < len(self.size) else 1
            by = self.spec.get(f"GridDiv{axis}", [self.spec["LocalSize"].get(axis, 1)] if number < 2 else [])
            product = 1
            for text in by:
                product *= int(eval(str(text), {}, dict(config)))  # pylint: disable=eval-used
            grid.append(-(-size // product))
        return tuple(grid), block

    def block_names(self):
        return [name for name in self.spec["LocalSize"].values() if name in self.params]

    def defines(self, config):
        return "#define kernel_tuner 1\n" + super().defines(config)

    # ---- its data ----

    def _count(self, text):
        names = {name: list(values) for name, values in self.params.items()}
        return int(eval(str(text), {}, dict(names, ProblemSize=self.size)))  # pylint: disable=eval-used

    def _value(self, number, entry):
        kind, fill = entry["Type"], entry.get("FillValue", 0)
        lanes = int(re.sub(r"^.*\D", "", kind)) if kind not in TYPES else 1
        kind = numpy.dtype(TYPES[kind if kind in TYPES else re.sub(r"\d+$", "", kind)])
        if entry["MemoryType"] == "Scalar":
            return kind.type(fill)
        count = self._count(entry["Size"]) * lanes
        if entry.get("FillType") == "Constant":
            return numpy.full(count, fill, kind)
        high = fill if entry.get("FillType") == "Random" and fill else 1
        return (numpy.random.default_rng(number).random(count, numpy.float32) * high).astype(kind)

    def entries(self):
        return self.spec["Arguments"]

    def arguments(self):
        return [self._value(number, entry) for number, entry in enumerate(self.entries())]

    def is_output(self, number):
        entry = self.entries()[number]
        return bool(entry.get("Output")) or entry.get("AccessType") in ("WriteOnly", "ReadWrite")

    def constants(self):
        return {entry["Name"]: self._value(number, entry) for number, entry in enumerate(self.entries())
                if entry.get("MemType") == "Constant"}
