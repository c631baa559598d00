"""Losses of the result of an activation that they apply themselves, or without one that they need.

`CrossEntropyLoss` applies a log-softmax and `BCEWithLogitsLoss` a sigmoid; `NLLLoss` and `KLDivLoss` apply nothing to
what they take for log probabilities, nor `BCELoss` to what it takes for probabilities.
https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.place import Place
from torchlint.model.tensors.makers import Maker, made_by, makers, public_name
from torchlint.model.tensors.scalars import definitions
from torchlint.model.training.stepping import is_only_compared
from torchlint.model.values.value_sets import Built, Imported, Instance
from torchlint.pytorch.loss_inputs import LOSS_INPUTS
from torchlint.pytorch.symbols import TENSOR

from .changing import may_change
from .loss_calls import loss_calls

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile

Mismatch: TypeAlias = Literal["softmax", "sigmoid", "no log", "no log in kl", "no sigmoid"]


@dataclass(frozen=True, slots=True)
class MismatchedLoss:
    """A call of a loss whose argument surely comes from an activation, or from a layer without one."""

    place: Place
    """The argument."""
    made: tuple[Maker, ...]
    """The calls that make it, each with its callee."""
    bare: tuple[Edit, ...]
    """The edits that remove the activation, if it is applied directly in the argument."""


def mismatched_losses(ev: Evaluator, file: ParsedFile, mismatch: Mismatch) -> Iterator[MismatchedLoss]:
    """Yield the calls of losses in a file whose arguments mismatch."""
    expected = LOSS_INPUTS[mismatch]
    for loss in loss_calls(ev, file, expected.functions, expected.loss):
        place = loss.argument("input", 0)
        if place is None or loss.is_open or len(loss.arguments) + len(loss.keywords) < 2:
            continue
        # A test compares what losses make of any numbers.
        if is_only_compared(place):
            continue
        found = list(makers(ev, place))
        named = [one for one in found if one is not None and one.name in expected.mismatched]
        if len(named) < len(found):
            named = list(_of_one_module(ev, place, expected.mismatched))
        if named and not any(may_change(ev, one.call, place) for one in named):
            yield MismatchedLoss(place, tuple(dict.fromkeys(named)), _bare(ev, place, named))


def _of_one_module(ev: Evaluator, place: Place, mismatched: AbstractSet[str]) -> Iterator[Maker]:
    """Yield what makes the output of one of several modules, where that mismatches: `net = Net() if small else Deep()`.

    Each of them is trained with the same loss, by a run of its own.
    """
    call = _made_at(ev, place)
    modules = ev.evaluate(call.at(call.expression.func)) if isinstance(call.expression, ast.Call) else ()
    if not all(isinstance(one.value, Instance) and is_module(ev, one.value) for one in modules):
        return
    for one in modules:
        if one.origin is not None and not exclude_each_other(one.origin, place):
            made = list(made_by(ev, call, one))
            if made and all(maker is not None and maker.name in mismatched for maker in made):
                yield from (maker for maker in made if maker is not None)
                return


def _made_at(ev: Evaluator, place: Place) -> Place:
    """Return what an expression is, or what its name is assigned, if by a single statement."""
    found = definitions(ev, place) if isinstance(place.expression, ast.Name) else ()
    if len(found) != 1 or found[0].kind != "assign" or found[0].value is None or found[0].selector:
        return place
    return Place(place.file, found[0].value, found[0].statement)


def _bare(ev: Evaluator, place: Place, made: list[Maker]) -> tuple[Edit, ...]:
    """Return the edits that replace an activation by its own argument, if that is the whole argument of the loss."""
    if len(made) > 1 or made[0].call.expression is not place.expression:
        return ()
    match place.expression:
        case ast.Call(func=ast.Attribute(value=owner)) if made[0].name.startswith(f"{TENSOR}."):
            return (place.edits.replace(place.at(owner).text),)
        case ast.Call(func=function, args=[first, *_]) if not isinstance(first, ast.Starred):
            # The last layer of a whole network is no activation at the loss.
            values = [one.value for one in ev.evaluate(place.at(function))]
            is_own = all(isinstance(one, (Built, Imported)) and public_name(one.name) == made[0].name for one in values)
            return (place.edits.replace(place.at(first).text),) if is_own else ()
        case _:
            return ()
