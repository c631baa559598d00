"""What functions get that run once for each item: `pool.map(run, [path for path in paths])`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchlint.model.place import Place
from torchlint.syntax.scope import Binding

_WITH_ITEM = ("map", "map_async", "imap", "imap_unordered")
_WITH_PARTS = ("starmap", "starmap_async")
ITERATING = {**dict.fromkeys(_WITH_ITEM, False), **dict.fromkeys(_WITH_PARTS, True)}
"""The names of what calls its first argument with each item of the second, and whether with its parts.

`map` of Python, `itertools.starmap`, and the methods of pools and executors.
"""


def item_of(call: Place, iterables: Sequence[ast.expr]) -> Place | None:
    """Return what every item is that a call iterates over, None if that is not written in one comprehension."""
    if len(iterables) != 1:
        return None
    match iterables[0]:
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
            return call.at(item)
        case ast.Name(id=name):
            return _item_bound_to(call, name)
        case _:
            return None


def _item_bound_to(call: Place, name: str) -> Place | None:
    match call.scope.bindings.get(name, ()):
        case [Binding(kind="assign", selector=(), value=ast.ListComp() | ast.GeneratorExp() as written) as binding]:
            return Place(call.file, written.elt, binding.statement, call.frame)
        case _:
            return None


def parts_of(item: Place, *, is_taken_apart: bool) -> tuple[ast.expr, ...]:
    """Return the arguments that an item makes: itself, or its parts if a tuple is taken apart."""
    match item.expression:
        case ast.Tuple(elts=parts) if is_taken_apart:
            return tuple(parts)
        case expression:
            assert expression is not None
            return (expression,)
