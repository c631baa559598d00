"""Edits of programs: of statements in bodies, names, signatures, decorators, classes and imports."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

_One = TypeVar("_One")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Lines: TypeAlias = "list[str]"
_STATEMENTS = (
    "zz = 1",
    "return None",
    "yield 1",
    "loss.backward()",
    "optimizer.step()",
    "self.net = self.net.cuda()",
    "print(loss.item())",
    "raise NotImplementedError",
    "global device; device = 'cuda'",
    "def inner(x): return x.item()",
    "class Inner(Net): pass",
    "import torch.nn as nn",
    "setattr(self, 'net', model)",
    "names = locals()",
    "if __name__ == '__main__': main()",
    "model = torch.nn.DataParallel(model)",
)
_DECORATORS = ("@property", "@staticmethod", "@torch.no_grad()", "@abstractmethod", "@contextmanager")
_MEMBERS = ("training = False", "def to(self, *args): return self", "device = 'cuda'", "def __len__(self): return 1")


def _pick(some: Sequence[_One], where: float) -> _One | None:
    return some[int(where * len(some))] if some else None


def _functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)]


def _inside(tree: ast.Module) -> list[ast.stmt]:
    """Return the statements in the bodies of functions."""
    nodes = (node for function in _functions(tree) for one in function.body for node in ast.walk(one))
    return [node for node in nodes if isinstance(node, ast.stmt)]


def _inserted(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    if (statement := _pick(_inside(tree), where)) is not None:
        lines.insert(statement.lineno - 1, " " * statement.col_offset + (_pick(_STATEMENTS, other) or ""))


def _without(tree: ast.Module, lines: Lines, where: float, _: float) -> None:
    if (statement := _pick(_inside(tree), where)) is not None:
        lines[statement.lineno - 1 : statement.end_lineno] = [" " * statement.col_offset + "pass"]


def _moved_up(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    """Put a statement of a body before another one, wherever that is."""
    one, place = _pick(_inside(tree), where), _pick(_inside(tree), other)
    if one is not None and place is not None and one.lineno == one.end_lineno:
        lines.insert(place.lineno - 1, " " * place.col_offset + lines[one.lineno - 1].strip())


def _with_other_name(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    """Have one place in a body read another name."""
    names = [node for one in _inside(tree) for node in ast.walk(one) if isinstance(node, ast.Name)]
    name, new = _pick(names, where), _pick(names, other)
    if name is not None and new is not None:
        line = lines[name.lineno - 1].encode()
        changed = line[: name.col_offset] + new.id.encode() + line[name.end_col_offset :]
        lines[name.lineno - 1] = changed.decode()


def _renamed(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    """Give a name another one, in the whole file or in one function."""
    names = sorted(set(re.findall(r"[^\W\d]\w+", "\n".join(lines))) - {"def", "class", "import", "from", "return"})
    name, function = _pick(names, where), _pick(_functions(tree), other)
    if name is None:
        return
    end = function.end_lineno if function is not None else None
    for number in range(function.lineno - 1 if function is not None and other > 0.5 else 0, end or len(lines)):
        lines[number] = re.sub(rf"\b{name}\b", "renamed", lines[number])


def _with_parameter(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    if (function := _pick(_functions(tree), where)) is not None:
        new = _pick(("extra=None, ", "x, ", "*, "), other) or ""
        lines[function.lineno - 1] = re.sub(r"(def \w+\()", rf"\1{new}", lines[function.lineno - 1])


def _decorated(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    if (function := _pick(_functions(tree), where)) is not None:
        lines.insert(function.lineno - 1, " " * function.col_offset + (_pick(_DECORATORS, other) or ""))


def _with_member(tree: ast.Module, lines: Lines, where: float, other: float) -> None:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    if (kind := _pick(classes, where)) is not None:
        first = kind.body[0]
        lines.insert(kind.lineno, " " * first.col_offset + (_pick(_MEMBERS, other) or ""))


def _without_import(tree: ast.Module, lines: Lines, where: float, _: float) -> None:
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    if (statement := _pick(found, where)) is not None:
        lines[statement.lineno - 1 : statement.end_lineno] = [" " * statement.col_offset + "pass"]


def _twice(tree: ast.Module, lines: Lines, where: float, _: float) -> None:
    """Define a function again below itself."""
    if (function := _pick(_functions(tree), where)) is not None:
        end = function.end_lineno or function.lineno
        lines[end:end] = lines[function.lineno - 1 : end]


KINDS: tuple[Callable[[ast.Module, Lines, float, float], None], ...] = (
    _inserted,
    _without,
    _moved_up,
    _with_other_name,
    _renamed,
    _with_parameter,
    _decorated,
    _with_member,
    _without_import,
    _twice,
)


def edited(text: str, kind: int, where: float, other: float) -> str:
    """Return a program after an edit of some kind, each `where` from 0 up to 1; the same if it cannot be parsed."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    lines = text.split("\n")
    KINDS[kind](tree, lines, where, other)
    return "\n".join(lines)
