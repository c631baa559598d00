"""The folders that a file adds to `sys.path`, as far as they are constant.

`sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))`, `sys.path.append("src")`, `pathlib` and names bound
once are evaluated; what depends on the machine is not.
"""

from __future__ import annotations

import ast
import os
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Protocol

from torchlint.project.library import AddedFolders, Library
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Binding

if TYPE_CHECKING:
    from torchlint.syntax.index import Index

# Calls that do not change where a path leads.
_SAME = frozenset({"abspath", "realpath", "normpath", "expanduser", "resolve", "absolute", "str", "Path", "PurePath",
                   "as_posix", "fspath"})  # fmt: skip
# `PATH_MAX` of Linux.
_LONGEST = 4096


class FileAtHand(Protocol):
    """A file with its text and its path."""

    index: Index
    location: Path


def added_folders(file: FileAtHand, library: Library) -> AddedFolders:
    """Return the folders of its project that a file adds to `sys.path`.

    A relative one is relative to the file's own folder or to the root: scripts are run from either.
    """
    before: list[Path] = []
    behind: list[Path] = []
    paths = _Paths(file)
    for name, folders in (("insert", before), ("append", behind)):
        for call, statement in file.index.calls(name):
            if not _is_search_path(file, call.func) or not call.args:
                continue
            texts = (paths.of(one) for one in _given(file, call.args[-1], statement))
            for text in (one for one in texts if one is not None):
                folders += [path for path in _located(file, text, library) if path not in folders]
    return AddedFolders(tuple(before), tuple(behind))


def _given(file: FileAtHand, node: ast.expr, statement: ast.stmt) -> list[ast.expr]:
    """Return what a path may be: each item of a loop, each argument of calls in the file, else itself.

    `def add_path(path): sys.path.insert(0, path)`, and `add_path("lib")`.
    """
    if isinstance(node, ast.Call) and callee_name(node) in _SAME and len(node.args) == 1:
        return _given(file, node.args[0], statement)
    function = file.index.home[statement][0].scope
    name = node.id if isinstance(node, ast.Name) else ""
    match function.bindings.get(name, ()):
        case [Binding(kind="iterate", value=ast.List(elts=paths) | ast.Tuple(elts=paths), selector=())]:
            return paths
        case [Binding(kind="parameter")]:
            position = next(one.position for one in function.parameters if one.name == name)
            given = (passed(call, name, position) for call, _ in file.index.calls(function.name))
            return [one for one in given if one is not None]
        case _:
            return [node]


def _is_search_path(file: FileAtHand, function: ast.expr) -> bool:
    """Tell whether a method is one of `sys.path`, also after `from sys import path`."""
    match function:
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys"), attr="path")):
            return True
        case ast.Attribute(value=ast.Name(id=name)):
            imports = (b.imported for b in file.index.scope.bindings.get(name, ()) if b.imported is not None)
            return any((one.module, one.name) == ("sys", "path") for one in imports)
        case _:
            return False


def _located(file: FileAtHand, text: str, library: Library) -> list[Path]:
    base = library.root
    found = [Path(os.path.normpath(start / text)) for start in (file.location.parent, base)]
    return [path for path in dict.fromkeys(found) if path.is_relative_to(base) and library.is_folder(path)]


class _Paths:
    """The paths that expressions of a file are, relative or not, each computed once; None where one is not constant."""

    def __init__(self, file: FileAtHand) -> None:
        self._file = file
        self._known: dict[ast.expr, str | None] = {}

    def of(self, node: ast.expr) -> str | None:
        """Return the path that an expression is; one that is made of itself, or too long to be one, is none."""
        if node not in self._known:
            self._known[node] = None
            text = self._computed(node)
            self._known[node] = text if text is not None and len(text) <= _LONGEST else None
        return self._known[node]

    def _computed(self, node: ast.expr) -> str | None:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id="__file__"):
                return str(self._file.location)
            case ast.Name():
                value = _held(self._file, node)
                return self.of(value) if value is not None else None
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
                return _joined([self.of(left), self.of(right)], isinstance(op, ast.Div))
            case ast.Attribute(value=value, attr="parent"):
                return _up(self.of(value), 1)
            case ast.Subscript(value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int(steps))):
                return _up(self.of(value), steps + 1)
            case ast.Attribute(attr="pardir"):
                return ".."
            case ast.Call():
                return self._of_call(node)
            case _:
                return None

    def _of_call(self, call: ast.Call) -> str | None:
        """Return the path that a call of `os.path` or of a `Path` returns."""
        name = callee_name(call)
        arguments = [self.of(argument) for argument in call.args]
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        match name:
            case "getcwd" | "cwd":
                return "."
            case "dirname":
                return _up(arguments[0], 1) if arguments else None
            case "join":
                return _joined(arguments, True)
            case "joinpath" if owner is not None:
                return _joined([self.of(owner), *arguments], True)
            case _ if name in _SAME and arguments:
                return _joined(arguments, True)
            case _:
                return self.of(owner) if name in _SAME and owner is not None else None


def _held(file: FileAtHand, name: ast.Name) -> ast.expr | None:
    """Return the value of a name of the file further down, unless a test or loop binds it: the last one assigned."""
    bindings = file.index.scope.bindings.get(name.id, ())
    is_plain = all(one.kind == "assign" and file.index.home[one.statement][0].owner is None for one in bindings)
    if len(bindings) > 1 and not is_plain:
        return None
    before = [one for one in bindings if one.statement.lineno < name.lineno] if len(bindings) > 1 else bindings
    return before[-1].value if before and before[-1].kind == "assign" else None


def _joined(parts: list[str | None], as_paths: bool) -> str | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return str(PurePath(*known)) if as_paths else "".join(known)


def _up(path: str | None, steps: int) -> str | None:
    return str(PurePath(path, *[".."] * steps)) if path is not None else None
