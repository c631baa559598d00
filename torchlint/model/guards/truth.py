"""The outcomes of tests, as far as they are known in a world."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.containers.collected_keywords import is_not_passed
from torchlint.model.containers.lists import added_to
from torchlint.model.guards.counting import truth_of_value
from torchlint.model.guards.counts import compared_count
from torchlint.model.guards.filled_lists import is_filled, truth_of_length
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.options.versions import compared_version, is_version
from torchlint.model.place import Place
from torchlint.model.values.value_sets import (
    Display,
    Imported,
    Literal,
    Possibility,
    Tensor,
    Tuple,
    Unknown,
    Value,
    ValueSet,
)
from torchlint.syntax.device_words import is_about_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Compare: TypeAlias = "Callable[[object, object], object]"
_EQUALITIES: dict[type[ast.cmpop], _Compare] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_ORDERS: dict[type[ast.cmpop], Callable[[float, float], object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def truth_of(ev: Evaluator, place: Place) -> bool | None:
    """Tell the outcome of a test, or None if it is undecided."""
    match place.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = truth_of(ev, place.at(operand))
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            return _of_all(ev, [place.at(value) for value in values], isinstance(op, ast.And))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _of_comparison(ev, place, left, op, right)
        case _:
            return agreed(tuple(_truth_of_one(ev, one.value) for one in ev.evaluate(place)))


def agreed(outcomes: tuple[bool | None, ...]) -> bool | None:
    """Return the outcome that all possibilities agree on, or None."""
    distinct = set(outcomes)
    return distinct.pop() if len(distinct) == 1 else None


def _of_all(ev: Evaluator, parts: list[Place], conjunction: bool) -> bool | None:
    is_open = False
    for part in parts:
        outcome = truth_of(ev, part)
        if outcome is (not conjunction):
            return not conjunction
        is_open |= outcome is None
    return None if is_open else conjunction


def _truth_of_one(ev: Evaluator, value: Value) -> bool | None:
    match value:
        case Display(place=Place(expression=ast.List(elts=[])) as place):
            is_growing = any(is_reachable(ev, added) for added, _ in added_to(place))
            return False if not is_growing else True if is_filled(ev, place) else None
        case Display(place=Place(expression=ast.ListComp()) as place):
            return True if is_filled(ev, place) else None
        case _:
            return truth_of_value(value)


def _of_comparison(ev: Evaluator, place: Place, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    if isinstance(op, (ast.In, ast.NotIn)):
        outcome = _contained(ev, place.at(left), place.at(right))
        return outcome if outcome is None or isinstance(op, ast.In) else not outcome
    if (outcome := truth_of_length(ev, place)) is not None:
        return outcome
    lefts = ev.evaluate(place.at(left))
    if isinstance(right, ast.Constant) and right.value is None:
        return agreed(tuple(compared_with(one.value, op, right) for one in lefts))
    if is_version(lefts):
        return compared_version(place.file, op, ev.evaluate(place.at(right)))
    if not isinstance(op, (ast.Is, ast.IsNot)) and not _are_constants(lefts):
        is_unlike = isinstance(op, (ast.Eq, ast.NotEq)) and equals_no_tensor(right) and _are_tensors(lefts)
        # Whatever else it is compared with.
        return isinstance(op, ast.NotEq) if is_unlike else _of_counts(ev, lefts, op, _written_constant(right))
    rights = ev.evaluate(place.at(right))
    return agreed(tuple(_compared(a, op, b) for a in lefts for b in rights))


def _of_counts(ev: Evaluator, lefts: ValueSet, op: ast.cmpop, constants: tuple[object, ...]) -> bool | None:
    """Tell the outcome of `device_count() != -1`, if what it compares is counted or constant."""
    outcomes = (
        _ordered(op, one.value.value, number) if isinstance(one.value, Literal) else compared_count(ev, one, op, number)
        for number in constants
        for one in lefts
    )
    return agreed(tuple(outcomes))


def equals_no_tensor(node: ast.expr) -> bool:
    """Tell whether `==` between a tensor and this is plainly False: `tensor == None` compares no elements."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str))


def _are_tensors(possible: ValueSet) -> bool:
    return bool(possible) and all(isinstance(one.value, Tensor) for one in possible)


def compared_with(value: Value, op: ast.cmpop, other: ast.expr) -> bool | None:
    """Tell the outcome of `x is None`, `x == "cuda"`, `x > 0` or `x in {"npu", "xpu"}` if `x` were this."""
    match other:
        case ast.Constant(value=None):
            outcome = _is_none(value)
            return outcome if outcome is None or isinstance(op, (ast.Eq, ast.Is)) else not outcome
        case _:
            return _constant_compared_with(value.value, op, other) if isinstance(value, Literal) else None


def _constant_compared_with(value: object, op: ast.cmpop, other: ast.expr) -> bool | None:
    match other:
        case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items) if isinstance(op, (ast.In, ast.NotIn)):
            constants = [number for item in items for number in _written_constant(item)]
            return (value in constants) is isinstance(op, ast.In) if len(constants) == len(items) else None
        case _ if not isinstance(op, (ast.Is, ast.IsNot)):
            return next((_ordered(op, value, constant) for constant in _written_constant(other)), None)
        case _:
            return None


def _written_constant(node: ast.expr) -> tuple[object, ...]:
    """Return the constant that an expression is, in a tuple; `-1` is an operation in the tree."""
    match node:
        case ast.Constant(value=value):
            return (value,)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return (-number,)
        case _:
            return ()


def _is_none(value: Value) -> bool | None:
    match value:
        case Literal(value=constant):
            return constant is None
        case Unknown():
            return None
        case _:
            return False


def _are_constants(possible: ValueSet) -> bool:
    return all(isinstance(one.value, Literal) for one in possible)


def _compared(a: Possibility, op: ast.cmpop, b: Possibility) -> bool | None:
    left, right = a.value, b.value
    if isinstance(op, (ast.Is, ast.IsNot)) and Literal(None) in (left, right):
        other = right if left == Literal(None) else left
        outcome = True if other == Literal(None) else None if isinstance(other, Unknown) else False
        return outcome if outcome is None or isinstance(op, ast.Is) else not outcome
    if isinstance(left, Literal) and isinstance(right, Literal):
        return _ordered(op, left.value, right.value)
    return None


def _ordered(op: ast.cmpop, left: object, right: object) -> bool | None:
    """Tell how two constants compare; None if Python raises."""
    if (same := _EQUALITIES.get(type(op))) is not None:
        return bool(same(left, right))
    order = _ORDERS.get(type(op))
    are_numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    return bool(order(left, right)) if order is not None and are_numbers else None  # type: ignore[arg-type]  # both are


def _contained(ev: Evaluator, item: Place, container: Place) -> bool | None:
    things = ev.evaluate(container)
    if all(isinstance(thing.value, Unknown) for thing in things):
        return None
    pairs = [(one, thing) for one in ev.evaluate(item) for thing in things]
    return agreed(tuple(_is_in(ev, one, thing, container) for one, thing in pairs))


def _is_in(ev: Evaluator, item: Possibility, thing: Possibility, container: Place) -> bool | None:
    if isinstance(item.value, Literal) and is_not_passed(container, thing, item.value.value):
        return False
    return _holds(ev, item, thing)


def _holds(ev: Evaluator, item: Possibility, container: Possibility) -> bool | None:
    """Tell whether a container holds an item: a substring, an element of a display, an environment variable."""
    match item.value, container.value:
        case Literal(value=str(part)), Literal(value=str(whole)):
            return part in whole
        case Literal(value=wanted), Display():
            return _is_among(wanted, [one.value for one in ev.elements(container)])
        case _, Tuple(items=()):
            return False
        case Literal(value=str(name)), value if is_environment(value):
            return False if is_about_device(name) and ev.has_defaults else None
        case _:
            return None


def _is_among(wanted: object, values: list[Value]) -> bool | None:
    if any(isinstance(value, Literal) and value.value == wanted for value in values):
        return True
    return False if all(isinstance(value, Literal) for value in values) else None


def is_environment(value: Value) -> bool:
    """Tell whether a value is `os.environ`."""
    return isinstance(value, Imported) and value.name == "os.environ"
