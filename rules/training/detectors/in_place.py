"""What changes a tensor in place, by its syntax: `w -= 1`, `w[0] = 1`, `w.fill_(1)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import method_calls_of
from torchlint.model.place import Place
from torchlint.pytorch.in_place import CHANGING
from torchlint.syntax.indices import parts_of
from torchlint.syntax.last_names import root_of

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


def changes_in_place(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield what changes something in place, each with what is changed, by its syntax."""
    for statement in file.index.statements(ast.AugAssign):
        # Tensors have no `@=` of their own: it makes another.
        if not isinstance(statement.op, ast.MatMult) and (changed := _whole(statement.target)) is not None:
            place = Place(file, statement.target, statement)
            yield place, place.at(changed)
    for assignment in file.index.statements(ast.Assign):
        for target in assignment.targets:
            if isinstance(target, ast.Subscript) and (changed := _whole(target)) is not None:
                place = Place(file, target, assignment)
                yield place, place.at(changed)
    for call in method_calls_of(file, CHANGING):
        if call.owner is not None and (changed := _viewed(call.owner.expression)) is not None:
            yield call, call.at(changed)


def _whole(target: ast.expr) -> ast.expr | None:
    """Return what is changed in part: `w` of `w[0] = 1` and of `w[0] += 1`; with a string as key it is no tensor."""
    while isinstance(target, ast.Subscript):
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            return None
        target = target.value
    return target


def _viewed(node: ast.expr) -> ast.expr | None:
    """Return the receiver that a method changes, itself or a part: any but plain indices make a copy."""
    while isinstance(node, ast.Subscript):
        if not _is_plain(node.slice):
            return None
        node = node.value
    return node if root_of(node) is not node or isinstance(node, ast.Name) else None


def _is_plain(index: ast.expr) -> bool:
    return all(isinstance(part, (ast.Slice, ast.Constant)) for part in parts_of(index))
