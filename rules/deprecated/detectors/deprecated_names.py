"""Calls of functions and classes that PyTorch still has, and warns of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.pytorch.deprecated import DEPRECATED, Replacement

from .full_names import full_name
from .prepared import is_prepared
from .removals import named_instead

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class DeprecatedName:
    """A call of something deprecated, and its replacement."""

    callee: Place
    replacement: Replacement
    edits: tuple[Edit, ...]


def deprecated_names(ev: Evaluator, file: ParsedFile) -> Iterator[DeprecatedName]:
    """Yield the calls of something deprecated in a file that does not handle a release without it."""
    target = file.project.target_torch
    for call in calls_of(file, frozenset(DEPRECATED)):
        name = full_name(ev, call.callee)
        found = DEPRECATED.get(name)
        if found is None or (target is not None and target < found.since) or is_prepared(ev, call):
            continue
        yield DeprecatedName(call.callee, found, _edits(call, name, found.same))


def _edits(call: Call, name: str, same: str) -> tuple[Edit, ...]:
    """Return the edits that use the new name in a call, unless an imported name would be left unused."""
    if call.owner is None:
        return ()
    module, _, last = same.rpartition(".")
    is_beside = module == name.rpartition(".")[0]
    return (call.callee.edits.replace(f"{call.owner.text}.{last}"),) if is_beside else named_instead(call.callee, same)
