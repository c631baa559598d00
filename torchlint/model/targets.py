"""What the calls of a file that are written with one name may run: found out once, for whoever asks who calls it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

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
        self, ev: Evaluator, questions: OpenQuestions, everywhere: dict[tuple[SourceFile, str], Targets | None]
    ) -> None:
        self._ev = ev
        self._questions = questions
        self._everywhere = everywhere
        self._found: dict[tuple[SourceFile, str], Targets] = {}

    def of(self, file: SourceFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        if (file, word) in self._everywhere:
            return self._everywhere[file, word]
        if (file, word) in self._found:
            self._questions.of_world = True
            return self._found[file, word]
        calls, mentions = file.index.calls(word), file.mentions(word)
        if not calls and not mentions:
            self._everywhere[file, word] = None
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
        if all(map(self._ev.evaluate.knows_everywhere, asked)):
            self._everywhere[file, word] = targets
        elif all(map(self._ev.evaluate.knows, asked)):
            self._found[file, word] = targets
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
