"""`--fix`, `--diff` and `--add-ignore`: change files or show the changes, and print what was done."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path

from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan
from torchlint.config import Config
from torchlint.engine import Job
from torchlint.errors import TorchlintError, UsageError
from torchlint.files.regular import read_regular
from torchlint.finding import Finding, Fix
from torchlint.fixing import FixedFile, NoRoomError, NotWrittenError, fix_all, write
from torchlint.output import OutputSettings
from torchlint.output.summary import counted
from torchlint.report import FileReport
from torchlint.selection import covers
from torchlint.source import UnreadableSourceError, read_source
from torchlint.terminal.capabilities import is_terminal
from torchlint.terminal.streams import tell
from torchlint.terminal.style import Style
from torchlint.terminal.text import printable

_NO_NEWLINE = "\\ No newline at end of file\n"


def mended(jobs: Iterable[Job], reports: Iterable[FileReport], options: LintOptions, config: Config) -> list[FixedFile]:
    """Return the files after the fixes that the options request; none is written."""
    by_path = {report.path: _fixable(report, config) for report in reports}
    return [one for job in jobs for one in _of_job(job, by_path, options)]


def mended_text(
    job: Job, data: bytes, reports: Iterable[FileReport], options: LintOptions, config: Config
) -> list[FixedFile]:
    """Return the fixed text of a job whose only file has other bytes."""
    by_path = {report.path: _fixable(report, config) for report in reports}
    return fix_all(job, {job.targets[0].path: data}, by_path, lambda fix: is_wanted(fix, options))


def shown(changes: Iterable[FixedFile], settings: OutputSettings) -> Iterator[str]:
    """Yield the changes as a unified diff."""
    style, seen = Style(settings.color), is_terminal(sys.stdout)
    for change in changes:
        if change.is_changed:
            before, after = (_text(change.shown, data) for data in (change.before, change.after))
            yield from _unified(change.shown, before, after, style, is_terminal=seen)


def _text(shown: str, data: bytes) -> str:
    """Return the text of a file, for a notebook its JSON, to which `patch` applies."""
    source = read_source(shown, data)
    if source.notebook is None:
        return source.text
    return data.decode(source.encoding).replace("\r\n", "\n").replace("\r", "\n")


def is_wanted(fix: Fix, options: LintOptions) -> bool:
    """Tell whether the options request a fix."""
    return fix.safe or options.unsafe_fixes


def may_be_fixed(finding: Finding, config: Config) -> bool:
    """Tell whether the configuration allows to fix a finding."""
    is_fixable = config.fixable is None or covers(config.fixable, finding.rule, finding.group)
    return is_fixable and not covers(config.unfixable, finding.rule, finding.group)


def written(changes: Iterable[FixedFile]) -> list[FixedFile]:
    """Write fixed files, report errors, and return what was written."""
    done: list[FixedFile] = []
    for change in changes:
        if not change.is_changed:
            continue
        try:
            write(change.path, change.before, change.after)
        except NoRoomError as error:
            raise no_room(change.shown, error, f"{counted(len(done), 'file')} fixed") from error
        except NotWrittenError as error:
            tell(f"warning: {change.shown} was not fixed: {error.reason}")
        else:
            done.append(change)
    return done


def no_room(shown: str, error: NoRoomError, done: str) -> TorchlintError:
    """Return the error of a run that has no space left to write a file."""
    return TorchlintError(f"cannot write {printable(shown)}: {error.reason} ({done}, all others left as they were)")


def tell_refusals(changes: Iterable[FixedFile]) -> None:
    """Print which fixes were not made, and why."""
    refused = ((change, one) for change in changes for one in change.refused)
    lines = (
        f"`{one.finding.rule}` at {_place(change, one.finding)} was not made: it {one.reason}"
        for change, one in refused
    )
    # A line may have several.
    for line in dict.fromkeys(lines):
        tell(f"warning: the fix of {line}")


def _place(change: FixedFile, finding: Finding) -> str:
    """Return the line number of a finding for its reader."""
    notebook = read_source(change.shown, change.before).notebook
    if notebook is None:
        return f"{change.shown}:{finding.span.line}"
    where = notebook.in_cell(finding.span)
    return f"{change.shown}:cell {where.cell}:{where.span.line}"


def told(changes: Sequence[FixedFile], options: LintOptions, verb: str) -> Iterator[str]:
    """Yield the lines that say what was fixed."""
    if not changes:
        return
    if options.show_fixes:
        for change in changes:
            yield f"{verb} {change.shown}:"
            for (rule, safe), number in sorted(Counter(_kinds(change)).items()):
                yield f"  {number} x {rule}{'' if safe else ' (unsafe)'}"
    if not options.quiet:
        findings = sum(len(change.fixed) for change in changes)
        yield f"{verb} {counted(findings, 'finding')} in {counted(len(changes), 'file')}."


def nothing_told(reports: Iterable[FileReport], options: LintOptions) -> str:
    """Return what is said if there is no fix to show, and how many unsafe ones there are."""
    fixes = (finding.fix for report in reports for finding in report.findings if finding.fix)
    unsafe = 0 if options.unsafe_fixes else sum(not fix.safe for fix in fixes)
    return f"No fixes to show{f' ({unsafe} unsafe with `--unsafe-fixes`)' if unsafe else ''}."


def _kinds(change: FixedFile) -> Iterator[tuple[str, bool]]:
    return ((finding.rule, finding.fix is not None and finding.fix.safe) for finding in change.fixed)


def _fixable(report: FileReport, config: Config) -> FileReport:
    """Return a report without the findings that are not to be fixed."""
    if config.fixable is None and not config.unfixable:
        return report
    return replace(report, findings=tuple(one for one in report.findings if may_be_fixed(one, config)))


def _wanted(report: FileReport, options: LintOptions) -> Iterator[bool]:
    return (True for finding in report.findings if finding.fix and is_wanted(finding.fix, options))


def _of_job(job: Job, reports: Mapping[str, FileReport], options: LintOptions) -> list[FixedFile]:
    contents = {
        target.path: data
        for target in job.targets
        if target.shown in reports
        and any(_wanted(reports[target.shown], options))
        and (data := as_reported(target.path, reports[target.shown], "fixed")) is not None
    }
    return fix_all(job, contents, reports, lambda fix: is_wanted(fix, options)) if contents else []


def as_reported(path: Path, report: FileReport, verb: str) -> bytes | None:
    """Return the bytes that a report is about, or None and a note if they have changed."""
    try:
        data = read_regular(path)
        text = read_source(report.path, data).text
    except (OSError, UnreadableSourceError):
        text = None
    if text is None or tuple(text.split("\n")) != report.lines:
        tell(f"warning: {report.path} was not {verb}: changed while it was being looked at")
        return None
    return data


def _unified(path: str, before: str, after: str, style: Style, *, is_terminal: bool = False) -> Iterator[str]:
    """Yield the unified diff of two texts of a file, without control characters on a terminal."""
    for line in unified_diff(_lines(before), _lines(after), path, path):
        body = line.removesuffix("\n")
        shown = printable(body) if is_terminal else body
        if line.startswith(("---", "+++")):
            yield f"{style.bold(shown)}\n"
        else:
            yield f"{style.changed(shown, line[:1])}\n"
        if body == line:
            yield _NO_NEWLINE


def _lines(text: str) -> list[str]:
    # `splitlines` would break at form feeds too.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def ignored(plan: Plan, reports: Sequence[FileReport], options: LintOptions) -> tuple[str, ...]:
    """Write comments that ignore the findings, report files that keep theirs, and return a line on what was written."""
    reason = " ".join((options.wishes.add_ignore or "").split(" ")).strip()
    if not reason.isprintable():
        raise UsageError("the reason of --add-ignore is one line of text: without newlines and control characters")
    done: list[int] = []
    for path, report in _noted(plan, reports):
        try:
            findings = _write_ignores(path, report, reason)
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


def _write_ignores(path: Path, report: FileReport, reason: str) -> int:
    """Write the comments of a file, and return how many findings they ignore."""
    from torchlint.adoption import CannotIgnoreError, with_ignores

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
