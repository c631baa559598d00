"""`torchlint [PATHS]`: lint, show what was found, and say with the exit code how it went."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN, FAILED, FINDINGS
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan, planned, planned_text
from torchlint.cli.progress import Progress
from torchlint.cli.streams import tell, tell_lines, write, write_bytes
from torchlint.cli.terminal import follows_links, wants_color, width
from torchlint.discovery import Missing
from torchlint.engine import Job, lint, lint_text
from torchlint.errors import UsageError
from torchlint.finding import Finding, Severity
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport, RunError
from torchlint.screen import printable

if TYPE_CHECKING:
    from torchlint.mend import Mended

COMMANDS = frozenset({"check", "explain", "rules", "verify"})
_STDIN = "-"
_OURS = {"file-failed", "rule-failed"}
_FOR_PEOPLE = {"full", "concise"}
_FAILING = {Severity.ERROR, Severity.WARNING}


def check(options: LintOptions) -> int:
    """Lint as the options say, mend what they say, show what is left, and return the exit code."""
    _refuse_idle(options)
    settings = _settings(options, started=time.monotonic())
    if _STDIN in options.paths:
        return _check_stdin(options, settings)
    plan, reports = _looked_at(options)
    if not (options.fix or options.diff):
        return _finish(reports, options, settings)
    from torchlint.cli.fixing import mended, shown, tell_refusals, told, written

    changes = mended(plan.jobs, reports, options)
    tell_refusals(changes)
    if options.diff:
        return _diffed(shown(changes, settings), reports, changes, options)
    if done := written(changes):
        reports = [*_unlinted(plan, options), *_linted(plan, options)]
    return _finish(reports, options, _telling(tuple(told(done, options, "Fixed")), options, settings))


def findings_around(program: Path) -> Sequence[Finding]:
    """Return what the linter says of a program and of the project around it."""
    from torchlint.engine import project_root

    reports = _linted(planned([program, project_root(program)], Configs(LintOptions())), LintOptions())
    _tell_errors(reports)
    return [finding for report in reports for finding in report.findings]


def _refuse_idle(options: LintOptions) -> None:
    """Raise for options that say how to mend where nothing is to be mended."""
    for given, name in ((options.unsafe_fixes, "--unsafe-fixes"), (options.show_fixes, "--show-fixes")):
        if given and not (options.fix or options.diff):
            raise UsageError(f"{name} is for --fix and --diff: give one of them with it")
    if options.outputs and options.diff:
        raise UsageError("--output is for findings, and --diff shows changes: leave one of them out")


def _finish(reports: Iterable[FileReport], options: LintOptions, settings: OutputSettings) -> int:
    ordered = sorted(reports, key=lambda report: report.path)
    ordered += _filed(ordered, options, settings)
    write(render(_output_format(options), ordered, settings))
    _tell_errors(report for report in ordered if report.path)
    return _exit_code(ordered, exit_zero=options.exit_zero)


def _filed(reports: Sequence[FileReport], options: LintOptions, settings: OutputSettings) -> list[FileReport]:
    """Write the files that the options ask for, and return what cannot be written as a report of no file."""
    if not options.outputs:
        return []
    from torchlint.cli.files import write_files

    errors = tuple(write_files(options.outputs, reports, settings))
    for error in errors:
        tell(f"error: {error.message}")
    return [FileReport("", errors=errors)] if errors else []


def _telling(lines: tuple[str, ...], options: LintOptions, settings: OutputSettings) -> OutputSettings:
    """Return the settings with what was done: to be told where people read, told at once where programs do."""
    if _output_format(options) in _FOR_PEOPLE:
        return replace(settings, fixed=lines)
    for line in lines:
        tell(line)
    return settings


def _diffed(
    pieces: Iterable[str], reports: Sequence[FileReport], changes: Sequence[Mended], options: LintOptions
) -> int:
    """Show a diff, and return 1 where there is one."""
    from torchlint.cli.fixing import told

    write(pieces)
    _tell_errors(report for report in reports if report.path)
    changed = [change for change in changes if change.is_changed]
    for line in told(changed, options, "Would fix"):
        tell(line)
    if any(report.errors for report in reports):
        return FAILED
    return FINDINGS if changed and not options.exit_zero else CLEAN


def _looked_at(options: LintOptions) -> tuple[Plan, list[FileReport]]:
    """Return a report of each file, and one without a path of what cannot be linted."""
    configs = Configs(options)
    paths = [Path(word) for word in options.paths]
    plan = planned(paths, configs, force_exclude=options.force_exclude)
    for one in plan.missing:
        tell(f"error: {_missing(one, options)}")
        if tip := _tip(one):
            tell(f"  tip: {tip}")
    for error in plan.errors:
        tell(f"error: {error.message}")
    folders = [word for word in options.paths if Path(word).is_dir()]
    if folders and not (plan.files or plan.missing or plan.errors or options.quiet):
        tell(f"warning: no Python files found under {', '.join(folders)} ({plan.looked_at})")
    return plan, [*_unlinted(plan, options), *_linted(plan, options)]


def _unlinted(plan: Plan, options: LintOptions) -> list[FileReport]:
    """Return what cannot be linted as a report of no file, where there is any."""
    missing = [RunError(one.path.as_posix(), "missing-path", _missing(one, options)) for one in plan.missing]
    errors = (*missing, *plan.errors)
    return [FileReport("", errors=errors)] if errors else []


def _missing(one: Missing, options: LintOptions) -> str:
    word = next(word for word in options.paths if Path(word) == one.path)
    return f"path does not exist: {printable(word)}"


def _tip(one: Missing) -> str:
    if str(one.path) in COMMANDS:
        return f"`{one.path}` is a command where it is the first word"
    return one.tip


def _check_stdin(options: LintOptions, settings: OutputSettings) -> int:
    """Lint the text of stdin; where it is to be mended, stdout is for the text, and stderr for what is left."""
    if len(options.paths) > 1:
        raise UsageError("`-` is stdin, and linted alone: give it as the only path")
    if sys.stdin is None:
        raise UsageError("cannot read stdin: it is closed")
    planned = planned_text(options.stdin_filename, Configs(options), force_exclude=options.force_exclude)
    mends = options.fix or options.diff
    if planned is None and not mends:
        return _finish([], options, settings)
    data = sys.stdin.buffer.read()
    if planned is None:
        if not options.diff:
            write_bytes(data)
        return CLEAN
    job, target = planned
    reports: list[FileReport] = []
    lint_text(job, target.shown, data, reports.append)
    return _mend_text(job, data, reports, options, settings) if mends else _finish(reports, options, settings)


def _mend_text(job: Job, data: bytes, reports: list[FileReport], options: LintOptions, settings: OutputSettings) -> int:
    from torchlint.cli.fixing import mended_text, shown, tell_refusals, told

    changes = mended_text(job, data, reports, options)
    tell_refusals(changes)
    if options.diff:
        return _diffed(shown(changes, settings), reports, changes, options)
    done = [change for change in changes if change.is_changed]
    write_bytes(done[0].after if done else data)
    if done:
        reports = []
        lint_text(job, job.targets[0].shown, done[0].after, reports.append)
    settings = replace(settings, color=options.color is True, hyperlinks=False, width=None)
    settings = _telling(tuple(told(done, options, "Fixed")), options, settings)
    reports += _filed(reports, options, settings)
    tell_lines(render(_output_format(options), reports, settings))
    _tell_errors(report for report in reports if report.path)
    return _exit_code(reports, exit_zero=options.exit_zero)


def _linted(plan: Plan, options: LintOptions) -> list[FileReport]:
    reports: list[FileReport] = []
    progress = Progress(plan.files, quiet=options.quiet)

    def take(report: FileReport) -> None:
        reports.append(report)
        progress.step()

    try:
        lint(plan.jobs, options.jobs, take)
    finally:
        progress.clear()
    return reports


def _tell_errors(reports: Iterable[FileReport]) -> None:
    for report in reports:
        for error in report.errors:
            tell(f"error: {error.message}")
            if error.kind in _OURS:
                tell("  tip: this is a bug in torchlint: please report it, with what --traceback shows")


def _output_format(options: LintOptions) -> str:
    return options.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")


def _settings(options: LintOptions, started: float) -> OutputSettings:
    return OutputSettings(
        color=wants_color(options.color),
        width=width(),
        quiet=options.quiet,
        statistics=options.statistics,
        hyperlinks=follows_links(),
        cwd=Path.cwd(),
        started=started,
    )


def _exit_code(reports: Iterable[FileReport], *, exit_zero: bool) -> int:
    """Return 2 where something failed, else 1 where something worse than a hint was found."""
    found = list(reports)
    if any(report.errors for report in found):
        return FAILED
    failing = any(finding.severity in _FAILING for report in found for finding in report.findings)
    return FINDINGS if failing and not exit_zero else CLEAN
