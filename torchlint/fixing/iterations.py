"""Make fixes in iterations: those that do not overlap, then lint again and continue with the new findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from torchlint.engine import Job, Target, lint_edited
from torchlint.finding import Finding, Fix, Severity
from torchlint.fixing.blame import added, first_bad
from torchlint.fixing.choice import chosen
from torchlint.fixing.file_under_fix import FileUnderFix, Stage
from torchlint.fixing.judgement import ADDS, objection
from torchlint.fixing.outcome import FixedFile
from torchlint.notices import NOTICES
from torchlint.registry import installed_rules
from torchlint.report import FileReport
from torchlint.rule import Rule

_MOST_ROUNDS = 10


def fix_all(
    job: Job, contents: Mapping[Path, bytes], reports: Mapping[str, FileReport], wanted: Callable[[Fix], bool]
) -> list[FixedFile]:
    """Return the files of a job after the requested fixes; nothing is written.

    `contents` are the bytes that the reports are about, by the paths of the targets, and the text of other files of the
    project; `reports` are by the displayed names of files. Findings that a report leaves out are not fixed.
    """
    return _FixSession(job, contents, reports, wanted).mended()


class _FixSession:
    """The files of a job with something to fix."""

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
        self._found = reports
        targets = (target for target in job.targets if target.path in contents and target.shown in reports)
        patients = (
            FileUnderFix(target, contents[target.path], reports[target.shown], contents[target.path])
            for target in targets
        )
        self._patients = [patient for patient in patients if self._candidates(patient)]
        reports = self._linted(contents, [patient.target for patient in self._patients])
        for patient in self._patients:
            patient.admit(reports[patient.target.shown])

    def mended(self) -> list[FixedFile]:
        """Fix until nothing changes."""
        for _ in range(_MOST_ROUNDS):
            plans = [(one, plan) for one in self._patients if (plan := chosen(self._candidates(one)))]
            if not plans:
                break
            self._round(plans)
        self._spare_others()
        return [
            FixedFile(one.target.path, one.target.shown, one.before, one.now, tuple(one.fixed), tuple(one.refused))
            for one in self._patients
        ]

    def _candidates(self, patient: FileUnderFix) -> list[Finding]:
        asked = (finding for finding in patient.report.findings if finding.rule in self._asked)
        wanted = (finding for finding in asked if finding.fix and self._wanted(finding.fix))
        return [finding for finding in wanted if patient.sign(finding) not in patient.hopeless]

    def _round(self, plans: Sequence[tuple[FileUnderFix, list[Finding]]]) -> None:
        """Make all fixes at once; if a file is worse for it, find those that are not the cause."""
        trials: list[tuple[FileUnderFix, list[Finding], bytes]] = []
        for patient, plan in plans:
            if (data := patient.with_fixes(plan)) is not None:
                trials.append((patient, plan, data))
        texts = {patient.target.path: data for patient, _, data in trials}
        reports = self._linted(texts, [patient.target for patient, _, _ in trials])
        failed = []
        adopted: list[tuple[FileUnderFix, Stage]] = []
        for patient, plan, data in trials:
            report = reports[patient.target.shown]
            if reason := objection(patient.report, report, data, plan):
                failed.append((patient, plan, reason))
            else:
                adopted.append((patient, patient.stage))
                patient.adopt(plan, data, report)
        for patient, plan, reason in failed:
            # A file is not refused for the effect of fixes in others: its own wait for the next iteration.
            if not (reason.startswith(ADDS) and self._take_back(patient, adopted)):
                self._isolate(patient, plan, reason)

    def _take_back(self, harmed: FileUnderFix, adopted: list[tuple[FileUnderFix, Stage]]) -> bool:
        """Undo what was adopted and adds a finding to an unchanged file; tell whether anything was undone."""

        def rule_added(number: int) -> str | None:
            texts = {patient.target.path: before.data for patient, before in adopted[number:]}
            return added(harmed.report, self._linted(texts, [harmed.target])[harmed.target.shown])

        adoptions = len(adopted)
        while adopted and (rule := rule_added(len(adopted))):
            if not (number := first_bad(len(adopted), lambda few: rule_added(few) is not None)):
                break
            guilty, before = adopted.pop(number - 1)
            guilty.step_back(before, f"{ADDS} `{rule}` to {harmed.target.shown}")
        return len(adopted) < adoptions

    def _spare_others(self) -> None:
        """Undo what adds findings to other files, until there are none."""
        while (changed := self._changed) and (harmed := self._harmed(changed)):
            for target, rule in harmed.items():
                self._spare(target, rule)

    @property
    def _changed(self) -> list[FileUnderFix]:
        return [patient for patient in self._patients if patient.now != patient.before]

    def _harmed(self, changed: Sequence[FileUnderFix]) -> dict[Target, str]:
        """Return the files with a new finding, and its rule."""
        targets = self._job.targets if len(self._job.targets) > 1 else ()
        after = self._linted({}, targets)
        # Most findings are known from before; only the others have to be compared with the original.
        others = [one for one in targets if self._added(one, self._found.get(one.shown), after[one.shown], changed)]
        before = self._linted({patient.target.path: patient.before for patient in changed}, others)
        found = ((one, self._added(one, before[one.shown], after[one.shown], changed)) for one in others)
        return {one: rule for one, rule in found if rule is not None}

    def _spare(self, target: Target, rule: str) -> None:
        """Undo all changes of the files without which a file would not have a finding of a rule."""
        before = self._linted({patient.target.path: patient.before for patient in self._changed}, [target])
        while changed := self._changed:

            def is_bad(number: int, changed: Sequence[FileUnderFix] = changed) -> bool:
                texts = {patient.target.path: patient.before for patient in changed[number:]}
                after = self._linted(texts, [target])[target.shown]
                return self._added(target, before[target.shown], after, changed[:number]) is not None

            if not is_bad(len(changed)) or not (number := first_bad(len(changed), is_bad)):
                break
            changed[number - 1].give_up(f"{ADDS} `{rule}` to {target.shown}")

    def _added(
        self, target: Target, before: FileReport | None, after: FileReport, changed: Iterable[FileUnderFix]
    ) -> str | None:
        fixed = (finding for patient in changed if patient.target == target for finding in patient.fixed)
        return added(before or FileReport(target.shown), after, fixed)

    def _isolate(self, patient: FileUnderFix, plan: Sequence[Finding], reason: str) -> bool:
        """Make some fixes that do no harm, tell whether there were any, and refuse each that does harm by itself."""
        if len(plan) == 1:
            patient.refuse(plan, reason)
            return False
        for half in (plan[: len(plan) // 2], plan[len(plan) // 2 :]):
            if (data := patient.with_fixes(half)) is None:
                continue
            report = self._linted({patient.target.path: data}, [patient.target])[patient.target.shown]
            why = objection(patient.report, report, data, half)
            if not why:
                patient.adopt(half, data, report)
            # These edits have moved the rest, which waits for the next iteration.
            if not why or self._isolate(patient, half, why):
                return True
        return False

    def _linted(self, trial: Mapping[Path, bytes], targets: Sequence[Target]) -> dict[str, FileReport]:
        """Return the reports of some files, with the current text of all others except those on trial."""
        if not targets:
            return {}
        edited = {**self._contents, **{patient.target.path: patient.now for patient in self._patients}, **trial}
        reports: dict[str, FileReport] = {}
        job = replace(self._job, targets=tuple(targets))
        lint_edited(job, edited, lambda report: reports.__setitem__(report.path, report))
        return reports


def _grave_others(rules: Collection[Rule]) -> list[Rule]:
    """Return the rules that no fix may add findings of, although they were not selected."""
    asked = {rule.name for rule in rules}
    others = (rule for name, rule in installed_rules().items() if name not in asked)
    return [rule() for rule in others if rule.default and not rule.preview and rule.severity is Severity.ERROR]
