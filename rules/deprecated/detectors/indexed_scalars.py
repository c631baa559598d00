"""`loss.data[0]`, which was the number of a loss until losses became scalars, and `total[0]` of their sum.

That came with 0.4, which warned, and raises IndexError since 1.0.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.options.versions import may_be_from
from torchlint.model.place import Place
from torchlint.pytorch.dimensions import KEEPING_DIMENSIONS, SCALAR_INDEX_RAISES

from .prepared import is_prepared
from .zero_dimensional import has_no_dimension

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class IndexedScalar:
    """The whole of `loss.data[0]`, or of `loss.detach().cpu().numpy()[0]`."""

    place: Place
    scalar: Place
    """What it begins with: `loss.data` or `loss`, or the name of a sum of these."""
    is_number: bool
    """Whether what is indexed is a number of Python."""

    @property
    def edit(self) -> Edit:
        """Return the edit that reads the number: `loss.item()`."""
        match self.scalar.expression:
            case ast.Attribute(attr="data"):
                return self.scalar.edits.without_word(self.place, ".item()")
            case _:
                return self.place.edits.replace(f"{self.scalar.text}.item()")


def indexed_scalars(ev: Evaluator, file: ParsedFile) -> Iterator[IndexedScalar]:
    """Yield where a file indexes what is surely a scalar, if its project may run with a PyTorch that has scalars."""
    if not may_be_from(file, "torch", SCALAR_INDEX_RAISES):
        return
    for node, statement in file.index.expressions(ast.Subscript):
        if not isinstance(node.slice, ast.Constant) or node.slice.value != 0 or not isinstance(node.ctx, ast.Load):
            continue
        place = Place(file, node, statement)
        indexed = place.at(node.value)
        scalar = indexed if _is_sum(indexed) else _copied(indexed)
        if scalar is not None and has_no_dimension(ev, scalar) and not is_prepared(ev, place):
            yield IndexedScalar(place, scalar, _is_called(indexed, "tolist"))


def _is_sum(place: Place) -> bool:
    """Tell whether something is added to the name of an expression: `total += loss.data`."""
    match place.expression:
        case ast.Name(id=name):
            return any(one.kind == "augment" for one in place.scope.bindings.get(name, ()))
        case _:
            return False


def _copied(place: Place) -> Place | None:
    """Return what an expression copies: `loss.data` of `loss.data.cpu()`, `loss` of `loss.detach().numpy()`."""
    match place.expression:
        case ast.Attribute(attr="data"):
            return place
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in KEEPING_DIMENSIONS:
            return _copied(place.at(value)) or place.at(value)
        case _:
            return None


def _is_called(place: Place, method: str) -> bool:
    match place.expression:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name == method
        case _:
            return False
