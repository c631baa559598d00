"""A name that PyTorch or a companion no longer has, where a program uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.place import Place
    from torchlint.pytorch.kinds import Removal


@dataclass(frozen=True, slots=True)
class RemovedName:
    """A removed name, where a program imports or reads it."""

    place: Place
    name: str
    """The full name."""
    removals: tuple[Removal, ...]
    """Its removal; several if a statement imports several."""
    edits: tuple[Edit, ...] = ()
    """The edits that replace it by an equivalent, if there is one."""
