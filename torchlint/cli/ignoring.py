"""`--add-ignore[=REASON]`: write comments that ignore what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from torchlint.adoption import CannotIgnoreError, with_ignores
from torchlint.cli.fixing import as_reported
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan
from torchlint.cli.streams import tell
from torchlint.errors import UsageError
from torchlint.mend import NotWrittenError, write
from torchlint.output.summary import counted
from torchlint.report import FileReport


def ignored(plan: Plan, reports: Sequence[FileReport], options: LintOptions) -> tuple[str, ...]:
    """Write the comments, tell which files were left as they are, and return the line that says what was written."""
    reason = " ".join((options.wishes.add_ignore or "").split(" ")).strip()
    if not reason.isprintable():
        raise UsageError("the reason of --add-ignore is one line of text: without newlines and control characters")
    done = [number for number in _written(plan, reports, reason) if number]
    if not done:
        return ()
    return (f"Ignored {counted(sum(done), 'finding')} in {counted(len(done), 'file')}.",)


def _written(plan: Plan, reports: Sequence[FileReport], reason: str) -> Iterator[int]:
    """Yield how many findings of each file are ignored from now on."""
    paths = {target.shown: target.path for job in plan.jobs for target in job.targets}
    for report in sorted(reports, key=lambda report: report.path):
        if report.findings and report.lines:
            yield _write(paths[report.path], report, reason)


def _write(path: Path, report: FileReport, reason: str) -> int:
    if (data := as_reported(path, report, "changed")) is None:
        return 0
    try:
        done = with_ignores(report.path, data, report.findings, reason)
        if done.findings:
            write(path, data, done.after)
    except (CannotIgnoreError, NotWrittenError) as error:
        tell(f"warning: {report.path} was not changed: {error}")
        return 0
    return done.findings
