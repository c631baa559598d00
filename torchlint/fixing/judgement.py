"""Whether fixes did what they should: their findings are gone, no others came, and the text can still be parsed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from torchlint.engine.depth import in_deep_thread
from torchlint.finding import Finding, Severity
from torchlint.report import FileReport
from torchlint.source import UnreadableSourceError, read_source
from torchlint.trees import is_python

ADDS = "would add a finding of"


def objection(before: FileReport, after: FileReport, data: bytes, fixed: Iterable[Finding]) -> str:
    """Return the objection to a text with some fixes made, or nothing."""
    if not in_deep_thread(lambda: _is_python(after.path, data)):
        return "breaks the syntax"
    if len(after.errors) > len(before.errors):
        return "makes a rule fail"
    # The findings of a stopped rule are not gone: they are unknown.
    if set(after.incomplete) - set(before.incomplete):
        return "makes the code take too many steps to check"
    left = Counter(finding.rule for finding in before.findings)
    left.subtract(finding.rule for finding in fixed)
    mended = {finding.rule for finding in fixed}
    # A new hint is no objection: what runs on the CPU now has hints of its own there.
    there = (one.rule for one in after.findings if one.rule in mended or one.severity is not Severity.INFO)
    for rule, findings in Counter(there).items():
        if findings > left[rule]:
            return "leaves its finding" if rule in mended else f"{ADDS} `{rule}`"
    return ""


def _is_python(path: str, data: bytes) -> bool:
    try:
        return is_python(read_source(path, data).text)
    except UnreadableSourceError:
        return False
