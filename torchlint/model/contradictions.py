"""Two places that no run of the program comes to both: the same test lets one of them through and not the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.conditions import Condition
from torchlint.model.facts import atoms, in_words

if TYPE_CHECKING:
    from torchlint.model.place import Place


def exclude_each_other(one: Place, other: Place) -> bool:
    """Tell whether two places, in whatever functions, have the same test behind them with opposite outcomes.

    Tests are told apart by their text; `args.distributed` and `torch.cuda.device_count() > 1` mean the same everywhere.
    """
    here, there = _outcomes(one), _outcomes(other)
    return any(there.get(text, holds) is not holds for text, holds in here.items())


def are_in_different_arms(one: Place, other: Place) -> bool:
    """Tell whether one and the same test, as it stands, lets the program to one of two places or to the other."""
    if one.file is not other.file:
        return False
    here, there = (
        {
            test.test: test.holds
            for test in place.file.conditions_at(place.statement, place.expression)
            if isinstance(test, Condition)
        }
        for place in (one, other)
    )
    return any(there.get(test, holds) is not holds for test, holds in here.items())


def _outcomes(place: Place) -> dict[str, bool]:
    outcomes: dict[str, bool] = {}
    for condition in place.file.conditions_at(place.statement, place.expression):
        if isinstance(condition, Condition):
            for test, holds in atoms(condition.test, condition.holds):
                outcomes.setdefault(*in_words(test, holds))
    return outcomes
