"""Names that are replaced under a test further up: `if hasattr(m, "module"): m = m.module`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.elif_chains import blocks_around_chains, first_of_chain
from torchlint.syntax.layout import layout_of
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.index import Index


def replaced_before(place: Place, text: str) -> Iterator[tuple[ast.If, str, ast.expr, ast.stmt]]:
    """Yield the `if`s further up that replace a name, its name in the test, the new value, and the statement."""
    bindings = place.scope.bindings.get(text) if isinstance(place.expression, ast.Name) else None
    if not bindings:
        return
    layout = layout_of(place.file.index, bindings)
    # Whatever replaced the name before its last binding was itself replaced since.
    for owner in _ended_between(place, layout.last_before(place.statement.lineno)):
        if (asked := _asked_as(place, text, owner)) is None:
            continue
        for binding in layout.directly_in(owner.body):
            if binding.kind == "assign" and not binding.selector and binding.value is not None:
                yield owner, asked, binding.value, binding.statement


def _ended_between(place: Place, inner: ast.stmt | None) -> Iterator[ast.If]:
    """Yield the `if`s around a statement that end before a place in one of its blocks, outer ones first."""
    index = place.file.index
    owners = [*_ifs_around(index, inner)] if inner is not None else []
    ended = [one for one in owners if (one.end_lineno or 0) < place.statement.lineno]
    around = {block for block, _ in blocks_around_chains(index, place.statement)} if ended else set()
    yield from (one for one in reversed(ended) if index.home[one][0] in around)


def _ifs_around(index: Index, statement: ast.stmt) -> Iterator[ast.If]:
    """Yield the `if`s around a statement; of `elif`s, which end together, the innermost and the first `if`."""
    for block, _ in blocks_around_chains(index, statement):
        if isinstance(block.owner, ast.If):
            yield block.owner
            if (first := first_of_chain(index, block.owner)) is not block.owner:
                yield first


def _asked_as(place: Place, text: str, owner: ast.If) -> str | None:
    """Return the name in a test for it: its own, or one assigned right before, `m = self.m; if wrapped(self.m):`."""
    texts = place.file.texts_in(owner.test)
    if text in texts:
        return text
    block, position = place.file.index.home[owner]
    earlier = block.body[position - 1] if position else None
    match earlier:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name() | ast.Attribute() as value) if name == text:
            given = written(value)
            return given if given in texts else None
        case _:
            return None
