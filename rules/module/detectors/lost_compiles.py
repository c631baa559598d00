"""Unused results of `torch.compile`: a statement of its own, or a local name that is not read again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.model.guards.catching import is_tried
from torchlint.pytorch.symbols import COMPILED
from torchlint.syntax.around import is_self, loops_around
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


@dataclass(frozen=True, slots=True)
class LostCompile:
    """A call of `torch.compile` whose result is never run, and the local name that has it, if any."""

    call: Call
    name: str


def lost_compiles(file: ParsedFile) -> Iterator[LostCompile]:
    """Yield the calls of `torch.compile` in a file whose results are lost, in source order."""
    for call in calls_of(file, frozenset({COMPILED})):
        name = _assigned(call)
        is_of_self = name is not None and is_self(name)
        if not call.arguments or file.displays(call.statement) or (not is_of_self and is_tried(call)):
            continue
        if call.is_statement:
            yield LostCompile(call, "")
        elif name is not None and call.scope.kind == "function" and not _is_read(call, name):
            yield LostCompile(call, name.id)


def _assigned(call: Call) -> ast.Name | None:
    """Return the name that a call alone is assigned to."""
    match call.statement:
        case ast.Assign(targets=[ast.Name() as name], value=value) if value is call.expression:
            return None if name.id.startswith("_") else name
        case _:
            return None


def _is_read(call: Call, name: ast.Name) -> bool:
    """Tell whether a function reads a name after an assignment, except for attributes of `self`.

    `self.eval()` and `self.width` are those of the module itself, compiled or not.
    """
    function = call.scope.node
    repeats = next(loops_around(call), None) is not None
    owners = {id(one.value) for one in walk(function) if isinstance(one, ast.Attribute)} if is_self(name) else set()
    end = call.statement.end_lineno or call.statement.lineno
    for node in walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and name.id in node.names:
            return True
        if not isinstance(node, ast.Name) or node.id != name.id or not isinstance(node.ctx, ast.Load):
            continue
        if (repeats or node.lineno > end) and id(node) not in owners:
            return True
    return False
