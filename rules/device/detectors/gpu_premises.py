"""The lines that prove that something is on a GPU: an error needs one of them.

What may be a GPU, by an option, an argument or an attribute that no code in view sets, is assumed to be one. So is a
move behind an option that is off by default.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import device_of, is_data_type, is_none
from torchlint.model.devices.moving import device_argument
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.values.value_sets import HOST, Device, Number, Tensor
from torchlint.model.worlds import BY_DEFAULT
from torchlint.pytorch.moves import TO_GPU
from torchlint.quoting import quoted
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_UNPROVED = frozenset({None, HOST, Device()})
"""What proves nothing; the last is a device that is chosen at run time."""


def is_surely_on_gpu(sure: Evaluator, place: Place) -> bool:
    """Tell whether a tensor or a module is on a GPU if the program is started with its defaults."""
    devices = {one.value.device for one in sure.evaluate(place) if isinstance(one.value, Tensor)}
    if devices:
        return devices.isdisjoint(_UNPROVED)
    module = sure.resides(place)
    if module is None or module.device not in _UNPROVED:
        return module is not None
    return module.moved_at is not None and _is_move(module.moved_at) and _goes_to_gpu(sure, module.moved_at)


def moves_in(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the calls in an expression that move something to a device of their own choice."""
    for part in walk(place.expression):
        match part:
            case ast.Call(func=ast.Attribute(attr=name)) if name in TO_GPU:
                argument = device_argument(part, name)
                possible = ev.evaluate(place.at(argument)) if argument is not None else ()
                is_cast = is_none(possible) or any(
                    is_data_type(one) or isinstance(one.value, Tensor) for one in possible
                )
                if name == "cuda" or not (argument is None or is_cast):
                    yield place.at(part)
            case _:
                pass


def leads_to_gpu(sure: Evaluator, place: Place) -> bool:
    """Tell whether a move, or the move of a module, goes to a GPU and is made by default."""
    return _goes_to_gpu(sure, place) if _is_move(place) else is_surely_on_gpu(sure, place)


def goes_to_gpu(ev: Evaluator, move: Place) -> tuple[Step, ...]:
    """Return the step that assumes that a move goes to a GPU, unless a line shows that it does by default."""
    return () if leads_to_gpu(ev.project.evaluator(BY_DEFAULT), move) else (assumed(ev, move),)


def _is_move(place: Place) -> bool:
    call = place.expression
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in TO_GPU


def _goes_to_gpu(sure: Evaluator, move: Place) -> bool:
    call = move.expression
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    argument = device_argument(call, call.func.attr)
    if argument is None:
        return call.func.attr == "cuda" and is_reachable(sure, move)
    return _names_gpu(sure, move.at(argument)) and is_reachable(sure, move)


def _names_gpu(sure: Evaluator, device: Place) -> bool:
    """Tell whether every known possibility of a device is a GPU, and one is known."""
    known = [one.value for one in sure.evaluate(device)]
    named = [Device("cuda") if isinstance(value, Number) else device_of(value) for value in known]
    found = {one.kind for one in named if one is not None and one.kind}
    return bool(found) and HOST.kind not in found


def assumed(ev: Evaluator, place: Place) -> Step:
    """Return the step that says what is assumed of a move that no line in view proves to go to a GPU."""
    call = place.expression
    named = (
        device_argument(call, call.func.attr)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        else None
    )
    if named is None:
        moved = ev.resides(place)
        at = moved.moved_at if moved is not None and moved.moved_at is not None else place
        return at.step("assumes that this is on a GPU", is_assumed=True)
    return place.at(named).step(f"assumes that {quoted(place.at(named))} is a GPU", is_assumed=True)
