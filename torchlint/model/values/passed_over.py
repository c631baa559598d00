"""Earlier tests whose outcome means that a branch did not bind a name again: earlier definitions still hold."""

from __future__ import annotations

import ast
from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.guards.path_conditions import about_options, deciding_more
from torchlint.syntax.dominating_conditions import Condition
from torchlint.syntax.elif_chains import blocks_around_chains
from torchlint.syntax.exits import jumps
from torchlint.syntax.facts import facts_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.model.place import Place
    from torchlint.project.dependencies import Table
    from torchlint.syntax.scope import Block, Scope


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A test whose branch was not taken, and what it says about the name."""

    test: Condition
    before: int
    """A definition that starts before this line still holds below the test."""
    is_about: bool
    """Whether the test reads the name that its branch would bind."""
    facts: Mapping[str, bool]
    """The conditions that hold below an `if` that binds the name."""
    options: Mapping[str, bool]
    """Those of them about options that another test may read."""


_ByBlock: TypeAlias = "Mapping[Block, list[tuple[int, PassedOver]]]"


def passed_over(place: Place, name: str) -> tuple[PassedOver, ...]:
    """Return the tests above a place, in its block and enclosing ones, whose branch would have bound a name again."""
    known: Table[tuple[object, object], tuple[PassedOver, ...]] = place.file.past
    asked = place.file.project.library.dependencies
    if (found := known.get((place.statement, name))) is None:
        found = known[place.statement, name] = asked.answered(lambda: tuple(_above(place, name)))
    return asked.recalled(found)


def _above(place: Place, name: str) -> Iterator[PassedOver]:
    known: Table[tuple[object, object], _ByBlock] = place.file.past
    asked = place.file.project.library.dependencies
    if (found := known.get((place.scope, name))) is None:
        found = known[place.scope, name] = asked.answered(lambda: _by_block(place.file, place.scope, name))
    if by_block := asked.recalled(found):
        for block, end in blocks_around_chains(place.file.index, place.statement):
            yield from (one for position, one in by_block.get(block, ()) if position < end)


def _by_block(file: ParsedFile, scope: Scope, name: str) -> _ByBlock:
    found: dict[Block, list[tuple[int, PassedOver]]] = defaultdict(list)
    for one in (*_branches(file, scope, name), *_loops(file, name)):
        block, position = file.index.home[one.test.statement]
        insort(found[block], (position, one), key=itemgetter(0))
    return found


def _branches(file: ParsedFile, scope: Scope, name: str) -> Iterator[PassedOver]:
    """Yield the `if`s with an arm, not taken, that binds a name directly."""
    outcomes: dict[ast.If, bool] = {}
    for binding in scope.bindings.get(name, ()):
        block = file.index.home[binding.statement][0]
        if isinstance(block.owner, ast.If):
            outcomes[block.owner] = outcomes.get(block.owner, True) and block.arm == "orelse"
    for branch, holds in outcomes.items():
        test = Condition(branch.test, holds, branch)
        facts = facts_of([test], scope, file.index)
        options = dict(deciding_more(about_options(facts), file))
        yield PassedOver(test, branch.lineno, name in file.texts_in(branch.test), facts.outcomes, options)


def _loops(file: ParsedFile, name: str) -> Iterator[PassedOver]:
    """Yield the `while` loops that test a name, and ran until the test failed."""
    for loop in file.whiles_asking(name):
        if next(jumps(file.index, loop, ast.Break), None) is None:
            yield PassedOver(Condition(loop.test, False, loop), (loop.end_lineno or loop.lineno) + 1, True, {}, {})
