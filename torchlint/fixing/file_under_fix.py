"""A file that is being fixed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from torchlint.engine import Target
from torchlint.finding import Finding
from torchlint.fixing.draft import CannotBeKeptError, Draft
from torchlint.fixing.outcome import Refusal
from torchlint.report import FileReport


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a file: its text, the report of it, and how many findings were fixed."""

    data: bytes
    report: FileReport
    fixed: int


@dataclass(slots=True)
class FileUnderFix:
    """A file that is being fixed: its original, and its current text."""

    target: Target
    before: bytes
    report: FileReport
    now: bytes
    fixed: list[Finding] = field(default_factory=list[Finding])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    hopeless: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def sign(self, finding: Finding) -> tuple[str, ...]:
        """Return what identifies a finding after other fixes have moved it."""
        line = self.report.lines[finding.span.line - 1]
        indent = len(line) - len(line.lstrip())
        # A message may quote what another fix changes.
        return (finding.rule, str(finding.span.column - indent), line.strip())

    def admit(self, report: FileReport) -> None:
        """Replace the report by one of all rules, and never fix findings that the old one left out."""
        known = {(one.rule, one.span, one.message) for one in self.report.findings}
        self.report = report
        left_out = (one for one in report.findings if (one.rule, one.span, one.message) not in known)
        self.hopeless.update(map(self.sign, left_out))

    def refuse(self, findings: Collection[Finding], reason: str) -> None:
        """Exclude the fixes of some findings from now on."""
        self.refused += (Refusal(finding, reason) for finding in findings)
        self.hopeless.update(map(self.sign, findings))

    def with_fixes(self, findings: Collection[Finding]) -> bytes | None:
        """Return the text with the fixes of some findings made, or refuse them if it cannot be encoded."""
        edits = (edit for finding in findings if finding.fix for edit in finding.fix.edits)
        try:
            return Draft(self.target.shown, self.now).edited(edits)
        except CannotBeKeptError as error:
            self.refuse(findings, str(error))
            return None

    @property
    def stage(self) -> Stage:
        """Return the current stage."""
        return Stage(self.now, self.report, len(self.fixed))

    def adopt(self, fixed: Sequence[Finding], data: bytes, report: FileReport) -> None:
        """Take a text in which some findings are fixed."""
        self.fixed += fixed
        self.now, self.report = data, report

    def step_back(self, before: Stage, reason: str) -> None:
        """Go back to an earlier stage, and exclude the fixes made since."""
        undone = self.fixed[before.fixed :]
        del self.fixed[before.fixed :]
        self.now, self.report = before.data, before.report
        self.refuse(undone, reason)

    def give_up(self, reason: str) -> None:
        """Restore the original file, for good."""
        self.refused += (Refusal(finding, reason) for finding in self.fixed)
        self.fixed, self.now = [], self.before
