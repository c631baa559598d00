"""Tensors that surely have no dimension, wherever their parts come from: what a loss returns, sums of such, a mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.options.option_stores import holds_options
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import definitions, reduces
from torchlint.model.values.kinds import is_number
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Tensor, Unknown
from torchlint.pytorch.dimensions import OF_ALL
from torchlint.pytorch.views import SAME_SIZE
from torchlint.syntax.closure import closure

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding


@tabled(False)
def has_no_dimension(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is surely a tensor without any dimension."""
    match place.expression:
        case ast.Name() if (iterated := _iterated_over(place)) is not None:
            return _has_elements_without(ev, iterated)
        case ast.Name():
            return _holds_none(ev, _given_to(ev, place), place)
        case ast.Attribute(value=owner, attr="data"):
            return has_no_dimension(ev, place.at(owner))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return has_no_dimension(ev, place.at(operand))
        case ast.BinOp(left=left, right=right):
            return _is_of(ev, [place.at(left), place.at(right)])
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[], keywords=[]) if name in OF_ALL:
            return place.at(owner).is_tensor
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SAME_SIZE and place.at(owner).is_tensor:
            return has_no_dimension(ev, place.at(owner))
        case ast.Call() as call:
            return _is_returned(ev, place, call)
        case _:
            return False


def _given_to(ev: Evaluator, name: Place) -> list[Binding]:
    """Return what a name may be bound to, and what `+=` may have added."""

    def before(statement: ast.stmt) -> tuple[Binding, ...]:
        return definitions(ev, Place(name.file, name.expression, statement))

    added = closure(name.statement, lambda one: (found.statement for found in before(one) if found.kind == "augment"))
    return list(dict.fromkeys(one for statement in added for one in before(statement)))


def _holds_none(ev: Evaluator, bindings: list[Binding], place: Place) -> bool:
    """Tell whether all values of a name have no dimension; the initial value of a sum may be a number."""
    given: list[Place] = []
    for one in bindings:
        if one.value is None or one.kind not in {"assign", "augment", "iterate"}:
            return False
        at = Place(place.file, one.value, one.statement)
        if one.kind == "iterate":
            if one.selector or not _has_elements_without(ev, at):
                return False
        elif one.selector:
            if not _are_parts_without(ev, at, one.selector):
                return False
        else:
            given.append(at)
    return _is_of(ev, given) if given else bool(bindings)


def _iterated_over(name: Place) -> Place | None:
    """Return what a comprehension around a name iterates over, if that is its variable."""
    for node in name.file.parents_in(name.statement):
        match node:
            case ast.comprehension(target=ast.Name(id=word), iter=iterable) if word == name.word:
                return name.at(iterable)
            case _:
                pass
    return None


def _has_elements_without(ev: Evaluator, iterable: Place) -> bool:
    """Tell whether something is a list that is written with elements, none of which has a dimension."""
    written = [one.value.place if isinstance(one.value, Display) else None for one in ev.evaluate(iterable)]
    return bool(written) and all(one is not None and _is_listed_without(ev, one) for one in written)


def _is_listed_without(ev: Evaluator, written: Place) -> bool:
    match written.expression:
        case ast.List(elts=[_, *_] as elements) | ast.Tuple(elts=[_, *_] as elements):
            return all(has_no_dimension(ev, written.at(one)) for one in elements)
        case _:
            return False


def _is_of(ev: Evaluator, parts: list[Place]) -> bool:
    """Tell whether some are tensors without a dimension, and all others numbers."""
    tensors = [one for one in parts if not _is_number(ev, one)]
    return bool(tensors) and all(has_no_dimension(ev, one) for one in tensors)


def _is_number(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a number; so is an option whose default is one, whatever its value."""
    values = [one.value for one in ev.evaluate(place)]
    is_option = isinstance(place.expression, ast.Attribute) and holds_options(place.expression.value)
    others = [one for one in values if not is_number(one)]
    return len(others) < len(values) and all(is_option and isinstance(one, Unknown) for one in others)


def _is_returned(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a callee returns a tensor without a dimension: a loss, or a function of the project."""
    values = [one.value for one in ev.evaluate(place.at(call.func))]
    if values and call.args and all(reduces(ev, place, value, call) for value in values):
        return any(isinstance(one.value, Tensor) for one in ev.evaluate(place))
    returned = list(_returns(ev, place))
    return bool(returned) and all(has_no_dimension(ev, one) for one in returned)


def _are_parts_without(ev: Evaluator, value: Place, selector: tuple[int | None, ...]) -> bool:
    """Tell whether the part of a result that a name is bound to has no dimension: `loss, parts = criterion(x)`."""
    match selector:
        case (int(index),) if isinstance(value.expression, ast.Call):
            returned = list(_returns(ev, value))
        case _:
            return False
    parts = [
        one.at(one.expression.elts[index])
        for one in returned
        if isinstance(one.expression, ast.Tuple) and index < len(one.expression.elts)
    ]
    return bool(parts) and len(parts) == len(returned) and all(has_no_dimension(ev, one) for one in parts)


def _returns(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield what the functions of the project return that a call may run; none if it may run others."""
    call = Call(place.file, place.expression, place.statement)
    for function in ev.callees(call):
        for statement in function.scope.returns:
            yield Place(function.file, statement.value or ast.Constant(None), statement)
