"""What a file saves with `torch.save`: the value itself, or the values of the dict or list that it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, calls_of
from torchlint.model.checkpoints.saving import parts_of
from torchlint.model.parallel.wrappers import wrapper_name
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Display, Possibility
from torchlint.pytorch.saving import WITH_CODE
from torchlint.pytorch.symbols import SAVE

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class PickledModule:
    """A module that is saved whole, and the call that saves it."""

    place: Place
    saved_at: Call
    made: Possibility


_NONE: tuple[Place, ...] = ()


def pickled_modules(ev: Evaluator, file: ParsedFile) -> Iterator[PickledModule]:
    """Yield the modules that a file saves whole; wrappers around modules are left out."""
    for call in calls_of(file, frozenset({SAVE})):
        saved = call.argument("obj", 0)
        for value in _values(ev, saved) if saved is not None else ():
            found = ev.evaluate(value)
            if found and all(_is_plain_module(ev, one) for one in found):
                yield PickledModule(value if value.file is file else call, call, found[0])


@tabled(_NONE)
def _values(ev: Evaluator, place: Place) -> tuple[Place, ...]:
    displays = [one.value.place for one in ev.evaluate(place) if isinstance(one.value, Display)]
    if not displays:
        return (place,)
    return tuple(value for written in displays for part in parts_of(written) for value in _values(ev, part))


def _is_plain_module(ev: Evaluator, one: Possibility) -> bool:
    if not is_module(ev, one.value) or wrapper_name(ev, one) is not None:
        return False
    made = call_at(one.origin) if one.origin is not None else None
    return made is None or not any(name.startswith(WITH_CODE) for name in made.callee.names)
