"""Names that each iteration of a loop clears and some assign: `image = None`, `if i % 100 == 0: image = draw()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.syntax.arms import arms_of
from torchlint.syntax.exits import loops_of
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def found_full(test: ast.expr, holds: bool) -> ast.Name | None:
    """Return the name that is not None if a test has this outcome: `image is not None`, or `image` itself."""
    match test:
        case ast.Name() if holds:
            return test
        case ast.Compare(left=ast.Name() as name, ops=[op], comparators=[ast.Constant(value=None)]):
            return name if isinstance(op, (ast.IsNot, ast.NotEq) if holds else (ast.Is, ast.Eq)) else None
        case _:
            return None


def filled_in_iteration(ev: Evaluator, name: Place) -> list[Place]:
    """Return the values of a name that every iteration clears before; nothing if it may keep one for long."""
    values = _values(ev, name)
    empty = [one for one in values if _is_none(one.expression)]
    filled = [one for one in values if not _is_none(one.expression)]
    is_emptied = all(any(_empties(none, one, name) for none in empty) for one in filled)
    return filled if is_emptied else []


def _values(ev: Evaluator, name: Place) -> list[Place]:
    """Return what a name may have been assigned, each arm of a choice separately; nothing if it is bound otherwise."""
    assert isinstance(name.expression, ast.Name)
    bindings = name.scope.bindings.get(name.expression.id, ())
    reached = reaching(name.file.index, bindings, name.statement, ev.decide(name)).definitions
    if any(one.kind != "assign" or one.value is None or one.selector for one in reached):
        return []
    whole = [Place(name.file, one.value, one.statement) for one in reached if one.value is not None]
    return [place.at(arm) for place in whole for arm in arms_of(place.expression)]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _empties(none: Place, filled: Place, test: Place) -> bool:
    """Tell whether an iteration that assigns a name clears it first, or else, before a test of it."""
    index = test.file.index
    if next(loops_of(index, none.statement), None) is not next(loops_of(index, filled.statement), None):
        return False
    around = [block for block, _ in index.blocks_around(test.statement)]
    block = index.home[none.statement][0]
    if block in around:
        return True
    branches = [other.owner for other, _ in index.blocks_around(filled.statement) if isinstance(other.owner, ast.If)]
    return isinstance(block.owner, ast.If) and block.owner in branches and index.home[block.owner][0] in around
