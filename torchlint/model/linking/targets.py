"""What the calls of a file that are written with one name may run: found out once, for whoever asks who calls it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.asked import Kept
from torchlint.model.interface import Targets
from torchlint.model.linking.overriding import further_overriding
from torchlint.model.place import Place
from torchlint.model.values.open_questions import MOST_HOPS
from torchlint.model.values.possible import Class, Function, Unknown

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.syntax.scope import Scope
    from torchlint.model.values.everywhere import Everywhere
    from torchlint.model.values.open_questions import OpenQuestions

Found: TypeAlias = "dict[tuple[ParsedFile, str, int | None], Kept[Targets | None]]"
"""What was found, by file, word and, where hops were wanting, those that were left."""


class Registry:
    """Keeps what was found, as far as it depends on no question that is still open, nor on one in a circle."""

    def __init__(self, ev: Evaluator, questions: OpenQuestions, everywhere: Everywhere) -> None:
        self._ev = ev
        self._questions = questions
        self._everywhere = everywhere.targets
        self._found: Found = {}

    def of(self, file: ParsedFile, word: str) -> Targets | None:
        """Return what the calls of a file that are written with a word may run, None where there are none."""
        questions = self._questions
        left = MOST_HOPS - questions.hops
        for hops_left in (None, left):
            for found in (self._everywhere, self._found):
                kept = found.get((file, word, hops_left))
                if kept is not None and kept.hops <= left:
                    questions.taken = max(questions.taken, kept.hops)
                    questions.of_world |= found is self._found
                    questions.is_cut |= hops_left is not None
                    return questions.asked.recalled(kept)
        calls, mentions = file.index.calls(word), file.mentions(word)
        if not calls and not mentions:
            self._everywhere[file, word, None] = Kept(None, 0)
            return None
        looked_at: list[Place] = []
        new = questions.asked.answered(lambda: self._look(file, calls, mentions, looked_at))
        self._keep((file, word), new, looked_at, left)
        return new.answer

    def _keep(self, where: tuple[ParsedFile, str], new: Kept[Targets], looked_at: list[Place], left: int) -> None:
        """Keep what was found, if all that it was read off is kept."""
        ways = [way for one in looked_at if (way := self._ev.evaluate.kept(one)) is not None]
        if len(ways) == len(looked_at):
            hops, is_cut, of_world = (max(parts) for parts in zip(*ways, strict=True))
            found = self._found if of_world else self._everywhere
            found[(*where, left if is_cut else None)] = Kept(new.answer, new.rests_on, int(hops))

    def _look(
        self,
        file: ParsedFile,
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
