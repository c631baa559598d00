"""A linter that is asked for facts about its project first: another run knows their answers as they were."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from torchlint.engine.depth import in_deep_thread
from torchlint.engine.linter import Linter
from torchlint.registry import detectors
from torchlint.steps import FOR_A_FILE

if TYPE_CHECKING:
    from torchlint.project.dependencies import IndexLookup
    from torchlint.project.facts import Fact, FactKey

_Answers: TypeAlias = "tuple[dict[FactKey, Fact], tuple[IndexLookup, ...]]"


class AskingLinter(Linter):
    """Lints for one job; what it computes for facts serves the files that are linted afterwards."""

    @property
    def size(self) -> int:
        """Return how many Python files the project has."""
        return self._library.size

    def ask_again(self, keys: Sequence[FactKey]) -> _Answers:
        """Return facts as they are now, with those that they depend on, and the text searches made for them.

        What cannot be answered is left out.
        """

        def answers() -> _Answers:
            homes = detectors()
            for key in keys:
                self._ask(key, homes)
            return {fact.key: fact for fact in self.news.facts()}, self.news.searches()

        return in_deep_thread(answers)

    def _ask(self, key: FactKey, homes: tuple[str, ...]) -> None:
        from torchlint.model.facts import asked_again

        self._library.steps.allow(FOR_A_FILE)
        # Whatever fails here fails again in the reports that ask for it, and is reported there.
        with suppress(Exception):
            asked_again(self._project, key, homes)
        self._project.discard_provisional()
