"""Losses that the replicas of a DataParallel compute: gathered, they are one number for each GPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.guards.contradictions import outcomes_before
from torchlint.model.parallel.wrappers import Wrapping, unwrapped, wrapping
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions, is_scalar
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Instance, Possibility
from torchlint.pytorch.symbols import DATA_PARALLEL
from torchlint.syntax.arms import arms_of
from torchlint.syntax.scope import Selector

from .implications import given_with

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class GatheredLoss:
    """A loss with one number for each GPU, from which `backward()` is started."""

    backward: Place
    loss: Place
    wrapping: Wrapping
    called: Place
    """The call of the wrapper that the loss comes from."""


_NONE: tuple[tuple[Wrapping, Place], ...] = ()


def gathered_losses(ev: Evaluator, file: ParsedFile) -> Iterator[GatheredLoss]:
    """Yield where `backward()` starts from what a DataParallel gathered as a vector, in source order."""
    if not ev.project.library.holding("DataParallel"):
        return
    for call, statement in file.index.calls("backward"):
        if isinstance(call.func, ast.Attribute) and not call.args and not call.keywords:
            backward = Place(file, call, statement)
            loss = backward.at(call.func.value)
            for wrapped, called in _sources(ev, loss, ()):
                if _comes_from(ev, loss, called, wrapped) and not _is_reduced_since(ev, loss, called, wrapped):
                    yield GatheredLoss(backward, loss, wrapped, called)
                    break


def _comes_from(ev: Evaluator, loss: Place, called: Place, wrapped: Wrapping) -> bool:
    """Tell whether a loss is the gathered result of a call under the conditions of its wrapper."""
    given = given_with(loss, wrapped.place)
    if not given:
        return True
    beside = Place(loss.file, loss.expression, loss.statement, loss.frame, given)
    return any(one.expression is called.expression for _, one in _sources(ev, beside, ()))


def _is_reduced_since(ev: Evaluator, loss: Place, called: Place, wrapped: Wrapping) -> bool:
    """Tell whether each run with the wrapper binds the loss again: both are below `if torch.cuda.device_count() > 1:`.

    What a name holds is no matter of its text: `given_with` follows names.
    """
    if not isinstance(loss.expression, ast.Name) or called.scope is not loss.scope:
        return False
    before, there = outcomes_before(loss).items(), outcomes_before(wrapped.place).items()
    for binding in definitions(ev, loss):
        if binding.value is None or binding.statement.lineno <= called.line:
            continue
        reduced = Place(loss.file, binding.value, binding.statement)
        needed = outcomes_before(reduced).items() - before
        is_asked = bool(needed) and all("(" in text for text, _ in needed)
        if is_asked and needed <= there and not any(True for _ in _sources(ev, reduced, binding.selector)):
            return True
    return False


def _sources(ev: Evaluator, place: Place, selector: Selector) -> Iterator[tuple[Wrapping, Place]]:
    """Yield the calls of wrappers whose scalar results an expression is, without a reduction in between."""
    match place.expression:
        case ast.Name():
            yield from _sources_of_name(ev, place, selector)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            yield from _sources(ev, place.at(left), selector)
            yield from _sources(ev, place.at(right), selector)
        case ast.Subscript(value=value, slice=ast.Constant(value=int(position))):
            yield from _sources(ev, place.at(value), (position, *selector))
        case ast.Call(func=ast.Attribute(attr="scale"), args=[scaled]):
            yield from _sources(ev, place.at(scaled), selector)
        case ast.Call(func=function):
            for one in ev.evaluate(place.at(function)):
                wrapped = wrapping(ev, one)
                if wrapped is not None and wrapped.name == DATA_PARALLEL and _gathers(ev, one, selector):
                    yield wrapped, place


@tabled(_NONE)
def _sources_of_name(ev: Evaluator, place: Place, selector: Selector) -> tuple[tuple[Wrapping, Place], ...]:
    found: list[tuple[Wrapping, Place]] = []
    for binding in definitions(ev, place):
        if binding.kind in {"assign", "augment"} and binding.value is not None:
            inner = Place(place.file, binding.value, binding.statement, place.frame, place.given)
            found += _sources(ev, inner, (*binding.selector, *selector))
        if isinstance(binding.statement, ast.AugAssign):
            before = Place(place.file, binding.statement.target, binding.statement, place.frame, place.given)
            found += _sources(ev, before, selector)
    return tuple(found)


def _gathers(ev: Evaluator, wrapper: Possibility, selector: Selector) -> bool:
    """Tell whether the module in a wrapper returns a scalar, at a position of its result."""
    for one in unwrapped(ev, wrapper) or ():
        method = method_of(ev, one.value.kind, "forward", one) if isinstance(one.value, Instance) else None
        for answer in method.scope.returns if method is not None else ():
            if method is None or answer.value is None:
                continue
            arms = (Place(method.file, arm, answer) for arm in arms_of(answer.value))
            parts = (_part(one, selector) for one in arms)
            if any(part is not None and is_scalar(ev, part) for part in parts):
                return True
    return False


def _part(returned: Place, selector: Selector) -> Place | None:
    """Return the part of a returned tuple that a target takes; None if it is unknown."""
    node = returned.expression
    for position in selector:
        if not isinstance(node, (ast.Tuple, ast.List)) or position is None or not -1 < position < len(node.elts):
            return None
        node = node.elts[position]
    return returned.at(node)
