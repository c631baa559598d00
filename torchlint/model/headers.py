"""The places that stand for statements: what a loop goes over, the name of a function or class."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope


def header(file: ParsedFile, loop: LoopNode) -> Place:
    """Return the place that stands for a loop: what it iterates over, or its test."""
    return Place(file, loop.test if isinstance(loop, ast.While) else loop.iter, loop)


def name_of(file: ParsedFile, scope: Scope) -> Place:
    """Return the place that stands for a function or class: its name."""
    assert isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    node = scope.node
    start = node.col_offset + len(_keyword(node))
    end = start + len(node.name.encode())
    name = ast.Name(
        node.name, ast.Load(), lineno=node.lineno, col_offset=start, end_lineno=node.lineno, end_col_offset=end
    )
    return Place(file, name, node)


def _keyword(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        return "class "
    return "async def " if isinstance(node, ast.AsyncFunctionDef) else "def "
