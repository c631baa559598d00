"""What an operand is: a tensor that was made on the host and never moved, or one that is on the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.first_iterations import at_first
from torchlint.model.place import Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.values.iterations import ran
from torchlint.model.values.value_sets import HOST, Display, Literal, Possibility, Tensor, ValueSet
from torchlint.syntax.layout import layout_of
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def spread(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield an operand, or its items if it is a list or tuple."""
    shown = [
        one.value.place for one in alternatives(ev, place) if isinstance(one.value, Display) and not one.value.moves
    ]
    if len(shown) != 1 or not isinstance(shown[0].expression, (ast.List, ast.Tuple)):
        yield place
        return
    for one in shown[0].expression.elts:
        if not isinstance(one, ast.Starred):
            yield shown[0].at(one)


def on_the_host(
    ev: Evaluator, place: Place, operation: Place | None = None, *, of_any_shape: bool = False
) -> Possibility | None:
    """Return the tensor that an expression is, if it was made on the host, has dimensions and was never moved.

    Of any shape, one without dimensions counts as well.

    The operation's own result in an earlier iteration of a loop does not count: it raises in the first.
    """
    possible = alternatives(ev, place, operation)
    if operation is not None:
        possible = tuple(one for one in possible if not _is_made_by(one, operation))
    if not possible or not all(isinstance(one.value, Tensor) and one.value.device == HOST for one in possible):
        return None
    return possible[0] if of_any_shape or all(has_dimensions(ev, one) for one in possible) else None


def _is_made_by(one: Possibility, operation: Place) -> bool:
    if one.origin is None:
        return False
    by_statement = isinstance(operation.statement, ast.AugAssign) and one.origin.statement is operation.statement
    return by_statement or one.origin.expression is operation.expression


def is_on_the_device(ev: Evaluator, place: Place, operation: Place | None = None) -> bool:
    """Tell whether an expression is a tensor that was moved to a device, or is on the device of a module.

    If an operation is named, its own result in an earlier iteration of a loop does not count.
    """
    possible = ev.evaluate(place) if operation is None else at_first(ev, place, operation)
    return bool(possible) and all(
        isinstance(one.value, Tensor) and one.value.device not in {None, HOST} for one in possible
    )


def alternatives(ev: Evaluator, place: Place, operation: Place | None = None) -> ValueSet:
    """Return what an expression may be if no caller passes it: after `if state is None: state = …`."""
    possible = ev.evaluate(place) if operation is None else at_first(ev, place, operation)
    if isinstance(place.expression, ast.Name):
        bindings = place.scope.bindings.get(place.expression.id, [])
        if len(bindings) > 1 and layout_of(place.file.index, bindings).parameters:
            reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
            made = [one for one in reached if one.kind == "assign" and not one.selector and one.value is not None]
            if made and all(one in made or one.kind == "parameter" for one in reached):
                pairs = ran(place, made)
                places = [Place(at.file, one.value, one.statement, at.frame) for at, one in pairs if one.value]
                possible = tuple(one for at in places for one in ev.evaluate(at))
    return tuple(one for one in possible if not (isinstance(one.value, Literal) and one.value.value is None))
