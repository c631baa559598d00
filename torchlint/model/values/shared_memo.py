"""The answers of a project, kept once for all worlds in which they are the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchlint.inference.limits import MOST_ANSWERS
from torchlint.model.interface import ParsedFile
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Frame, Function, Possibility
from torchlint.project.dependencies import Dependencies, Table

if TYPE_CHECKING:
    from torchlint.model.worlds import World


class SharedMemos:
    """The memos of a project, by the kind of query.

    An answer is kept with the number of what it read of its world; worlds that have that in common have the answer.
    """

    def __init__(self, dependencies: Dependencies) -> None:
        self._tables: dict[object, Table[Any, Any]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._dependencies = dependencies

    def table(self, kind: object) -> Table[Any, Any]:
        """Return the answers of one kind of query."""
        if (known := self._tables.get(kind)) is None:
            known = self._tables[kind] = self._dependencies.table()
        return known

    def parts(self, world: World) -> tuple[int, ...]:
        """Return the numbers of what answers read of a world, by the bits of their scopes; most read nothing."""
        parts = ("any", ("devices", world.cuda, world.defaults), ("count", world.gpus), world)
        return tuple(self._numbers.setdefault(part, len(self._numbers)) for part in parts)

    def forget_many(self) -> None:
        """Drop every answer where there are more than memory should hold: they can be found again."""
        if sum(map(len, self._tables.values())) > MOST_ANSWERS:
            self.forget()

    def forget(self) -> None:
        """Drop every answer."""
        for answers in self._tables.values():
            answers.clear()


def is_outdated(key: object, files: Mapping[Path, ParsedFile | None]) -> bool:
    """Tell whether a question is about something in a file that another one has replaced among the files there are."""
    match key:
        case tuple():
            return any(is_outdated(part, files) for part in key)
        case Place():
            return is_outdated(key.file, files) or is_outdated(key.frame, files)
        case Frame():
            return is_outdated(key.call, files)
        case Possibility():
            return is_outdated(key.origin, files) or is_outdated(key.value, files)
        case Function() | Class():
            return is_outdated(key.file, files)
        case ParsedFile():
            return files.get(key.location) is not key
        case _:
            return False
