"""What a name is when an operation first runs, without what is bound below the operation in a loop.

`h = torch.zeros(…)` above a loop and `h = cell(x, h)` in it: the first iteration has the zeros, and raises if these are
on another device than the cell, so that there is no second one.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.values.naming import any_of
from torchlint.syntax.layout import layout_of
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import ValueSet
    from torchlint.syntax.scope import Binding

_MAYBE = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def at_first(ev: Evaluator, place: Place, operation: Place) -> ValueSet:
    """Return what an operand of an operation may be before that has run for the first time."""
    name = place.expression.id if isinstance(place.expression, ast.Name) else ""
    bindings = place.scope.bindings.get(name, ())
    if len(bindings) < 2 or name in place.scope.outside or place.statement is not operation.statement:
        return ev.evaluate(place)
    if not _is_any_after(operation, bindings) or _may_be_skipped(operation):
        return ev.evaluate(place)
    # A test may have another outcome in this iteration than in the one before: `if step == 0:`.
    reached = reaching(place.file.index, bindings, place.statement, lambda *_: None)
    first = tuple(one for one in reached.definitions if not _is_after(operation, one))
    return ev.evaluate(place) if reached.open or not first else any_of(ev, place, first)


def _is_any_after(operation: Place, bindings: Sequence[Binding]) -> bool:
    """Tell whether any of a variable's bindings runs only after the statement of an operation."""
    index = operation.file.index
    block, position = index.home[operation.statement]
    return next(layout_of(index, bindings).backwards(block, None, position), None) is not None


def _is_after(operation: Place, binding: Binding) -> bool:
    """Tell whether a binding runs only after the statement of an operation: it, in it, or below it."""
    index = operation.file.index
    if binding.statement not in index.home or binding.kind == "parameter":
        return False
    block, position = index.home[operation.statement]
    return any(one is block and at >= position for one, at in index.blocks_around(binding.statement))


def _may_be_skipped(operation: Place) -> bool:
    """Tell whether a statement may run without an operation that is in it."""
    parents = operation.file.parents_in(operation.statement)
    child: ast.AST = operation.expression
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, _MAYBE):
            return True
        child = parent
    return isinstance(operation.statement, (ast.Match, ast.Assert))
