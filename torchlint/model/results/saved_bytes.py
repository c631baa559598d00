"""What `torch.load` reads from bytes: what the project saves as bytes, possibly in another process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import tensor_device
from torchlint.model.place import Place
from torchlint.model.values.value_sets import HOST, UNKNOWN, Tensor, ValueSet, known
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_BYTES = "BytesIO"


def loaded(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `torch.load(io.BytesIO(sent))` returns: a tensor on the host, if the project saves nothing else so.

    What is in any other file is unknown, and so is the result of a load with a device.
    """
    call = place.expression
    source = passed(call, "f", 0)
    if source is None or not _is_of_bytes(place.at(source)):
        return UNKNOWN
    asked = passed(call, "map_location", 1)
    if asked is not None and tensor_device(ev.evaluate(place.at(asked))) != HOST:
        return UNKNOWN
    sent = [one.value for what in ev.project.once(_written_into_bytes) for one in ev.evaluate(what)]
    is_on_host = all(isinstance(value, Tensor) and (asked is not None or value.device == HOST) for value in sent)
    return known(Tensor(HOST, False), place) if sent and is_on_host else UNKNOWN


def _written_into_bytes(ev: Evaluator) -> tuple[Place, ...]:
    """Return what a project saves as bytes, by its text: the evaluator needs the answer to say what something is."""
    saving = ev.project.library.holding("torch.save(")
    files = [ev.project.parsed(path) for path in ev.project.library.holding(_BYTES) if path in saving]
    calls = [Place(file, call, at) for file in files if file is not None for call, at in file.index.calls("save")]
    return tuple(what for call in calls for what in _into_bytes(call))


def _into_bytes(call: Place) -> Iterator[Place]:
    match call.expression:
        case ast.Call(args=[what, source, *_]) if _is_of_bytes(call.at(source)):
            yield call.at(what)


def _is_of_bytes(source: Place) -> bool:
    """Tell whether an expression is a file in memory, or the name of one."""
    match source.expression:
        case ast.Call(func=function):
            return last_name(function) == _BYTES
        case ast.Name(id=name):
            given = [one.value for one in source.scope.bindings.get(name, ())]
            return bool(given) and all(isinstance(one, ast.Call) and last_name(one.func) == _BYTES for one in given)
        case _:
            return False
