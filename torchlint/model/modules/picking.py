"""Tables of modules of which one is selected, and registered under another name: the others are not used at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.def_use import every_use_of
from torchlint.model.values.variable_reads import named_reads

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_PICKING = frozenset({"get", "pop"})
_ADDING = frozenset({"update", "setdefault", "append", "insert", "extend"})


def is_picked_from(ev: Evaluator, table: Place, names: tuple[str, ...]) -> bool:
    """Tell whether all uses of a table, known by some names, select what becomes an attribute."""
    picks = [pick for read in _reads(table, names) for pick in _picks(read)]
    return bool(picks) and all(pick is not None and _is_registered(ev, pick, names) for pick in picks)


def _reads(table: Place, names: tuple[str, ...]) -> Iterator[Place]:
    """Yield the reads of a table, without the assignments that name it."""
    for name in names:
        owner, _, attribute = name.rpartition(".")
        if owner:
            yield from (Place(table.file, *read) for read in table.file.attribute_reads(attribute))
        else:
            yield from (
                read for read in named_reads(table.file, table.scope, name) if not set(read.bound_to) & {*names}
            )


def _picks(read: Place) -> Iterator[Place | None]:
    """Yield what a read of a table selects, None for all of it; nothing if it is filled or searched."""
    parents = read.file.parents_in(read.statement)
    parent = parents.get(read.expression)
    match parent:
        case ast.Subscript(ctx=ast.Load(), slice=index) if parent.value is read.expression:
            yield None if isinstance(index, ast.Slice) else read.at(parent)
        case ast.Subscript(ctx=ast.Store()) | ast.Compare():
            return
        case ast.Attribute(attr=method) if isinstance(call := parents.get(parent), ast.Call):
            if method in _PICKING:
                yield read.at(call)
            elif method not in _ADDING and method != "keys":
                yield None
        case _:
            yield None


def _is_registered(ev: Evaluator, pick: Place, names: tuple[str, ...]) -> bool:
    """Tell whether what is selected is, or may be, assigned to another attribute, here or by a caller."""
    if pick.scope.name == "forward":
        return False
    if (uses := every_use_of(ev, pick)) is None:
        return True
    bound = (name for use in uses if use.is_whole for name in use.place.bound_to)
    return any("." in name and name not in names for name in bound)
