"""All calls in the iterations of a loop: in its body, and in its callees in the project."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Function
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Within:
    """What a loop or a call runs: the calls, each with its callees in the project, and all of these."""

    calls: tuple[tuple[Call, tuple[Function, ...]], ...]
    scopes: frozenset[Scope] = field(hash=False)

    def names(self, name: str) -> Iterator[Call]:
        """Yield the calls with one name."""
        return (call for call, _ in self.calls if call.method == name)


def within(ev: Evaluator, calls: Iterable[Call]) -> Within:
    """Return what some calls run, as far as callees are known."""
    found: list[tuple[Call, tuple[Function, ...]]] = []
    seen: set[Scope] = set()
    pending = deque((call, 0) for call in calls)
    while pending:
        call, depth = pending.popleft()
        functions = tuple(callees_of(ev, call))
        found.append((call, functions))
        for function in functions:
            if function.scope not in seen and depth < FAR:
                seen.add(function.scope)
                inside = function.file.calls_in_scope(function.scope)
                pending.extend((Call(function.file, one, at), depth + 1) for one, at in inside)
    return Within(tuple(found), frozenset(seen))
