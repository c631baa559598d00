"""Fixes of code that requires CUDA, so that it runs anywhere, and uses CUDA if there is any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torchlint
from torchlint import Fix
from torchlint.pytorch.device_arguments import CURRENT_DEVICE, DEVICE_NAME, SET_DEVICE
from torchlint.pytorch.moves import CUDA_ARGUMENTS
from torchlint.pytorch.streams import SYNCHRONIZE
from torchlint.pytorch.symbols import DEVICE

if TYPE_CHECKING:
    from torchlint import (
        Call,
        DeviceNames,
        Edit,
        Place,
        SourceFile,
    )

    from .hardcoded import CudaDemand

GUARDED = "Call it only if CUDA is available"
"""The title of the fix for a command to the GPU."""
_PLAIN = (None, 0, "cuda", "cuda:0")
# A mere command to the GPU has nothing to do without one.
_ORDERS = frozenset({SET_DEVICE, SYNCHRONIZE})
# The CPU has an answer to these queries, too; an index, with which others count, only as a device argument.
_NAMED = frozenset({CURRENT_DEVICE, DEVICE_NAME})


def portable(demand: CudaDemand, file: SourceFile, names: DeviceNames) -> Fix | None:
    """Return the fix for a place that requires CUDA, or None if that needs knowledge of the program."""
    place = demand.place
    call = file.call_at(place)
    if call is not None and call.method == "cuda":
        return _moved(call, names)
    if call is not None and call.callee.names & (_ORDERS | _NAMED):
        return _asked(call, names)
    return _chosen(place, file, names) if _is_device(place) else None


def _moved(call: Call, names: DeviceNames) -> Fix | None:
    """`x.cuda(…)` → `x.to(device, …)`."""
    # A class with a `cuda` of its own knows what it does there.
    if call.is_open or call.callees or call.keywords.keys() - CUDA_ARGUMENTS:
        return None
    index, blocking = call.argument("device", 0), call.argument("non_blocking", 1)
    device = names.at(call) if index is None else _device(index, names)
    if device is None or len(call.arguments) > 2:
        return None
    text, needed = device
    if (function := _mapping(call)) is not None:
        # A storage has no `to`, and a device needs no function.
        return _fix("Load to the available device", (*needed, function.edits.replace(text)))
    argument = call.edits.first_argument(text) if index is None else index.edits.replace(text)
    if argument is None:
        return None
    edits = [*needed, call.callee.edits.rename("to"), argument]
    if blocking is not None and "non_blocking" not in call.keywords:
        edits.append(blocking.edits.before("non_blocking="))
    return _fix("Move to the available device", tuple(edits))


def _mapping(call: Call) -> Place | None:
    """Return the `lambda storage, location: …` that consists of a call, if it is an argument of `torch.load`."""
    function = call.parent
    load = torchlint.call_at(function.parent) if function is not None and function.parent is not None else None
    if function is None or load is None or not function.text.startswith("lambda ") or load.method != "load":
        return None
    return function if load.argument("map_location", 1) == function else None


def _device(index: Place, names: DeviceNames) -> tuple[str, tuple[Edit, ...]] | None:
    """Return the replacement of the argument of `.cuda(…)` if there may be no CUDA."""
    # The value of an option is of the same kind as its default.
    values = [one.value for one in index.possibilities(torchlint.WITHOUT_CUDA)]
    if index.is_constant and all(isinstance(value, torchlint.Literal) and value.value in _PLAIN for value in values):
        return names.at(index)
    # The current device is the one that the process has chosen before.
    choosing = torchlint.calls_of(index.file, frozenset({SET_DEVICE}))
    if any(call.arguments and call.arguments[0].text == index.text for call in choosing):
        return names.at(index)
    if values and all(isinstance(value, torchlint.Device) and value.kind for value in values):
        return index.text, ()
    if values and all(isinstance(value, torchlint.Number) or _is_index(value) for value in values):
        return names.indexed(index)
    return None


def _is_index(value: object) -> bool:
    return isinstance(value, torchlint.Literal) and isinstance(value.value, int) and not isinstance(value.value, bool)


def _asked(call: Call, names: DeviceNames) -> Fix | None:
    """`torch.cuda.set_device(0)` → under a test; a query with a value → that, or the CPU's."""
    torch = call.named("torch")
    if torch is None:
        return None
    if call.is_statement:
        guarded = call.edits.guard(f"{torch[0]}.cuda.is_available()")
        return _fix(GUARDED, (*torch[1], *guarded)) if guarded else None
    return _replaced(call, names.conditional(call, call.text)) if _may_be_a_name(call) else None


def _may_be_a_name(call: Call) -> bool:
    """Tell whether the result of a query of the GPU may be the name of the CPU instead: an index used as a device."""
    around = torchlint.call_at(call.parent) if call.parent is not None else None
    is_due = around is not None and (_makes_device(around) or _takes_device(around, call))
    return DEVICE_NAME in call.callee.names or (is_due and CURRENT_DEVICE in call.callee.names)


def _chosen(place: Place, file: SourceFile, names: DeviceNames) -> Fix | None:
    """`"cuda"` → the available device, where it is requested, and else a choice between it and the CPU."""
    around = file.call_at(place.parent) if place.parent is not None else None
    maker = place if _makes_device(file.call_at(place)) else around if _makes_device(around) else None
    if maker is None:
        is_asked = around is not None and _is_plain(place) and _takes_device(around, place)
        return _replaced(place, names.at(place) if is_asked else _either(place, names))
    call = file.call_at(maker)
    if call is None or call.is_open or call.keywords:
        return None
    if len(call.arguments) == 2:
        torch = call.named("torch")
        cpu = f"{call.callee.text}({names.cpu})"
        text = torch and (f"{call.text} if {torch[0]}.cuda.is_available() else {cpu}", torch[1])
        return _replaced(maker, text or None)
    argument = call.arguments[0]
    parent = file.call_at(maker.parent) if maker.parent is not None else None
    if parent is not None and _is_plain(argument) and _takes_device(parent, maker):
        return _replaced(maker, names.at(maker))
    if names.is_any_accelerator and _is_sure(argument):
        return _replaced(maker, names.device(maker))
    return _replaced(argument, _either(argument, names))


def _either(place: Place, names: DeviceNames) -> tuple[str, tuple[Edit, ...]] | None:
    """Return an expression, or else the CPU; a bare index may be used for something else as well."""
    literals = place.literals
    if literals is not None and not all(isinstance(value, str) for value in literals):
        return None
    if names.is_any_accelerator and _is_sure(place):
        return names.name(place)
    return names.conditional(place, place.text)


def _is_device(place: Place) -> bool:
    """Tell whether an expression names a device and has no other effect."""
    values = [one.value for one in place.possibilities(torchlint.WITHOUT_CUDA)]
    return bool(values) and all(
        isinstance(value, (torchlint.Device, torchlint.Text)) or _is_name(value) for value in values
    )


def _is_name(value: object) -> bool:
    return isinstance(value, torchlint.Literal) and (isinstance(value.value, str) or _is_index(value))


def _is_plain(place: Place) -> bool:
    """Tell whether a device has no index, or the first: another one, even a computed one, is a choice."""
    values = [one.value for one in place.possibilities(torchlint.WITHOUT_CUDA)]
    return not any(_is_numbered(value) for value in values) and all(value in _PLAIN for value in place.literals or ())


def _is_numbered(value: object) -> bool:
    return isinstance(value, torchlint.Text) or (isinstance(value, torchlint.Device) and bool(value.index))


def _is_sure(place: Place) -> bool:
    """Tell whether a device is a literal, and is the only one that a machine with CUDA may have."""
    return place.is_constant and bool(place.literals) and _is_plain(place)


def _makes_device(call: Call | None) -> bool:
    return call is not None and DEVICE in call.callee.names


def _takes_device(call: Call, place: Place) -> bool:
    """Tell whether an expression is a device argument of a call that does not pass it on."""
    if call.keywords.get("device") == place or call.keywords.get("map_location") == place:
        return not call.callees
    return call.method == "to" and place in call.arguments[:1]


def _replaced(place: Place, text: tuple[str, tuple[Edit, ...]] | None) -> Fix | None:
    if text is None:
        return None
    made = (place.edits.replace(text[0]),) if text[0].isidentifier() else place.edits.choose(text[0])
    return _fix("Use the available device", (*text[1], *made)) if made else None


def _fix(title: str, edits: tuple[Edit, ...]) -> Fix:
    return Fix(title, edits, safe=False, doubt="without a GPU the program continues where it raised before")
