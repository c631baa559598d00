"""What the engine reports by itself, as the manual and the findings have it."""

from __future__ import annotations

from dataclasses import dataclass

from torchlint import notices
from torchlint.finding import Confidence, Finding, Severity, Span


@dataclass(frozen=True, slots=True)
class EngineNotice:
    """A kind of finding that has no rule behind it; `page` says what happens otherwise, and to whom."""

    name: str
    severity: Severity
    summary: str
    page: str
    group: str = notices.GROUP


NOTICES = (
    EngineNotice(
        notices.UNREADABLE_SOURCE,
        Severity.ERROR,
        "Make the file one that Python can read.",
        "The Python that runs torchlint cannot decode or parse the file, so rules could not look at it. Most words and"
        " places are Python's own.\n\nWhat is not UTF-8 must name its encoding in its first line: `# coding: latin-1`."
        " A notebook in whose cells there are blanks to fill in (`lr = `) is an exercise: that is told as info, and"
        " fails no run."
        " Code for a newer Python is read all the same, up to the grammar of Python 3.15. Where only `async` as a"
        " name or `print` as a statement stops it, the file is linted too, and mended once Python reads it.",
    ),
    EngineNotice(
        notices.UNUSED_IGNORE,
        Severity.WARNING,
        "Remove comments that ignore nothing.",
        "An ignore that outlives what it ignored hides the next mistake on its line; one that is misspelled hides"
        " none.\n\nLeft alone are the names of rules that did not run, and every `# noqa`.",
    ),
    EngineNotice(
        notices.RENAMED_IGNORE,
        Severity.INFO,
        "Write the name that the rule has now.",
        "The comment does what it should, but who looks the name up finds nothing.",
    ),
)


def unreadable(path: str, span: Span, message: str, severity: Severity = Severity.ERROR) -> Finding:
    """Report that a file cannot be read."""
    return Finding(notices.UNREADABLE_SOURCE, notices.GROUP, path, span, message, severity, Confidence.HIGH)
