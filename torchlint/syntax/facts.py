"""The facts that follow from dominating conditions, by the text of the tests.

`if args.distributed: model = DDP(model)` and, further down, `else` of another `if args.distributed`: there the first
arm did not run. Facts hold only while nothing in the tests is bound again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.scope import Binding, Scope
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.syntax.index import Index

Given: TypeAlias = "frozenset[tuple[str, bool]]"
"""Facts that are assumed, as a key: the text of each test, and its outcome."""
NOTHING_GIVEN: Given = frozenset()

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MOST_ARMS = 4
# Tests are few, and each of them is read for many places.
_MOST_IN_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class Facts:
    """Tests by their text, with their outcomes."""

    outcomes: Mapping[str, bool]

    def __bool__(self) -> bool:
        return bool(self.outcomes)

    def of(self, test: ast.expr) -> bool | None:
        """Return the outcome of a test, given the facts."""
        if not self.outcomes:
            return None
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.of(operand)
                return None if inner is None else not inner
            case ast.BoolOp(op=operator, values=values):
                return self._of_all(values, isinstance(operator, ast.And))
            case _:
                return self._of_atom(test)

    def deciding(self, test: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
        """Return the part that decided a test, if the facts rule out all others; else the whole.

        Past `mask is not None or size != n`, and under `mask is None`, it was the size.
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
        # Most tests are about something else, whatever they consist of.
        if (outcome := self.outcomes.get(text)) is None or not _is_stable(test):
            return None
        return outcome is holds

    def _of_all(self, values: list[ast.expr], conjunction: bool) -> bool | None:
        parts = [self.of(value) for value in values]
        if any(part is (not conjunction) for part in parts):
            return not conjunction
        return conjunction if all(part is conjunction for part in parts) else None


def is_of_parts(test: ast.expr, holds: bool) -> bool:
    """Tell whether different parts may have decided a test: `a or b` that holds, `a and b` that does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_of_parts(operand, not holds)
        case ast.BoolOp(op=op):
            return isinstance(op, ast.And) is not holds
        case _:
            return False


def facts_of(conditions: Iterable[Condition | Iteration], scope: Scope, index: Index) -> Facts:
    """Return the facts that follow from conditions, inner ones first."""
    outcomes: dict[str, bool] = {}
    for condition in conditions:
        if isinstance(condition, Condition):
            for test, holds in atoms(condition.test, condition.holds):
                if _is_stable(test) and _is_bound_once(test, scope, index):
                    outcomes.setdefault(*in_words(test, holds))
    return Facts(outcomes)


def atoms(test: ast.expr, holds: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the single tests of a test: `a and not b` holds if `a` does and `b` does not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from atoms(operand, not holds)
        case ast.BoolOp(op=operator, values=values) if isinstance(operator, ast.And) is holds:
            for value in values:
                yield from atoms(value, holds)
        case _:
            yield test, holds


def contradict(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Tell whether two mappings have different values for a key."""
    return len(one.keys() & other.keys()) > len(one.items() & other.items())


@lru_cache(_MOST_IN_WORDS)
def in_words(test: ast.expr, holds: bool) -> tuple[str, bool]:
    """Return a test as text, and its outcome; `rank != 0` is `rank == 0` with the opposite outcome."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPPOSITES:
            return written(ast.Compare(left, [_OPPOSITES[type(op)]()], [right])), not holds
        case _:
            return written(test), holds


def _is_stable(test: ast.expr) -> bool:
    """Tell whether a test consists of names, attributes, constants and comparisons alone."""
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
    """Tell whether no name in a test is bound twice in one run: then it means the same everywhere."""
    names = (node.id for node in walk(test) if isinstance(node, ast.Name))
    return all(_is_one(scope.bindings.get(name, ()), index) for name in names)


def _is_one(bindings: Sequence[Binding], index: Index) -> bool:
    """Tell whether a run executes at most one binding of a name: `if alone: n = device_count()`, `else: n = 1`."""
    if len(bindings) <= 1:
        return True
    if len(bindings) > _MOST_ARMS or any(binding.kind != "assign" for binding in bindings):
        return False
    arms = [_arms_around(binding, index) for binding in bindings]
    return all(_part(one, other) for one, other in combinations(arms, 2))


def _arms_around(binding: Binding, index: Index) -> dict[ast.AST, str] | None:
    """Return the arms of `if`s around a binding; None if a loop may execute it again."""
    blocks = [block for block, _ in index.blocks_around(binding.statement)]
    if any(isinstance(block.owner, _LOOPS) for block in blocks):
        return None
    return {block.owner: block.arm for block in blocks if isinstance(block.owner, ast.If)}


def _part(one: dict[ast.AST, str] | None, other: dict[ast.AST, str] | None) -> bool:
    """Tell whether two bindings are in different arms of the same `if`."""
    return one is not None and other is not None and any(other.get(owner, arm) != arm for owner, arm in one.items())
