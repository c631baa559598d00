"""`torchlint [PATHS]`: lint, show the findings, and return the exit code."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.cli.collect import Timing, linted, looked_for, reports_of
from torchlint.cli.configs import Configs
from torchlint.cli.emit import exit_code, filed, finish, output_format, tell_unchecked, telling, telling_left_out
from torchlint.cli.exits import CLEAN, FAILED, FINDINGS
from torchlint.cli.finding_filter import FindingFilter
from torchlint.cli.options import LintOptions, SelectionOptions, may_fix_unasked, refuse_how, refuse_idle
from torchlint.cli.plan import Plan, planned, planned_text
from torchlint.cli.showing import shown_files, shown_settings, tell_settings
from torchlint.config import Config
from torchlint.engine import Job, lint_text
from torchlint.errors import UsageError
from torchlint.files.notebook_names import is_notebook
from torchlint.finding import Finding
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport
from torchlint.terminal.capabilities import follows_links, wants_color, width
from torchlint.terminal.streams import tell, tell_lines, write, write_bytes
from torchlint.terminal.text import printable

if TYPE_CHECKING:
    from torchlint.fixing import FixedFile

_STDIN = "-"
# They are linted in a second or two.
_FEW_FILES = 20


def check(options: LintOptions) -> int:
    """Lint as the options say, fix findings if they say so, show what is left, and return the exit code."""
    refuse_idle(options)
    started = time.monotonic()
    configs = Configs(options)
    sieve = FindingFilter(options, configs)
    settled = _settled(options, sieve)
    if not settled.fix and not settled.diff:
        refuse_how(options)
    options = settled
    settings = _settings(options, sieve.config, started)
    if _STDIN in options.paths:
        return _check_stdin(options, settings, configs, sieve)
    timing = Timing()
    with timing.phase("find the files"):
        plan = looked_for(options, configs)
    if options.wishes.verbose:
        tell_settings(plan, configs)
        tell_lines(f"{printable(line)}\n" for line in plan.left_out.details)
    if plan.files:
        settings = telling_left_out(plan.left_out.words, options, settings)
    if options.wishes.show_settings or options.wishes.show_files:
        write(shown_settings(plan, configs) if options.wishes.show_settings else shown_files(plan))
        return FAILED if plan.missing or plan.errors else CLEAN
    found = reports_of(plan, options, timing)
    if options.fix or options.diff:
        return _fix_files(plan, found, options, settings, sieve)
    reports = sieve.through(found, plan.jobs)
    if options.wishes.add_ignore is not None:
        return _ignore(plan, reports, options, settings, sieve)
    with timing.phase("show"):
        code = finish(reports, options, settings, sieve)
    if options.timing:
        tell("\n".join(timing.told(plan.files)))
    return code


def _fix_files(
    plan: Plan, found: list[FileReport], options: LintOptions, settings: OutputSettings, sieve: FindingFilter
) -> int:
    from torchlint.cli.fixing import mended, shown, tell_refusals, told, written

    changes = mended(plan.jobs, sieve.fixable(found), options, sieve.config)
    tell_refusals(changes)
    if options.diff:
        return _diffed(shown(changes, settings), found, changes, options)
    done = written(changes)
    reports = sieve.through(reports_of(plan, options) if done else found, plan.jobs)
    settings = telling(tuple(told(done, options, "Fixed")), options, settings)
    return finish(reports, options, settings, sieve, has_fixed=bool(done))


def _ignore(
    plan: Plan, reports: list[FileReport], options: LintOptions, settings: OutputSettings, sieve: FindingFilter
) -> int:
    from torchlint.cli.fixing import ignored

    lines = ignored(plan, reports, options)
    if lines:
        reports = sieve.through(reports_of(plan, options), plan.jobs)
    return finish(reports, options, telling(lines, options, settings), sieve)


def findings_around(program: Path) -> Sequence[Finding]:
    """Return the findings of the linter in a program and what it imports of its project.

    Rules that are off by default count too, where a run tells whether they are right: what they report is not missed.
    """
    from torchlint.engine import project_root, within_program
    from torchlint.verify.claiming import rules_of_runs

    options = LintOptions(cache=False, wishes=SelectionOptions(extend_select=rules_of_runs()))
    # The project may have folders that are none of the program's: a broken configuration there stops nothing.
    around = planned([program, project_root(program)], Configs(options, passes_over_broken=True))
    plan = replace(around, jobs=within_program(around.jobs, program))
    if plan.files > _FEW_FILES:
        tell(f"linting {plan.files} files of {program}, to find what it waits for; then it is run")
    reports = linted(plan, options)
    tell_unchecked(reports)
    return [finding for report in reports for finding in report.findings if not is_notebook(report.path)]


def _settled(options: LintOptions, sieve: FindingFilter) -> LintOptions:
    """Return the options with those of the configuration where the command line has none."""
    config = sieve.config
    return replace(
        options,
        output_format=config.output_format,
        fix=options.fix or (config.fix and may_fix_unasked(options)),
        unsafe_fixes=config.unsafe_fixes,
        cache_dir=options.cache_dir.resolve() if options.cache_dir else config.cache_dir,
    )


def _diffed(
    pieces: Iterable[str], reports: Sequence[FileReport], changes: Sequence[FixedFile], options: LintOptions
) -> int:
    """Show a diff, and return 1 if there is one."""
    from torchlint.cli.fixing import nothing_told, told

    write(pieces)
    tell_unchecked(report for report in reports if report.path)
    changed = [change for change in changes if change.is_changed]
    for line in told(changed, options, "Would fix"):
        tell(line)
    if not changed and not options.quiet:
        tell(nothing_told(reports, options))
    if any(report.errors for report in reports):
        return FAILED
    return FINDINGS if changed and not options.exit_zero else CLEAN


def _check_stdin(options: LintOptions, settings: OutputSettings, configs: Configs, sieve: FindingFilter) -> int:
    """Lint the text of stdin; if it is to be fixed, the text goes to stdout, and findings to stderr."""
    if len(options.paths) > 1:
        raise UsageError("`-` is stdin, and linted alone: give it as the only path")
    if sys.stdin is None:
        raise UsageError("cannot read stdin: it is closed")
    configs.refuse_unknown()
    planned = planned_text(options.stdin_filename, configs)
    fixes = options.fix or options.diff
    if planned is None and not fixes:
        return finish([], options, settings, sieve)
    data = sys.stdin.buffer.read()
    if planned is None:
        if not options.diff:
            write_bytes(data)
        return CLEAN
    job, target = planned
    reports: list[FileReport] = []
    lint_text(job, target.shown, data, reports.append)
    if fixes:
        return _fix_text(job, data, reports, options, settings, sieve)
    return finish(sieve.through(reports, [job]), options, settings, sieve)


def _fix_text(
    job: Job, data: bytes, found: list[FileReport], options: LintOptions, settings: OutputSettings, sieve: FindingFilter
) -> int:
    from torchlint.cli.fixing import mended_text, shown, tell_refusals, told

    changes = mended_text(job, data, sieve.fixable(found), options, sieve.config)
    tell_refusals(changes)
    if options.diff:
        return _diffed(shown(changes, settings), found, changes, options)
    done = [change for change in changes if change.is_changed]
    write_bytes(done[0].after if done else data)
    if done:
        found = []
        lint_text(job, job.targets[0].shown, done[0].after, found.append)
    reports = sieve.through(found, [job])
    settings = replace(settings, color=options.color is True, hyperlinks=False, width=None)
    settings = telling(tuple(told(done, options, "Fixed")), options, settings)
    reports += filed(reports, options, settings)
    if not options.wishes.fix_only:
        tell_lines(render(output_format(options), reports, settings))
    tell_unchecked(report for report in reports if report.path)
    return exit_code(reports, options, sieve, has_fixed=bool(done))


def _settings(options: LintOptions, config: Config, started: float) -> OutputSettings:
    return OutputSettings(
        color=wants_color(options.color),
        width=width(),
        quiet=options.quiet,
        statistics=options.statistics,
        hyperlinks=follows_links(),
        cwd=Path.cwd(),
        started=started,
        most=options.wishes.max_findings,
        group=config.group,
        site=config.site or "",
        command=("torchlint", *sys.argv[1:]),
        date=time.strftime("%Y-%m-%d"),
    )
