"""What a file saves with `torch.save`: the value itself, or the values of the dict or list that it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, call_at, calls_of
from torchlint.model.checkpoints.saving import parts_of
from torchlint.model.parallel.wrappers import wrapper_name
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Display, Possibility
from torchlint.pytorch.saving import WITH_CODE
from torchlint.pytorch.symbols import SAVE
from torchlint.syntax.closure import closure

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class PickledModule:
    """A module that is saved whole, and the call that saves it."""

    place: Place
    saved_at: Call
    made: Possibility


def pickled_modules(ev: Evaluator, file: ParsedFile) -> Iterator[PickledModule]:
    """Yield the modules that a file saves whole; wrappers around modules are left out."""
    reached: set[Place] = set()
    for call in calls_of(file, frozenset({SAVE})):
        saved = call.argument("obj", 0)
        for value in _values(ev, saved, reached) if saved is not None else ():
            found = ev.evaluate(value)
            if found and all(_is_plain_module(ev, one) for one in found):
                yield PickledModule(value if value.file is file else call, call, found[0])
        # A module in another file is reported at each call that saves it.
        reached = {one for one in reached if one.file is file}


def _values(ev: Evaluator, place: Place, reached: set[Place]) -> Iterator[Place]:
    """Yield what something saved holds, each once, or itself if it is no container."""
    for one in closure(place, partial(_parts, ev), reached):
        if not any(isinstance(held.value, Display) for held in ev.evaluate(one)):
            yield one


def _parts(ev: Evaluator, place: Place) -> list[Place]:
    """Return the parts of a container, the last first."""
    displays = [one.value.place for one in ev.evaluate(place) if isinstance(one.value, Display)]
    return [part for written in displays for part in parts_of(written)][::-1]


def _is_plain_module(ev: Evaluator, one: Possibility) -> bool:
    if not is_module(ev, one.value) or wrapper_name(ev, one) is not None:
        return False
    made = call_at(one.origin) if one.origin is not None else None
    return made is None or not any(name.startswith(WITH_CODE) for name in made.callee.names)
