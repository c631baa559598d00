"""Where a file mentions the last name of something: in names, attributes, imports and strings."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable

from torchlint.syntax.index import Index
from torchlint.syntax.walk import Parents


class SaidNames:
    """The nodes of a file that mention a last name, by that name."""

    def __init__(self, index: Index, parents_in: Callable[[ast.stmt], Parents]) -> None:
        self._nodes: dict[str, dict[int, tuple[ast.AST, ast.stmt]]] = defaultdict(dict)
        nodes = ((node, statement) for statement in index.home for node in parents_in(statement))
        for number, pair in enumerate(nodes):
            for name in _last_names(pair[0]):
                self._nodes[name][number] = pair

    def saying(self, names: Iterable[str]) -> list[tuple[ast.AST, ast.stmt]]:
        """Return the nodes that mention one of some names, with their statements, in the order of the index."""
        found = {number: pair for name in names for number, pair in self._nodes.get(name, {}).items()}
        return [found[number] for number in sorted(found)]


def _last_names(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (name.rpartition(".")[2], other or "")
        case ast.Constant(value=str(text)):
            return (text.rpartition(".")[2],)
        case _:
            return ()
