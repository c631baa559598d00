"""Views of transposed tensors, whose memory is not in the order of their elements.

`pred.t()` of the indices of `topk` has one row for each rank, and its elements stand by samples in memory. What is
computed of it element by element has the same strides, and so has a slice of several rows: `view(-1)` raises "view size
is not compatible with input tensor's size and stride". Checked on torch 2.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import sure_definitions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Literal
from torchlint.pytorch.strides import BROADCAST, COMPARING, KEEPING_STRIDES, RANKING, TOPK

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Binding


@dataclass(frozen=True, slots=True)
class TransposedView:
    """A `view(-1)` that raises, how many rows it is of, and where the tensor is transposed."""

    view: Call
    count: int
    transposed: Place


def transposed_views(ev: Evaluator, file: ParsedFile) -> Iterator[TransposedView]:
    """Yield where a file flattens several rows of a transposed tensor with `view`."""
    for view in method_calls_of(file, frozenset({"view"})):
        if view.owner is None or len(view.arguments) != 1 or view.keywords or not _is_all(view.arguments[0]):
            continue
        if (taken := _rows(view.owner)) is None or is_in_try(view):
            continue
        rows, whole = taken
        transposed = _transposed(ev, whole)
        if transposed is None or not is_reachable(ev, view):
            continue
        count = max(_numbers(ev, rows), default=1)
        if count > 1:
            yield TransposedView(view, count, transposed)


def _is_all(size: Place) -> bool:
    return size.literals == (-1,)


def _rows(viewed: Place) -> tuple[Place, Place] | None:
    """Return how many rows are taken, and of what: `k` and `correct` of `correct[:k]`; None for anything else."""
    match viewed.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in KEEPING_STRIDES:
            return _rows(viewed.at(owner))
        case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=ast.expr() as upper, step=None)):
            is_first = lower is None or (isinstance(lower, ast.Constant) and lower.value == 0)
            return (viewed.at(upper), viewed.at(value)) if is_first else None
        case _:
            return None


def _numbers(ev: Evaluator, rows: Place) -> Iterator[int]:
    """Yield the numbers of rows that are surely taken at some time: those of all calls, and in all iterations."""
    for one in ev.evaluate(rows):
        if isinstance(one.value, Literal) and type(one.value.value) is int:
            yield one.value.value


_NOWHERE: Place | None = None


@tabled(_NOWHERE)
def _transposed(ev: Evaluator, place: Place) -> Place | None:
    """Return where a tensor with these strides is transposed, None where it may have others."""
    match place.expression:
        case ast.Name():
            found = [_of_binding(ev, place, one) for one in sure_definitions(ev, place)]
            return found[0] if found and None not in found else None
        case ast.Attribute(value=owner, attr="T" | "mT"):
            return place if _is_of_ranks(ev, place.at(owner)) else None
        case ast.Compare(left=left, comparators=[right]):
            return _of_operands(ev, place.at(left), place.at(right))
        case ast.Call() as node:
            return _of_call(ev, Call(place.file, node, place.statement, place.frame, place.given))
        case _:
            return None


def _of_binding(ev: Evaluator, place: Place, one: Binding) -> Place | None:
    if one.kind != "assign" or one.selector or one.value is None:
        return None
    return _transposed(ev, Place(place.file, one.value, one.statement, place.frame, place.given))


def _of_call(ev: Evaluator, call: Call) -> Place | None:
    given = call.arguments
    if call.owner is not None and call.method in COMPARING and len(given) == 1:
        return _of_operands(ev, call.owner, given[0])
    if call.method in COMPARING and len(given) == 2:
        return _of_operands(ev, given[0], given[1])
    if call.owner is None:
        return None
    if call.method in KEEPING_STRIDES:
        return _transposed(ev, call.owner)
    return call if _transposes(call) and _is_of_ranks(ev, call.owner) else None


def _of_operands(ev: Evaluator, left: Place, right: Place) -> Place | None:
    """Return where the operand is transposed that gives the result its strides: the first that is not broadcast."""
    call = call_at(left)
    return _transposed(ev, right if call is not None and call.method in BROADCAST else left)


def _transposes(call: Call) -> bool:
    """Tell whether a call swaps the two dimensions of a matrix."""
    match call.method, [one.literals for one in call.arguments]:
        case "t", []:
            return True
        case "transpose" | "swapaxes" | "swapdims" | "permute", [(0,), (1,)] | [(1,), (0,)]:
            return call.method != "permute" or call.arguments[0].literals == (1,)
        case _:
            return False


def _is_of_ranks(ev: Evaluator, place: Place) -> bool:
    """Tell whether a tensor is the values or the indices of `topk` along the last dimension of a matrix."""
    if not isinstance(place.expression, ast.Name):
        return _ranking(place) is not None
    found = [_unpacked(place, one) for one in sure_definitions(ev, place)]
    return bool(found) and None not in found


def _unpacked(place: Place, one: Binding) -> Call | None:
    """Return the call of `topk` whose values or indices a definition binds: `_, pred = output.topk(5, 1)`."""
    if one.kind != "assign" or one.value is None:
        return None
    value = Place(place.file, one.value, one.statement)
    if not one.selector:
        return _ranking(value)
    return _as_ranking(value) if len(one.selector) == 1 else None


def _ranking(place: Place) -> Call | None:
    """Return the call of `topk` of which an expression takes the values or the indices."""
    match place.expression:
        case (
            ast.Subscript(value=value, slice=ast.Constant(value=0 | 1))
            | ast.Attribute(value=value, attr="values" | "indices")
        ):
            return _as_ranking(place.at(value))
        case _:
            return None


def _as_ranking(place: Place) -> Call | None:
    call = call_at(place)
    if call is None or call.method not in RANKING:
        return None
    is_function = TOPK in call.callee.names
    dim = call.argument("dim", 2 if is_function else 1)
    return call if dim is None or dim.literals in ((1,), (-1,)) else None
