"""Which lines of a program are executed: a probe is inserted before the statements with them."""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import cast

from torchlint.verify.replacing import replace

_NAME = "__torchlint_reached__"


class Probes:
    """Lines of a program, by number: which of them were executed, and which of their files were loaded."""

    def __init__(self, lines: Sequence[tuple[str, int]]) -> None:
        self.reached: set[int] = set()
        self.loaded: set[str] = set()
        self._wanted: dict[str, dict[int, int]] = {}
        for number, (path, line) in enumerate(lines):
            self._wanted.setdefault(os.path.realpath(path), {})[line] = number

    def compile(self, source: bytes, path: str) -> CodeType:
        """Compile a file with probes at its lines; every node keeps its position."""
        wanted = self._wanted.get(os.path.realpath(path))
        if wanted is None:
            return compile(source, path, "exec", dont_inherit=True)
        self.loaded.add(os.path.realpath(path))
        return compile(_Marker(wanted).visit(ast.parse(source)), path, "exec", dont_inherit=True)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Insert the probes in imported files, too."""
        own_get_code = SourceFileLoader.get_code

        def get_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
            path = loader.get_filename(fullname)
            # Without the cached bytecode: code with probes must not get into it.
            if os.path.realpath(path) in self._wanted:
                return self.compile(loader.get_data(path), path)
            return own_get_code(loader, fullname)

        with ExitStack() as stack:
            replace(stack, builtins, _NAME, self.reached)
            replace(stack, SourceFileLoader, "get_code", get_code)
            yield


class _Marker(ast.NodeTransformer):
    """Inserts `__torchlint_reached__.add(number)` before each statement with a wanted line."""

    def __init__(self, wanted: dict[int, int]) -> None:
        self._wanted = wanted

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                setattr(node, field, list(self._marked(block)))
        return node

    def _marked(self, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        for statement in block:
            for line in _own_lines(statement):
                if line in self._wanted:
                    yield _mark(self._wanted[line], statement)
            yield statement


def _own_lines(statement: ast.stmt) -> range:
    """Return the lines of a statement; of a compound one, those of its header."""
    body = cast("list[ast.stmt]", getattr(statement, "body", []))  # compound statements have one
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _mark(number: int, at: ast.stmt) -> ast.stmt:
    mark = ast.parse(f"{_NAME}.add({number})").body[0]
    for node in ast.walk(mark):
        if isinstance(node, (ast.stmt, ast.expr)):
            ast.copy_location(node, at)
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    return mark
