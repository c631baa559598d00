"""Undecided tests about the device: the user of the program decides them, by an option or otherwise."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.guards.all_arms import counts_one_either_way
from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.guards.either_device import holds_for_both
from torchlint.model.guards.tensor_names import asks_for_choice
from torchlint.model.options.choices import is_choice
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Literal
from torchlint.pytorch.streams import MADE_ON_CUDA
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.device_words import is_about_precision
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.exits import leaves_block
from torchlint.syntax.facts import atoms
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from torchlint.model.interface import Evaluator

_MANY = re.compile(
    r"(?<![a-z])(distributed|ddp|dist|fsdp|deepspeed|horovod|parallel|multiprocessing|multi_?gpus?)(?![a-z])"
)
_NOTHING = (Literal(None), Literal(False))
_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


def left_open(ev: Evaluator, place: Place) -> list[tuple[Place, bool]]:
    """Return the undecided tests about the device that decide whether a place runs."""
    found = _left_open(ev, place)
    if any(isinstance(test.expression, ast.BoolOp) for test, _ in found):
        asked = {written(test.expression): holds for test, holds in _tests(place)}
        return [one for one in found if _is_left_open(ev, *one, asked)]
    return list(found)


def _tests(place: Place) -> Iterator[tuple[Place, bool]]:
    """Yield the single tests on the path to a place."""
    context = PathContext(place.file, place.frame, place.given, None)
    return (one for condition in dominating_conditions(place) for one in _single(context, condition))


def _single(context: PathContext, condition: Condition) -> Iterator[tuple[Place, bool]]:
    """Yield the single tests of a condition, those that a variable holds included."""
    file, frame, given, _ = context
    for part, came_out in atoms(condition.test, condition.holds):
        held = _held(Place(file, part, condition.statement, frame, given))
        yield from ((held.at(test), holds) for test, holds in atoms(held.expression, came_out))


def _is_left_open(ev: Evaluator, test: Place, holds: bool, asked: Mapping[str, bool]) -> bool:
    return (
        is_device_choice(ev, test, holds, asked)
        or _asks_for_what_is_left_open(ev, test, holds)
        or _asks_for_what_cuda_made(ev, test, holds)
        or _is_answered_by_choice(ev, test, holds)
    )


def _may_be_left_open(
    ev: Evaluator, context: PathContext, guard: Condition | Iteration
) -> tuple[tuple[Place, bool], ...]:
    """Return the undecided single tests of a condition; the outcome of `a or b` depends on all of them."""
    singles = _single(context, guard) if isinstance(guard, Condition) else ()
    return tuple(one for one in singles if isinstance(one[0].expression, ast.BoolOp) or _is_left_open(ev, *one, {}))


_left_open = AlongPaths(_may_be_left_open)


def _held(test: Place) -> Place:
    """Return the test whose outcome a variable holds, `is_fast = x.device != host`; any other test itself."""
    name = test.expression.id if isinstance(test.expression, ast.Name) else ""
    match test.scope.bindings.get(name, ()):
        case [only] if only.kind == "assign" and not only.selector and isinstance(only.value, _TESTS):
            return Place(test.file, only.value, only.statement, test.frame, test.given)
        case _:
            return test


@tabled(False)
def _asks_for_what_is_left_open(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test is for what exists only after such a test passed: `if streams is not None:`."""
    wanted = _wanted(test.expression, holds)
    bindings = test.scope.bindings.get(wanted.id, ()) if isinstance(wanted, ast.Name) else ()
    if len(bindings) < 2 or any(one.kind != "assign" for one in bindings):
        return False
    found = reaching(test.file.index, bindings, test.statement, ev.decide(test))
    values = [(one.value, one.statement) for one in found.definitions if one.value is not None]
    made = [Place(test.file, value, statement) for value, statement in values if not _is_nothing(value)]
    return bool(made) and not found.open and all(left_open(ev, one) for one in made)


def _asks_for_what_cuda_made(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a test is for a stream that, if there is one, was made on CUDA: the call that makes it is judged."""
    wanted = _wanted(test.expression, holds)
    possible = ev.evaluate(test.at(wanted)) if wanted is not None else ()
    made = [one.value for one in possible if one.value not in _NOTHING]
    return bool(made) and all(isinstance(value, Built) and value.name in MADE_ON_CUDA for value in made)


@tabled(False)
def _is_answered_by_choice(ev: Evaluator, test: Place, holds: bool) -> bool:
    """Tell whether a helper returns this only for a chosen device: `return x.device.type == "cuda"`."""
    if not isinstance(test.expression, ast.Call):
        return False
    callees = [one.value for one in ev.evaluate(test.at(test.expression.func))]
    functions = [one for one in callees if isinstance(one, Function) and not one.scope.yields]
    if not functions or len(functions) < len(callees):
        return False
    return all(_answers_by_choice(ev, test, function, holds) for function in functions)


def _answers_by_choice(ev: Evaluator, test: Place, function: Function, holds: bool) -> bool:
    index, frame = function.file.index, frame_for(test, function, FRAME_DEPTH)
    if not holds and not leaves_block(function.scope.node.body, index):
        return False
    values = [(one.value or ast.Constant(None), one) for one in function.scope.returns]
    answers = [Place(function.file, value, statement, frame) for value, statement in values]
    left = [one for one in answers if ev.truth(one) is not (not holds)]
    return bool(left) and all(_is_chosen(ev, one, holds) or left_open(ev, one) for one in left)


def _is_chosen(ev: Evaluator, answer: Place, holds: bool) -> bool:
    parts = ((answer.at(part), came_out) for part, came_out in atoms(answer.expression, holds))
    return any(is_device_choice(ev, *one, {}) or _is_answered_by_choice(ev, *one) for one in parts)


def _wanted(test: ast.expr, holds: bool) -> ast.Name | ast.Attribute | None:
    """Return the name whose value is not None if a test has this outcome."""
    match test:
        case ast.Name() | ast.Attribute():
            return test if holds else None
        case ast.Compare(left=ast.Name() | ast.Attribute() as left, ops=[op], comparators=[ast.Constant(value=None)]):
            return left if isinstance(op, (ast.IsNot, ast.NotEq)) is holds else None
        case _:
            return None


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def is_device_choice(ev: Evaluator, at: Place, holds: bool, asked: Mapping[str, bool]) -> bool:
    """Tell whether a test's outcome means that the device was chosen; in `a or b`, for each part.

    `asked` has the outcomes of all tests on the path: past `a or b`, and in the `else` of `if b`, it was `a`.
    """
    test = at.expression
    if holds_for_both(ev, at, holds):
        return False
    if isinstance(test, ast.BoolOp):
        left = (part for part in test.values if asked.get(written(part)) is not (not holds))
        parts = [part for part in map(at.at, left) if ev.truth(part) is not (not holds)]
        outcomes = (is_device_choice(ev, part, holds, asked) for part in parts)
        return any(outcomes) if isinstance(test.op, ast.And) is holds else all(outcomes)
    if not asks_for_choice(ev, at) or _asks_for_few(test, holds) or _is_in_full_precision(test, holds):
        return False
    if counts_one_either_way(ev, at):
        return False
    # The default of an option that is no device itself is not judged anywhere.
    is_chosen = _is_cuda_for_sure(test, holds) and not (ev.truth(at) is holds and is_choice(ev, at))
    return is_chosen or _is_open(ev, at, holds)


def _asks_for_few(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test's outcome means few devices, or none: `else` of `if world_size > 1`, `if gpu is None`.

    A machine without any has that outcome, and so has a single process: `else` of `if cfg.distributed`.
    """
    match test:
        case ast.Name(id=name) | ast.Attribute(attr=name) if not holds:
            return _MANY.search(name.lower()) is not None
        case ast.Compare(ops=[op], comparators=[ast.Constant(value=None)]):
            return isinstance(op, (ast.Is, ast.Eq)) is holds
        case ast.Compare(ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return not holds
        case ast.Compare(ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant()]):
            return holds
        # `assert 0 <= rank < world_size`: the only process has a rank as well.
        case ast.Compare(left=ast.Constant(value=0), ops=[ast.LtE(), _, *_]):
            return holds
        case _:
            return False


def _is_in_full_precision(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test's outcome means a type that any device supports: `else` of `if half`."""
    match test:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return not holds and is_about_precision(name)
        case _:
            return False


def _is_open(ev: Evaluator, at: Place, holds: bool) -> bool:
    """Tell whether a test is undecided; that something is not on CUDA yet does not count."""
    test = at.expression
    return ev.truth(at) is None and not (_compares_with_cuda(test) and holds is _is_unequal(test))


def _is_cuda_for_sure(test: ast.expr, holds: bool) -> bool:
    """Tell whether a test compares the device with CUDA, and it is: it was chosen elsewhere, and is judged there."""
    return _compares_with_cuda(test) and holds is not _is_unequal(test)


def _is_unequal(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.NotEq, ast.IsNot, ast.NotIn))


def _compares_with_cuda(test: ast.expr) -> bool:
    """Tell whether one side of a comparison is `cuda`, `cuda:0`, or `torch.cuda.HalfTensor`."""
    constants = [node.value for node in walk(test) if isinstance(node, ast.Constant)]
    return any(isinstance(value, str) and value.removeprefix("torch.").startswith("cuda") for value in constants)
