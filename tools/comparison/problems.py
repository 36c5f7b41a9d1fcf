"""Problems as in autotune's shapes files, and the classes that the results are grouped by."""

import math
import re

SIZES = {"u8": 1, "i8": 1, "f16": 2, "bf16": 2, "u16": 2, "i16": 2, "f32": 4, "i32": 4, "u32": 4, "f64": 8, "i64": 8,
         "u64": 8, "c64": 8, "c128": 16}
ALIASES = {"float": "f32", "float32": "f32", "double": "f64", "float64": "f64", "half": "f16", "float16": "f16",
           "bfloat16": "bf16", "uint8": "u8", "int8": "i8", "uint16": "u16", "int16": "i16", "int": "i32",
           "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "complex64": "c64", "complex128": "c128"}

# In the order in which they are tried: a problem belongs to the first that fits.
CLASSES = {
    "small": "at most 4 MiB each way",
    "batched": "many matrices",
    "skinny": "a side of at most 64",
    "odd": "rows, in or out, that are no multiple of 16 bytes",
    "pow2": "rows, in and out, of a power of two of at least 4 KiB",
    "aligned": "all others",
    "rows": "permutations whose fastest dimension stays",
    "turned": "permutations that change it",
    "reversed": "permutations that turn the whole order round",
}


PERMUTED = ("rows", "turned", "reversed")  # classes of permutations


class BadShapes(Exception):
    """What is wrong with a shapes file, with its place."""


class Problem:
    """A transpose of `batch` matrices of rows x cols elements, row-major."""

    def __init__(self, batch, rows, cols, dtype):
        self.batch, self.rows, self.cols, self.dtype = batch, rows, cols, dtype
        self.element_bytes = SIZES[dtype]
        self.count = batch * rows * cols
        self.bytes = self.count * self.element_bytes  # one way; a transpose moves twice as many

    @property
    def sizes(self):
        return (self.rows, self.cols) if self.batch == 1 else (self.batch, self.rows, self.cols)

    @property
    def order(self):
        """Dimension i of the output is dimension order[i] of the input."""
        return (1, 0) if self.batch == 1 else (0, 2, 1)

    @property
    def turned_sizes(self):
        return tuple(self.sizes[d] for d in self.order)

    def __str__(self):
        return f"{'x'.join(map(str, self.sizes))} {self.dtype}"

    @property
    def kind(self):
        """Its class, one of CLASSES."""
        pitches = (self.rows * self.element_bytes, self.cols * self.element_bytes)
        if self.bytes <= 4 << 20:
            return "small"
        if self.batch > 1:
            return "batched"
        if min(self.rows, self.cols) <= 64:
            return "skinny"
        if any(pitch % 16 for pitch in pitches):
            return "odd"
        if all(pitch >= 4096 and pitch & (pitch - 1) == 0 for pitch in pitches):
            return "pow2"
        return "aligned"


class Permutation:
    """Dimensions in another order, row-major on both sides; looks like a Problem to those that can do it."""

    def __init__(self, sizes, order, dtype):
        self.sizes, self.order, self.dtype = sizes, order, dtype
        self.turned_sizes = tuple(sizes[d] for d in order)
        self.element_bytes, self.count = SIZES[dtype], math.prod(sizes)
        self.bytes = self.count * self.element_bytes

    def __str__(self):
        return f"{'x'.join(map(str, self.sizes))} {','.join(map(str, self.order))} {self.dtype}"

    @property
    def kind(self):
        last = len(self.order) - 1
        if self.order[last] == last:
            return "rows"
        return "reversed" if last > 1 and list(self.order) == list(range(last, -1, -1)) else "turned"


def parse_permutation(text, place):
    """"8x2048x3x32x128 2,0,3,1,4 bf16", behind the word `permute`."""
    words = text.split()
    try:
        sizes, order = (tuple(map(int, re.split(mark, word))) for mark, word in zip("x,", words[:2], strict=True))
    except ValueError:
        sizes, order = (), ()
    name = (words[2:] or ["f32"])[0].lower()
    dtype = ALIASES.get(name, name)
    if not sizes or min(sizes) < 1 or sorted(order) != list(range(len(sizes))) or len(words) > 3 or dtype not in SIZES:
        raise BadShapes(f"{place}: found 'permute {text}'; expected sizes, the order of dimensions and a type, such as "
                        "'permute 8x16x32 2,0,1 f32'")
    return Permutation(sizes, order, dtype)


def parse_problem(text, place="shape"):
    """A line of a shapes file without its comment: "8x4096x128 f16", "transpose 512 2048 u8"."""
    if text.split()[:1] == ["permute"]:
        return parse_permutation(" ".join(text.split()[1:]), place)
    sizes, dtype = [], None
    for word in re.split(r"[\s,;]+", re.sub(r"(?<=\d)\s*[xX*]\s*(?=\d)", " ", text.strip())):
        name = ALIASES.get(word.lower(), word.lower())
        if re.fullmatch(r"\d[\d_]*", word):
            sizes.append(int(word))
        elif name in SIZES and dtype is None:
            dtype = name
        elif word and name != "transpose":
            raise BadShapes(f"{place}: found '{word}'; expected sizes, a type ({' '.join(SIZES)}) or 'transpose'")
    if len(sizes) not in (2, 3) or min(sizes) < 1:
        raise BadShapes(f"{place}: found {len(sizes)} sizes; expected [batch x] rows x cols, all positive")
    return Problem(*([1] * (3 - len(sizes)) + sizes), dtype or "f32")


def read_shapes(path):
    """Every problem of a shapes file once, in its order."""
    problems = {}
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadShapes(f"{path}: {error}") from error
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if text:
            problem = parse_problem(text, f"{path}:{number}")
            problems.setdefault(str(problem), problem)
    if not problems:
        raise BadShapes(f"{path}: found no problem; expected lines such as '4096x4096 f32'")
    return list(problems.values())


def by_turns(problems):
    """One of each class, then the next of each: what comes first already shows all classes."""
    waiting = [[problem for problem in problems if problem.kind == kind] for kind in CLASSES]
    longest = max(map(len, waiting), default=0)
    return [group[i] for i in range(longest) for group in waiting if i < len(group)]
