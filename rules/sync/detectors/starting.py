"""Where a sum or a list is reset, is emptied, or holds no more than the last few.

The initialization in the first iteration is no reset.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Literal
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written

from .additions import Addition
from .detaching import detached_in

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

# Moving averages and windows need no more.
_LONGEST_WINDOW = 1000
_EMPTYING = frozenset({"clear", "pop", "popleft", "popitem", "detach_"})


def is_reset(file: ParsedFile, scope: Scope, loop: ast.stmt | None, addition: Addition) -> bool:
    """Tell whether a loop (or function) resets the sum or list, or empties it."""
    if _is_bounded(file, addition.root):
        return True
    emptied = (resets(file, addition.root), _bound_in(scope, addition.name), detached_in(file, scope, addition))
    for statement in chain.from_iterable(emptied):
        if statement is addition.place.statement or file.index.home[statement][0].scope is not scope:
            continue
        if _is_start(file, statement, addition):
            continue
        if loop is None or statement is loop or _is_inside(file, statement, loop):
            return True
    return False


def resets(file: ParsedFile, root: str) -> Iterator[ast.stmt]:
    """Yield the statements that rebind a name, or the object that it is an attribute of, or empty its value."""
    for name in accumulate(root.split("."), "{}.{}".format):
        for assigned in file.assigned(name):
            if name == root or not (isinstance(assigned, ast.Assign) and _is_other_name(assigned.value)):
                yield assigned
    for deletion in file.index.statements(ast.Delete):
        if any(_is_of(target, root) for target in deletion.targets):
            yield deletion
    last = root.rpartition(".")[2]
    for call, statement in file.calls_on(last if last.isidentifier() else ""):
        if isinstance(call.func, ast.Attribute) and call.func.attr in _EMPTYING and written(call.func.value) == root:
            yield statement


def _bound_in(scope: Scope, name: str) -> Iterator[ast.stmt]:
    """Yield where a function rebinds a name: as the target of a loop, as a part of a tuple."""
    for binding in scope.bindings.get(name, ()):
        if binding.kind in {"iterate", "enter"} or (binding.kind == "assign" and not _is_other_name(binding.value)):
            yield binding.statement


def _is_other_name(value: ast.expr | None) -> bool:
    """Tell whether a value exists already, and lives on: `meter = self.meter`."""
    return isinstance(value, (ast.Name, ast.Attribute))


def _is_of(target: ast.expr, root: str) -> bool:
    """Tell whether `del losses`, `del losses[0]` or `del losses[:]` removes from something."""
    return written(target.value if isinstance(target, ast.Subscript) else target) == root


def _is_bounded(file: ParsedFile, root: str) -> bool:
    """Tell whether something is a queue that drops the first item when it is full: `deque(maxlen=10)`.

    One that is known to be longer than any window holds the results of a whole training.
    """
    for statement in file.assigned(root):
        match statement.value:
            case ast.Call(func=function) as call if last_name(function) == "deque":
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                limit = passed(call, "maxlen", 1)
                if limit is not None and root in map(written, targets):
                    return not _is_long(Place(file, limit, statement))
    return False


def _is_long(limit: Place) -> bool:
    lengths = [one.value for one in limit.file.project.evaluator(ANYWHERE).evaluate(limit)]
    return bool(lengths) and all(
        isinstance(one, Literal) and isinstance(one.value, int) and one.value > _LONGEST_WINDOW for one in lengths
    )


def _is_start(file: ParsedFile, statement: ast.stmt, addition: Addition) -> bool:
    """Tell whether a value is assigned where there is none yet: `if found is None: found = out`, `else:` add to it."""
    block, _ = file.index.home[statement]
    match block.owner:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=asked)):
            return written(asked) == addition.root
        case ast.If(test=ast.Compare(left=asked, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)])):
            return written(asked) == addition.root
        case ast.If(test=ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[asked]))):
            return written(asked) == addition.root
        case _:
            return False


def _is_inside(file: ParsedFile, statement: ast.stmt, loop: ast.stmt) -> bool:
    return any(block.owner is loop for block, _ in file.index.blocks_around(statement))
