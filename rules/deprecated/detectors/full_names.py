"""The full name of an expression's value, if it is outside the project and certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Imported

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def full_name(ev: Evaluator, place: Place) -> str:
    """Return the full name of an expression's only value, empty for anything else."""
    names = {one.value.name if isinstance(one.value, Imported) else "" for one in ev.evaluate(place)}
    return names.pop() if len(names) == 1 else ""
