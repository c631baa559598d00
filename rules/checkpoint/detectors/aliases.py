"""What is kept of a module by reference while training goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class StateAlias:
    """A state dict (or module) that is kept while training goes on, and where it is read afterwards."""

    place: Place
    loop: Place
    """The iterable of the loop that continues training."""
    read: Place
    is_module: bool
