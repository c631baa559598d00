"""What the manual says of the rules that found something, for readers who cannot ask `torchlint explain`."""

from __future__ import annotations

from functools import cache

from torchlint.engine import NOTICES
from torchlint.finding import Finding
from torchlint.manual import Entry, Subject, entry
from torchlint.registry import installed_rules


def described(finding: Finding) -> Entry:
    """Return the page of a finding's rule; of a rule that has none, what the finding itself shows of it."""
    if found := _entries().get(finding.rule):
        return found
    text = f"What the rule `{finding.rule}` reports."
    return Entry(finding.rule, finding.group, finding.severity, text, finding.confidence)


@cache
def _entries() -> dict[str, Entry]:
    subjects: tuple[Subject, ...] = (*installed_rules().values(), *NOTICES)
    return {subject.name: entry(subject) for subject in subjects}
