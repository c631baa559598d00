"""`torchlint [PATHS]`: lint, show what was found, and say with the exit code how it went."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from torchlint.cli.configs import Configs
from torchlint.cli.exits import CLEAN, FAILED, FINDINGS
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan, planned, planned_text
from torchlint.cli.progress import Progress
from torchlint.cli.streams import tell, write
from torchlint.cli.terminal import follows_links, wants_color, width
from torchlint.discovery import Missing
from torchlint.engine import lint, lint_text
from torchlint.errors import UsageError
from torchlint.finding import Finding, Severity
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport, RunError
from torchlint.screen import printable

COMMANDS = frozenset({"check", "explain", "rules", "verify"})
_STDIN = "-"
_OURS = {"file-failed", "rule-failed"}
_FAILING = {Severity.ERROR, Severity.WARNING}


def check(options: LintOptions) -> int:
    """Lint as the options say, show what was found, and return the exit code."""
    settings = _settings(options, started=time.monotonic())
    reports = sorted(_reports(options), key=lambda report: report.path)
    write(render(_output_format(options), reports, settings))
    _tell_errors(report for report in reports if report.path)
    return _exit_code(reports, exit_zero=options.exit_zero)


def findings_around(program: Path) -> Sequence[Finding]:
    """Return what the linter says of a program and of the project around it."""
    from torchlint.engine import project_root

    reports = _linted(planned([program, project_root(program)], Configs(LintOptions())), LintOptions())
    _tell_errors(reports)
    return [finding for report in reports for finding in report.findings]


def _reports(options: LintOptions) -> list[FileReport]:
    """Return a report of each file, and one without a path of what cannot be linted."""
    configs = Configs(options)
    if _STDIN in options.paths:
        return _stdin_reports(options, configs)
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
    return [*_unlinted(plan, options), *_linted(plan, options)]


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


def _stdin_reports(options: LintOptions, configs: Configs) -> list[FileReport]:
    if len(options.paths) > 1:
        raise UsageError("`-` is stdin, and linted alone: give it as the only path")
    if sys.stdin is None:
        raise UsageError("cannot read stdin: it is closed")
    reports: list[FileReport] = []
    if planned := planned_text(options.stdin_filename, configs, force_exclude=options.force_exclude):
        job, target = planned
        lint_text(job, target.shown, sys.stdin.buffer.read(), reports.append)
    return reports


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
