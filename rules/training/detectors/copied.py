"""Tensors passed to `torch.tensor`, which copies them without a graph, and warns: "To copy construct …".

Of a list of tensors it reads each number, without a warning; if any has more than one number, it raises. That is a
mistake if their graphs are lost, or if each was made a tensor for nothing.
https://docs.pytorch.org/docs/stable/generated/torch.tensor.html. Checked on torch 2.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.containers.displays import elements_of
from torchlint.model.devices.discarding import is_surely_tensor
from torchlint.model.guards.catching import is_caught
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.values.value_sets import Display, Imported, Possibility, Tensor, ValueSet
from torchlint.pytorch.factories import COPYING, OF_DATA
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_WRAPPING = frozenset(map(Imported, OF_DATA))
_ASKING = frozenset({"isinstance", "is_tensor", "hasattr", "type"})


@dataclass(frozen=True, slots=True)
class CopiedTensor:
    """A call of `torch.tensor` with a tensor, or a list of them."""

    place: Call
    data: Place
    is_list: bool


def copied_tensors(ev: Evaluator, file: ParsedFile) -> Iterator[CopiedTensor]:
    """Yield the calls of a file that surely make a tensor from a tensor, or from a list of some."""
    for call in calls_of(file, frozenset({COPYING})):
        data = call.argument("data", 0)
        if data is None or not _may_hold_tensor(data.expression) or _is_asked_about(call, data) or is_caught(call):
            continue
        possible = ev.evaluate(data)
        is_list = bool(possible) and all(isinstance(one.value, Display) for one in possible)
        if is_list and isinstance(data.expression, ast.BinOp):
            continue  # `[level] * n` repeats one number
        found = elements_of(ev, possible) if is_list else possible
        if _are_tensors(ev, found) and (not is_list or _is_worth_stacking(ev, found)) and is_reachable(ev, call):
            yield CopiedTensor(call, data, is_list)


def _may_hold_tensor(data: ast.expr) -> bool:
    """Tell whether an expression contains anything but constants."""
    return any(isinstance(node, (ast.Name, ast.Attribute)) for node in walk(data))


def _is_asked_about(call: Place, data: Place) -> bool:
    """Tell whether a dominating condition tests the type of the data: it may be either then."""
    names = {node.id for node in walk(data.expression) if isinstance(node, ast.Name)}
    nodes = [(test, node) for test, _ in call.tests for node in walk(test.expression)]
    asking = [one for test, one in nodes if isinstance(one, ast.Call) and test.at(one.func).word in _ASKING]
    return any(isinstance(part, ast.Name) and part.id in names for one in asking for part in walk(one))


def _are_tensors(ev: Evaluator, possible: ValueSet) -> bool:
    return bool(possible) and all(one.origin is not None and is_surely_tensor(ev, one) for one in possible)


def _is_worth_stacking(ev: Evaluator, found: ValueSet) -> bool:
    """Tell whether a list loses graphs, or contains what was made a tensor for nothing; a few numbers may be so."""
    is_recorded = any(isinstance(one.value, Tensor) and one.value.graph is True for one in found)
    return is_recorded or all(_is_wrapped(ev, one) for one in found)


def _is_wrapped(ev: Evaluator, one: Possibility) -> bool:
    call = one.origin.expression if one.origin is not None else None
    if one.origin is None or not isinstance(call, ast.Call):
        return False
    return any(two.value in _WRAPPING for two in ev.evaluate(one.origin.at(call.func)))
