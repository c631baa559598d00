"""What the calls of a file that are written with one name may run: computed once, for all queries of callers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import CALL_STRING_LIMIT
from torchlint.model.call_graph.overriding import further_overriding
from torchlint.model.interface import Targets
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function, Unknown
from torchlint.project.dependencies import MemoEntry

if TYPE_CHECKING:
    from torchlint.inference.engine.stack import QueryStack
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.shared_memo import SharedMemo
    from torchlint.project.dependencies import Table
    from torchlint.syntax.scope import Scope

Found: TypeAlias = "Table[tuple[ParsedFile, str, int | None], Targets | None]"
"""Call targets by file, word and, for truncated ones, the call depth that was left."""


class CallSites:
    """The memo of call targets that depend on no query that is still open, nor on one in a cycle."""

    def __init__(self, ev: Evaluator, stack: QueryStack, shared: SharedMemo) -> None:
        self._ev = ev
        self._stack = stack
        self._shared = shared.targets
        self._found: Found = stack.dependencies.table()

    def of(self, file: ParsedFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        stack = self._stack
        left = CALL_STRING_LIMIT - stack.call_depth
        for depth_left in (None, left):
            for found in (self._shared, self._found):
                kept = found.get((file, word, depth_left))
                if kept is not None and kept.call_depth <= left:
                    stack.depth_used = max(stack.depth_used, kept.call_depth)
                    stack.of_world |= found is self._found
                    stack.is_truncated |= depth_left is not None
                    return stack.dependencies.recalled(kept)
        calls, mentions = file.index.calls(word), file.mentions(word)
        if not calls and not mentions:
            self._shared[file, word, None] = MemoEntry(None, 0)
            return None
        looked_at: list[Place] = []
        new = stack.dependencies.answered(lambda: self._look(file, calls, mentions, looked_at))
        self._keep((file, word), new, looked_at, left)
        return new.answer

    def _keep(self, where: tuple[ParsedFile, str], new: MemoEntry[Targets], looked_at: list[Place], left: int) -> None:
        """Keep call targets, if all answers that they depend on are kept."""
        ways = [way for one in looked_at if (way := self._ev.evaluate.kept(one)) is not None]
        if len(ways) == len(looked_at):
            call_depth, is_truncated, of_world = (max(parts) for parts in zip(*ways, strict=True))
            found = self._found if of_world else self._shared
            found[(*where, left if is_truncated else None)] = MemoEntry(new.answer, new.depends_on, int(call_depth))

    def _look(
        self,
        file: ParsedFile,
        calls: Iterable[tuple[ast.Call, ast.stmt]],
        mentions: Iterable[tuple[ast.Call, ast.expr, ast.stmt]],
        looked_at: list[Place],
    ) -> Targets:
        """Return what calls and mentions may mean, and note the expressions that this depends on."""
        targets = Targets()
        for call, statement in calls:
            place = Place(file, call, statement)
            looked_at.append(place.at(call.func))
            _called(self._ev, place, looked_at[-1], targets)
        for call, argument, statement in mentions:
            place = Place(file, call, statement)
            looked_at.append(place.at(argument))
            for scope in _functions(self._ev, looked_at[-1]):
                targets.passed[scope].append((place, argument))
        return targets

    def forget(self) -> None:
        """Drop all call targets."""
        self._found.clear()


def _called(ev: Evaluator, place: Place, function: Place, targets: Targets) -> None:
    found = ev.evaluate(function)
    for callee in found:
        match callee.value:
            case Function(scope=scope) | Class(scope=scope) as value:
                targets.calls[scope].append((place, value))
            case Unknown() if not isinstance(function.expression, ast.Name):
                targets.unknown.append(place)
    for one in further_overriding(ev, function, found):
        targets.calls[one.scope].append((place, one))


def _functions(ev: Evaluator, argument: Place) -> Iterator[Scope]:
    """Yield the functions that an argument may be, each once."""
    values = (one.value for one in ev.evaluate(argument))
    yield from dict.fromkeys(value.scope for value in values if isinstance(value, Function))
