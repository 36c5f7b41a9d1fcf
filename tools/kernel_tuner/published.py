"""published.py - a tuning problem in the T1 format, as others publish them, as a Kernel: `compare FILE.json`. autotune
gets the draft that `autotune adopt FILE.json` makes of the same file, Kernel Tuner what the file says, with the draft's
arguments."""

import json
import os
import re
import subprocess

from kernels import Kernel, numpy

DRAFTS = "AUTOTUNE_PUBLISHED_DRAFTS"  # the folder where drafts lie, for the processes that compare starts
BLOCKS = "its arrays are as wide and as high as a block, so that each block size solves another problem"
PROBLEMS = (  # in folders of checkouts: hub, bat and ktt; and why no fair comparison is possible
    ("bat/batbench/benchmarks/GEMM/GEMM-CAFF.json", ""),
    ("ktt/Examples/JSON/CoulombSum3d.json", ""),
    ("ktt/Examples/JSON/ClTuneGemm.json", ""),
    ("hub/kernels/convolution_milo.json", ""),
    ("bat/batbench/benchmarks/pnpoly/pnpoly-CAFF.json", ""),
    ("bat/batbench/benchmarks/convolution/convolution-CAFF.json", ""),
    ("bat/batbench/benchmarks/MD5Hash/MD5Hash-CAFF.json", ""),
    ("bat/batbench/benchmarks/TRIAD/TRIAD-CAFF.json", ""),
    ("bat/batbench/benchmarks/nbody/nbody-CAFF.json", ""),
    ("ktt/Examples/Nbody/NbodyScript.json", ""),
    ("hub/kernels/hotspot_milo.json", ""),
    ("hub/kernels/dedispersion_milo.json", ""),
    ("bat/batbench/benchmarks/hotspot/hotspot-CAFF.json", BLOCKS),
    ("hub/kernels/gemm_milo.json", "the kernel is OpenCL, in four files, and the arguments are those of hotspot"),
)
CHANGES = {  # what both tuners get in place of the file's own: without it no answer is right. Numbers of the publisher's script
    "hub/kernels/hotspot_milo.json": {
        "ConfigurationSpace TuningParameters temporal_tiling_factor Values": "[2]",  # time steps: results depend on them
        "KernelSpecification Arguments temp Size": 4116 * 4116},
    "hub/kernels/dedispersion_milo.json": {
        "KernelSpecification KernelFile": "dedisp_milo/dedispersion.cu",
        "KernelSpecification Arguments input_samples Type": "uint8",
        "KernelSpecification Arguments input_samples Size": 1536 * 25650,
        "KernelSpecification Arguments input_samples FillValue": 255,
        "KernelSpecification Arguments shifts Size": 1536},
}
ARGUMENT = re.compile(r"^arg +(?P<name>\w+) +(?P<type>\w+)(?:\[(?P<count>.*?)\] (?P<role>output|input|inout)(?P<fill>[^#\n]*?)"
                      r"(?: into (?P<variable>\w+))?)?(?: = (?P<value>[^#\n]*?))? *(?:#.*)?$", re.M)
DEFINED = re.compile(r"^define +(\w+) = (\S+)", re.M)
KINDS = {"f": "float", "i": "int", "u": "uint"}


def change(t1, path):
    """The file's content with its CHANGES. A word names a member, or the entry of a list whose Name it is."""
    for place, value in next((CHANGES[end] for end in CHANGES if path.endswith(end)), {}).items():
        *words, last = place.split()
        inner = t1
        for word in words:
            inner = next(entry for entry in inner if entry["Name"] == word) if isinstance(inner, list) else inner[word]
        inner[last] = value
    return t1


class Published(Kernel):
    """Fields of Kernel: configurations and launches are the file's. Arguments are the draft's, for both tuners, since some
    files call an output read-only, or name a type or an order that is not the kernel's. Kernel Tuner verifies nothing here,
    as its publishers have it: it would end at the first wrong answer."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.t1 = t1 = change(json.load(file), os.path.abspath(path))
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
        self.options.append(f"-I{os.path.dirname(self.source)}")
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

    def _file_to_adopt(self):
        """A file with CHANGES: a copy beside the draft."""
        if not any(self.path.endswith(end) for end in CHANGES):
            return self.path
        copy = self.draft + ".json"
        spec = dict(self.spec, KernelFile=os.path.relpath(self.source, os.path.dirname(copy)))
        with open(copy, "w", encoding="utf-8") as file:
            json.dump(dict(self.t1, KernelSpecification=spec), file)
        return copy

    def adopt(self, autotune):
        """The draft as it is, but for the option that CuPy adds on the other side."""
        done = subprocess.run([autotune, "adopt", self._file_to_adopt(), "-o", self.draft], capture_output=True, text=True,
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
            adopted = file.read()
        pairs = re.search(r"^default +(.*)", adopted, re.M).group(1).split()
        self.options += [f"-D{name}={value}" for name, value in DEFINED.findall(adopted) if name != "kernel_tuner"]
        self.trusted = {name: int(value) for name, value in (pair.split("=") for pair in pairs)}
        with open(os.path.join(self.folder, "op.cu"), encoding="utf-8") as file:
            text = file.read()
        self.draft_arguments = [found.groupdict() for found in ARGUMENT.finditer(text)]
        self.element = re.search(r"^type +T = (\w+)", text, re.M).group(1)
        names = re.search(r"^shape +(.*)", text, re.M).group(1).split()
        self.sizes_of_draft = dict(zip(names, (int(size) for size in self.problem.split("x"))))

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

    def _number(self, text):
        return eval(text.replace("/", "//"), {}, dict(self.sizes_of_draft))  # pylint: disable=eval-used

    def _kind(self, word):
        word = self.element if word == "T" else word
        return numpy.dtype(KINDS[word[0]] + word[1:])

    def _value(self, number, entry):
        kind = self._kind(entry["type"])
        if entry["count"] is None:
            value = entry["value"] or entry["name"]
            return kind.type(value) if kind.kind == "f" else kind.type(self._number(value))
        count, (word, *limits) = self._number(entry["count"]), entry["fill"].split() or ["zero"]
        if word in ("zero", "constant"):
            return numpy.full(count, float(limits[0]) if limits else 0, kind)
        low, high = (float(limit) for limit in limits) if limits else (0, 1 << 8 * kind.itemsize - 1)
        return (numpy.random.default_rng(number).random(count, numpy.float32) * (high - low) + low).astype(kind)

    def _entries(self, variables):
        return [entry for entry in self.draft_arguments if bool(entry["variable"]) == variables]

    def arguments(self):
        return [self._value(number, entry) for number, entry in enumerate(self._entries(False))]

    def is_output(self, number):
        return self._entries(False)[number]["role"] in ("output", "inout")

    def constants(self):
        return {entry["variable"]: self._value(number, entry) for number, entry in enumerate(self._entries(True))}
