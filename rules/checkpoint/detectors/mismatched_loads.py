"""Loads that take something else out of a checkpoint than the project has saved in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.roles import is_a
from torchlint.model.values.value_sets import Instance, Possibility
from torchlint.pytorch.roles import Role

from .reading import read_by, taken
from .saved_contents import Saved, saved_into

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class MismatchedLoad:
    """What is loaded, and the key by which it is taken out of the checkpoint, and what the project has saved there."""

    call: Call
    state: Place
    """The whole checkpoint, or what takes an item out of it."""
    key: str | None
    saved: Saved
    into_module: bool


def mismatched_loads(ev: Evaluator, file: ParsedFile) -> Iterator[MismatchedLoad]:
    """Yield the loads of a file that raise for what the project has saved into the same file, in source order."""
    for call in method_calls_of(file, frozenset({"load_state_dict"})):
        state = call.argument("state_dict", 0)
        if state is None or call.owner is None or is_in_try(call):
            continue
        checkpoint, key = taken(state)
        read = read_by(ev, checkpoint, is_as_read=True)
        path = read.argument("f", 0) if read is not None else None
        saved = saved_into(ev, path) if path is not None else []
        if key is None and _is_strict(ev, call):
            is_wrong = bool(saved) and all(one.is_checkpoint for one in saved)
        else:
            is_wrong = key is not None and bool(saved) and all(_lacks(one, key) for one in saved)
        if is_wrong:
            yield MismatchedLoad(call, state, key, saved[0], ev.is_module(call.owner))


def _is_strict(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call raises for keys that do not match: it fills a module or an optimizer as PyTorch does."""
    strict = call.argument("strict", 1)
    if call.is_open or (strict is not None and strict.literals != (True,)):
        return False
    possible = ev.evaluate(call.owner) if call.owner is not None else ()
    return bool(possible) and all(_is_filled(ev, one) for one in possible)


def _is_filled(ev: Evaluator, one: Possibility) -> bool:
    own = isinstance(one.value, Instance) and method_of(ev, one.value.kind, "load_state_dict") is not None
    return not own and (is_module(ev, one.value) or is_a(ev, one.value, Role.OPTIMIZER))


def _lacks(saved: Saved, key: str) -> bool:
    """Tell whether what is saved has no such key: a state dict has the names of parameters."""
    return saved.is_state or (saved.keys is not None and key not in saved.keys)
