"""What the calls of a file that are written with one name may run: found out once, for whoever asks who calls it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.asked import Kept
from torchlint.model.place import Place
from torchlint.model.values import Class, Function, Unknown

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.questions import OpenQuestions
    from torchlint.model.scope import Scope
    from torchlint.model.sourcefile import SourceFile

Argument: TypeAlias = "tuple[Place, ast.expr]"


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
    """Keeps what was found, as far as it depends on no question that is still open."""

    def __init__(
        self, ev: Evaluator, questions: OpenQuestions, everywhere: dict[tuple[SourceFile, str], Kept[Targets | None]]
    ) -> None:
        self._ev = ev
        self._questions = questions
        self._everywhere = everywhere
        self._found: dict[tuple[SourceFile, str], Kept[Targets]] = {}

    def of(self, file: SourceFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        asked = self._questions.asked
        if (everywhere := self._everywhere.get((file, word))) is not None:
            return asked.recalled(everywhere)
        if (known := self._found.get((file, word))) is not None:
            self._questions.of_world = True
            return asked.recalled(known)
        calls, mentions = file.index.calls(word), file.mentions(word)
        if not calls and not mentions:
            self._everywhere[file, word] = Kept(None, 0)
            return None
        looked_at: list[Place] = []
        found = asked.answered(lambda: self._look(file, calls, mentions, looked_at))
        if all(map(self._ev.evaluate.knows_everywhere, looked_at)):
            self._everywhere[file, word] = Kept(found.answer, found.rests_on)
        elif all(map(self._ev.evaluate.knows, looked_at)):
            self._found[file, word] = found
        return found.answer

    def _look(
        self,
        file: SourceFile,
        calls: Iterable[tuple[ast.Call, ast.stmt]],
        mentions: Iterable[tuple[ast.Call, ast.expr, ast.stmt]],
        looked_at: list[Place],
    ) -> Targets:
        """Return what calls and mentions may mean, and note the expressions that it was read off."""
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
