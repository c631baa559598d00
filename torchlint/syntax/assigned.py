"""Which assignments give a name or an attribute a value, or replace all its items, by their text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from torchlint.syntax.index import Index
from torchlint.syntax.walk import written

Assignment: TypeAlias = "ast.Assign | ast.AnnAssign"


def assignments_by_target(index: Index) -> Mapping[str, list[Assignment]]:
    """Return the assignments of a file by what they assign to."""
    found: dict[str, list[Assignment]] = defaultdict(list)
    for assignment in index.statements(ast.Assign):
        for text in (one for target in assignment.targets for one in _assigned(target)):
            found[text].append(assignment)
    for annotated in index.statements(ast.AnnAssign):
        if annotated.value is not None:
            found[written(annotated.target)].append(annotated)
    return found


def _assigned(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name() | ast.Attribute():
            yield written(target)
        case ast.Subscript(value=owner, slice=ast.Slice()):
            yield written(owner)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for one in targets:
                yield from _assigned(one)
        case _:
            pass
