"""What the manual says of the rules that found something, for readers who cannot ask `torchlint explain`."""

from __future__ import annotations

from torchlint.engine import NOTICES
from torchlint.finding import Finding
from torchlint.manual import Entry, Subject, entry
from torchlint.registry import builtin_rules


def described(finding: Finding) -> Entry:
    """Return the page of a finding's rule; of a rule that has none, what the finding itself shows of it."""
    subjects: dict[str, Subject] = {**builtin_rules(), **{notice.name: notice for notice in NOTICES}}
    if finding.rule in subjects:
        return entry(subjects[finding.rule])
    text = f"What the rule `{finding.rule}` reports."
    return Entry(finding.rule, finding.group, finding.severity, text, finding.confidence)
