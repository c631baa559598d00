"""Make fixes in rounds: those that leave each other alone, then lint again and see what there is now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from torchlint.engine import Job, Target, lint_edited
from torchlint.finding import Finding, Fix, Severity
from torchlint.mend.choice import chosen
from torchlint.mend.draft import CannotBeKeptError, Draft
from torchlint.mend.judgement import objection
from torchlint.mend.mended import Mended, Refusal
from torchlint.notices import NOTICES
from torchlint.registry import installed_rules
from torchlint.report import FileReport
from torchlint.rule import Rule

_MOST_ROUNDS = 10


@dataclass(slots=True)
class _Patient:
    """A file that is being mended."""

    target: Target
    before: bytes
    report: FileReport
    now: bytes
    fixed: list[Finding] = field(default_factory=list[Finding])
    refused: list[Refusal] = field(default_factory=list[Refusal])
    hopeless: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def sign(self, finding: Finding) -> tuple[str, ...]:
        """Return what a finding can be told by when other fixes have moved it."""
        return (finding.rule, finding.message, self.report.lines[finding.span.line - 1].strip())

    def admit(self, report: FileReport) -> None:
        """Take all that there is to find, and leave alone what the report so far says nothing of."""
        known = {(one.rule, one.span, one.message) for one in self.report.findings}
        self.report = report
        left_out = (one for one in report.findings if (one.rule, one.span, one.message) not in known)
        self.hopeless.update(map(self.sign, left_out))

    def refuse(self, findings: Collection[Finding], reason: str) -> None:
        """Leave the fixes of some findings out from now on."""
        self.refused += (Refusal(finding, reason) for finding in findings)
        self.hopeless.update(map(self.sign, findings))

    def with_fixes(self, findings: Collection[Finding]) -> bytes | None:
        """Return the text with the fixes of some findings made, or refuse them where it cannot be written."""
        edits = (edit for finding in findings if finding.fix for edit in finding.fix.edits)
        try:
            return Draft(self.target.shown, self.now).edited(edits)
        except CannotBeKeptError as error:
            self.refuse(findings, str(error))
            return None


def mend(
    job: Job, contents: Mapping[Path, bytes], reports: Mapping[str, FileReport], wanted: Callable[[Fix], bool]
) -> list[Mended]:
    """Return what becomes of the files of a job when the fixes that are wanted are made; nothing is written.

    `contents` are the bytes that the reports are about, by the paths of the targets, and what other files of the
    project are to be read as; `reports` are by the names that files are shown by. What a report leaves out of what
    there is to find is not mended.
    """
    return _Ward(job, contents, reports, wanted).mended()


class _Ward:
    """The files of a job of which something can be mended."""

    def __init__(
        self,
        job: Job,
        contents: Mapping[Path, bytes],
        reports: Mapping[str, FileReport],
        wanted: Callable[[Fix], bool],
    ) -> None:
        self._job = replace(job, rules=(*job.rules, *_grave_others(job.rules)))
        self._asked = {rule.name for rule in job.rules} | set(NOTICES)
        self._wanted = wanted
        self._contents = contents
        targets = (target for target in job.targets if target.path in contents and target.shown in reports)
        patients = (
            _Patient(target, contents[target.path], reports[target.shown], contents[target.path]) for target in targets
        )
        self._patients = [patient for patient in patients if self._candidates(patient)]
        reports = self._linted(contents)
        for patient in self._patients:
            patient.admit(reports[patient.target.shown])

    def mended(self) -> list[Mended]:
        """Mend until nothing changes."""
        for _ in range(_MOST_ROUNDS):
            plans = [(one, plan) for one in self._patients if (plan := chosen(self._candidates(one)))]
            if not plans:
                break
            self._round(plans)
        return [
            Mended(one.target.path, one.target.shown, one.before, one.now, tuple(one.fixed), tuple(one.refused))
            for one in self._patients
        ]

    def _candidates(self, patient: _Patient) -> list[Finding]:
        asked = (finding for finding in patient.report.findings if finding.rule in self._asked)
        wanted = (finding for finding in asked if finding.fix and self._wanted(finding.fix))
        return [finding for finding in wanted if patient.sign(finding) not in patient.hopeless]

    def _round(self, plans: Sequence[tuple[_Patient, list[Finding]]]) -> None:
        """Make all fixes at once; where a file is worse for it, find those that are not to blame."""
        trials: list[tuple[_Patient, list[Finding], bytes]] = []
        for patient, plan in plans:
            if (data := patient.with_fixes(plan)) is not None:
                trials.append((patient, plan, data))
        reports = self._linted({patient.target.path: data for patient, _, data in trials})
        failed = []
        for patient, plan, data in trials:
            report = reports[patient.target.shown]
            if reason := objection(patient.report, report, data, plan):
                failed.append((patient, plan, reason))
            else:
                _adopt(patient, plan, data, report)
        for patient, plan, reason in failed:
            self._isolate(patient, plan, reason)

    def _isolate(self, patient: _Patient, plan: Sequence[Finding], reason: str) -> bool:
        """Make some fixes that do no harm, tell whether there were any, and refuse what does harm by itself."""
        if len(plan) == 1:
            patient.refuse(plan, reason)
            return False
        for half in (plan[: len(plan) // 2], plan[len(plan) // 2 :]):
            if (data := patient.with_fixes(half)) is None:
                continue
            report = self._linted({patient.target.path: data})[patient.target.shown]
            why = objection(patient.report, report, data, half)
            if not why:
                _adopt(patient, half, data, report)
            # What was made has moved the rest, which waits for the next round.
            if not why or self._isolate(patient, half, why):
                return True
        return False

    def _linted(self, trial: Mapping[Path, bytes]) -> dict[str, FileReport]:
        """Return the reports of some files as they would be, all others being as they are by now."""
        edited = {**self._contents, **{patient.target.path: patient.now for patient in self._patients}, **trial}
        targets = tuple(patient.target for patient in self._patients if patient.target.path in trial)
        reports: dict[str, FileReport] = {}
        lint_edited(
            replace(self._job, targets=targets), edited, lambda report: reports.__setitem__(report.path, report)
        )
        return reports


def _grave_others(rules: Collection[Rule]) -> list[Rule]:
    """Return the rules that no fix may give something to find, although they were not asked for."""
    asked = {rule.name for rule in rules}
    others = (rule for name, rule in installed_rules().items() if name not in asked)
    return [rule() for rule in others if rule.default and rule.severity is Severity.ERROR]


def _adopt(patient: _Patient, fixed: Sequence[Finding], data: bytes, report: FileReport) -> None:
    patient.fixed += fixed
    patient.now, patient.report = data, report
