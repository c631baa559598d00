"""What a definition may still mean, past tests that would have had its name bound anew."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from torchlint.model.asked import Kept
from torchlint.model.guards.facts import about_options, deciding_more, given_besides
from torchlint.model.guards.narrowing import let_through, takes_module, without_wrappers
from torchlint.model.place import Place
from torchlint.model.syntax.conditions import Condition
from torchlint.model.syntax.exits import jumps
from torchlint.model.syntax.facts import facts_of
from torchlint.model.syntax.scope import Binding, Block, Store
from torchlint.model.training.counters import asks_for_round
from torchlint.model.values.possible import Given, Imported, Possible, Unknown

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class _Survived:
    """What it takes for a definition to hold at a place, whoever calls and whatever the machine has."""

    tests: tuple[Condition, ...] = ()
    """Those about the name that would have had it bound anew."""
    is_never: bool = False
    """Whether the definition itself stands where another is made anyway."""
    facts: Given = frozenset()
    """What is sure where the definition still holds."""
    is_bare: bool = False
    """Whether wrappers were taken off: past `if many: model = model.module`, whatever the test asks."""


_NOTHING = _Survived()
# Each is asked of each possibility; nobody writes so many tests about one name.
_MOST_ABOUT = 16


def survivors(ev: Evaluator, place: Place, definition: Binding, possible: Possible) -> Possible:
    """Return what a definition may still mean at a place, past the tests that would have bound the name anew.

    After `if hasattr(model, "module"): model = model.module` whatever the model was before had nothing inside.
    """
    if all(isinstance(one.value, (Unknown, Imported)) for one in possible):
        return possible
    survived = _survived(place, definition)
    for condition in survived.tests:
        possible = let_through(ev, place, condition, definition.name, possible)
    return without_wrappers(ev, possible) if survived.is_bare else possible


def past_replacing(
    ev: Evaluator, place: Place, text: str, stores: Sequence[Store], store: Store, possible: Possible
) -> Possible:
    """Return what a store may still mean for an attribute at a place, past tests about it that would have replaced it.

    `self.device = torch.device(name)`, `if self.device.type == "cuda" and …: self.device = …`: else it is not that.
    """
    for block, position in place.file.index.blocks_around(place.statement):
        for elder in elders_since(block, position, store.statement):
            if not isinstance(elder, ast.If) or store.statement.lineno > elder.lineno:
                continue
            if text in place.file.texts_in(elder.test) and any(other.statement in elder.body for other in stores):
                possible = let_through(ev, place, Condition(elder.test, False, elder), text, possible)
    return possible


def elders_since(block: Block, position: int, start: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block before a position that do not end before another one starts."""
    first = bisect_left(block.body, start.lineno, hi=position, key=lambda one: one.end_lineno or one.lineno)
    return block.body[first:position]


def past(place: Place, definition: Binding) -> Place | None:
    """Return a place with what is sure there if a definition still holds; None where it never does.

    Behind `if args.distributed: model = model.module`, what the model was before means that the test failed.
    """
    if len(place.scope.bindings.get(definition.name, ())) <= 1:
        return place
    survived = _survived(place, definition)
    if survived.is_never:
        return None
    if not survived.facts:
        return place
    given = given_besides(place.given, survived.facts)
    return Place(place.file, place.expression, place.statement, place.frame, given)


def _survived(place: Place, definition: Binding) -> _Survived:
    known = cast("dict[tuple[ast.stmt, Binding], Kept[_Survived]]", place.file.index.behind)
    asked = place.file.project.library.asked
    if (found := known.get((place.statement, definition))) is None:
        found = known[place.statement, definition] = asked.answered(lambda: _surviving(place, definition))
    return asked.recalled(found)


def _surviving(place: Place, definition: Binding) -> _Survived:
    tests = tuple(islice(_tests_about(place, definition), _MOST_ABOUT))
    bindings = place.scope.bindings.get(definition.name, ())
    skipped = tuple(_skipped(place, definition)) if len(bindings) > 1 else ()
    if not skipped:
        return _Survived(tests) if tests else _NOTHING
    is_unwrapped = definition.name in place.file.unwrapped
    told = (one for one in skipped if not asks_for_round(one.test))
    is_bare = is_unwrapped and any(takes_module(_arm(one), definition.name) for one in told)
    facts = facts_of(skipped, place.scope, place.file.index)
    if definition.kind == "parameter":
        return _Survived(tests, False, _deciding(place, facts.outcomes.items()), is_bare)
    own = place.file.facts_at(definition.statement, definition.value or place.expression).outcomes
    is_never = any(own.get(text, holds) is not holds for text, holds in facts.outcomes.items())
    return _Survived(tests, is_never, _deciding(place, about_options(facts)), is_bare)


def _deciding(place: Place, facts: Iterable[tuple[str, bool]]) -> Given:
    return frozenset(deciding_more(facts, place.file))


def _arm(skipped: Condition) -> list[ast.stmt]:
    """Return the arm that did not run."""
    assert isinstance(skipped.statement, ast.If)
    return skipped.statement.orelse if skipped.holds else skipped.statement.body


def _skipped(place: Place, definition: Binding) -> Iterator[Condition]:
    """Yield the tests that came out so that no arm of theirs bound the name of a definition anew."""
    bound = {binding.statement for binding in place.scope.bindings.get(definition.name, ())}
    owners = {owner for one in bound if isinstance(owner := place.file.index.home[one][0].owner, ast.If)}
    for block, position in place.file.index.blocks_around(place.statement) if owners else ():
        for elder in elders_since(block, position, definition.statement):
            if elder in owners and isinstance(elder, ast.If) and definition.statement.lineno < elder.lineno:
                if not bound.isdisjoint(elder.body):
                    yield Condition(elder.test, False, elder)
                elif not bound.isdisjoint(elder.orelse):
                    yield Condition(elder.test, True, elder)


def _tests_about(place: Place, definition: Binding) -> Iterator[Condition]:
    """Yield the tests about a name that came out so that its definition still held behind them."""
    index = place.file.index
    bound = {binding.statement for binding in place.scope.bindings.get(definition.name, ())}
    for block, position in index.blocks_around(place.statement):
        for elder in elders_since(block, position, definition.statement):
            if not isinstance(elder, (ast.If, ast.While)):
                continue
            if definition.name not in place.file.texts_in(elder.test):
                continue
            if isinstance(elder, ast.While):
                if next(jumps(index, elder, ast.Break), None) is None:
                    yield Condition(elder.test, False, elder)
            elif definition.statement.lineno < elder.lineno:
                if not bound.isdisjoint(elder.body):
                    yield Condition(elder.test, False, elder)
                elif not bound.isdisjoint(elder.orelse):
                    yield Condition(elder.test, True, elder)
