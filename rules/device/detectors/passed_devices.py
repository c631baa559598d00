"""CUDA devices that a file names and passes on: functions of other files receive them, and request them there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.def_use import every_use_of, uses_of

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
            if isinstance(node, ast.expr) and not isinstance(parent, ast.Compare) and names_cuda(node):
                yield Place(file, node, statement)


def _lines_of(statement: ast.stmt) -> range:
    """Return the lines of a statement, its decorators included."""
    above = statement.decorator_list if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) else ()
    first = min(one.lineno for one in (*above, statement))
    return range(first, (statement.end_lineno or statement.lineno) + 1)


@dataclass(slots=True)
class Receipts:
    """Where the functions of other files that receive a device read it, and what they store it in."""

    reads: dict[ParsedFile, set[tuple[object, ...]]] = field(default_factory=dict)
    is_every: bool = True
    """There are no more than those that were followed."""

    def has(self, argument: Place | None) -> bool:
        """Tell whether an argument that is the device is what was received; it is where not all reads were followed."""
        return argument is not None and (not self.is_every or argument.key in self.reads.get(argument.file, ()))


def receipts(ev: Evaluator, starts: Iterable[Place]) -> Receipts:
    """Follow a device from where it is read to what other files receive."""
    found = Receipts()
    for start in starts:
        uses = every_use_of(ev, start)
        found.is_every = found.is_every and uses is not None
        followed = (use.place for use in uses or uses_of(ev, start) if use.is_whole)
        for place in (one for one in followed if one.file is not start.file):
            found.reads.setdefault(place.file, set()).add(place.key)
    return found


def names_cuda(node: ast.expr) -> bool:
    """Tell whether an expression is a string that starts like the name of a CUDA device."""
    match node:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text.startswith("cuda")
        case _:
            return False
