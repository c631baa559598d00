"""What an operand is: a tensor that was made on the host and never moved, or one that is on the device."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.devices.combined import may_be_combined_elsewhere
from torchlint.model.devices.first_iterations import at_first
from torchlint.model.guards.off_by_default import off_by_default
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.values.frames import frame_for
from torchlint.model.values.iterations import ran
from torchlint.model.values.value_sets import HOST, Display, Literal, Possibility, Tensor, Unknown, ValueSet
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

    The operation's own result in an earlier iteration of a loop does not count: it raises in the first. Nor does what
    an operator makes of it and a tensor that may be on a GPU.
    """
    possible = alternatives(ev, place, operation)
    if operation is not None:
        possible = tuple(one for one in possible if not _is_made_by(one, operation))
    if not possible or not all(isinstance(one.value, Tensor) and one.value.device == HOST for one in possible):
        return None
    if any(may_be_combined_elsewhere(ev, one) for one in possible):
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
    is_own = _is_of_parameter(place)
    if is_own or _may_be_passed(possible):
        made = _assigned(ev, place)
        returned = [_returned_instead(ev, at) for at in made]
        if (is_own and made) or any(returned):
            pairs = zip(made, returned, strict=True)
            possible = tuple(one for at, instead in pairs for one in instead or ev.evaluate(at))
    return tuple(one for one in possible if not _is_none(one))


def _is_of_parameter(place: Place) -> bool:
    """Tell whether an expression is the name of a parameter that the function assigns to as well."""
    name = place.expression.id if isinstance(place.expression, ast.Name) else ""
    bindings = place.scope.bindings.get(name, ())
    return len(bindings) > 1 and bool(layout_of(place.file.index, bindings).parameters)


def _assigned(ev: Evaluator, place: Place) -> list[Place]:
    """Return the values of a name that the function assigns to it, if all but those that callers pass are known."""
    bindings = place.scope.bindings.get(place.expression.id, ()) if isinstance(place.expression, ast.Name) else ()
    if not bindings:
        return []
    reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    made = [one for one in reached if one.kind == "assign" and not one.selector and one.value is not None]
    if not all(one in made or one.kind == "parameter" for one in reached):
        return []
    places = [Place(at.file, one.value, one.statement, at.frame) for at, one in ran(place, made) if one.value]
    # Behind another option, `if is_text: x = encode(x)`, it is made only if a caller sets that.
    return [] if any(off_by_default(ev, at) is not None for at in places) else places


def _returned_instead(ev: Evaluator, call: Place) -> ValueSet:
    """Return what a function returns for an optional argument that is None: `state = self.start(x, state)`."""
    if not isinstance(call.expression, ast.Call) or not _may_be_passed(ev.evaluate(call)):
        return ()
    callees = ev.callees(call)
    function = callees[0] if len(callees) == 1 else None
    frame = frame_for(call, function, FRAME_DEPTH) if function is not None else None
    if function is None or frame is None:
        return ()
    caller = Caller.of_frame(frame, call)
    optional = {
        one.name for one in function.scope.parameters if any(_may_be_none(ev, at) for at in caller.argument(one) or ())
    }
    returned = [Place(function.file, one.value, one, frame) for one in function.scope.returns if one.value is not None]
    if not all(isinstance(one.expression, ast.Name) and one.expression.id in optional for one in returned):
        return ()
    return tuple(one for place in returned for at in _assigned(ev, place) for one in ev.evaluate(at))


def _may_be_passed(possible: ValueSet) -> bool:
    """Tell whether a value is a tensor that was made on the host, or one that a caller may pass."""
    values = [one.value for one in possible]
    return any(isinstance(one, Unknown) for one in values) and any(
        isinstance(one, Tensor) and one.device == HOST for one in values
    )


def _may_be_none(ev: Evaluator, place: Place) -> bool:
    return any(map(_is_none, ev.evaluate(place)))


def _is_none(one: Possibility) -> bool:
    return isinstance(one.value, Literal) and one.value.value is None
