"""The reads of names, by the scope that reads them: those of one function are few, however large the file."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from torchlint.syntax.index import Index
from torchlint.syntax.scope import Scope

Read: TypeAlias = "tuple[ast.Name, ast.stmt]"


class ReadsByScope:
    """The reads of a file's names, by scope."""

    def __init__(self, index: Index, reads: Mapping[str, Sequence[Read]]) -> None:
        self._inner: dict[Scope, list[Scope]] = defaultdict(list)
        self._reads: dict[tuple[Scope, str], list[tuple[int, Read]]] = defaultdict(list)
        for scope in index.scopes:
            if scope.outer is not None:
                self._inner[scope.outer].append(scope)
        for name, all_reads in reads.items():
            for number, read in enumerate(all_reads):
                self._reads[index.home[read[1]][0].scope, name].append((number, read))

    def within(self, scope: Scope, name: str) -> list[Read]:
        """Return the reads of a name in a scope and nested ones, in the order in which they were added."""
        found: list[tuple[int, Read]] = []
        pending = [scope]
        while pending:
            inner = pending.pop()
            found += self._reads.get((inner, name), ())
            pending += self._inner.get(inner, ())
        return [read for _, read in sorted(found, key=itemgetter(0))]
