"""`loss.data[0]`, which was the number of a loss until losses became scalars, and `total[0]` of their sum.

That came with 0.4, which warned, and raises IndexError since 1.0: https://github.com/pytorch/pytorch/releases/tag/v0.4.0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place

from .prepared import is_prepared
from .zero_dimensional import has_no_dimension

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.interface import Evaluator, ParsedFile

_ELSEWHERE = frozenset({"cpu", "cuda", "detach", "numpy"})


@dataclass(frozen=True, slots=True)
class IndexedScalar:
    """The whole of `loss.data[0]`, or of `loss.data.cpu()[0]`."""

    place: Place
    data: Place
    """What it begins with: `loss.data`, or the name of a sum of these."""

    @property
    def edit(self) -> Edit:
        """Return the edit that reads the number: `loss.item()`."""
        if isinstance(self.data.expression, ast.Attribute):
            return self.data.edits.without_word(self.place, ".item()")
        return self.place.edits.replace(f"{self.data.text}.item()")


def indexed_scalars(ev: Evaluator, file: ParsedFile) -> Iterator[IndexedScalar]:
    """Yield where a file indexes what is surely a scalar."""
    for node, statement in file.index.expressions(ast.Subscript):
        if not isinstance(node.slice, ast.Constant) or node.slice.value != 0 or not isinstance(node.ctx, ast.Load):
            continue
        place = Place(file, node, statement)
        data = place.at(node.value) if _is_sum(place.at(node.value)) else _data_of(place.at(node.value))
        if data is not None and has_no_dimension(ev, data) and not is_prepared(ev, place):
            yield IndexedScalar(place, data)


def _is_sum(place: Place) -> bool:
    """Tell whether something is added to the name of an expression: `total += loss.data`."""
    match place.expression:
        case ast.Name(id=name):
            return any(one.kind == "augment" for one in place.scope.bindings.get(name, ()))
        case _:
            return False


def _data_of(place: Place) -> Place | None:
    """Return `loss.data` of an expression that copies it elsewhere: `loss.data.cpu().numpy()`."""
    match place.expression:
        case ast.Attribute(attr="data"):
            return place
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=[]) if name in _ELSEWHERE:
            return _data_of(place.at(value))
        case _:
            return None
