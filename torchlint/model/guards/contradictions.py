"""Two places that no run reaches both: the same test lets one of them through and not the other."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.facts import atoms, contradict, in_words
from torchlint.syntax.refusals import refusals_in
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Block

_Outcome: TypeAlias = "tuple[str, object]"
_Refused: TypeAlias = "tuple[int, frozenset[_Outcome]]"
_NOTHING_REFUSED: Mapping[_Outcome, list[_Refused]] = {}


def exclude_each_other(one: Place, other: Place) -> bool:
    """Tell whether two places, in any functions, are dominated by the same test with opposite outcomes.

    Tests are compared by their text; `args.distributed` and `torch.cuda.device_count() > 1` mean the same everywhere.
    What equals one constant equals no other: `phase == "train"`, `phase == "val"`. And no run does what a program
    refuses to do together: `if args.distributed: if args.parts > 1: raise`.
    """
    here, there = _said(_outcomes, one), _said(_outcomes, other)
    if contradict(here, there) or contradict(_said(_constants, one), _said(_constants, other)):
        return True
    return _is_refused(one, here, there) or _is_refused(other, there, here)


def is_implied(one: Place, other: Place) -> bool:
    """Tell whether a run that reaches the other of two places has passed all tests before the first, if there are any.

    `if torch.cuda.is_available():` is before both.
    """
    needed = outcomes_before(one)
    return bool(needed) and needed.items() <= outcomes_before(other).items()


def outcomes_before(place: Place) -> Mapping[str, object]:
    """Return the outcomes of the tests on the path to a place, calls included, by their text."""
    return _said(_outcomes, place)


def _is_refused(place: Place, own: Mapping[str, object], others: Mapping[str, object]) -> bool:
    """Tell whether a program exits before a place under the conditions of another place.

    Conditions of the place that contradict these were bound again in between.
    """
    both, new = {**others, **own}, others.items() - own.items()
    for block, position in place.file.index.blocks_around(place.statement) if new else ():
        refused = _refused(_anywhere(place), place.file, block)
        for at, tests in (one for outcome in refused.keys() & new for one in refused[outcome]):
            if at < position and tests <= both.items():
                return True
    return False


@tabled(_NOTHING_REFUSED)
def _refused(_: Evaluator, file: ParsedFile, block: Block) -> Mapping[_Outcome, list[_Refused]]:
    """Return what the `if`s of a block refuse, by each of the outcomes that it takes."""
    found: defaultdict[_Outcome, list[_Refused]] = defaultdict(list)
    for at, refusal in refusals_in(file.index, block):
        tests = frozenset(in_words(*atom) for test, holds in refusal for atom in atoms(test, holds))
        for outcome in tests:
            found[outcome].append((at, tests))
    return found


def are_in_different_arms(one: Place, other: Place) -> bool:
    """Tell whether two places are in different arms of one and the same test."""
    if one.file is not other.file:
        return False
    here, there = ({test.test: test.holds for test in dominating_conditions(place)} for place in (one, other))
    return any(there.get(test, holds) is not holds for test, holds in here.items())


def _anywhere(place: Place) -> Evaluator:
    return place.file.project.evaluator(ANYWHERE)


def _said(what: AlongPaths[tuple[str, object]], place: Place) -> Mapping[str, object]:
    """Return the outcomes of the tests on the path to a place; the innermost overrides."""
    return dict(reversed(what(_anywhere(place), Place(place.file, place.expression, place.statement))))


def _outcomes_of(_: Evaluator, __: PathContext, guard: Condition | Iteration) -> tuple[tuple[str, object], ...]:
    return tuple(in_words(*atom) for atom in _atoms(guard))


def _constants_of(_: Evaluator, __: PathContext, guard: Condition | Iteration) -> tuple[tuple[str, object], ...]:
    """Return the expressions that equal a constant if a test came out so, as text."""
    return tuple(_equalities(guard))


def _equalities(guard: Condition | Iteration) -> Iterator[tuple[str, object]]:
    for test, holds in _atoms(guard):
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]) if holds:
                yield written(left), value


def _atoms(guard: Condition | Iteration) -> Iterator[tuple[ast.expr, bool]]:
    return atoms(guard.test, guard.holds) if isinstance(guard, Condition) else iter(())


_outcomes = AlongPaths(_outcomes_of)
_constants = AlongPaths(_constants_of)
