"""Two places that no run of the program comes to both: the same test lets one of them through and not the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.syntax.around import tests_behind
from torchlint.model.syntax.facts import atoms, in_words
from torchlint.model.syntax.refusals import refusals_before
from torchlint.model.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def exclude_each_other(one: Place, other: Place) -> bool:
    """Tell whether two places, in whatever functions, have the same test behind them with opposite outcomes.

    Tests are told apart by their text; `args.distributed` and `torch.cuda.device_count() > 1` mean the same everywhere.
    What equals one constant equals no other: `phase == "train"`, `phase == "val"`. And what a program refuses to do
    together, no run does: `if args.distributed: if args.parts > 1: raise`.
    """
    here, there = _outcomes(one), _outcomes(other)
    if any(there.get(text, holds) is not holds for text, holds in here.items()):
        return True
    constants = _constants(other)
    if any(constants.get(text, constant) != constant for text, constant in _constants(one).items()):
        return True
    return _is_refused(one, here, there) or _is_refused(other, there, here)


def _is_refused(place: Place, own: dict[str, bool], others: dict[str, bool]) -> bool:
    """Tell whether a program that comes to a place has left before it wherever another place's tests come out so.

    What the tests of the place alone say against it was bound anew on the way.
    """
    both = {**others, **own}
    for refusal in refusals_before(place):
        tests = [in_words(*atom) for test, holds in refusal for atom in atoms(test, holds)]
        is_older = all(own.get(text) is holds for text, holds in tests)
        if not is_older and all(both.get(text) is holds for text, holds in tests):
            return True
    return False


def are_in_different_arms(one: Place, other: Place) -> bool:
    """Tell whether one and the same test, as it stands, lets the program to one of two places or to the other."""
    if one.file is not other.file:
        return False
    here, there = ({test.test: test.holds for test in tests_behind(place)} for place in (one, other))
    return any(there.get(test, holds) is not holds for test, holds in here.items())


def _outcomes(place: Place) -> dict[str, bool]:
    outcomes: dict[str, bool] = {}
    for test, holds in _atoms(place):
        outcomes.setdefault(*in_words(test, holds))
    return outcomes


def _constants(place: Place) -> dict[str, object]:
    """Return what is sure to equal a constant at a place, as it is written."""
    constants: dict[str, object] = {}
    for test, holds in _atoms(place):
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]) if holds:
                constants.setdefault(written(left), value)
    return constants


def _atoms(place: Place) -> Iterator[tuple[ast.expr, bool]]:
    for condition in tests_behind(place):
        yield from atoms(condition.test, condition.holds)
