"""Packs as operators of PyTorch: what torch.compile and torch.export ask of them are a schema and a fake kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ._pack import Pack, Shape


def _schema(pack: Pack, roles: tuple[str, ...], functional: bool) -> str:
    """Names of buffers may be words of Python or of the schema: they get one of their own."""
    tensors = [f"Tensor{'' if role == 'input' else f'(a{i}!)'} buffer_{name}"
               for i, (name, role) in enumerate(zip(pack._op.buffers, roles)) if not functional or role == "input"]
    return f"({', '.join(tensors)}{'' if functional else ', SymInt[] sizes'}) -> {'Tensor' if functional else '()'}"


def _turned(x: torch.Tensor) -> tuple[int, ...]:
    return (*x.shape[:-2], x.shape[-1], x.shape[-2])


def register(pack: Pack, shape: Shape | None, sizes: Shape | None) -> Any:
    """torch.ops.autotune.NAME, defined now. A name is defined once in a process."""
    roles = pack.roles()
    shape = shape or (_turned if pack.op == "transpose" else None)
    outputs = [role for role in roles if role != "input"]
    if shape and len(outputs) != 1:
        raise ValueError(f"found {len(outputs)} outputs of {pack.op}; expected one for a function that returns it")

    def call(*inputs: Any) -> torch.Tensor:
        inputs = tuple(x.contiguous() for x in inputs)
        out = inputs[0].new_empty(tuple(shape(*inputs)))  # type: ignore[misc]
        given = iter(inputs)
        ordered = [next(given) if role == "input" else out for role in roles]
        pack(*ordered, sizes=tuple(sizes(*inputs)) if sizes else tuple(inputs[0].shape))
        return out

    def write(*given: Any) -> None:
        pack(*given[:-1], sizes=given[-1])

    def fake(*given: Any) -> Any:
        return given[0].new_empty(tuple(shape(*given))) if shape else None

    written = tuple(f"buffer_{name}" for name, role in zip(pack._op.buffers, roles) if role != "input")
    operator = torch.library.custom_op(f"autotune::{pack.name}", call if shape else write,
                                       mutates_args=() if shape else written, device_types="cuda",
                                       schema=_schema(pack, roles, bool(shape)))
    operator.register_fake(fake)
    return getattr(torch.ops.autotune, pack.name)
