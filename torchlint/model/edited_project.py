"""A project whose files are edited between questions: the answers that depend on no edit stay."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, TypeVar

from torchlint.model.project import Project
from torchlint.model.values.evaluator import Evaluator
from torchlint.model.values.shared_memo import is_outdated

if TYPE_CHECKING:
    from torchlint.project.facts import FactKey

_Found = TypeVar("_Found")


class EditedProject(Project):
    """A project of which an editor has some files open."""

    def once(self, question: Callable[[Evaluator], _Found]) -> _Found:
        """Return the answer to a question about the whole project; what was found for it serves after an edit, too.

        There are few functions, but one question of other kinds for each function of the project.
        """
        if not isinstance(question, FunctionType):
            return super().once(question)
        ask: Callable[[Evaluator], _Found] = question
        return self._once((FunctionType, ask), lambda: ask(self._own_evaluator(ask)))

    def told(self, key: FactKey, ask: Callable[[], bool]) -> bool:  # noqa: ARG002 -- of any
        """Return an answer; what asks for it depends on all that was read for it, as only that is dropped."""
        return ask()

    def edit(self, path: Path, data: bytes) -> int | None:
        """Take other bytes for a file, and drop the answers that depend on what changed with it.

        Returns what those depend on, None if that is everything: then this project is of no use any more.
        """
        old = self._files.get(path)
        self._edited[path] = data
        if old is not None and old.source.data == data:
            return 0
        if (gone := self.library.edit(path, data)) is not None:
            self._files.pop(path, None)
            self._given_up.clear()
            self.library.dependencies.drop(gone)
        return gone

    def tidy(self) -> None:
        """Let go of what is about files as they were before an edit."""
        self.library.dependencies.drop_questions(lambda key: is_outdated(key, self._files))
        gc.collect()
