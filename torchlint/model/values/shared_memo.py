"""The answers that are the same in several worlds, kept once for all of them."""

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
    """The memos of a project: of all worlds, and of those that have something in common, by that."""

    def __init__(self, dependencies: Dependencies) -> None:
        self.of_all = SharedMemo(dependencies)
        """Answers that depend neither on the machine's devices nor on the options: most do not."""
        self._alike: dict[Hashable, SharedMemo] = {}
        self._dependencies = dependencies

    def of(self, world: World) -> tuple[SharedMemo, SharedMemo, SharedMemo]:
        """Return the memos that a world shares, by the bits of their scopes."""
        return self.of_all, self._where((world.cuda, world.defaults)), self._where(world.gpus)

    def of_nobody_else(self) -> tuple[SharedMemo, SharedMemo, SharedMemo]:
        """Return the memos of a question that shares no others than those of all worlds."""
        return self.of_all, SharedMemo(self._dependencies), SharedMemo(self._dependencies)

    def _where(self, common: Hashable) -> SharedMemo:
        return self._alike.setdefault(common, SharedMemo(self._dependencies))

    def forget_many(self) -> None:
        """Drop the answers of each memo that has more than memory should hold."""
        for answers in (self.of_all, *self._alike.values()):
            if len(answers) > MOST_ANSWERS:
                answers.forget()

    def forget(self) -> None:
        """Drop every answer."""
        self._alike.clear()
        self.of_all.forget()


class SharedMemo:
    """Answers that are shared, by the kind of query."""

    def __init__(self, dependencies: Dependencies) -> None:
        self._tables: dict[object, Table[Any, Any]] = {}
        self._dependencies = dependencies

    def table(self, kind: object) -> Table[Any, Any]:
        """Return the answers of one kind of query."""
        if (known := self._tables.get(kind)) is None:
            known = self._tables[kind] = self._dependencies.table()
        return known

    def __len__(self) -> int:
        """Return how many answers are kept."""
        return sum(map(len, self._tables.values()))

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
