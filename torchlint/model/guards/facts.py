"""What is sure at a place about tests that were already made on the way to it.

`if args.distributed: model = DDP(model)` and, further down, `else` of another `if args.distributed`: there the first
arm did not run. Tests are told apart by their text, and only while nothing in them was bound anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from typing import TYPE_CHECKING

from torchlint.model.options.option_stores import is_called_options
from torchlint.model.place import Place
from torchlint.model.syntax.conditions import Condition, Iteration
from torchlint.model.syntax.scope import Binding, Scope
from torchlint.model.syntax.walk import walk, written
from torchlint.model.values.frame import Given

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.syntax.index import Index

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_ATTRIBUTES = re.compile(r"\.([^\W\d]\w*)")
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MOST_ARMS = 4
# Each option doubles the questions about what lies behind: `if args.jitter: x = jitter(x)`, and so on for ten others.
_MOST_GIVEN = 2
# In attributes that are made of each other, whoever asks for one comes by the tests of all others, in any order.
_MOST_FOR_OTHERS = 1
# Tests are few, and each of them is asked about from many places.
_MOST_IN_WORDS = 10_000
_MOST_SETS = 10_000


@dataclass(frozen=True, slots=True)
class Facts:
    """Tests by their text, and how they came out."""

    outcomes: Mapping[str, bool]

    def __bool__(self) -> bool:
        return bool(self.outcomes)

    def of(self, test: ast.expr) -> bool | None:
        """Return how a test must come out, given the facts."""
        if not self.outcomes:
            return None
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.of(operand)
                return None if inner is None else not inner
            case ast.BoolOp(op=operator, values=values):
                return self._of_all(values, isinstance(operator, ast.And))
            case _:
                return self._of_atom(test) if _is_stable(test) else None

    def deciding(self, test: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
        """Return the part by which a test came out so, where the facts rule out all others; else the whole.

        Past `mask is not None or size != n`, and behind `mask is None`, it was the size.
        """
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.deciding(operand, not holds)
            case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) is not holds:
                left = [one for one in values if self.of(one) is not (not holds)]
                return self.deciding(left[0], holds) if len(left) == 1 else (test, holds)
            case _:
                return test, holds

    def _of_atom(self, test: ast.expr) -> bool | None:
        text, holds = in_words(test, True)
        outcome = self.outcomes.get(text)
        return None if outcome is None else outcome is holds

    def _of_all(self, values: list[ast.expr], conjunction: bool) -> bool | None:
        parts = [self.of(value) for value in values]
        if any(part is (not conjunction) for part in parts):
            return not conjunction
        return conjunction if all(part is conjunction for part in parts) else None


def facts_at(place: Place) -> Facts:
    """Return what is sure at a place."""
    facts = place.file.facts_at(place.statement, place.expression)
    return Facts({**dict(place.given), **facts.outcomes}) if place.given else facts


def facts_of(conditions: Iterable[Condition | Iteration], scope: Scope, index: Index) -> Facts:
    """Return what conditions make sure, inner ones first."""
    outcomes: dict[str, bool] = {}
    for condition in conditions:
        if isinstance(condition, Condition):
            for test, holds in atoms(condition.test, condition.holds):
                if _is_stable(test) and _is_bound_once(test, scope, index):
                    outcomes.setdefault(*in_words(test, holds))
    return Facts(outcomes)


def facts_here(place: Place) -> Given:
    """Return what is given at a place, and the facts about options that hold there, as they do all through a run."""
    facts = about_options(place.file.facts_at(place.statement, place.expression))
    return given_besides(place.given, deciding_more(facts, place.file))


def deciding_more(facts: Iterable[tuple[str, bool]], file: SourceFile) -> Iterator[tuple[str, bool]]:
    """Yield those of some facts about options of which there may be another test, in this file or in others.

    Whatever comes along makes another question, and an option that is tested but once decides nothing else.
    """
    library = file.project.library
    for text, holds in facts:
        names = _ATTRIBUTES.findall(text)
        if any(len(file.attribute_reads(name)) > 1 or len(library.holding(name)) > 1 for name in names) or not names:
            yield text, holds


def given_besides(given: Given, facts: Iterable[tuple[str, bool]]) -> Given:
    """Return what is given together with more facts, unless they are too many.

    Where one function has a test come out so, and another the same words otherwise, they speak of two things: what was
    given first stays, whichever of the two a set would yield first.
    """
    known = _same(given.union((text, holds) for text, holds in facts if (text, not holds) not in given))
    return known if len(known) <= _MOST_GIVEN else given


@lru_cache(_MOST_SETS)
def _same(given: Given) -> Given:
    """Return facts as the one set that all places have of the same: an empty one alone takes more than a place."""
    return given


def about_options(facts: Facts) -> list[tuple[str, bool]]:
    """Return those of some facts that are about options: `args.distributed`."""
    return [(text, holds) for text, holds in facts.outcomes.items() if is_called_options(text.partition(".")[0])]


def facts_for_others(place: Place, file: SourceFile, *, of_same_object: bool) -> Given:
    """Return the facts that mean the same in another function: those about attributes, such as `args.distributed`.

    What a file has no word of cannot settle anything there, and `self` is somebody else in the methods of another
    object: the fewer facts come along, the more who ask have the same question. Where there are many, those that were
    given first stay.
    """
    found = (
        (text, holds)
        for text, holds in facts_at(place).outcomes.items()
        if "." in text and (of_same_object or "self." not in text) and file.has_attributes_of(text)
    )
    return _same(frozenset(islice(found, _MOST_FOR_OTHERS)))


def atoms(test: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the single tests that a test stands for: `a and not b` holds where `a` does and `b` does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from atoms(operand, not holds)
        case ast.BoolOp(op=operator, values=values) if isinstance(operator, ast.And) is holds:
            for value in values:
                yield from atoms(value, holds)
        case _:
            yield test, holds


@lru_cache(_MOST_IN_WORDS)
def in_words(test: ast.expr, holds: bool) -> tuple[str, bool]:
    """Return a test as text and how it comes out; `rank != 0` is `rank == 0` the other way round."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITES:
            return written(ast.Compare(left, [_OPPOSITES[type(op)]()], [right])), not holds
        case _:
            return written(test), holds


def _is_stable(test: ast.expr) -> bool:
    """Tell whether a test is made of names, attributes, constants and comparisons alone."""
    match test:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value) | ast.UnaryOp(op=ast.USub(), operand=value):
            return _is_stable(value)
        case ast.Compare(left=left, comparators=others):
            return _is_stable(left) and all(_is_stable(other) for other in others)
        case _:
            return False


def _is_bound_once(test: ast.expr, scope: Scope, index: Index) -> bool:
    """Tell whether no name in a test is bound twice in one run: then it means the same wherever it stands."""
    names = (node.id for node in walk(test) if isinstance(node, ast.Name))
    return all(_is_one(scope.bindings.get(name, ()), index) for name in names)


def _is_one(bindings: Sequence[Binding], index: Index) -> bool:
    """Tell whether a run comes to one binding of a name at most: `if alone: n = device_count()`, `else: n = 1`."""
    if len(bindings) <= 1:
        return True
    if len(bindings) > _MOST_ARMS or any(binding.kind != "assign" for binding in bindings):
        return False
    arms = [_arms_around(binding, index) for binding in bindings]
    return all(_part(one, other) for one, other in combinations(arms, 2))


def _arms_around(binding: Binding, index: Index) -> dict[ast.AST, str] | None:
    """Return the arms of `if`s that a binding stands in; None where a loop may come to it again."""
    blocks = [block for block, _ in index.blocks_around(binding.statement)]
    if any(isinstance(block.owner, _LOOPS) for block in blocks):
        return None
    return {block.owner: block.arm for block in blocks if isinstance(block.owner, ast.If)}


def _part(one: dict[ast.AST, str] | None, other: dict[ast.AST, str] | None) -> bool:
    """Tell whether two bindings stand in different arms of the same `if`."""
    return one is not None and other is not None and any(other.get(owner, arm) != arm for owner, arm in one.items())
