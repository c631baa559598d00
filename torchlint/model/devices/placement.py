"""Which GPU a module is on when it is wrapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.current import current_devices
from torchlint.model.devices.moving import device_argument, moved_by
from torchlint.model.place import Place, Residence
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import SOME_INDEX, Function, Text
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class Placement:
    """The GPUs that a module may be on, several if the current one depends on the caller, and what moved it there."""

    indices: frozenset[int]
    moved_at: Place


_UNMOVED: tuple[Placement | None, bool] = (None, False)


def placement(ev: Evaluator, module: Place) -> Placement | None:
    """Return on which GPU a module is when an expression is evaluated; None if unknown, or no call moved it there."""
    return _placed(ev, ev.resides(module))


def moved_afterwards(ev: Evaluator, wrapped: Place) -> tuple[Placement | None, bool]:
    """Return where a wrapper is moved after it was made, and whether it may be moved in an unknown way."""
    parents = wrapped.file.parents_in(wrapped.statement)
    attribute = parents.get(wrapped.expression)
    if isinstance(attribute, ast.Attribute) and attribute.attr in MOVES:
        call = parents.get(attribute)
        assert isinstance(call, ast.expr)
        return _moved(ev, wrapped.at(call), attribute.attr), True
    if isinstance(wrapped.statement, ast.Return) and wrapped.statement.value is wrapped.expression:
        return _moved_by_callers(ev, wrapped)
    name = _bound_to(wrapped)
    later = [] if name is None else list(_later_moves(wrapped, name))
    if not later:
        return None, False
    block, _ = wrapped.file.index.home[wrapped.statement]
    call, statement = later[0]
    at_once = wrapped.file.index.home[statement][0] is block
    assert isinstance(call.func, ast.Attribute)
    return _moved(ev, Place(wrapped.file, call, statement), call.func.attr) if at_once else None, True


@tabled(_UNMOVED)
def _moved_by_callers(ev: Evaluator, wrapped: Place) -> tuple[Placement | None, bool]:
    """Return where the callers of a function move the wrapper that it returns."""
    function = Function(wrapped.file, wrapped.scope)
    outcomes = [moved_afterwards(ev, caller.place) for caller in ev.callers(function)]
    found = [where for where, _ in outcomes]
    is_same = len({one.indices if one is not None else None for one in found}) == 1
    return found[0] if is_same else None, any(moved for _, moved in outcomes)


def _moved(ev: Evaluator, call: Place, method: str) -> Placement | None:
    return _placed(ev, moved_by(ev, call, method, None))


def _placed(ev: Evaluator, found: Residence | None) -> Placement | None:
    if found is None or found.moved_at is None or found.device.kind != "cuda":
        return None
    index = found.device.index
    if index == SOME_INDEX or (index is None and _names_some_gpu(ev, found.moved_at)):
        return None
    indices = frozenset({index}) if index is not None else current_devices(ev, found.moved_at)
    return Placement(indices, found.moved_at) if indices else None


def _names_some_gpu(ev: Evaluator, call: Place) -> bool:
    """Tell whether a move names its device by an unknown text: the index of `f"cuda:{rank}"` is unknown."""
    assert isinstance(call.expression, ast.Call)
    assert isinstance(call.expression.func, ast.Attribute)
    argument = device_argument(call.expression, call.expression.func.attr)
    return argument is not None and any(isinstance(one.value, Text) for one in ev.evaluate(call.at(argument)))


def _bound_to(wrapped: Place) -> str | None:
    match wrapped.statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is wrapped.expression:
            return written(target)
        case _:
            return None


def _later_moves(wrapped: Place, name: str) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls further down in the function that move the value of a name."""
    found = []
    for method in sorted(MOVES):
        for call, statement in wrapped.file.index.calls(method):
            is_later = statement.lineno > wrapped.statement.lineno
            same_scope = wrapped.file.index.home[statement][0].scope is wrapped.scope
            if is_later and same_scope and isinstance(call.func, ast.Attribute) and written(call.func.value) == name:
                found.append((call, statement))
    yield from sorted(found, key=lambda pair: pair[0].lineno)
