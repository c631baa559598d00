"""What a test says of where a tensor is, `x.is_cuda`, and of a device: `device.type == "cpu"`."""

from __future__ import annotations

import ast

from torchlint.model.guards.truth import compared_with
from torchlint.model.values.value_sets import HOST, Device, Literal, Possibility, Tensor, Value, ValueSet
from torchlint.syntax.facts import atoms
from torchlint.syntax.walk import written


def says_where(test: ast.expr, holds: bool, text: str) -> bool | None:
    """Tell whether a test's outcome means that a tensor is on CUDA, or is not; None if it is not about that."""
    for part, part_holds in atoms(test, holds):
        asked = _asked_for_cuda(part)
        if asked is not None and written(asked[0]) == text:
            return asked[1] is part_holds
    return None


def is_off_cuda(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test's outcome means of any tensor that it is not on CUDA."""
    asked = ((_asked_for_cuda(part), part_holds) for part, part_holds in atoms(test, holds))
    return any(one is not None and one[1] is not part_holds for one, part_holds in asked)


def kind_compared(value: Value, test: ast.expr, text: str) -> bool | None:
    """Tell the outcome of `device.type == "cuda"` if the expression written `text` were this device."""
    match test, value:
        case ast.Compare(left=ast.Attribute(value=asked, attr="type"), ops=[op], comparators=[other]), Device(
            kind=kind
        ):
            return compared_with(Literal(kind), op, other) if kind and written(asked) == text else None
        case _:
            return None


def settled(possible: ValueSet, test: ast.expr, holds: bool, text: str) -> ValueSet:
    """Return what an expression may be after a test about it: all that is not on another device."""
    if (on_cuda := says_where(test, holds, text)) is None:
        return possible
    left = tuple(one for one in possible if not _is_elsewhere(one, on_cuda))
    # If none is left, an unknown caller passes other tensors.
    return tuple(_settled(one, on_cuda) for one in left or possible)


def _is_elsewhere(one: Possibility, on_cuda: bool) -> bool:
    kind = one.value.device.kind if isinstance(one.value, Tensor) and one.value.device is not None else ""
    return bool(kind) and (kind == "cuda") is not on_cuda


def _settled(one: Possibility, on_cuda: bool) -> Possibility:
    if not isinstance(one.value, Tensor):
        return one
    if one.value.device is not None and one.value.device.kind == ("cuda" if on_cuda else HOST.kind):
        return one
    # What is not on CUDA may be on the host because there is no GPU: then nothing else is on CUDA either.
    return one.of_value(Tensor(Device("cuda") if on_cuda else None, one.value.graph))


def _asked_for_cuda(test: ast.expr) -> tuple[ast.expr, bool] | None:
    """Return the tensor whose device a test reads, and whether that is CUDA if the test holds."""
    match test:
        case ast.Attribute(value=tensor, attr="is_cuda" | "is_cpu" as name):
            return tensor, name == "is_cuda"
        case ast.Compare(
            left=ast.Attribute(value=ast.Attribute(value=tensor, attr="device"), attr="type"),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value="cuda" | "cpu" as kind)],
        ):
            return tensor, (kind == "cuda") is isinstance(op, ast.Eq)
        case _:
            return None
