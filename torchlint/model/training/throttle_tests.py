"""Throttles: tests that hold every N steps only, of counters, flags, clocks, marks, modes, or helpers for these.

What is only for other devices than CUDA never runs where the host waits for CUDA.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.guards.modes import is_of_another_mode
from torchlint.model.guards.other_devices import is_of_other_device
from torchlint.model.options.option_stores import is_called_options
from torchlint.model.place import Place
from torchlint.model.training.alternatives import adds_few_iterations, assigned
from torchlint.model.training.counters import counts, counts_each_iteration, is_counter
from torchlint.model.training.filled import filled_in_iteration, found_full
from torchlint.model.training.marks import waits_for_mark
from torchlint.model.training.peers import asks_for_peer
from torchlint.model.training.remainders import is_remainder
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Parameter
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_NOW_AND_THEN = re.compile(r"should|every|interval|isenabledfor|is_time|is_log|log_now|(^|_)due(_|$)|level|verbos")
_CLOCKS = frozenset({"time", "perf_counter", "monotonic", "now"})
# `if step < 5:` holds in a handful of iterations, `if step > warmup:` in most of them.
_A_HANDFUL = 20
_DICE = frozenset({"random", "rand"})
_RARE = 0.1
_SHOULD = "should_"


def is_periodic(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test has its outcome only every N steps."""
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_periodic(ev, test.at(operand), not holds)
        case ast.BoolOp(op=op, values=values):
            return _of_several(ev, [test.at(value) for value in values], isinstance(op, ast.And) is holds, holds)
        case ast.Compare() as comparison:
            return _of_comparison(ev, test, comparison, holds)
        case ast.BinOp(op=ast.Mod()):
            return not holds and is_remainder(test, test.expression)
        case ast.NamedExpr(value=value):
            return is_periodic(ev, test.at(value), holds)
        case ast.Call():
            return holds and _called(ev, test)
        case ast.Attribute(attr="training"):
            return not holds
        case ast.Name() | ast.Attribute():
            is_seldom = _held(ev, test, holds) or _is_filled(ev, test, holds)
            is_seldom = is_seldom or is_of_other_device(test.expression, holds)
            return is_seldom or asks_for_peer(ev, test, holds)
        case _:
            return False


def _of_comparison(ev: Evaluator, test: Place, comparison: ast.Compare, holds: bool) -> bool:
    match comparison:
        case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=bool(said))]):
            return is_periodic(ev, test.at(left), holds is said)
        case ast.Compare(left=left, ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=bool(said))]):
            return is_periodic(ev, test.at(left), holds is not said)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            is_seldom = is_of_another_mode(ev, test, holds=holds) or is_of_other_device(comparison, holds)
            is_seldom = is_seldom or asks_for_peer(ev, test, holds)
            return is_seldom or _compared(test, left, op, right, holds) or _is_filled(ev, test, holds)
        case _:
            return False


def _of_several(ev: Evaluator, parts: list[Place], are_needed: bool, holds: bool) -> bool:
    """Tell whether one of several tests is a throttle: if all must hold one is enough, else no other may undo it."""
    throttles = (is_periodic(ev, one, holds) for one in parts)
    if are_needed:
        return any(throttles)
    pairs = list(zip(parts, throttles, strict=True))
    others = [one for one, is_throttle in pairs if not is_throttle]
    is_throttled = not others or any(is_throttle and not _asks_for_mode(one) for one, is_throttle in pairs)
    return is_throttled and all(adds_few_iterations(ev, one, holds) for one in others)


def _asks_for_mode(test: Place) -> bool:
    """Tell whether a test is about `training`: it is no throttle where the model trains."""
    return any(isinstance(node, ast.Attribute) and node.attr == "training" for node in walk(test.expression))


def _compared(test: Place, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool) -> bool:
    sides = (left, right)
    if waits_for_mark(test, left, op, right, holds):
        return True
    if any(_reads_a_clock(side) for side in sides):
        return isinstance(op, (ast.Gt, ast.GtE, ast.Lt, ast.LtE)) and holds
    equal = isinstance(op, (ast.Eq, ast.In)) if holds else isinstance(op, (ast.NotEq, ast.NotIn))
    if equal:
        return any(is_remainder(test, side) or is_counter(side) or counts_each_iteration(test, side) for side in sides)
    # Python warns of `i % 100 is 0`, which evaluates as `==` does; a counter that is None has not counted yet.
    if isinstance(op, ast.Is) if holds else isinstance(op, ast.IsNot):
        return any(is_remainder(test, side) for side in sides)
    few = isinstance(op, (ast.Lt, ast.LtE)) if holds else isinstance(op, (ast.Gt, ast.GtE))
    if few and _is_rare(left, right):
        return True
    return few and (is_remainder(test, left) or (counts(test, left) and _is_a_handful(right)))


def _is_rare(left: ast.expr, right: ast.expr) -> bool:
    """Tell whether a comparison is random and rarely true: `random.random() < 0.01`."""
    is_thrown = isinstance(left, ast.Call) and last_name(left.func) in _DICE
    return is_thrown and isinstance(right, ast.Constant) and isinstance(right.value, float) and right.value <= _RARE


def _is_a_handful(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value <= _A_HANDFUL


def _reads_a_clock(node: ast.expr) -> bool:
    calls = (inner.func for inner in walk(node) if isinstance(inner, ast.Call))
    return any((f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) in _CLOCKS for f in calls)


def _answers(function: Function) -> Iterator[Place]:
    """Yield what a helper may return, without `False`."""
    for statement in function.scope.returns:
        if statement.value is not None and written(statement.value) not in {"False", "None"}:
            yield Place(function.file, statement.value, statement)


def _returns_throttle(ev: Evaluator, answer: Place) -> bool:
    """Tell whether a helper returns true only every N steps, or `True` only under such a test."""
    if written(answer.expression) == "True":
        return _is_under_throttle(ev, answer)
    return is_periodic(ev, answer, True)


@tabled(False)
def _called(ev: Evaluator, test: Place) -> bool:
    """Tell whether a helper returns true every N steps: by what it returns, or else by its name."""
    assert isinstance(test.expression, ast.Call)
    callees = [one.value for one in ev.evaluate(test.at(test.expression.func))]
    functions = [callee for callee in callees if isinstance(callee, Function)]
    if functions:
        answers = [answer for function in functions for answer in _answers(function)]
        return bool(answers) and all(_returns_throttle(ev, one) for one in answers)
    function = test.expression.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return _NOW_AND_THEN.search(name.lower()) is not None


@tabled(False)
def _held(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a flag holds a throttle, is set or passed by one, or is cleared by the branch that it guards."""
    if is_of_another_mode(ev, test, holds=holds) or _is_cleared(test, holds):
        return True
    values = _values(ev, test)
    if values is None:
        return False
    computed = [one for one in values if not isinstance(one.expression, ast.Constant)]
    if computed:
        return all(is_periodic(ev, one, holds) for one in computed)
    # `flag = False`, and `flag = True` further down in the arm of a throttle.
    setting = [one for one in values if isinstance(one.expression, ast.Constant) and one.expression.value is holds]
    if not setting:
        return holds and _says_so(test.expression)
    return all(_is_under_throttle(ev, one) for one in setting)


def _is_filled(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test is for a name that throttles assign, and that is None in any other iteration."""
    name = found_full(test.expression, holds)
    filled = filled_in_iteration(ev, test.at(name)) if name is not None else []
    return bool(filled) and all(_is_under_throttle(ev, one) for one in filled)


def _says_so(node: ast.expr) -> bool:
    """Tell whether a flag that others set is one by its name: `self.control.should_log`, not `args.should_save`."""
    match node:
        case ast.Attribute(value=owner, attr=name) if name.startswith(_SHOULD):
            return not is_called_options(last_name(owner))
        case _:
            return False


def _values(ev: Evaluator, test: Place) -> list[Place] | None:
    """Return the values of a flag: by assignments, or by the calls of the function that it is a parameter of.

    None if what a call passes is unknown.
    """
    match test.expression:
        case ast.Name(id=name):
            parameter = next((one for one in test.scope.parameters if one.name == name), None)
            is_passed = parameter is not None and len(test.scope.bindings.get(name, ())) == 1
            return _passed(ev, test, parameter) if parameter is not None and is_passed else assigned(ev, test)
        case ast.Attribute(attr=name):
            stores = test.file.index.attribute_stores(name)
            return [Place(test.file, store.value, store.statement) for store in stores if store.value is not None]
        case _:
            return []


def _passed(ev: Evaluator, test: Place, parameter: Parameter) -> list[Place] | None:
    callers = ev.callers(Function(test.file, test.scope))
    passed = [caller.argument(parameter) for caller in callers]
    # A call that passes nothing, or a constant, is no throttle itself: the flag has to be off there.
    plain = [parameter.default for places in passed if not places]
    plain += [one.expression for places in passed for one in places or () if isinstance(one.expression, ast.Constant)]
    if len(callers) > MOST_CALLERS or None in passed or not all(map(_is_off, plain)):
        return None
    return [place for places in passed for place in places or ()]


def _is_off(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and not node.value


@tabled(False)
def _is_under_throttle(ev: Evaluator, place: Place) -> bool:
    tests = ((Place(place.file, one.test, one.statement), one.holds) for one in dominating_conditions(place))
    return any(is_periodic(ev, test, holds) for test, holds in tests)


def _is_cleared(test: Place, holds: bool) -> bool:
    """Tell whether the branch of `if first:` contains `first = False`."""
    if not isinstance(test.statement, ast.If):
        return False
    flag = written(test.expression)
    arm = test.statement.body if holds else []
    if isinstance(test.statement.test, ast.UnaryOp) and not holds:
        arm = test.statement.body
    return any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and statement.value.value is (not holds)
        and any(written(target) == flag for target in statement.targets)
        for statement in arm
    )
