"""What the calls of a file that are written with one name may run: found out once, for whoever asks who calls it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.model.questions import MOST_HOPS
from torchlint.model.values import Class, Function, Unknown

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.everywhere import Everywhere
    from torchlint.model.questions import OpenQuestions
    from torchlint.model.scope import Scope
    from torchlint.model.sourcefile import SourceFile

Argument: TypeAlias = "tuple[Place, ast.expr]"
Found: TypeAlias = "dict[tuple[SourceFile, str, int | None], tuple[Targets | None, int]]"
"""By file, word and, where hops were wanting, those that were left: what was found, and the hops that it took."""


@dataclass(slots=True, eq=False)
class Targets:
    """The calls written with one name, and those that something of that name is passed to."""

    calls: dict[Scope, list[tuple[Place, Function | Class]]] = field(default_factory=lambda: defaultdict(list))
    """By the function or class that a call may run."""
    unknown: list[Place] = field(default_factory=list)
    """The calls of methods of which nobody knows whose they are."""
    passed: dict[Scope, list[Argument]] = field(default_factory=lambda: defaultdict(list))
    """By the function that may be passed: the call, and the argument."""


class Registry:
    """Keeps what was found, as far as it depends on no question that is still open, nor on one in a circle."""

    def __init__(self, ev: Evaluator, questions: OpenQuestions, everywhere: Everywhere) -> None:
        self._ev = ev
        self._questions = questions
        self._everywhere = everywhere.targets
        self._found: Found = {}

    def of(self, file: SourceFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        left = MOST_HOPS - self._questions.hops
        for is_cut in (False, True):
            for found in (self._everywhere, self._found):
                kept = found.get((file, word, left if is_cut else None))
                if kept is not None and kept[1] <= left:
                    self._questions.taken = max(self._questions.taken, kept[1])
                    self._questions.of_world |= found is self._found
                    self._questions.is_cut |= is_cut
                    return kept[0]
        return self._look(file, word, left)

    def _look(self, file: SourceFile, word: str, left: int) -> Targets | None:
        calls, mentions = file.index.calls(word), file.mentions(word)
        if not calls and not mentions:
            self._everywhere[file, word, None] = (None, 0)
            return None
        targets, asked = Targets(), []
        for call, statement in calls:
            place = Place(file, call, statement)
            asked.append(place.at(call.func))
            _called(self._ev, place, asked[-1], targets)
        for call, argument, statement in mentions:
            place = Place(file, call, statement)
            asked.append(place.at(argument))
            for scope in _functions(self._ev, asked[-1]):
                targets.passed[scope].append((place, argument))
        ways = [self._ev.evaluate.kept(one) for one in asked]
        known = [way for way in ways if way is not None]
        if len(known) == len(ways):
            taken, cut, of_world = (max(parts) for parts in zip(*known, strict=True))
            found = self._found if of_world else self._everywhere
            found[file, word, left if cut else None] = (targets, int(taken))
        return targets

    def forget(self) -> None:
        """Drop everything."""
        self._found.clear()


def _called(ev: Evaluator, place: Place, function: Place, targets: Targets) -> None:
    for callee in ev.evaluate(function):
        match callee.value:
            case Function(scope=scope) | Class(scope=scope) as value:
                targets.calls[scope].append((place, value))
            case Unknown() if isinstance(function.expression, ast.Attribute):
                targets.unknown.append(place)


def _functions(ev: Evaluator, argument: Place) -> Iterator[Scope]:
    """Yield the functions that an argument may be, each once."""
    values = (one.value for one in ev.evaluate(argument))
    yield from dict.fromkeys(value.scope for value in values if isinstance(value, Function))
