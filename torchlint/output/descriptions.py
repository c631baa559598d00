"""The manual's text on the rules with findings, for readers without `torchlint explain`."""

from __future__ import annotations

from functools import cache

from torchlint.engine import NOTICES
from torchlint.finding import Finding
from torchlint.manual import Entry, Subject, entry
from torchlint.registry import installed_rules


def described(finding: Finding) -> Entry:
    """Return the page of a finding's rule; without one, what the finding itself has."""
    if found := _entries().get(finding.rule):
        return found
    text = f"What the rule `{finding.rule}` reports."
    return Entry(finding.rule, finding.group, finding.severity, text, finding.confidence)


@cache
def _entries() -> dict[str, Entry]:
    subjects: tuple[Subject, ...] = (*installed_rules().values(), *NOTICES)
    return {subject.name: entry(subject) for subject in subjects}
