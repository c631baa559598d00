"""Names that get something else under a test further up: `if hasattr(m, "module"): m = m.module`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def replaced_before(place: Place, text: str) -> Iterator[tuple[ast.If, str, ast.expr, ast.stmt]]:
    """Yield the `if`s further up that put something else in the place of a name, what they ask for, what, and where."""
    bindings = place.scope.bindings.get(text, ()) if isinstance(place.expression, ast.Name) else ()
    for binding in bindings:
        block, _ = place.file.index.home[binding.statement]
        owner = block.owner
        if not isinstance(owner, ast.If) or block.arm != "body" or binding.kind != "assign" or binding.selector:
            continue
        outer = place.file.index.home[owner][0]
        is_before = any(around is outer for around, _ in place.file.index.blocks_around(place.statement))
        end = owner.end_lineno or 0
        lines = (one.statement.lineno for one in bindings if one.statement is not place.statement)
        is_last = end < place.statement.lineno and not any(end < line < place.statement.lineno for line in lines)
        if is_before and is_last and binding.value is not None:
            asked = _asked_as(place, text, owner)
            yield from ((owner, asked, binding.value, binding.statement),) if asked is not None else ()


def _asked_as(place: Place, text: str, owner: ast.If) -> str | None:
    """Return what a test calls a name: itself, or what it was given right before, `m = self.m; if wrapped(self.m):`."""
    texts = place.file.texts_in(owner.test)
    if text in texts:
        return text
    block, position = place.file.index.home[owner]
    elder = block.body[position - 1] if position else None
    match elder:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute() as value) if name == text:
            given = written(value)
            return given if given in texts else None
        case _:
            return None
