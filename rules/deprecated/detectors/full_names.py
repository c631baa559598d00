"""What an expression surely is, by its full name outside the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Imported

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def full_name(ev: Evaluator, place: Place) -> str:
    """Return the full name of what an expression is for sure, empty for anything else."""
    names = {one.value.name if isinstance(one.value, Imported) else "" for one in ev.evaluate(place)}
    return names.pop() if len(names) == 1 else ""
