"""Which GPU a bare `cuda` means at a place: the current one, as the program has set it before.

`torch.cuda.set_device(i)` sets it for all that follows, `with torch.cuda.device(i):` for a block, and the first GPU is
the default: https://docs.pytorch.org/docs/stable/notes/cuda.html
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.devices.literals import tensor_device
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_into
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import SOME_INDEX, Device, Function, Number, Text, ValueSet
from torchlint.pytorch.current_device import CURRENT_FOR_BLOCK, CURRENT_FROM_HERE, FIRST_GPU
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import BindingKind

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

Indices: TypeAlias = "frozenset[int] | None"
"""The GPUs that may be current; None if unknown."""

_FIRST: frozenset[int] = frozenset({FIRST_GPU})
_NOBODY: Indices = frozenset()
_FROM_HERE = {name.rpartition(".")[2]: name for name in sorted(CURRENT_FROM_HERE)}
_FOR_BLOCK = {name.rpartition(".")[2]: name for name in sorted(CURRENT_FOR_BLOCK)}
_ARGUMENTS = ("device", "device_index")
_MOST_SETTERS = 100
"""The most functions that set the device; in a project with more of them the current one is unknown."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A call that sets the current device, or one of a function of the project that does."""

    statement: ast.stmt
    kind: BindingKind
    call: ast.Call


@tabled(_NOBODY)
def current_devices(ev: Evaluator, place: Place) -> Indices:
    """Return the indices that a bare `cuda` may mean at a place."""
    if (setters := ev.project.once(_setters)) is None:
        return None
    block = next(_entered(place), None)
    settings = [one for one in _settings(place, setters) if _counts(place, one, block)]
    reached = reaching(place.file.index, settings, place.statement, ev.decide(place))
    found = [_set_by(ev, Place(place.file, one.call, one.statement, place.frame)) for one in reached.definitions]
    if reached.open:
        found.append(_named(ev, block, _FOR_BLOCK) if block is not None else _at_start(ev, place, setters))
    return _either(found)


def numbered(ev: Evaluator, place: Place, named: ValueSet) -> Device | None:
    """Return where something is after it is moved at a place to what an expression names; None if that is open."""
    device = tensor_device(named)
    if any(isinstance(one.value, Text) for one in named):
        return of_some_index(ev, device) if device is not None else None
    if named and all(isinstance(one.value, Number) for one in named):
        return Device("cuda", SOME_INDEX)  # `x.to(rank)`: a number is the index of a GPU
    return on_current(ev, place, device)


def on_current(ev: Evaluator, place: Place, device: Device | None) -> Device | None:
    """Return a device, a bare `cuda` with the index of the current one if that matters."""
    if device is None or not _is_open(ev, device):
        return device
    current = current_devices(ev, place)
    return Device("cuda", *current) if current is not None and len(current) == 1 else Device("cuda", SOME_INDEX)


def of_some_index(ev: Evaluator, device: Device) -> Device:
    """Return a device, with an unknown index if it is a bare `cuda`."""
    return Device("cuda", SOME_INDEX) if _is_open(ev, device) else device


def _is_open(ev: Evaluator, device: Device) -> bool:
    """Tell whether it is open which GPU a device is, and matters: only a machine with several makes a difference."""
    return device.kind == "cuda" and device.index is None and ev.gpus is not None


def _entered(place: Place) -> Iterator[Place]:
    """Yield the contexts around a place that set the device, by their last names, innermost first."""
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, ast.With):
            for item in reversed(block.owner.items):
                if isinstance(item.context_expr, ast.Call) and callee_name(item.context_expr) in _FOR_BLOCK:
                    yield Place(place.file, item.context_expr, block.owner, place.frame)


def _counts(place: Place, setting: Setting, block: Place | None) -> bool:
    """Tell whether a setting is in the innermost block around a place, whose end undoes it, or in none at all."""
    own = next(_entered(Place(place.file, setting.call, setting.statement, place.frame)), None)
    return own == block


def _settings(place: Place, setters: frozenset[str]) -> Iterator[Setting]:
    for call, statement in place.file.calls_in_scope(place.scope) if setters else ():
        if callee_name(call) in setters:
            yield Setting(statement, "assign", call)


def _set_by(ev: Evaluator, call: Place) -> Indices:
    """Return the GPU that a call may leave current; a function of the project leaves any that its calls set."""
    assert isinstance(call.expression, ast.Call)
    if callee_name(call.expression) in _FROM_HERE:
        return _named(ev, call, _FROM_HERE)
    return _either([_FIRST, *(_named(ev, one, _FROM_HERE) for one in ev.project.once(_all_settings))])


def _named(ev: Evaluator, call: Place, names: Mapping[str, str]) -> Indices:
    """Return the GPU that is an argument of a call of PyTorch's; None if it is no such call, or names none."""
    assert isinstance(call.expression, ast.Call)
    name = names.get(callee_name(call.expression))
    if name is None or name not in call.at(call.expression.func).names:
        return None
    given = next((one for word in _ARGUMENTS if (one := passed(call.expression, word, 0)) is not None), None)
    device = tensor_device(ev.evaluate(call.at(given))) if given is not None else None
    index = device.index if device is not None else None
    return None if index is None or index == SOME_INDEX else frozenset({index})


def _at_start(ev: Evaluator, place: Place, setters: frozenset[str]) -> Indices:
    """Return what is current when the function or file of a place begins to run."""
    if not setters and not ev.project.once(_enters_blocks):
        return _FIRST
    frame = frame_into(place, place.scope)
    if frame is not None and frame.call is not None:
        return current_devices(ev, frame.call)
    callers = ev.callers(Function(place.file, place.scope)) if place.scope.kind == "function" else ()
    if callers:
        return _either([current_devices(ev, caller.place) for caller in callers])
    others = (one for one in ev.project.once(_all_settings) if _may_run_before(ev, one, place))
    return _either([_FIRST, *(_named(ev, one, _FROM_HERE) for one in others)])


def _may_run_before(ev: Evaluator, setting: Place, place: Place) -> bool:
    """Tell whether a setting elsewhere may run before a function without callers, or before a file."""
    if setting.file is place.file:
        return place.scope.kind != "file"
    return may_share_program(ev, setting.file, place.file)


def _enters_blocks(ev: Evaluator) -> bool:
    """Tell whether a project sets the device for a block anywhere."""
    return any(ev.project.library.holding(f"{name}(") for name in _FOR_BLOCK)


def _all_settings(ev: Evaluator) -> tuple[Place, ...]:
    """Return the calls of a project that set the current device themselves."""
    files = (ev.project.parsed(path) for name in _FROM_HERE for path in ev.project.library.holding(f"{name}("))
    found = dict.fromkeys(file for file in files if file is not None)
    return tuple(Place(file, *pair) for file in found for name in _FROM_HERE for pair in file.index.calls(name))


def _setters(ev: Evaluator) -> frozenset[str] | None:
    """Return the names of PyTorch's and the project's functions that set the device; None if they are too many."""
    found: dict[str, None] = {}
    waiting = [name for name in _FROM_HERE if ev.project.library.holding(f"{name}(")]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = None
        if len(found) > _MOST_SETTERS:
            return None
        files = [ev.project.parsed(path) for path in ev.project.library.using(name)]
        waiting += [named for file in files if file is not None for named in _callers_by_name(file, name)]
        # `for build in (first, second): build()` calls them by another name.
        waiting += [word for file in files if file is not None for word in file.words_of(name)]
    return frozenset(found)


def _callers_by_name(file: ParsedFile, name: str) -> Iterator[str]:
    """Yield the names of the functions of a file that call one of a name; that of the class, for its `__init__`."""
    for _, statement in file.index.calls(name):
        scope = file.index.home[statement][0].scope
        if scope.kind == "function" and scope.name == "__init__" and scope.outer is not None:
            yield scope.outer.name
        elif scope.kind == "function":
            yield scope.name


def _either(found: Iterable[Indices]) -> Indices:
    """Return the union of the GPUs along several paths, None if they are unknown on one."""
    union: frozenset[int] = frozenset()
    for one in found:
        if one is None:
            return None
        union |= one
    return union
