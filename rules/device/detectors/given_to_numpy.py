"""What NumPy converts to an ndarray: a tensor, the items of a list, and a sum that only starts as a number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.containers.lists import added_to, stores_into
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.kinds import is_number
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Display, Function, Tensor, ValueSet
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding

_LISTS = (ast.List, ast.Tuple, ast.ListComp)
_NOTHING: ValueSet = ()


def is_list(ev: Evaluator, given: Place) -> bool:
    """Tell whether NumPy's argument is a list or tuple display, by every possibility."""
    possible = ev.evaluate(given)
    return bool(possible) and all(
        isinstance(one.value, Display) and isinstance(one.value.place.expression, _LISTS) for one in possible
    )


def made_arrays(ev: Evaluator, given: Place) -> ValueSet:
    """Return the values that NumPy converts in an argument; a number needs no conversion.

    Of a list these are the items, if all are alike or one is certain.
    """
    if is_list(ev, given):
        return _items(ev, given)
    possible = ev.evaluate(given)
    if any(is_number(one.value) for one in possible) and _adds_up(ev, given):
        return tuple(one for one in possible if not is_number(one.value))
    return possible


def _items(ev: Evaluator, given: Place) -> ValueSet:
    lists = [one.value.place for one in ev.evaluate(given) if isinstance(one.value, Display)]
    if any(any(True for _ in stores_into(one)) for one in lists):
        return _NOTHING  # `losses[i] = losses[i].item()`
    if len(lists) == 1 and isinstance(lists[0].expression, (ast.List, ast.Tuple)):
        for item in lists[0].expression.elts:
            if is_on_the_device(ev, lists[0].at(item)):
                return ev.evaluate(lists[0].at(item))
    found = tuple(item for one in ev.evaluate(given) for item in ev.elements(one))
    return _without_starts(ev, lists, found) if any(is_number(one.value) for one in found) else found


def _without_starts(ev: Evaluator, lists: list[Place], items: ValueSet) -> ValueSet:
    """Return the items of lists without the numbers that sums among them start with."""
    put = [one for place in lists for one in _put_into(place)]
    numbers = [one for one in put if any(is_number(found.value) for found in ev.evaluate(one))]
    if not numbers or not all(_adds_up(ev, one) for one in numbers):
        return items
    return tuple(one for one in items if not is_number(one.value))


def _put_into(place: Place) -> Iterator[Place]:
    """Yield what is written into a list, and what is added to it."""
    match place.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            yield from map(place.at, items)
        case ast.ListComp(elt=one):
            yield place.at(one)
    yield from (one for one, _ in added_to(place))


@tabled(False)
def _adds_up(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a number only until the first tensor is added: `total = 0`, `total += loss`."""
    match place.expression:
        case ast.Name(id=name):
            return _is_sum(ev, place, name)
        case ast.BinOp(left=left, right=right):
            return _adds_up(ev, place.at(left)) or _adds_up(ev, place.at(right))
        case ast.UnaryOp(operand=operand):
            return _adds_up(ev, place.at(operand))
        case ast.Call(func=function):
            called = [one.value for one in ev.evaluate(place.at(function))]
            return bool(called) and all(isinstance(one, Function) and _returns_sum(ev, place, one) for one in called)
        case _:
            return False


def _returns_sum(ev: Evaluator, call: Place, function: Function) -> bool:
    frame = frame_for(call, function, FRAME_DEPTH)
    values = [Place(function.file, one.value, one, frame) for one in function.scope.returns if one.value is not None]
    return bool(values) and frame is not None and all(_adds_up(ev, value) for value in values)


def _is_sum(ev: Evaluator, place: Place, name: str) -> bool:
    bindings = place.scope.bindings.get(name, ())
    reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    added = [one for one in reached if one.kind == "augment"]
    started = [one for one in reached if one.kind == "assign" and not one.selector]
    if len(added) + len(started) < len(reached) or not started:
        return False
    if not added:
        return all(one.value is not None and _adds_up(ev, _value(place, one)) for one in started)
    are_numbers = all(one.value is not None and _starts_at_zero(one.value) for one in started)
    return are_numbers and all(_is_of_tensors(ev, _value(place, one)) for one in added)


def _starts_at_zero(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0


def _value(place: Place, binding: Binding) -> Place:
    assert binding.value is not None
    return Place(place.file, binding.value, binding.statement, place.frame, place.given)


def _is_of_tensors(ev: Evaluator, added: Place) -> bool:
    """Tell whether what is added to a sum is a tensor, on a device or with a graph."""
    possible = ev.evaluate(added)
    return bool(possible) and all(
        isinstance(one.value, Tensor) and (one.value.device not in {None, HOST} or one.value.graph is True)
        for one in possible
    )
