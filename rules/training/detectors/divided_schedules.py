"""Lengths of schedules that count the steps of one process, where a prepared scheduler makes those of all.

`AcceleratedScheduler` steps `num_processes` times with each step of the optimizer, so that a length counts as if one
process trained alone. What matters is the power in which the number of processes is in a length: 0, and not -1.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.place import Place
from torchlint.model.roles import SCHEDULERS, is_a
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built
from torchlint.pytorch.companions.accelerate import ACCELERATORS, OWN_STEPS, PREPARING, PROCESSES
from torchlint.pytorch.companions.transformers import SCHEDULES
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Power: TypeAlias = "tuple[int, Place | None]"
_METHODS = frozenset({"prepare_scheduler", *(name.rpartition(".")[2] for name in PREPARING)})
# What gives back a number of the size that it is given.
_KEEPING = frozenset({"ceil", "floor", "int", "max", "round"})


_NOTHING: _Power = (0, None)


@dataclass(frozen=True, slots=True)
class DividedSchedule:
    """What divides a length by the number of processes, and where the scheduler that has it is prepared."""

    divided: Place
    scheduler: Call
    prepared: Call

    @property
    def left(self) -> Place | None:
        """Return what is divided by the number alone, where it is written without parentheses."""
        match self.divided.expression:
            case ast.BinOp(left=left, right=ast.Attribute()) if self._starts_with(left):
                return self.divided.at(left)
            case _:
                return None

    def _starts_with(self, left: ast.expr) -> bool:
        return self.divided.text.startswith(self.divided.at(left).text)


def divided_schedules(ev: Evaluator, file: ParsedFile) -> Iterator[DividedSchedule]:
    """Yield what makes the schedules of prepared schedulers of a file too short, each once, in source order."""
    seen: set[Place] = set()
    for prepared in method_calls_of(file, _METHODS):
        if prepared.is_open or prepared.owner is None or not _steps_for_all(ev, prepared.owner):
            continue
        for scheduler in (one for argument in prepared.arguments for one in _made(ev, argument)):
            for length in (*scheduler.arguments, *scheduler.keywords.values()):
                power, divided = _power(ev, length)
                if power == -1 and divided is not None and divided not in seen:
                    seen.add(divided)
                    yield DividedSchedule(divided, scheduler, prepared)


def _steps_for_all(ev: Evaluator, owner: Place) -> bool:
    """Tell whether every value of an expression is an accelerator, whose schedulers step for all processes."""
    possible = ev.evaluate(owner)
    made = [call_at(one.origin) if one.origin is not None else None for one in possible]
    is_one = bool(possible) and all(isinstance(one.value, Built) and one.value.name in ACCELERATORS for one in possible)
    return is_one and all(one is not None and not one.is_open and OWN_STEPS.isdisjoint(one.keywords) for one in made)


def _made(ev: Evaluator, argument: Place) -> Iterator[Call]:
    """Yield the call that makes a scheduler, where an argument is one."""
    value = _value(ev, argument)
    call = call_at(value) if value is not None else None
    if call is None:
        return
    possible = ev.evaluate(argument)
    is_scheduler = bool(possible) and all(is_a(ev, one.value, SCHEDULERS) for one in possible)
    if is_scheduler or any(SCHEDULES.fullmatch(name) for name in call.callee.names):
        yield call


def _value(ev: Evaluator, place: Place) -> Place | None:
    """Return what a name is assigned, an expression itself; None for a name that may be several things."""
    if not isinstance(place.expression, ast.Name):
        return place
    bindings = place.scope.bindings.get(place.expression.id, ())
    found = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    only = found[0] if len(found) == 1 else None
    if only is None or only.kind != "assign" or only.value is None or only.selector:
        return None
    return Place(place.file, only.value, only.statement)


def _power(ev: Evaluator, place: Place) -> _Power:
    """Return the power of the number of processes in a number, and what divides by it; 0 where nothing is known."""
    match place.expression:
        case ast.Name():
            return _power_of_value(ev, place)
        case ast.Attribute(attr=name, value=owner) if name == PROCESSES:
            return int(_is_of_accelerator(ev, place.at(owner))), None
        case ast.BinOp(left=left, op=op, right=right):
            return _of_both(place, _power(ev, place.at(left)), op, _power(ev, place.at(right)))
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as loader]):
            return (-1, place) if _is_prepared(ev, place.at(loader)) else (0, None)
        case ast.Call(args=[*_, last]) if callee_name(place.expression) in _KEEPING:
            return _power(ev, place.at(last))
        case _:
            return 0, None


@tabled(_NOTHING)
def _power_of_value(ev: Evaluator, name: Place) -> _Power:
    value = _value(ev, name)
    return _power(ev, value) if value is not None else _NOTHING


def _of_both(place: Place, left: _Power, op: ast.operator, right: _Power) -> _Power:
    """Return the power in what an operator makes of two numbers."""
    match op:
        case ast.Mult():
            return left[0] + right[0], left[1] or right[1]
        case ast.Div() | ast.FloorDiv():
            return left[0] - right[0], (left[1] or place) if right[0] > 0 else left[1]
        case _:
            # What is taken off, or added, is of the same kind, or a few steps.
            return left if left[0] else right


def _is_of_accelerator(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something is an accelerator, or the state of one."""
    if isinstance(owner.expression, ast.Attribute) and owner.expression.attr == "state":
        owner = owner.at(owner.expression.value)
    possible = ev.evaluate(owner)
    return bool(possible) and all(isinstance(one.value, Built) and one.value.name in ACCELERATORS for one in possible)


def _is_prepared(ev: Evaluator, loader: Place) -> bool:
    """Tell whether a name is what an accelerator has prepared, and nothing else."""
    assert isinstance(loader.expression, ast.Name)
    bindings = loader.scope.bindings.get(loader.expression.id, ())
    found = reaching(loader.file.index, bindings, loader.statement, ev.decide(loader)).definitions
    calls = [call_at(Place(loader.file, one.value, one.statement)) if one.value is not None else None for one in found]
    return bool(calls) and all(
        call is not None and call.method == "prepare" and call.owner is not None and _steps_for_all(ev, call.owner)
        for call in calls
    )
