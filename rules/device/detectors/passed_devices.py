"""CUDA devices that a file names and passes on: functions of other files receive them, and request them there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.def_use import uses_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_QUOTED = re.compile(r"""["']cuda""")


def named_devices(file: ParsedFile) -> Iterator[Place]:
    """Yield the strings in a file that start like the name of a CUDA device, in source order."""
    text = file.code
    lines = {text.count("\n", 0, match.start()) + 1 for match in _QUOTED.finditer(text)}
    for statement in sorted(file.index.home, key=lambda one: one.lineno) if lines else ():
        if lines.isdisjoint(_lines_of(statement)):
            continue
        for node, parent in file.parents_in(statement).items():
            if isinstance(node, ast.expr) and not isinstance(parent, ast.Compare) and _names_cuda(node):
                yield Place(file, node, statement)


def _lines_of(statement: ast.stmt) -> range:
    """Return the lines of a statement, its decorators included."""
    above = statement.decorator_list if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) else ()
    first = min(one.lineno for one in (*above, statement))
    return range(first, (statement.end_lineno or statement.lineno) + 1)


def received(ev: Evaluator, device: Place) -> Iterator[Place]:
    """Yield where the functions of other files that receive a device read it, and what they store it in."""
    for use in uses_of(ev, device):
        if use.is_whole and use.place.file is not device.file:
            yield use.place


def is_received(ev: Evaluator, device: Place, argument: Place | None) -> bool:
    """Tell whether an argument is a device of another file because calls passed it there."""
    return argument is not None and any(place.key == argument.key for place in received(ev, device))


def _names_cuda(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text.startswith("cuda")
        case _:
            return False
