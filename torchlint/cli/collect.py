"""Find the files to lint, report errors, and lint them, with the time that each phase takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from torchlint.cli.configs import Configs
from torchlint.cli.options import LintOptions
from torchlint.cli.plan import Plan, planned
from torchlint.engine import READING, TrackedReport, lint_noting
from torchlint.errors import RunError
from torchlint.files.discovery import Missing
from torchlint.files.existence import is_folder
from torchlint.nearest import nearest
from torchlint.report import FileReport
from torchlint.terminal.progress import Progress
from torchlint.terminal.streams import tell
from torchlint.terminal.text import printable

COMMANDS = frozenset({"check", "clean", "explain", "mcp", "migrate", "rules", "server", "verify"})

# Commands of other linters.
_CALLED_ELSEWHERE = {
    "help": "--help", "version": "--version", "lint": "check", "run": "check", "fix": "--fix", "list": "rules",
}  # fmt: skip


def looked_for(options: LintOptions, configs: Configs) -> Plan:
    """Return the plan of what to lint, and report what is missing or cannot be read."""
    plan = planned([Path(word) for word in options.paths], configs)
    if not plan.jobs:
        configs.refuse_unknown()
    for one in plan.missing:
        tell(f"error: {_missing(one, options)}")
        if tip := _tip(one, options):
            tell(f"  tip: {tip}")
    for error in plan.errors:
        tell(f"error: {error.message}")
    if not (plan.files or plan.missing or plan.errors or options.quiet):
        _tell_nothing(plan, options)
    return plan


def _tell_nothing(plan: Plan, options: LintOptions) -> None:
    """Report that there is nothing to lint: below the folders, or because the named files are left out."""
    if folders := [word for word in options.paths if is_folder(word)]:
        tell(f"warning: no Python files found under {', '.join(folders)} ({plan.looked_at})")
    else:
        tell(f"warning: nothing is left to lint: {plan.left_out.words}")


def reports_of(plan: Plan, options: LintOptions, timing: Timing | None = None) -> list[FileReport]:
    """Return a report of each file, and one without a path for what cannot be linted."""
    return [*_unlinted(plan, options), *linted(plan, options, timing)]


def linted(plan: Plan, options: LintOptions, timing: Timing | None = None) -> list[FileReport]:
    """Return a report of each file."""
    reports: list[FileReport] = []
    progress = Progress(plan.files, quiet=options.quiet)

    def take(report: FileReport) -> None:
        reports.append(report)
        progress.step()

    timing = timing or Timing()
    try:
        timing.add(_noted(plan, options, take, timing))
    finally:
        progress.clear()
    return reports


def _noted(plan: Plan, options: LintOptions, take: Callable[[FileReport], None], timing: Timing) -> list[TrackedReport]:
    """Lint every file, or each that is not in the cache, and return the tracked reports of these."""
    if options.cache:
        from torchlint.cache import lint_cached
        from torchlint.cli.caching import cache_of

        return lint_cached([(job, cache_of(job, options)) for job in plan.jobs], options.jobs, take, timing.phase)
    learned: list[TrackedReport] = []

    def learn(noted: TrackedReport) -> None:
        learned.append(noted)
        take(noted.report)

    with timing.phase("lint"):
        lint_noting(plan.jobs, options.jobs, learn)
    return learned


def _unlinted(plan: Plan, options: LintOptions) -> list[FileReport]:
    """Return a report without a path for what cannot be linted, if there is any."""
    missing = [RunError(one.path.as_posix(), "missing-path", _missing(one, options)) for one in plan.missing]
    errors = (*missing, *plan.errors)
    return [FileReport("", errors=errors)] if errors else []


def _missing(one: Missing, options: LintOptions) -> str:
    word = next(word for word in options.paths if Path(word) == one.path)
    return f"path does not exist: {printable(word)}"


def _tip(one: Missing, options: LintOptions) -> str:
    word = str(one.path)
    if word in COMMANDS:
        return f"`{word}` is a command where it is the first word"
    is_first = Path(options.paths[0]) == one.path and not one.path.suffix
    if is_first and (meant := _CALLED_ELSEWHERE.get(word) or nearest(word, COMMANDS)):
        return f"did you mean `torchlint {meant}`?"
    return one.tip


class Timing:
    """The seconds of each phase, and within linting those of each rule, summed over all workers."""

    def __init__(self) -> None:
        self._phases: dict[str, float] = {}
        self._parts: dict[str, float] = {}
        self._linted = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time of a phase."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._phases[name] = self._phases.get(name, 0.0) + time.perf_counter() - started

    def add(self, noted: Iterable[TrackedReport]) -> None:
        """Add the time of files, each in its own process."""
        for one in noted:
            self._linted += 1
            for name, seconds in one.seconds.items():
                self._parts[name] = self._parts.get(name, 0.0) + seconds

    def told(self, files: int) -> Iterator[str]:
        """Yield the lines of the table, the longest time first."""
        yield f"{files} files, {files - self._linted} of them from the cache"
        for name, seconds in self._phases.items():
            yield f"{seconds:8.3f} s  {name}"
        if self._parts:
            yield "of linting, all processes together (who asks first pays for answers that others use):"
        for name, seconds in sorted(self._parts.items(), key=lambda part: -part[1]):
            yield f"{seconds:8.3f} s  {'read and parse' if name == READING else name}"
