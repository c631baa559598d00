"""`--add-ignore[=REASON]`: write comments that ignore the findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from torchlint.adoption import CannotIgnoreError, with_ignores
from torchlint.cli.fixing import as_reported, no_room
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan
from torchlint.errors import UsageError
from torchlint.fixing import NoRoomError, NotWrittenError, write
from torchlint.output.summary import counted
from torchlint.report import FileReport
from torchlint.terminal.streams import tell


def ignored(plan: Plan, reports: Sequence[FileReport], options: LintOptions) -> tuple[str, ...]:
    """Write the comments, report which files were not changed, and return the line that says what was written."""
    reason = " ".join((options.wishes.add_ignore or "").split(" ")).strip()
    if not reason.isprintable():
        raise UsageError("the reason of --add-ignore is one line of text: without newlines and control characters")
    done: list[int] = []
    for path, report in _noted(plan, reports):
        try:
            findings = _write(path, report, reason)
        except NoRoomError as error:
            raise no_room(report.path, error, f"{counted(len(done), 'file')} changed") from error
        done += [findings] if findings else []
    if not done:
        return ()
    return (f"Ignored {counted(sum(done), 'finding')} in {counted(len(done), 'file')}.",)


def _noted(plan: Plan, reports: Sequence[FileReport]) -> Iterator[tuple[Path, FileReport]]:
    """Yield the files in which comments are to be written."""
    paths = {target.shown: target.path for job in plan.jobs for target in job.targets}
    for report in sorted(reports, key=lambda report: report.path):
        if report.findings and report.lines:
            yield paths[report.path], report


def _write(path: Path, report: FileReport, reason: str) -> int:
    """Write the comments of a file, and return how many findings they ignore."""
    if (data := as_reported(path, report, "changed")) is None:
        return 0
    try:
        done = with_ignores(report.path, data, report.findings, reason)
        if done.findings:
            write(path, data, done.after)
    except NoRoomError:
        raise
    except (CannotIgnoreError, NotWrittenError) as error:
        tell(f"warning: {report.path} was not changed: {error}")
        return 0
    return done.findings
