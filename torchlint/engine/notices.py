"""The engine's own findings, for reports and for the manual."""

from __future__ import annotations

from dataclasses import dataclass

from torchlint import notices
from torchlint.finding import Confidence, Finding, Severity, Span


@dataclass(frozen=True, slots=True)
class EngineNotice:
    """A kind of finding without a rule; `page` says what happens otherwise, and to whom."""

    name: str
    severity: Severity
    summary: str
    page: str
    group: str = notices.GROUP


NOTICES = (
    EngineNotice(
        notices.UNREADABLE_SOURCE,
        Severity.ERROR,
        "Fix the syntax or the encoding of the file.",
        "The Python that runs torchlint cannot decode or parse the file, so no other rule checks it, besides the"
        " exceptions below. Most messages and places are Python's own.\n\nA file that is not UTF-8 must name its"
        " encoding in its first line: `# coding: latin-1`."
        " A notebook with blanks to fill in (`lr = `) is an exercise: that is reported as info and does not fail a run,"
        " and its other cells are linted."
        "\n\nCode for a newer Python is read up to the grammar of Python 3.15. A file with only `async` as a name or"
        " `print` as a statement is linted as well, and fixed once Python can read it.",
    ),
    EngineNotice(
        notices.UNUSED_IGNORE,
        Severity.WARNING,
        "Remove comments that ignore nothing.",
        "An ignore that is no longer needed hides the next mistake on its line; a misspelled one hides nothing."
        "\n\nNot reported:\n\n- names of rules that did not run\n- `# noqa` comments",
    ),
    EngineNotice(
        notices.RENAMED_IGNORE,
        Severity.INFO,
        "Use the current name of the rule.",
        "The comment still works, but the name is no longer in the manual.",
    ),
)


def unreadable(path: str, span: Span, message: str, severity: Severity = Severity.ERROR) -> Finding:
    """Report that a file cannot be read."""
    return Finding(notices.UNREADABLE_SOURCE, notices.GROUP, path, span, message, severity, Confidence.HIGH)
