"""Which findings count: of enough confidence, not in the baseline, and on a changed line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.cli.configs import Configs
from torchlint.cli.options import LintOptions
from torchlint.config import Config
from torchlint.engine import Job
from torchlint.files.existence import is_folder, is_present
from torchlint.finding import Finding, Severity
from torchlint.output.rank import gravity, sureness
from torchlint.report import FileReport
from torchlint.selection import ALL

if TYPE_CHECKING:
    from torchlint.adoption import Changes
    from torchlint.cli.baseline import Known


class FindingFilter:
    """Filters reports by the settings of their files, and by the baseline and the changes of a run."""

    def __init__(self, options: LintOptions, configs: Configs) -> None:
        names = [options.stdin_filename or "."] if "-" in options.paths else options.paths
        paths = [Path(name) for name in names if is_present(name)]
        self.config = configs.of_run(paths)
        self._configs = configs
        self._changes = _changes(options, paths)
        self.known = _known(options, self.config)

    def through(self, reports: Iterable[FileReport], jobs: Sequence[Job]) -> list[FileReport]:
        """Return the reports with what counts; write the baseline, if requested."""
        weighed = [self._weighed(report) for report in reports]
        if self.known is not None:
            weighed = self.known.left_out(weighed, jobs, self._sure)
        return self._left(weighed)

    def fixable(self, reports: Iterable[FileReport]) -> list[FileReport]:
        """Return the reports with what may be fixed: a baseline hides findings, and fixes apply to them even so."""
        return self._left([self._weighed(report) for report in reports])

    def fails(self, finding: Finding) -> bool:
        """Tell whether a finding has a severity that fails a run."""
        return gravity(finding.severity) <= gravity(self.config.fail_on or Severity.WARNING)

    def _left(self, reports: Iterable[FileReport]) -> list[FileReport]:
        return [self._sure(self._changed(report)) for report in reports]

    def _weighed(self, report: FileReport) -> FileReport:
        """Return a report with the severities of the configuration."""
        grades = self._config(report).severity if report.findings else None
        if not grades:
            return report
        return replace(report, findings=tuple(_graded(finding, grades) for finding in report.findings))

    def _sure(self, report: FileReport) -> FileReport:
        if not report.findings:
            return report
        least = sureness(self._config(report).confidence)
        return _only(report, lambda finding: sureness(finding.confidence) <= least)

    def _changed(self, report: FileReport) -> FileReport:
        changes = self._changes
        if changes is None:
            return report
        return _only(report, lambda one: changes.touch(Path(report.path), report.in_file(one.span)))

    def _config(self, report: FileReport) -> Config:
        return self._configs.of(Path(report.path).absolute().parent)


def _changes(options: LintOptions, paths: Sequence[Path]) -> Changes | None:
    """Return the changes in the repository of the first path."""
    if options.wishes.diff_base is None:
        return None
    from torchlint.adoption import changes_since

    path = paths[0] if paths else Path()
    return changes_since(options.wishes.diff_base, path if is_folder(path) else path.parent)


def _known(options: LintOptions, config: Config) -> Known | None:
    if config.baseline is None and not options.wishes.writes_baseline:
        return None
    from torchlint.cli.baseline import known_findings

    return known_findings(options, config.baseline)


def _only(report: FileReport, counts: Callable[[Finding], bool]) -> FileReport:
    if not report.findings:
        return report
    return replace(report, findings=tuple(finding for finding in report.findings if counts(finding)))


def _graded(finding: Finding, grades: Mapping[str, Severity]) -> Finding:
    """Return a finding with the severity for its name, or else its group, or else `all`."""
    names = (name for name in (finding.rule, finding.group, ALL) if name in grades)
    name = next(names, None)
    return finding if name is None else replace(finding, severity=grades[name])
