"""Count findings while the reports pass by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from torchlint.errors import RunError
from torchlint.finding import Confidence, Finding, Severity
from torchlint.notices import UNREADABLE_SOURCE
from torchlint.output.rank import gravity, sureness
from torchlint.report import FileReport, RunNote


@dataclass(slots=True)
class RuleTally:
    """The findings of one rule: with the highest severity and confidence, and fixes at all places."""

    name: str
    severity: Severity = Severity.INFO
    confidence: Confidence = Confidence.LOW
    findings: int = 0
    safe: int = 0
    unsafe: int = 0

    def count(self, finding: Finding) -> None:
        """Count one finding."""
        self.findings += 1
        self.severity = min(self.severity, finding.severity, key=gravity)
        self.confidence = min(self.confidence, finding.confidence, key=sureness)
        fixes = [one.fix.safe for one in finding.members if one.fix is not None]
        self.safe += fixes.count(True)
        self.unsafe += fixes.count(False)


@dataclass(slots=True)
class Tally:
    """The totals of a run."""

    files: int = 0
    suppressed: int = 0
    baselined: int = 0
    unread: int = 0
    """How many files could not be read, and have no other finding."""
    errors: list[RunError] = field(default_factory=list[RunError])
    notes: list[RunNote] = field(default_factory=list[RunNote])
    by_path: Counter[str] = field(default_factory=Counter[str])
    by_severity: Counter[Severity] = field(default_factory=Counter[Severity])
    places: int = 0
    """How many places the findings have, as what one cause makes of several is one."""
    by_rule: dict[str, RuleTally] = field(default_factory=dict[str, RuleTally])

    def counting(self, reports: Iterable[FileReport]) -> Iterator[FileReport]:
        """Yield the reports, and count each."""
        for report in reports:
            self._count(report)
            yield report

    @property
    def findings(self) -> int:
        """Return how many findings there are."""
        return self.by_severity.total()

    @property
    def safe(self) -> int:
        """Return how many places have a safe fix."""
        return sum(rule.safe for rule in self.by_rule.values())

    @property
    def unsafe(self) -> int:
        """Return how many places have an unsafe fix."""
        return sum(rule.unsafe for rule in self.by_rule.values())

    @property
    def rules(self) -> list[RuleTally]:
        """Return the rules with findings, those with most first."""
        return sorted(self.by_rule.values(), key=lambda rule: (-rule.findings, rule.name))

    @property
    def paths(self) -> list[tuple[str, int]]:
        """Return the files with findings and their numbers, those with most first."""
        return sorted(self.by_path.items(), key=lambda item: (-item[1], item[0]))

    def _count(self, report: FileReport) -> None:
        # A failure outside any file is in a report without a path.
        self.files += bool(report.path) and not report.left_out
        self.suppressed += report.suppressed
        self.baselined += report.baselined
        self.errors += report.errors
        if (note := report.incompleteness) is not None:
            self.notes.append(note)
        self.unread += {finding.rule for finding in report.findings} == {UNREADABLE_SOURCE}
        for finding in report.findings:
            self.by_path[finding.path] += 1
            self.by_severity[finding.severity] += 1
            self.by_rule.setdefault(finding.rule, RuleTally(finding.rule)).count(finding)
            self.places += len(finding.members)
