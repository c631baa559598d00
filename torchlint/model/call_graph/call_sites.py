"""What the calls of a file that are written with one name may run: one query, for all queries of callers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.overriding import further_overriding
from torchlint.model.interface import Targets
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function, Unknown

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def targets_of(ev: Evaluator, file: ParsedFile, word: str) -> Targets:
    """Return what the calls of a file that are written with a word may run, and what is passed by that name."""
    targets = Targets()
    for call, statement in file.index.calls(word):
        place = Place(file, call, statement)
        _called(ev, place, place.at(call.func), targets)
    for call, argument, statement in file.mentions(word):
        place = Place(file, call, statement)
        for scope in _functions(ev, place.at(argument)):
            targets.passed[scope].append((place, argument))
    return targets


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
