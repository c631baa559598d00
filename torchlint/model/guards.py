"""Whether a place that needs CUDA is kept from machines that have none.

Three answers count as a guard: a test on the way that fails there (whoever makes it: this function, all its callers,
a helper that raises, a decorator that skips), a `try` that catches what happens, and a test that asks about the
device and whose outcome is up to whoever runs the program, or one for what is only made where that came out so.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.around import tests_behind
from torchlint.model.callers import object_callers_of
from torchlint.model.catching import is_caught
from torchlint.model.choices import is_choice
from torchlint.model.device_words import asks_about_device
from torchlint.model.facts import atoms
from torchlint.model.failing import fails_to_load, never_returns
from torchlint.model.flow import reaching
from torchlint.model.gpu_only import is_gpu_only
from torchlint.model.iterating import goers_through, goes_through
from torchlint.model.place import Place
from torchlint.model.reach import is_kept, may_run, never_runs, starts_nothing
from torchlint.model.scope import Block, Scope
from torchlint.model.skipping import is_marked, skips
from torchlint.model.uses import inner_reads
from torchlint.model.values import Function
from torchlint.model.walk import walk, written
from torchlint.model.worlds import ANYWHERE
from torchlint.model.wrappers import is_hook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torchlint.model.evaluator import Evaluator

_DEEPEST = 3
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


def is_guarded(ev: Evaluator, place: Place, caught: Callable[[Place], bool] | None = None) -> bool:
    """Tell whether a place is kept from machines without CUDA; `ev` answers for such a machine.

    `caught` tells of a place whether the `try` around it is prepared for that; any that goes on, where it is not given.
    """
    return _is_guarded(ev, place, caught or is_caught, set())


def _is_guarded(ev: Evaluator, place: Place, caught: Callable[[Place], bool], seen: set[Scope]) -> bool:
    """Tell it of a place that may be called by what is looked into already: the first that is not guarded ends all."""
    if not may_run(ev, place) or caught(place) or _comes_after_exit(ev, place):
        return True
    if tests := _left_open(ev, place):
        return all(_is_guarded(ev, one, caught, seen) for one in _leaving(ev, tests))
    if is_marked(place) or is_gpu_only(place):
        return True
    function = place.scope
    while function.kind == "class" and function.outer is not None:
        function = function.outer
    if function.kind == "file":
        return False
    if skips(ev, place, function) or fails_to_load(ev, place.file):
        return True
    if function in seen:
        return True
    seen.add(function)
    return _is_called_by_nobody(ev, Function(place.file, function), caught, seen)


def _is_called_by_nobody(ev: Evaluator, function: Function, caught: Callable[[Place], bool], seen: set[Scope]) -> bool:
    """Tell whether whatever calls a function is kept from machines without CUDA, or calls nothing there."""
    callers = ev.callers(function) or object_callers_of(ev, function)
    called = [one.place for one in callers if one.place.scope is not function.scope]
    if not called:
        named = inner_reads(function)
        is_kept_back = bool(named) and all(_is_guarded(ev, one, caught, seen) for one in named)
        return is_kept_back or is_hook(ev, function) or _is_gone_through_by_nobody(ev, function, caught, seen)
    # Who starts a process for each GPU starts none.
    if not all(starts_nothing(ev, one) or _is_guarded(ev, one, caught, seen) for one in called):
        return False
    # Calls that never run tell nothing of those by way of a table.
    return not all(never_runs(ev, one) for one in called) or not is_kept(ev, function)


def _is_gone_through_by_nobody(
    ev: Evaluator, method: Function, caught: Callable[[Place], bool], seen: set[Scope]
) -> bool:
    """Tell whether every loop over an object is kept from machines without CUDA, or goes through something else there.

    It does where `loader = Fetching(loader)` stands behind a test.
    """
    loops = list(goers_through(ev.project.evaluator(ANYWHERE), method))
    unguarded = (one for one in loops if goes_through(ev, one, method) and not _is_guarded(ev, one, caught, seen))
    return bool(loops) and not any(unguarded)


def _left_open(ev: Evaluator, place: Place, depth: int = 0) -> list[tuple[Place, bool]]:
    """Return the tests about the device that decide whether a place runs, and may come out either way."""
    tests = [
        (held.at(test), holds)
        for condition in tests_behind(place)
        for part, came_out in atoms(condition.test, condition.holds)
        for held in (_held(Place(place.file, part, condition.statement, place.frame, place.given)),)
        for test, holds in atoms(held.expression, came_out)
    ]
    asked = {written(test.expression): holds for test, holds in tests}
    return [
        (test, holds)
        for test, holds in tests
        if _lets_nobody_by(ev, test, holds, asked) or _asks_for_what_is_left_open(ev, test, holds, depth)
    ]


def _leaving(ev: Evaluator, tests: list[tuple[Place, bool]]) -> Iterator[Place]:
    """Yield the calls that leave the only test to the default of a parameter, which lets them by."""
    test, holds = tests[0]
    function = test.scope
    name = test.expression.id if isinstance(test.expression, ast.Name) else ""
    parameter = next((one for one in function.parameters if one.name == name), None)
    if len(tests) > 1 or parameter is None or len(function.bindings[name]) > 1:
        return
    if parameter.default is None or not isinstance(function.node, ast.stmt):
        return
    if ev.truth(Place(test.file, parameter.default, function.node)) is not holds:
        return
    for caller in ev.callers(Function(test.file, function)):
        if caller.argument(parameter) == () and caller.place.scope is not function:
            yield caller.place


def _held(test: Place) -> Place:
    """Return the test whose outcome a variable holds, `is_fast = x.device != host`; any other test itself."""
    name = test.expression.id if isinstance(test.expression, ast.Name) else ""
    match test.scope.bindings.get(name, ()):
        case [only] if only.kind == "assign" and not only.selector and isinstance(only.value, _TESTS):
            return Place(test.file, only.value, only.statement, test.frame, test.given)
        case _:
            return test


def _asks_for_what_is_left_open(ev: Evaluator, test: Place, holds: bool, depth: int) -> bool:
    """Tell whether a test asks for what is only there where such a test came out so: `if streams is not None:`."""
    name = _wanted(test.expression, holds)
    bindings = test.scope.bindings.get(name, ()) if name is not None else ()
    if depth >= _DEEPEST or len(bindings) < 2 or any(one.kind != "assign" for one in bindings):
        return False
    found = reaching(test.file.index, bindings, test.statement, ev.decide(test))
    values = [(one.value, one.statement) for one in found.definitions if one.value is not None]
    made = [Place(test.file, value, statement) for value, statement in values if not _is_nothing(value)]
    return bool(made) and not found.open and all(_left_open(ev, one, depth + 1) for one in made)


def _wanted(test: ast.expr, holds: bool) -> str | None:
    """Return the name for which there is something, as a test says that came out so."""
    match test:
        case ast.Name(id=name):
            return name if holds else None
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=None)]):
            return name if isinstance(op, (ast.IsNot, ast.NotEq)) is holds else None
        case _:
            return None


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _lets_nobody_by(ev: Evaluator, at: Place, holds: bool, asked: Mapping[str, bool]) -> bool:
    """Tell whether a test about the device came out so by somebody's choice; of `a or b` each part must have.

    `asked` is how all tests on the way came out: past `a or b`, and in the `else` of `if b`, it was `a`.
    """
    test = at.expression
    if isinstance(test, ast.BoolOp):
        left = (part for part in test.values if asked.get(written(part)) is not (not holds))
        parts = [part for part in map(at.at, left) if ev.truth(part) is not (not holds)]
        outcomes = (_lets_nobody_by(ev, part, holds, asked) for part in parts)
        return any(outcomes) if isinstance(test.op, ast.And) is holds else all(outcomes)
    if not asks_about_device(test) or _asks_for_few(test, holds):
        return False
    # Of an option that is no device itself nobody judges the default.
    is_chosen = _is_cuda_for_sure(test, holds) and not (ev.truth(at) is holds and is_choice(ev, at))
    return is_chosen or _is_open(ev, at, test)


def _asks_for_few(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test came out for few devices, or for none: `else` of `if world_size > 1`, `if gpu is None`.

    That there is none is no news.
    """
    match test:
        case ast.Compare(ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            return isinstance(op, ast.Is) is holds
        case ast.Compare(ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return not holds
        case ast.Compare(ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant()]):
            return holds
        case _:
            return False


def _is_open(ev: Evaluator, at: Place, test: ast.expr) -> bool:
    """Tell whether nobody knows how a test comes out; that a tensor is not on CUDA yet is no news."""
    return ev.truth(at) is None and not (_compares_with_cuda(test) and _is_unequal(test))


def _is_cuda_for_sure(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test asks if the device is CUDA, and it is: then it was chosen elsewhere, and is judged there."""
    return _compares_with_cuda(test) and holds is not _is_unequal(test)


def _is_unequal(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotEq, ast.IsNot, ast.NotIn))


def _compares_with_cuda(test: ast.expr) -> bool:
    """Tell whether a test has `cuda` in it, or `cuda:0`."""
    constants = [node.value for node in walk(test) if isinstance(node, ast.Constant)]
    return any(isinstance(value, str) and value.startswith("cuda") for value in constants)


def _comes_after_exit(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call or loop before the place never ends without CUDA: `require_gpu()`."""
    for block, position in place.file.index.blocks_around(place.statement):
        if _exits_before(ev, place, block, position):
            return True
    return False


def _exits_before(ev: Evaluator, place: Place, block: Block, position: int) -> bool:
    for elder in block.body[:position]:
        match elder:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
                if never_returns(ev, Place(place.file, call, elder, place.frame, place.given)):
                    return True
            case ast.For(body=body) if any(_refuses(ev, place, one) for one in body):
                return True
    return False


def _refuses(ev: Evaluator, place: Place, statement: ast.stmt) -> bool:
    """Tell whether an assert in a loop says that each of the things which it goes through is on CUDA."""
    if not isinstance(statement, ast.Assert) or "cuda" not in written(statement.test):
        return False
    test = Place(place.file, statement.test, statement, place.frame, place.given)
    return ev.truth(test) is False or _lets_nobody_by(ev, test, True, {})
