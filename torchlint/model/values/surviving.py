"""What a definition may still mean, past tests whose branch would have bound its name again."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from torchlint.model.guards.narrowing import let_through, told_bare
from torchlint.model.guards.path_conditions import deciding_more, given_besides
from torchlint.model.guards.taken_modules import takes_module
from torchlint.model.place import Place
from torchlint.model.training.counters import tests_iteration
from torchlint.model.values.passed_over import passed_over
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Frame, Imported, Unknown, ValueSet
from torchlint.syntax.dominating_conditions import Condition
from torchlint.syntax.facts import Given, contradict
from torchlint.syntax.scope import Binding, Block, Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.project.dependencies import Table


@dataclass(frozen=True, slots=True, eq=False)
class _Tests:
    """The tests about a name that a definition survives: one object for all reads past the same tests."""

    name: str
    all: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class _Survived:
    """The conditions under which a definition holds at a place, in any call context and on any machine."""

    tests: _Tests | None = None
    """The tests about the name whose branch would have bound it again."""
    is_never: bool = False
    """Whether the definition itself is where another is made anyway."""
    facts: Given = frozenset()
    """The conditions that hold if the definition still does."""
    telling: _Tests | None = None
    """The tests with which it was no wrapper: past `if many: model = model.module`, whatever they read."""


_NOTHING = _Survived()
_NONE: ValueSet = ()
# Each is asked of each possibility; programs have fewer tests about one name.
_MOST_ABOUT = 16


def survivors(ev: Evaluator, place: Place, definition: Binding, possible: ValueSet) -> ValueSet:
    """Return what a definition may still mean at a place, past tests whose branch would have bound the name again.

    After `if hasattr(model, "module"): model = model.module` an earlier value of `model` has no such attribute.
    """
    survived = _survived(place, definition)
    if survived is _NOTHING or all(isinstance(one.value, (Unknown, Imported)) for one in possible):
        return possible
    if survived.tests is not None:
        possible = _let_by(ev, place.file, survived.tests, place.frame, place.given, possible)
    for condition in survived.telling.all if survived.telling is not None else ():
        test = Place(place.file, condition.test, condition.statement, place.frame, place.given)
        possible = told_bare(ev, test, condition, definition.name, possible)
    return possible


@tabled(_NONE)
def _let_by(
    ev: Evaluator, file: ParsedFile, tests: _Tests, frame: Frame | None, given: Given, possible: ValueSet
) -> ValueSet:
    """Return what a name may still mean past tests: a definition passes the same tests to many reads."""
    for condition in tests.all:
        test = Place(file, condition.test, condition.statement, frame, given)
        possible = let_through(ev, test, condition, tests.name, possible)
    return possible


def past_replacing(
    ev: Evaluator, place: Place, text: str, stores: Sequence[Store], store: Store, possible: ValueSet
) -> ValueSet:
    """Return what a store may still mean for an attribute at a place, past tests whose branch would have replaced it.

    `self.device = torch.device(name)`, `if self.device.type == "cuda" and …: self.device = …`: else it is not that.
    """
    for block, position in place.file.index.blocks_around(place.statement):
        for earlier in earlier_since(block, position, store.statement):
            if not isinstance(earlier, ast.If) or store.statement.lineno > earlier.lineno:
                continue
            if text in place.file.texts_in(earlier.test) and any(other.statement in earlier.body for other in stores):
                possible = let_through(ev, place, Condition(earlier.test, False, earlier), text, possible)
    return possible


def earlier_since(block: Block, position: int, start: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block before a position that end after the start of another one."""
    first = bisect_left(block.body, start.lineno, hi=position, key=lambda one: one.end_lineno or one.lineno)
    return block.body[first:position]


def past(place: Place, definition: Binding) -> Place | None:
    """Return a place with the conditions under which a definition still holds; None if it never does.

    After `if args.distributed: model = model.module`, the earlier value of `model` means that the test failed.
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
    known: Table[tuple[object, object], _Survived] = place.file.past
    asked = place.file.project.library.dependencies
    if (found := known.get((place.statement, definition))) is None:
        found = known[place.statement, definition] = asked.answered(lambda: _surviving(place, definition))
    return asked.recalled(found)


def _surviving(place: Place, definition: Binding) -> _Survived:
    line = definition.statement.lineno
    over = [one for one in passed_over(place, definition.name) if line < one.before]
    tests = _shared(place.file, definition, tuple([one.test for one in over if one.is_about][:_MOST_ABOUT]))
    skipped = [one for one in over if isinstance(one.test.statement, ast.If)]
    if not skipped or len(place.scope.bindings.get(definition.name, ())) <= 1:
        return _Survived(tests) if tests is not None else _NOTHING
    is_unwrapped = definition.name in place.file.unwrapped
    with_step = (one.test for one in skipped if not tests_iteration(one.test.test))
    unwrapping = [one for one in with_step if takes_module(_arm(one), definition.name)] if is_unwrapped else []
    telling = _shared(place.file, definition, tuple(unwrapping))
    facts: dict[str, bool] = {}
    options: dict[str, bool] = {}
    for one in reversed(skipped):
        facts |= one.facts
        options |= one.options
    if definition.kind == "parameter":
        return _Survived(tests, False, frozenset(deciding_more(facts.items(), place.file)), telling)
    own = place.file.facts_at(definition.statement, definition.value or place.expression).outcomes
    return _Survived(tests, contradict(own, facts), frozenset(options.items()), telling)


def _shared(file: ParsedFile, definition: Binding, tests: tuple[Condition, ...]) -> _Tests | None:
    known = cast("dict[tuple[Binding, tuple[Condition, ...]], _Tests]", file.index.behind)
    return known.setdefault((definition, tests), _Tests(definition.name, tests)) if tests else None


def _arm(skipped: Condition) -> list[ast.stmt]:
    """Return the arm that did not run."""
    assert isinstance(skipped.statement, ast.If)
    return skipped.statement.orelse if skipped.holds else skipped.statement.body
