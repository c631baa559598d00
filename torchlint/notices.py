"""What the engine reports by itself, with no rule behind it."""

from __future__ import annotations

from dataclasses import dataclass

from torchlint.finding import Confidence, Finding, Severity, Span


@dataclass(frozen=True, slots=True)
class EngineNotice:
    """A kind of finding that every run may have; `page` is its page in the manual."""

    name: str
    severity: Severity
    summary: str
    page: str
    group: str = "source"

    def finding(self, path: str, span: Span, message: str) -> Finding:
        """Report this at a place; it is never a guess."""
        return Finding(self.name, self.group, path, span, message, self.severity, Confidence.HIGH)


UNREADABLE_SOURCE = EngineNotice(
    "unreadable-source",
    Severity.ERROR,
    "Make the file one that Python can read.",
    "The Python that runs torchlint cannot decode or parse the file, so no rule could look at it. The words and the"
    " place are Python's own.\n\nCode for a newer Python needs torchlint to run on that Python.",
)
UNUSED_IGNORE = EngineNotice(
    "unused-ignore",
    Severity.WARNING,
    "Remove comments that ignore nothing.",
    "An ignore that outlives what it ignored hides the next mistake on its line, and one that is misspelled hides"
    " none.\n\nLeft alone are the names of rules that did not run, and every `# noqa`.",
)
NOTICES = (UNREADABLE_SOURCE, UNUSED_IGNORE)
