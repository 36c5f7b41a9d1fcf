"""The operations of _serving.py on arrays of JAX, eagerly and within jax.jit: calls of XLA's foreign function interface, which
_jax.py answers. They have no derivatives, and vmap takes none of them: more tokens are more rows."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from . import _serving
from ._jax import TARGET, refuse_cpu
from ._serving import New, Plan

_DTYPES = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "e8m0": "float8_e8m0fnu", "f32": "float32", "bf16": "bfloat16", "f16": "float16", "u8": "uint8"}
_NOTHING = New((0,), "f32")  # a buffer without elements


def _struct(new: New, inputs: Sequence[Any]) -> Any:
    shape = (new.shape[-1], *new.shape[:-1]) if new.across else new.shape
    return jax.ShapeDtypeStruct(shape, inputs[new.dtype].dtype if isinstance(new.dtype, int) else _DTYPES[new.dtype])


def _launched(operation: _serving.Operation, plan: Plan, inputs: Sequence[Any]) -> list[Any]:
    """The new arrays, as they lie in memory. What is None stands where a buffer without elements does: first come the outputs."""
    results = list(range(1 + max(i for i, buffer in enumerate(plan.buffers) if isinstance(buffer, New))))
    made = [new if isinstance(new, New) else _NOTHING for new in plan.buffers[:len(results)]]
    given = [inputs[buffer] if isinstance(buffer, int) else jnp.zeros(0) for buffer in plan.buffers[len(results):]]
    said = {"op": operation.op, "sizes": plan.sizes, "type": plan.type, "results": results, "scalars": plan.scalars}
    got = jax.ffi.ffi_call(TARGET, [_struct(new, inputs) for new in made])(*given, problem=json.dumps(said))
    return [got[i] for i, _ in plan.results]


def call(name: str, inputs: tuple[Any, ...], options: tuple[Any, ...]) -> Any:
    operation, inputs = _serving.OPERATIONS[name], tuple(x for x in inputs if x is not None)
    if operation.written:
        raise ValueError(f"{name}: found arrays of JAX, which may not be written; expected tensors of PyTorch")
    for tensor, x in zip(operation.inputs, inputs):
        refuse_cpu(tensor, x)
    plan = _serving.planned_once(name, tuple(map(_serving.spec, inputs)), options)
    new = [new for _, new in plan.results]
    if any(isinstance(buffer, New) and buffer.zero for buffer in plan.buffers):
        other = ", or no amax=True" if "amax" in name else ""
        raise ValueError(f"{name}: found arrays of JAX, which XLA does not make of zeros; expected tensors of PyTorch{other}")
    if math.prod(new[0].shape):
        made = _launched(operation, plan, inputs)
    else:
        made = [jnp.zeros(struct.shape, struct.dtype) for struct in (_struct(each, inputs) for each in new)]
    shown = [jnp.moveaxis(array, 0, -1) if each.across else array for each, array in zip(new, made)]
    return shown[0] if len(shown) == 1 else tuple(shown)
