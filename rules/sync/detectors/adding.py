"""Where something is added to a value that outlives the step: `total += loss`, `found = torch.cat((found, out))`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.pytorch.dtypes import APPENDING
from torchlint.syntax.arms import arms_of
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import written

from .additions import Addition
from .blending import terms_beside
from .storing import parts_of, stored

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


def added_values(file: ParsedFile) -> Iterator[Addition]:
    """Yield the statements of a file that add to something, a number or a list."""
    for addition in file.index.statements(ast.AugAssign):
        if isinstance(addition.op, ast.Add):
            place = Place(file, addition.target, addition)
            for part in parts_of(addition.value):
                yield Addition(place, place.at(part), written(addition.target))
    for assignment in file.index.statements(ast.Assign):
        yield from _written_out(file, assignment)
    yield from stored(file)


def _written_out(file: ParsedFile, statement: ast.Assign) -> Iterator[Addition]:
    """Yield the addition of `total = total + loss`, or of `seen = [*seen, loss]`."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp() | ast.IfExp() | ast.Call() as value):
            place = Place(file, target, statement)
            terms = terms_beside(value, target)
            for part in (part for term in terms for part in parts_of(term)):
                yield Addition(place, place.at(part), written(target))
            if not terms:
                yield from _joined(file, statement, target)
        case ast.Assign(targets=[target], value=ast.List(elts=items) | ast.Tuple(elts=items)):
            place = Place(file, target, statement)
            if any(isinstance(item, ast.Starred) and written(item.value) == written(target) for item in items):
                yield from (Addition(place, place.at(part), written(target)) for part in parts_of(statement.value))


def _joined(file: ParsedFile, statement: ast.Assign, target: ast.expr) -> Iterator[Addition]:
    """Yield what `found = torch.cat((found, out))` adds, in an arm of `… if … else …` as well."""
    for value in arms_of(statement.value):
        match value:
            case ast.Call(func=function, args=[ast.Tuple(elts=parts) | ast.List(elts=parts), *_]):
                if last_name(function) in APPENDING and written(target) in map(written, parts):
                    place = Place(file, value, statement)
                    added = (part for part in parts if written(part) != written(target))
                    yield from (Addition(place, place.at(part), written(target)) for part in added)
