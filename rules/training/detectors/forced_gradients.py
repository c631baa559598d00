"""Losses whose `requires_grad` is set manually, right before `backward()` starts from them.

The result of an operation on something that requires gradients requires them itself, and setting it changes nothing.
Any other becomes a leaf: `backward()` ends where it starts, and no parameter gets a gradient. Checked on torch 2.13.
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import method_calls_of
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.freezing import freezes_something
from torchlint.model.training.requires_grad_stores import requires_grad_stores
from torchlint.model.values.value_sets import Imported, Literal, Possibility, Tensor
from torchlint.pytorch.factories import FACTORIES, LIKE, NEW, OF_LISTS
from torchlint.pytorch.grad_modes import ABOUT_GRAPH
from torchlint.pytorch.symbols import VARIABLE
from torchlint.syntax.arguments import is_flag, passed
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

from .always_recording import is_switched_off
from .backward_targets import differentiating_call, direct_backward

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_COPYING = frozenset(name.rpartition(".")[2] for name in OF_LISTS | {VARIABLE})
_LIKE = LIKE | NEW | {"Parameter"}


@dataclass(frozen=True, slots=True)
class ForcedGradient:
    """A place that sets `requires_grad` of a loss."""

    place: Place
    """The target of an assignment, or the call."""
    backward: Place
    is_seen: bool
    """Whether what computes the loss surely makes no graph; else the attempt to set it is all that says so."""


def forced_gradients(ev: Evaluator, file: ParsedFile) -> Iterator[ForcedGradient]:
    """Yield where a file sets `requires_grad` of its own result, and calls `backward()` on it."""
    for place, loss in _forced(file):
        if _is_asked_about(place) or not _may_be_loss(loss):
            continue
        back = direct_backward(place) if place.expression is not loss.expression else None
        back = back or differentiating_call(ev, place, loss)
        if back is not None and _is_computed(ev, loss) and not _has_graph(ev, loss):
            possible = [one for value in _values(ev, loss) for one in ev.evaluate(value)]
            yield ForcedGradient(place, back, bool(possible) and all(map(_is_without_graph, possible)))


def _forced(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield what sets `requires_grad` of something, each with that."""
    for asked in requires_grad_stores(file, True):
        call = file.parents_in(asked.statement).get(asked.parent.expression) if asked.parent is not None else None
        yield asked.at(call) if isinstance(call, ast.Call) else asked, asked
    for made in method_calls_of(file, _COPYING):
        flag = passed(made.expression, "requires_grad")
        if is_flag(flag, True) and made.arguments:
            yield made, made.arguments[0]


def _is_asked_about(place: Place) -> bool:
    """Tell whether a dominating condition tests whether the loss requires gradients: then it may not."""
    nodes = (node for test, _ in place.tests for node in walk(test.expression))
    return any(isinstance(node, ast.Attribute) and node.attr in ABOUT_GRAPH for node in nodes)


def _may_be_loss(loss: Place) -> bool:
    return not isinstance(loss.expression, (ast.Constant, ast.List, ast.Tuple))


def _is_computed(ev: Evaluator, loss: Place) -> bool:
    """Tell whether what requires gradients is the result of operations, and not made as a leaf on purpose."""
    values = list(_values(ev, loss))
    if not values:
        return False
    possible = [one for value in values for one in ev.evaluate(value)]
    made = [one for one in possible if _is_made(ev, one)]
    return len(made) < len(possible) and (not made or all(_is_without_graph(one) for one in possible))


def _values(ev: Evaluator, loss: Place) -> Iterator[Place]:
    """Yield the values of a loss before `requires_grad` was set; the number that a sum starts with is none."""
    if not isinstance(loss.expression, ast.Name) or loss.expression.id not in loss.scope.bindings:
        yield loss
        return
    for one in definitions(ev, loss):
        if one.kind not in {"assign", "augment"} or one.value is None or one.selector:
            yield loss
        elif not isinstance(one.value, ast.Constant):
            yield Place(loss.file, one.value, one.statement)


def _is_made(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something was made of nothing, or of constants: a dummy loss, or a leaf."""
    if isinstance(one.value, Literal):
        return True
    call = one.origin.expression if one.origin is not None else None
    if one.origin is None or not isinstance(call, ast.Call):
        return False
    # `torch.eye(7).reshape(1, 7, 7)` is as much of nothing as `torch.eye(7)`.
    while isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
        call = call.func.value
    if callee_name(call) in _LIKE:
        return True
    names = {two.value.name for two in ev.evaluate(one.origin.at(call.func)) if isinstance(two.value, Imported)}
    if not names & FACTORIES:
        return False
    return not (names <= OF_LISTS and call.args and _holds_name(call.args[0]))


def _holds_name(data: ast.expr) -> bool:
    return any(isinstance(node, (ast.Name, ast.Call)) for node in walk(data))


def _is_without_graph(one: Possibility) -> bool:
    return isinstance(one.value, Literal) or (isinstance(one.value, Tensor) and one.value.graph is False)


def _has_graph(ev: Evaluator, loss: Place) -> bool:
    """Tell whether a loss surely has a graph, so that setting changes nothing: not if something may be frozen."""
    if ev.project.once(freezes_something) or ev.project.once(is_switched_off):
        return False
    possible = [one for value in _values(ev, loss) for one in ev.evaluate(value)]
    return all(isinstance(one.value, Tensor) and one.value.graph is True for one in possible)
