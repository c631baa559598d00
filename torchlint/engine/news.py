"""What was searched in a project, and which facts about it were found, since it was last noted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.project.dependencies import IndexLookup
    from torchlint.project.facts import Fact
    from torchlint.project.library import Library


class News:
    """Notes the searches and facts of one library, each once."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._searches = self._facts = 0

    def searches(self) -> tuple[IndexLookup, ...]:
        """Return the text searches that were not noted before."""
        sought = self._library.sought
        new, self._searches = tuple(sought[self._searches :]), len(sought)
        return new

    def facts(self) -> tuple[Fact, ...]:
        """Return the facts that were not noted before."""
        facts = self._library.facts
        new, self._facts = facts.since(self._facts), len(facts)
        return new
