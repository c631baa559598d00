"""Leave out what an expression cannot be here, by the dominating conditions about it.

Inside `if hasattr(model, "module"):` the model is the wrapper, in `else` it is not; after `except AttributeError` of a
`try` that reads `model.module` it is not either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from torchlint.model.guards.bound_since import is_bound_since
from torchlint.model.guards.counting import truth_of_value
from torchlint.model.guards.located import kind_compared, settled
from torchlint.model.guards.replacing import replaced_before
from torchlint.model.guards.taken_modules import failed_attempts, takes_module
from torchlint.model.guards.truth import compared_with
from torchlint.model.place import Place
from torchlint.model.training.counters import tests_iteration
from torchlint.model.values.kinds import has_attribute, is_any, is_tensor
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Imported, Literal, Possibility, Unknown, Value, ValueSet
from torchlint.pytorch.symbols import IS_TENSOR
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.dominating_conditions import Condition
from torchlint.syntax.walk import is_written, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_UNDECIDED: bool | None = None


@dataclass(frozen=True, slots=True)
class _Conditions:
    """What the dominating conditions say about an expression, in any call context and on any machine."""

    conditions: tuple[Condition, ...] = ()
    """The tests that name it, innermost first."""
    replaced: tuple[tuple[ast.If, str, ast.expr, ast.stmt], ...] = ()
    """The `if`s further up that replace it: `if wrapped: m = m.module`.

    Each has its name in the test, the value that replaces it, and the statement.
    """
    is_bare: bool = False
    """Whether it has no `.module`: a `try` that reads that failed."""
    telling: tuple[Condition, ...] = ()
    """The tests with which it has none: only the other arm reads that."""


_NOTHING = _Conditions()
# The nearest tests about a name leave out the most; there are hardly so many.
_MOST_ABOUT = 16


def narrow(ev: Evaluator, place: Place, possible: ValueSet) -> ValueSet:
    """Return the possibilities that are consistent with the dominating conditions of a place."""
    if all(isinstance(one.value, (Unknown, Imported)) for one in possible):
        return possible
    known = cast("dict[tuple[ast.expr, ast.stmt], _Conditions]", place.file.index.behind)
    if (dominating := known.get((place.expression, place.statement))) is None:
        dominating = known[place.expression, place.statement] = _conditions_of(place)
    return possible if dominating is _NOTHING else _narrowed(ev, place, possible, dominating)


def is_item_asked_for(place: Place) -> bool:
    """Tell whether an expression is an item that its file asks the kind of, or an attribute."""
    # Asked of every expression: most are no items, and most files ask for none.
    if not isinstance(node := place.expression, ast.Subscript):
        return False
    asked = place.file.items_asked_for
    return bool(asked) and written(node) in asked


def _narrowed(ev: Evaluator, place: Place, possible: ValueSet, dominating: _Conditions) -> ValueSet:
    text = written(place.expression)
    for condition in dominating.conditions:
        possible = settled(possible, condition.test, condition.holds, text)
        possible = let_through(ev, place, condition, text, possible)
    for owner, asked, value, statement in dominating.replaced:
        # What was not replaced failed the test.
        test = Place(place.file, owner.test, owner, place.frame, place.given)
        new = ev.evaluate(Place(place.file, value, statement, place.frame, place.given))
        possible = tuple(one for one in possible if one in new or outcome_if(ev, test, asked, one) is not True)
    for condition in dominating.telling:
        possible = told_bare(ev, place, condition, text, possible)
    return without_wrappers(ev, possible) if dominating.is_bare else possible


def let_through(ev: Evaluator, place: Place, condition: Condition, text: str, possible: ValueSet) -> ValueSet:
    """Return what the expression written `text` may be, given the outcome of a dominating condition."""
    test = Place(place.file, condition.test, condition.statement, place.frame, place.given)
    return tuple(one for one in possible if outcome_if(ev, test, text, one) is not (not condition.holds))


def told_bare(ev: Evaluator, place: Place, condition: Condition, text: str, possible: ValueSet) -> ValueSet:
    """Return the possibilities that may have no `.module`, by the outcome of a test that distinguishes these.

    A test that is certain of one wrapper, `isinstance(model, DistributedDataParallel)`, lets the other ones through.
    """
    test = Place(place.file, condition.test, condition.statement, place.frame, place.given)
    bare = without_wrappers(ev, possible)
    return tuple(one for one in possible if one in bare or outcome_if(ev, test, text, one) is condition.holds)


def without_wrappers(ev: Evaluator, possible: ValueSet) -> ValueSet:
    """Return the possibilities that may have no `.module`."""
    return tuple(one for one in possible if has_attribute(ev, one, "module") is not True)


def _conditions_of(place: Place) -> _Conditions:
    text = written(place.expression)
    is_unwrapped = text in place.file.unwrapped
    saying = place.file.tests_saying(place.statement, place.expression, text)
    about = tuple(islice((one for one in saying if not is_bound_since(place, one)), _MOST_ABOUT))
    is_bare = is_unwrapped and any(takes_module(body, text) for body in failed_attempts(place))
    telling = tuple(_telling(place, text)) if is_unwrapped else ()
    replaced = tuple(replaced_before(place, text))
    return _Conditions(about, replaced, is_bare, telling) if about or replaced or is_bare or telling else _NOTHING


def _telling(place: Place, text: str) -> Iterator[Condition]:
    """Yield the dominating conditions that distinguish wrapped from bare: `model.module if gpus > 1 else model`."""
    for one in dominating_conditions(place):
        is_telling = any(_tells_wrapped(here, there, text) for here, there in _arms(place, one))
        if is_telling and not tests_iteration(one.test) and not is_bound_since(place, one):
            yield one


def _arms(place: Place, condition: Condition) -> Iterator[tuple[Sequence[ast.AST], Sequence[ast.AST]]]:
    """Yield the arm that runs with a test's outcome on the path to a place, and the other arm."""
    for owner in (condition.statement, *place.file.parents_in(place.statement).values()):
        if isinstance(owner, (ast.If, ast.IfExp)) and owner.test is condition.test:
            arms = (_as_arm(owner.body), _as_arm(owner.orelse))
            yield arms if condition.holds else arms[::-1]


def _as_arm(body: Sequence[ast.AST] | ast.AST) -> Sequence[ast.AST]:
    return [body] if isinstance(body, ast.AST) else body


def _tells_wrapped(here: Sequence[ast.AST], there: Sequence[ast.AST], text: str) -> bool:
    """Tell whether a test checks if a model is wrapped, whatever it reads: only the other arm takes `.module`."""
    return takes_module(there, text) and not takes_module(here, text)


def outcome_if(ev: Evaluator, test: Place, text: str, one: Possibility) -> bool | None:
    """Tell the outcome of a test if the expression written `text` were this, and had its length."""
    outcome = _outcome_if(ev, test, text, one)
    if outcome is None and isinstance(one.value, Literal) and isinstance(one.value.value, str):
        return _outcome_if(ev, test, f"len({text})", Possibility(Literal(len(one.value.value))))
    return outcome


def _outcome_if(ev: Evaluator, test: Place, text: str, one: Possibility) -> bool | None:
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = outcome_if(ev, test.at(operand), text, one)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            return _of_all(ev, [test.at(value) for value in values], isinstance(op, ast.And), text, one)
        case ast.Call(func=ast.Name(id="hasattr"), args=[subject, ast.Constant(value=str(name))]):
            return has_attribute(ev, one, name) if is_written(subject, text) else None
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, kinds]):
            return is_any(ev, one, test.at(kinds)) if is_written(subject, text) else None
        case ast.Call(args=[subject]) if is_written(subject, text):
            return _by_predicate(ev, test, one)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[subject]), ops=[op], comparators=[kind]):
            outcome = is_any(ev, one, test.at(kind)) if is_written(subject, text) else None
            return outcome if outcome is None or isinstance(op, (ast.Eq, ast.Is, ast.In)) else not outcome
        case ast.Compare(left=ast.Constant(value=str(part)), ops=[ast.In() | ast.NotIn() as op], comparators=[subject]):
            holds = _holds_text(one.value, part) if is_written(subject, text) else None
            return holds if holds is None or isinstance(op, ast.In) else not holds
        case ast.Compare(left=subject, ops=[op], comparators=[other]):
            is_whole = is_written(subject, text)
            return compared_with(one.value, op, other) if is_whole else kind_compared(one.value, test.expression, text)
        case ast.Name() | ast.Attribute() | ast.Call():
            return truth_of_value(one.value) if is_written(test.expression, text) else None
        case _:
            return None


def _of_all(ev: Evaluator, parts: list[Place], conjunction: bool, text: str, one: Possibility) -> bool | None:
    """Tell the outcome of `a and b`, or `a or b`: parts about the expression first, and then all the rest."""
    about = [part for part in parts if text in part.file.texts_in(part.expression)]
    outcomes = [outcome_if(ev, part, text, one) for part in about]
    if (not conjunction) in outcomes:
        return not conjunction
    if not about or None in outcomes:
        return None
    rest = [ev.truth(part) for part in parts if part not in about]
    return not conjunction if (not conjunction) in rest else None if None in rest else conjunction


def _holds_text(value: Value, part: str) -> bool | None:
    return part in value.value if isinstance(value, Literal) and isinstance(value.value, str) else None


def _by_predicate(ev: Evaluator, test: Place, one: Possibility) -> bool | None:
    """Tell what a predicate, such as `is_parallel(model)` or `torch.is_tensor(x)`, returns for a value."""
    assert isinstance(test.expression, ast.Call)
    callees = [callee.value for callee in ev.evaluate(test.at(test.expression.func))]
    function = callees[0] if len(callees) == 1 else None
    if isinstance(function, Imported):
        return is_tensor(ev, one.value) if function.name == IS_TENSOR else None
    if not isinstance(function, Function) or len(function.scope.returns) != 1 or not function.scope.parameters:
        return None
    return _answered(ev, Function(function.file, function.scope), one)


@tabled(_UNDECIDED)
def _answered(ev: Evaluator, function: Function, one: Possibility) -> bool | None:
    """Tell what a function with one `return` answers to a value; those that ask each other have no answer."""
    answer = function.scope.returns[0]
    if answer.value is None:
        return None
    return outcome_if(ev, Place(function.file, answer.value, answer), function.scope.parameters[0].name, one)
