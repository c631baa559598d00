"""Where something is added to what lives on: `total += loss`, `losses.append(loss)`, and where that starts anew.

So does `found = torch.cat((found, out))`; that there is nothing yet in the first round starts nothing anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syntax.last_names import last_name
from torchlint.model.syntax.scope import Scope
from torchlint.model.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile


_JOINING = frozenset({"cat", "concat", "concatenate", "hstack", "vstack"})


@dataclass(frozen=True, slots=True)
class Keeping:
    """A statement that adds a value to something that lives on: a sum, a list."""

    place: Place
    value: Place
    container: str

    @property
    def root(self) -> str:
        """Return the name or the attribute that holds what is added to: `sums` of `sums[..., 0]`."""
        return self.container.partition("[")[0]


def keepings(file: SourceFile) -> Iterator[Keeping]:
    """Yield the statements of a file that add to something, be it a number or a list."""
    for addition in file.index.statements(ast.AugAssign):
        if isinstance(addition.op, ast.Add):
            place = Place(file, addition.target, addition)
            yield Keeping(place, place.at(addition.value), written(addition.target))
    for assignment in file.index.statements(ast.Assign):
        yield from _written_out(file, assignment)
    for call, statement in file.index.calls("append"):
        if isinstance(call.func, ast.Attribute) and len(call.args) == 1:
            place = Place(file, call, statement)
            yield Keeping(place, place.at(call.args[0]), written(call.func.value))


def _written_out(file: SourceFile, statement: ast.Assign) -> Iterator[Keeping]:
    """Yield the addition that `total = total + loss` is."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            text = written(target)
            place = Place(file, target, statement)
            # Long sums are not written out to see that they are no name.
            if type(left) is type(target) and text == written(left):
                yield Keeping(place, place.at(right), text)
            elif type(right) is type(target) and text == written(right):
                yield Keeping(place, place.at(left), text)
        case ast.Assign(targets=[target], value=ast.Call() | ast.IfExp()):
            yield from _joined(file, statement, target)


def _joined(file: SourceFile, statement: ast.Assign, target: ast.expr) -> Iterator[Keeping]:
    """Yield what `found = torch.cat((found, out))` adds, in an arm of `… if … else …` as well."""
    arms = [statement.value.body, statement.value.orelse] if isinstance(statement.value, ast.IfExp) else []
    for value in arms or [statement.value]:
        match value:
            case ast.Call(func=function, args=[ast.Tuple(elts=parts) | ast.List(elts=parts), *_]):
                if last_name(function) in _JOINING and written(target) in map(written, parts):
                    place = Place(file, value, statement)
                    added = (part for part in parts if written(part) != written(target))
                    yield from (Keeping(place, place.at(part), written(target)) for part in added)


def is_reset(file: SourceFile, scope: Scope, loop: ast.stmt | None, keeping: Keeping) -> bool:
    """Tell whether a loop (or function) starts the sum or list anew, or empties it."""
    for statement in resets(file, keeping.root):
        if statement is keeping.place.statement or file.index.home[statement][0].scope is not scope:
            continue
        if _is_start(file, statement, keeping):
            continue
        if loop is None or _is_inside(file, statement, loop):
            return True
    return False


def _is_start(file: SourceFile, statement: ast.stmt, keeping: Keeping) -> bool:
    """Tell whether a value is given where there is none yet: `if found is None: found = out`, `else:` add to it."""
    block, _ = file.index.home[statement]
    match block.owner:
        case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=asked)):
            return written(asked) == keeping.root
        case ast.If(test=ast.Compare(left=asked, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)])):
            return written(asked) == keeping.root
        case ast.If(test=ast.Compare(left=ast.Call(func=ast.Name(id="len"), args=[asked]))):
            return written(asked) == keeping.root
        case _:
            return False


def resets(file: SourceFile, name: str) -> Iterator[ast.stmt]:
    """Yield the statements that give a name another value, or empty what it holds."""
    for assignment in file.index.statements(ast.Assign):
        if any(written(target) == name for target in assignment.targets):
            yield assignment
    for annotated in file.index.statements(ast.AnnAssign):
        if annotated.value is not None and written(annotated.target) == name:
            yield annotated
    for call, statement in file.index.calls("clear"):
        if isinstance(call.func, ast.Attribute) and written(call.func.value) == name:
            yield statement


def _is_inside(file: SourceFile, statement: ast.stmt, loop: ast.stmt) -> bool:
    return any(block.owner is loop for block, _ in file.index.blocks_around(statement))
