"""Operations as functions of tensors of PyTorch and arrays of JAX: rows by an index, conversions, reductions, and those between the
matrix products of an LLM. Each says what it takes and which arrays it makes. One more is a function here with @operation, and one that
users call.

A plan is of shapes and types alone, so that it is made once for each of them, and by fake kernels, whose sizes are symbols. Its
options have defaults since PyTorch hands over none that are a schema's.
"""

from __future__ import annotations

import functools
import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, Union

from . import _native

A = TypeVar("A")  # an array of PyTorch or JAX
FLOATS = ("bf16", "f16")
_GROUPS = {128: 1, 64: 2, 32: 3}
_LAYOUTS = {"rows": 1, "columns": 2, "e8m0": 3, "blocks": 4}
_NAMES = {**_native.SPELLINGS, "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "float8_e8m0fnu": "e8m0"}
_CONVERTED = {"e4m3": 1, "e5m2": 2, "f16": 3, "bf16": 4}


class Spec(NamedTuple):
    """An input, as much of it as a plan goes by. `dtype`: a name of ours where there is one, else the framework's."""

    shape: tuple[int, ...]
    dtype: str
    item_bytes: int


class New(NamedTuple):
    """An array that a call makes. `dtype`: a name of _NAMES, or the number of the input that has the same. `across`: its last
    dimension is the outermost in memory. `hidden`: the operation wants it, and nobody else. `zero`: it begins as zeros."""

    shape: tuple[int, ...]
    dtype: Union[str, int]
    across: bool = False
    hidden: bool = False
    zero: bool = False


class Plan(NamedTuple):
    """A launch. `buffers`, in the operation's order: a new array, the number of an input, or None where it has no elements."""

    sizes: tuple[int, ...]
    type: str
    buffers: tuple[Union[New, int, None], ...]
    scalars: tuple[tuple[str, float], ...] = ()

    @property
    def results(self) -> list[tuple[int, New]]:
        """What the caller gets, with its number among the buffers."""
        return [(i, buffer) for i, buffer in enumerate(self.buffers) if isinstance(buffer, New) and not buffer.hidden]


class Operation(NamedTuple):
    """`op`: as autotune knows it. `schema`: of PyTorch's operator, whose tensors come first. `inputs`: their names, `written`: of
    those that are written."""

    op: str
    schema: str
    plan: Callable[..., Plan]
    inputs: tuple[str, ...]
    written: tuple[str, ...]


OPERATIONS: dict[str, Operation] = {}


def operation(outputs: str, parameters: str, op: str = "") -> Callable[[Callable[..., Plan]], Callable[..., Plan]]:
    """A plan is that of an operator, whose name it has, with these outputs and parameters as a schema of PyTorch has them."""
    tensors = re.findall(r"Tensor(\S*) (\w+)", parameters)

    def register(plan: Callable[..., Plan]) -> Callable[..., Plan]:
        name = plan.__name__.lstrip("_")
        OPERATIONS[name] = Operation(op or name, f"({parameters}) -> {outputs}", plan, tuple(tensor for _, tensor in tensors),
                                     tuple(tensor for mark, tensor in tensors if "!" in mark))
        return plan

    return register


def spec(array: Any) -> Spec:
    """Of a tensor of PyTorch or an array of JAX."""
    name = str(array.dtype).rpartition(".")[2]
    return Spec(tuple(array.shape), _NAMES.get(name, name), array.dtype.itemsize)


# ---- what is checked ----


def _of_type(name: str, x: Spec, *types: str) -> None:
    if x.dtype not in types:
        raise ValueError(f"{name}: found elements {x.dtype}; expected {' or '.join(types)}")


def _of_shape(name: str, x: Spec, shape: Sequence[int], like: str) -> None:
    if tuple(x.shape) != tuple(shape):
        raise ValueError(f"{name}: found shape {tuple(x.shape)}; expected {tuple(shape)}: {like}")


def _chosen(name: str, value: Any, choices: dict[Any, int]) -> int:
    if value not in choices:
        raise ValueError(f"{name}: found {value!r}; expected one of {', '.join(map(repr, choices))}")
    return choices[value]


def _rows(name: str, x: Spec, least: int = 1, of: str = "(tokens, hidden)") -> tuple[tuple[int, ...], int]:
    """The leading dimensions, all tokens, and how many those are."""
    if len(x.shape) <= least:
        raise ValueError(f"{name}: found {len(x.shape)} dimensions; expected {of}, or more of tokens")
    lead = x.shape[:len(x.shape) - least]
    return lead, math.prod(lead)


def _scales(lead: tuple[int, ...], groups: int, layout: str) -> New:
    if layout == "blocks":
        return New((-(-math.prod(lead) // 128) * 128 * (-(-groups // 4) * 4),), "e8m0")
    return New((*lead, groups), "e8m0" if layout == "e8m0" else "f32", layout == "columns")


def _whole_groups(hidden: int, group: int) -> None:
    if hidden % group:
        raise ValueError(f"x: found rows of {hidden} elements; expected a multiple of group={group}")


# ---- plans ----


@operation("(Tensor, Tensor)", "Tensor x, int group=128, str layout='rows'")
def _group_quant(x: Spec, group: int = 128, layout: str = "rows") -> Plan:
    _of_type("x", x, *FLOATS)
    (lead, tokens), hidden = _rows("x", x), x.shape[-1]
    sizes = (_chosen("layout", layout, _LAYOUTS), _chosen("group", group, _GROUPS), tokens, hidden)
    _whole_groups(hidden, group)
    return Plan(sizes, x.dtype, (New(x.shape, "e4m3"), _scales(lead, hidden // group, layout), 0))


@operation("(Tensor, Tensor)", "Tensor x, int group=128, str layout='rows'")
def _silu_mul_quant(x: Spec, group: int = 128, layout: str = "rows") -> Plan:
    _of_type("x", x, *FLOATS)
    (lead, tokens), hidden = _rows("x", x, of="(tokens, 2 * hidden)"), x.shape[-1] // 2
    if x.shape[-1] % 2:
        raise ValueError(f"x: found rows of {x.shape[-1]} elements; expected gate and up, two halves")
    sizes = (_chosen("layout", layout, _LAYOUTS), _chosen("group", group, _GROUPS), tokens, hidden)
    _whole_groups(hidden, group)
    return Plan(sizes, x.dtype, (New((*lead, hidden), "e4m3"), _scales(lead, hidden // group, layout), 0))


def _rms(x: Spec, weight: Spec, add: int, eps: float, group: int, layout: str) -> tuple[tuple[int, ...], tuple[Any, ...], Any]:
    """Of both norms: sizes, what q and their scales are, scalars. `group` 0: a row."""
    _of_type("x", x, *FLOATS)
    (lead, tokens), hidden = _rows("x", x), x.shape[-1]
    _of_type("weight", weight, x.dtype)
    _of_shape("weight", weight, (hidden,), "one of each column of x")
    choice = _chosen("group", group or None, {None: 1, 128: 2, 64: 3, 32: 4})
    if not group and layout in ("e8m0", "blocks"):
        raise ValueError(f"layout: found {layout!r} with a scale for each row; expected group=32, 64 or 128 with it")
    _whole_groups(hidden, group or 1)
    new = New(x.shape, "e4m3"), _scales(lead, hidden // group if group else 1, layout)
    return (add, _chosen("layout", layout, _LAYOUTS), choice, tokens, hidden), new, (("eps", eps),)


@operation("(Tensor, Tensor)", "Tensor x, Tensor weight, float eps=1e-5, int group=0, str layout='rows'")
def _rmsnorm_quant(x: Spec, weight: Spec, eps: float = 1e-5, group: int = 0, layout: str = "rows") -> Plan:
    sizes, new, scalars = _rms(x, weight, 1, eps, group, layout)
    return Plan(sizes, x.dtype, (*new, None, 0, None, 1), scalars)


@operation("(Tensor, Tensor, Tensor)", "Tensor x, Tensor weight, Tensor residual, float eps=1e-5, int group=0, str layout='rows'",
           op="rmsnorm_quant")
def _add_rmsnorm_quant(x: Spec, weight: Spec, residual: Spec, eps: float = 1e-5, group: int = 0, layout: str = "rows") -> Plan:
    _of_type("residual", residual, x.dtype)
    _of_shape("residual", residual, x.shape, "as x")
    sizes, new, scalars = _rms(x, weight, 2, eps, group, layout)
    return Plan(sizes, x.dtype, (*new, New(x.shape, 0), 0, 2, 1), scalars)


@operation("(Tensor, Tensor, Tensor)", "Tensor x")
def _block_quant(x: Spec) -> Plan:
    _of_type("x", x, *FLOATS)
    if len(x.shape) != 2:
        raise ValueError(f"x: found {len(x.shape)} dimensions; expected (rows, cols)")
    rows, cols = x.shape
    scales = New((-(-rows // 128), -(-cols // 128)), "f32")
    return Plan((rows, cols), x.dtype, (New((rows, cols), "e4m3"), New((cols, rows), "e4m3"), scales, 0))


@operation("(Tensor, Tensor)", "Tensor q, Tensor k, Tensor table, Tensor position, bool interleaved=False")
def _rope(q: Spec, k: Spec, table: Spec, position: Spec, interleaved: bool = False) -> Plan:
    _of_type("q", q, *FLOATS)
    _of_type("k", k, q.dtype)
    (lead, tokens), (q_heads, head) = _rows("q", q, 2, "(tokens, heads, head)"), q.shape[-2:]
    _rows("k", k, 2, "(tokens, heads, head)")
    _of_shape("k", k, (*lead, k.shape[-2], head), "the tokens and the elements of a head of q")
    _of_type("table", table, "f32")
    _of_shape("table", table, (*table.shape[:1], head), "of each position head / 2 cosines, then as many sines")
    _of_type("position", position, "i32")
    _of_shape("position", position, lead, "one of each token")
    if head % 2:
        raise ValueError(f"q: found heads of {head} elements; expected pairs")
    return Plan((1 + interleaved, table.shape[0], tokens, q_heads, k.shape[-2], head), q.dtype, (New(q.shape, 0), New(k.shape, 1), 0, 1, 2, 3))


def _places(place: Spec, *types: str) -> tuple[int, int]:
    _of_type("place", place, *types)
    if len(place.shape) != 2:
        raise ValueError(f"place: found {len(place.shape)} dimensions; expected (tokens, top)")
    return place.shape[0], place.shape[1]


def _permuted(x: Spec, place: Spec, scales: Spec | None) -> Plan:
    tokens, top = _places(place, "i32", "i64")
    for name, rows in (("x", x), ("scales", scales)):
        if rows is not None and (len(rows.shape) < 2 or rows.shape[0] != tokens):
            raise ValueError(f"{name}: found shape {tuple(rows.shape)}; expected a row for each of {tokens} tokens")
    row_bytes = math.prod(x.shape[1:]) * x.item_bytes
    out = New((tokens * top, *x.shape[1:]), 0)
    if scales is None:  # a shape of autotune has no size of 0: a byte of x for each row goes where nobody looks
        return Plan((tokens, top, row_bytes, 1), place.dtype, (out, New((tokens * top,), "u8", hidden=True), 0, 0, 1))
    scale_bytes = math.prod(scales.shape[1:]) * scales.item_bytes
    return Plan((tokens, top, row_bytes, scale_bytes), place.dtype, (out, New((tokens * top, *scales.shape[1:]), 2), 0, 2, 1))


@operation("Tensor", "Tensor x, Tensor place")
def _moe_permute(x: Spec, place: Spec) -> Plan:
    return _permuted(x, place, None)


@operation("(Tensor, Tensor)", "Tensor x, Tensor place, Tensor scales", op="moe_permute")
def _moe_permute_scaled(x: Spec, place: Spec, scales: Spec) -> Plan:
    return _permuted(x, place, scales)


@operation("Tensor", "Tensor x, Tensor place, Tensor weight")
def _moe_unpermute(x: Spec, place: Spec, weight: Spec) -> Plan:
    _of_type("x", x, *FLOATS)
    tokens, top = _places(place, "i32")
    _of_shape("x", x, (tokens * top, *x.shape[1:2]), "a row for each token and expert")
    _of_type("weight", weight, "f32")
    _of_shape("weight", weight, (tokens, top), "as place")
    return Plan((tokens, top, x.shape[1]), x.dtype, (New((tokens, x.shape[1]), 0), 0, 1, 2))


def _cached(k_cache: Spec, v_cache: Spec, slot: Spec, row: Sequence[int], dtype: str, scales: Sequence[Spec]) -> tuple[int, int, int, int]:
    """Sizes of both operations of a cache, whose rows have elements `dtype`, or e4m3."""
    _of_type("slot", slot, "i64")
    if len(slot.shape) != 1:
        raise ValueError(f"slot: found {len(slot.shape)} dimensions; expected (tokens,)")
    _of_type("k_cache", k_cache, dtype, "e4m3")
    _of_type("v_cache", v_cache, k_cache.dtype)
    for name, cache in (("k_cache", k_cache), ("v_cache", v_cache)):
        _of_shape(name, cache, (*k_cache.shape[:1], *row), "(slots, ...) with the rows of tokens; of pages: cache.flatten(0, 1)")
    for name, scale in zip(("k_scale", "v_scale"), scales):
        _of_type(name, scale, "f32")
        if math.prod(scale.shape) != 1:
            raise ValueError(f"{name}: found shape {tuple(scale.shape)}; expected one number")
    if len(scales) == 1 or k_cache.dtype == "e4m3" and not scales:
        raise ValueError(f"k_scale, v_scale: found {len(scales)} of them; expected both with a cache of e4m3")
    return 1 + (k_cache.dtype == "e4m3"), k_cache.shape[0], slot.shape[0], math.prod(row)


def _scale_buffers(first: int, count: int) -> tuple[int, int]:
    """Where there are none nobody reads them; the library wants an address all the same, and the slots have one."""
    return (first, first + 1) if count else (first - 1, first - 1)


_KV_SCALES = "Tensor? k_scale=None, Tensor? v_scale=None"


@operation("()", f"Tensor k, Tensor v, Tensor(a!) k_cache, Tensor(b!) v_cache, Tensor slot, {_KV_SCALES}")
def _kv_write(k: Spec, v: Spec, k_cache: Spec, v_cache: Spec, slot: Spec, *scales: Spec) -> Plan:
    _of_type("k", k, *FLOATS)
    _of_type("v", v, k.dtype)
    _of_shape("k", k, (*slot.shape, *k.shape[1:]), "a row for each slot")
    _of_shape("v", v, k.shape, "as k")
    sizes = _cached(k_cache, v_cache, slot, k.shape[1:], k.dtype, scales)
    if sizes[2] > sizes[1]:
        raise ValueError(f"slot: found {sizes[2]} tokens; expected no more than the cache has slots, {sizes[1]}")
    return Plan(sizes, k.dtype, (2, 3, 0, 1, 4, *_scale_buffers(5, len(scales))))


@operation("(Tensor, Tensor)", f"Tensor k_cache, Tensor v_cache, Tensor slot, {_KV_SCALES}, str dtype='bf16'")
def _kv_gather(k_cache: Spec, v_cache: Spec, slot: Spec, *rest: Any) -> Plan:
    scales = [given for given in rest if isinstance(given, Spec)]
    dtype = k_cache.dtype if k_cache.dtype != "e4m3" else next((given for given in rest if isinstance(given, str)), "bf16")
    if dtype not in FLOATS:
        raise ValueError(f"found rows of {dtype}; expected {' or '.join(FLOATS)}, or a cache of e4m3")
    sizes = _cached(k_cache, v_cache, slot, k_cache.shape[1:], dtype, scales)
    rows = New((*slot.shape, *k_cache.shape[1:]), dtype)
    return Plan(sizes, dtype, (rows, rows, 0, 1, 2, *_scale_buffers(3, len(scales))))


# ---- rows, and all there is ----


def _of_rows(x: Spec) -> tuple[int, int]:
    _of_type("x", x, "bf16", "f16", "f32")
    if not x.shape:
        raise ValueError("x: found no dimensions; expected (..., cols)")
    return math.prod(x.shape[:-1]), x.shape[-1]


@operation("Tensor", "Tensor x")
def _softmax(x: Spec) -> Plan:
    return Plan(_of_rows(x), x.dtype, (New(x.shape, 0), 0))


@operation("Tensor", "Tensor x, Tensor weight, float eps=1e-5")
def _rmsnorm(x: Spec, weight: Spec, eps: float = 1e-5) -> Plan:
    sizes = _of_rows(x)
    _of_type("weight", weight, x.dtype)
    _of_shape("weight", weight, sizes[1:], "one of each column of x")
    return Plan(sizes, x.dtype, (New(x.shape, 0), 0, 1), (("eps", eps),))


def _joined(x: Spec, out: Union[str, int], words: int, *types: str) -> Plan:
    """One number of all elements. Blocks meet in some words that are zeros before."""
    _of_type("x", x, *types)
    count = math.prod(x.shape)
    if count == 0:
        raise ValueError("x: found no elements; expected one or more")
    return Plan((count,), x.dtype, (New((), out), 0, New((words,), "i64", hidden=True, zero=True)))


@operation("Tensor", "Tensor x")
def _sum(x: Spec) -> Plan:
    return _joined(x, 0, 8193, "f32", "i32")


@operation("Tensor", "Tensor x")
def _argmax(x: Spec) -> Plan:
    return _joined(x, "i64", 2, "f32")


# ---- rows by an index ----


def _bytes_of_rows(x: Spec, rows: str) -> int:
    if not x.shape:
        raise ValueError(f"x: found no dimensions; expected {rows}")
    return math.prod(x.shape[1:]) * x.item_bytes


@operation("Tensor", "Tensor x, Tensor index")
def _gather_rows(x: Spec, index: Spec) -> Plan:
    _of_type("index", index, "i64", "i32")
    row_bytes = _bytes_of_rows(x, "(rows, ...)")
    return Plan((x.shape[0], math.prod(index.shape), row_bytes), index.dtype, (New((*index.shape, *x.shape[1:]), 0), 0, 1))


@operation("Tensor", "Tensor x, Tensor index")
def _scatter_rows(x: Spec, index: Spec) -> Plan:
    _of_type("index", index, "i64", "i32")
    _of_shape("index", index, x.shape[:1], "a place for each row of x")
    return Plan((math.prod(x.shape[:1]), _bytes_of_rows(x, "(rows, ...)")), index.dtype, (New(x.shape, 0), 0, 1))


# ---- conversions ----


def _converted(x: Spec, scale: Spec, dtype: str, both: bool, amax: bool) -> Plan:
    _of_type("x", x, "bf16", "f16", "f32")
    _of_type("scale", scale, "f32")
    if len(x.shape) < 2:
        raise ValueError(f"x: found {len(x.shape)} dimensions; expected (rows, cols), or more of matrices")
    if math.prod(scale.shape) != 1:
        raise ValueError(f"scale: found shape {tuple(scale.shape)}; expected one number")
    *lead, rows, cols = x.shape
    sizes = (_chosen("dtype", dtype, _CONVERTED), 1 + both, 1 + amax, math.prod(lead), rows, cols)
    straight, largest = New(x.shape, dtype) if both else None, New((1,), "f32", zero=True) if amax else None
    return Plan(sizes, x.dtype, (New((*lead, cols, rows), dtype), straight, largest, 0, 1))


@operation("Tensor", "Tensor x, Tensor scale, str dtype='e4m3'")
def _cast_transpose(x: Spec, scale: Spec, dtype: str = "e4m3") -> Plan:
    return _converted(x, scale, dtype, both=False, amax=False)


@operation("(Tensor, Tensor)", "Tensor x, Tensor scale, str dtype='e4m3'", op="cast_transpose")
def _cast_transpose_both(x: Spec, scale: Spec, dtype: str = "e4m3") -> Plan:
    return _converted(x, scale, dtype, both=True, amax=False)


@operation("(Tensor, Tensor)", "Tensor x, Tensor scale, str dtype='e4m3'", op="cast_transpose")
def _cast_transpose_amax(x: Spec, scale: Spec, dtype: str = "e4m3") -> Plan:
    return _converted(x, scale, dtype, both=False, amax=True)


@operation("(Tensor, Tensor, Tensor)", "Tensor x, Tensor scale, str dtype='e4m3'", op="cast_transpose")
def _cast_transpose_both_amax(x: Spec, scale: Spec, dtype: str = "e4m3") -> Plan:
    return _converted(x, scale, dtype, both=True, amax=True)


def planned(name: str, specs: Sequence[Spec], options: Sequence[Any]) -> Plan:
    return OPERATIONS[name].plan(*specs, *options)


# Of sizes that are numbers.
planned_once = functools.lru_cache(maxsize=4096)(planned)


# ---- what users call ----


def _call(name: str, inputs: tuple[Any, ...], *options: Any) -> Any:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(inputs[0], torch.Tensor):
        from . import _torch_serving

        return _torch_serving.call(name, inputs, options)
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(inputs[0], jax.Array):
        from . import _jax_serving

        return _jax_serving.call(name, inputs, options)
    raise TypeError(f"{name}: found a {type(inputs[0]).__name__}; expected a tensor of PyTorch or an array of JAX. autotune.run takes "
                    "arrays of every framework")


def gather_rows(x: A, index: Any) -> A:
    """x[index] of rows: x (from, ...) of any type, index of any shape, i64 or i32, each of 0 to from - 1. With a gradient on
    PyTorch's tensors, and on those of the CPU PyTorch's own."""
    return _call("gather_rows", (x, index))


def scatter_rows(x: A, index: Any) -> A:
    """out[index[i]] = x[i] of rows: x (rows, ...) of any type, index (rows,) i64 or i32, each of 0 to rows - 1 once. With a
    gradient on PyTorch's tensors, and on those of the CPU PyTorch's own."""
    return _call("scatter_rows", (x, index))


def cast_transpose(x: Any, scale: Any, dtype: Any = "e4m3", *, both: bool = False, amax: bool = False) -> Any:
    """x * scale in another type, and with its last two dimensions exchanged: x (..., rows, cols) bf16, f16 or f32, scale one f32,
    `dtype` "e4m3", "e5m2", "f16" or "bf16", or a framework's name of one. With `both` (turned, straight), the second as x lies;
    with `amax` the largest |x| comes last, a tensor of one f32."""
    name = "cast_transpose" + ("_both" if both else "") + ("_amax" if amax else "")
    spelled = _native.spelled(dtype)
    return _call(name, (x, scale), _NAMES.get(spelled, spelled))


def softmax(x: A) -> A:
    """Of each row x[..., :], bf16, f16 or f32; computed in f32."""
    return _call("softmax", (x,))


def rmsnorm(x: A, weight: Any, *, eps: float = 1e-5) -> A:
    """weight * x / sqrt(eps + mean of x^2), row by row: x (..., cols) bf16, f16 or f32, weight (cols,) of the same type."""
    return _call("rmsnorm", (x, weight), eps)


def sum(x: Any) -> Any:  # noqa: A001  as torch.sum
    """Of all elements, f32 or i32, as a tensor of no dimensions."""
    return _call("sum", (x,))


def argmax(x: Any) -> Any:
    """The first index of the largest of all elements, f32 and no NaN, as an i64 of no dimensions."""
    return _call("argmax", (x,))


def group_quant(x: Any, *, group: int = 128, layout: str = "rows") -> tuple[Any, Any]:
    """(q, scales) of x (tokens, hidden), bf16 or f16: q = x / scale in e4m3, a scale for each `group` elements of a row, 128, 64
    or 32. `layout` of the scales: "rows" (tokens, groups) f32; "columns" the same with tokens side by side in memory; "e8m0" powers
    of two (MXFP8 with group=32); "blocks" these as tensor cores of compute capability 10.0 read them, flat."""
    return _call("group_quant", (x,), group, layout)


def silu_mul_quant(x: Any, *, group: int = 128, layout: str = "rows") -> tuple[Any, Any]:
    """group_quant of silu(gate) * up, the halves of the rows of x (tokens, 2 * hidden)."""
    return _call("silu_mul_quant", (x,), group, layout)


def rmsnorm_quant(x: Any, weight: Any, residual: Any = None, *, eps: float = 1e-5, group: int | None = None,
                  layout: str = "rows") -> tuple[Any, ...]:
    """(q, scales) of RMSNorm of x (tokens, hidden) in e4m3, a scale for each row or each `group` elements of one; layouts as in
    group_quant. With `residual` (q, scales, sum): the norm is that of sum = x + residual."""
    if residual is None:
        return _call("rmsnorm_quant", (x, weight), eps, group or 0, layout)
    return _call("add_rmsnorm_quant", (x, weight, residual), eps, group or 0, layout)


def block_quant(x: Any) -> tuple[Any, Any, Any]:
    """(q, turned, scales) of x (rows, cols) in e4m3: q, its transpose, and a scale for each 128 x 128 elements."""
    return _call("block_quant", (x,))


def rope(q: Any, k: Any, table: Any, position: Any, *, interleaved: bool = False) -> tuple[Any, Any]:
    """(q, k) turned by the angles of their positions: q (tokens, q_heads, head), k (tokens, k_heads, head), position (tokens,) i32,
    table (positions, head) f32, of a position head / 2 cosines and then as many sines. A pair is i and i + head / 2, or with
    `interleaved` 2 i and 2 i + 1."""
    return _call("rope", (q, k, table, position), interleaved)


def moe_permute(x: Any, place: Any, scales: Any = None) -> Any:
    """out[place[t][k]] = x[t], rows of any type to the places of their experts; place (tokens, top) i32 or i64, each of 0 to
    tokens * top - 1 once. With `scales`, rows of those likewise: (out, out_scales)."""
    return _call("moe_permute", (x, place)) if scales is None else _call("moe_permute_scaled", (x, place, scales))


def moe_unpermute(x: Any, place: Any, weight: Any) -> Any:
    """out[t] = sum over k of weight[t][k] * x[place[t][k]]: x (tokens * top, hidden), place i32 and weight f32 (tokens, top)."""
    return _call("moe_unpermute", (x, place, weight))


def kv_write(k: Any, v: Any, k_cache: Any, v_cache: Any, slot: Any, *, k_scale: Any = None, v_scale: Any = None) -> None:
    """k_cache[slot[t]] = k[t] and so of v: k (tokens, ...), caches (slots, ...), slot (tokens,) i64, of which no two are the same.
    What is no slot, such as -1, is left out. Caches of e4m3 hold k / k_scale, v / v_scale, each a tensor of one f32."""
    _call("kv_write", (k, v, k_cache, v_cache, slot, k_scale, v_scale))


def kv_gather(k_cache: Any, v_cache: Any, slot: Any, *, k_scale: Any = None, v_scale: Any = None, dtype: Any = "bf16") -> tuple[Any, Any]:
    """(k, v): k[t] = k_cache[slot[t]] and so of v; each slot is one of the cache. `dtype`: bf16 or f16, what e4m3 becomes."""
    return _call("kv_gather", (k_cache, v_cache, slot, k_scale, v_scale), dtype if isinstance(dtype, str) else _native.type_name(dtype))
