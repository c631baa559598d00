"""Uses of functions and classes that PyTorch still has, and deprecates."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.place import Place
from torchlint.pytorch.deprecated import DEPRECATED, READ
from torchlint.pytorch.marked import MARKED

from .equivalent_calls import equivalent_call
from .full_names import full_name
from .moved_imports import moved_import
from .named_instead import named_instead
from .prepared import is_prepared

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.pytorch.kinds import Replacement

# The oldest release whose sources were read.
_OLDEST = (1, 8)


@dataclass(frozen=True, slots=True)
class DeprecatedName:
    """A use of something deprecated, and its replacement."""

    place: Place
    replacement: Replacement
    since: str
    """The release that deprecated it, as text for a message; empty if that is long ago."""
    edits: tuple[Edit, ...]


def deprecated_names(ev: Evaluator, file: ParsedFile) -> Iterator[DeprecatedName]:
    """Yield the uses of something deprecated in a file that does not handle a release without it."""
    target = file.oldest_torch
    for place, name, found, edits in (*_called(ev, file), *_read(ev, file)):
        if (target is None or target >= found.since) and not is_prepared(ev, place):
            yield DeprecatedName(place, found, _since(name), edits)


def _called(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, str, Replacement, tuple[Edit, ...]]]:
    for call in calls_of(file, frozenset(DEPRECATED)):
        if (found := DEPRECATED.get(name := full_name(ev, call.callee))) is not None:
            yield call.callee, name, found, equivalent_call(call, name) or _edits(call, name, found.same)


def _read(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, str, Replacement, tuple[Edit, ...]]]:
    for name, found in READ.items():
        for node, statement in file.attribute_reads(name.rpartition(".")[2]):
            place = Place(file, node, statement)
            is_owner = place.parent is not None and isinstance(place.parent.expression, ast.Attribute)
            if is_owner and full_name(ev, place) == name:
                yield place, name, found, named_instead(place, found.same)


def _since(name: str) -> str:
    row = MARKED.get(name)
    is_known = row is not None and row.since is not None and row.since > _OLDEST
    return f" since PyTorch {row.since[0]}.{row.since[1]}" if is_known and row is not None and row.since else ""


def _edits(call: Call, name: str, same: str) -> tuple[Edit, ...]:
    """Return the edits that use the new name in a call, or that import it by the old one."""
    module, _, last = same.rpartition(".")
    old_module = name.rpartition(".")[0]
    if call.owner is not None:
        if module != old_module:
            return named_instead(call.callee, same)
        return (call.callee.edits.replace(f"{call.owner.text}.{last}"),)
    bindings = call.file.index.scope.bindings.get(call.callee.word, [])
    if not same or len(bindings) != 1 or not isinstance(bindings[0].statement, ast.ImportFrom):
        return ()
    moving = [one.rpartition(".")[2] for one, new in DEPRECATED.items() if new.same == _moved(one, old_module, module)]
    moved = moved_import(call.file, bindings[0].statement, old_module, module, moving)
    return (moved,) if moved is not None else ()


def _moved(name: str, old: str, new: str) -> str:
    """Return the full name that something of a module has in another one."""
    return f"{new}{name.removeprefix(old)}" if name.startswith(f"{old}.") else ""
