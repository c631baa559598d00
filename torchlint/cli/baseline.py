"""`--baseline FILE`: leave out known findings, and write the current ones."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from torchlint.adoption import Baseline, Entries, read_baseline, write_baseline
from torchlint.cli.options import LintOptions, SelectionOptions
from torchlint.engine import Job
from torchlint.errors import UsageError
from torchlint.files.display_path import shown
from torchlint.files.existence import is_file, is_present
from torchlint.notices import NOTICES
from torchlint.output.summary import counted
from torchlint.report import FileReport
from torchlint.terminal.streams import tell


def known_findings(options: LintOptions, file: Path | None) -> Known:
    """Return the known findings of a run; raises `UsageError` for a baseline that cannot be used as requested."""
    wishes = options.wishes
    if file is None:
        raise UsageError("--update-baseline and --prune-baseline write a baseline: name it with --baseline FILE")
    if wishes.writes_baseline and (options.fix or options.diff or "-" in options.paths or wishes.diff_base):
        raise UsageError("a baseline is written of whole files as they are: without --fix, --diff, --diff-base and `-`")
    if wishes.update_baseline and wishes.prune_baseline:
        raise UsageError("--update-baseline removes what --prune-baseline does: give one of them")
    return Known(file, _entries(file, wishes), options)


def _entries(file: Path, wishes: SelectionOptions) -> Entries:
    """Return the known findings; an update of a missing or broken baseline starts with none."""
    if not wishes.update_baseline:
        return _present(read_baseline(file))
    try:
        return _present(read_baseline(file)) if is_present(file) else Counter()
    except UsageError as error:
        tell(f"warning: {error.lines[0].partition(': fix')[0]}: it is rewritten")
        return Counter()


def _present(entries: Entries) -> Entries:
    """Return the known findings with the current names of rules."""
    from torchlint.registry import renamed_rules

    renamed = renamed_rules()
    now: Entries = Counter()
    for (path, rule, fingerprint), times in entries.items():
        now[path, renamed.get(rule, rule), fingerprint] += times
    return now


class Known:
    """The baseline of a run: its entries, and its path."""

    def __init__(self, file: Path, entries: Entries, options: LintOptions) -> None:
        self._file, self._entries = file, entries
        self._wishes, self._quiet = options.wishes, options.quiet
        self._folder = os.path.realpath(file.parent)
        self.stale = 0

    def left_out(
        self, reports: Sequence[FileReport], jobs: Sequence[Job], sure: Callable[[FileReport], FileReport]
    ) -> list[FileReport]:
        """Return the reports without known findings; if the baseline is to be written, write it first."""
        ran = {rule.name for job in jobs for rule in job.rules} | set(NOTICES)
        baseline = self._baseline()
        left = [_without(baseline, report) for report in reports]
        self.stale = baseline.stale(ran).total()
        if not self._wishes.writes_baseline:
            return left
        if self._wishes.prune_baseline:
            if self.stale:
                self._write(baseline.pruned(ran))
            return left
        self._write(baseline.updated([sure(report) for report in reports if report.path and not report.errors], ran))
        baseline = self._baseline()
        return [_without(baseline, report) for report in reports]

    def tell_stale(self) -> None:
        """Print which entries of the baseline could be removed."""
        if self.stale and not self._quiet:
            left = f"{counted(self.stale, 'place')} of {shown(self._file)}"
            tell(f"note: {left} cannot be found any more: --prune-baseline removes what is gone")

    def _baseline(self) -> Baseline:
        return Baseline(self._entries, self._named, lambda name: is_file(Path(self._folder, name)))

    def _named(self, path: str) -> str:
        """Return a path as in the baseline: relative to its folder, and on Windows absolute for another drive."""
        whole = os.path.realpath(path)
        try:
            return os.path.relpath(whole, self._folder).replace(os.sep, "/")
        except ValueError:
            return whole.replace(os.sep, "/")

    def _write(self, entries: Entries) -> None:
        before, self._entries, self.stale = self._entries, entries, 0
        write_baseline(self._file, entries)
        added, removed = (entries - before).total(), (before - entries).total()
        told = f"{counted(entries.total(), 'place')}, {added} new, {removed} removed"
        if not self._quiet:
            tell(f"{shown(self._file)}: {told}")


def _without(baseline: Baseline, report: FileReport) -> FileReport:
    if not report.path:
        return report
    left = baseline.new(report)
    return replace(report, findings=left, baselined=len(report.findings) - len(left))
