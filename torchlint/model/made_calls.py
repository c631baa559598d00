"""The calls that the body of a loop or a function makes, told apart by who says what is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.parameters import frame_for
from torchlint.model.place import Place
from torchlint.model.values import Function

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile


def calls_in(file: SourceFile, loop: ast.stmt) -> Iterator[Place]:
    """Yield the calls in the body of a loop, those of functions defined there left out."""
    scope = file.index.home[loop][0].scope
    for call, statement in file.calls_in_scope(scope):
        if any(block.owner is loop and block.arm == "body" for block, _ in file.index.blocks_around(statement)):
            yield Place(file, call, statement)


def own_calls(function: Function, *, is_open: bool) -> Iterator[Place]:
    """Yield the calls that a function makes; of what it is given itself only where nobody knows who gives it."""
    for call, statement in function.file.calls_in_scope(function.scope):
        if is_open or not _is_of_parameter(function, call):
            yield Place(function.file, call, statement)


def calls_of_parameters(function: Function, call: Place) -> Iterator[Place]:
    """Yield the calls of what a function is given, as one caller gives it."""
    frame = frame_for(call, function, most=2)
    for inner, statement in function.file.calls_in_scope(function.scope):
        if _is_of_parameter(function, inner):
            yield Place(function.file, inner, statement, frame)


def _is_of_parameter(function: Function, call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and any(one.name == call.func.id for one in function.scope.parameters)
