"""The end of a run: show what is left, write the output files, and return the exit code."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from stat import S_IMODE

from torchlint.cli.exits import CLEAN, FAILED, FINDINGS
from torchlint.cli.finding_filter import FindingFilter
from torchlint.cli.options import LintOptions, OutputFile
from torchlint.errors import RunError, in_words
from torchlint.files.existence import is_file, is_present
from torchlint.output import OutputSettings, render
from torchlint.report import FileReport
from torchlint.terminal.streams import tell, write
from torchlint.terminal.text import printable

_OURS = {"file-failed", "rule-failed"}
_FOR_PEOPLE = {"full", "concise"}


def finish(
    reports: Iterable[FileReport],
    options: LintOptions,
    settings: OutputSettings,
    sieve: FindingFilter,
    *,
    has_fixed: bool = False,
) -> int:
    """Show what is left of a run, and return its exit code; `has_fixed` tells whether anything was fixed."""
    ordered = sorted(reports, key=lambda report: report.path)
    ordered += filed(ordered, options, settings)
    if options.wishes.fix_only:
        write(f"{line}\n" for line in settings.fixed)
    else:
        write(render(output_format(options), ordered, settings))
    tell_unchecked(report for report in ordered if report.path)
    if not options.quiet:
        _tell_left_out(ordered)
    if sieve.known is not None:
        sieve.known.tell_stale()
    return exit_code(ordered, options, sieve, has_fixed=has_fixed)


def filed(reports: Sequence[FileReport], options: LintOptions, settings: OutputSettings) -> list[FileReport]:
    """Write the output files, and return what cannot be written as a report without a path."""
    if not options.outputs:
        return []
    errors = tuple(_write_files(options.outputs, reports, settings))
    for error in errors:
        tell(f"error: {error.message}")
    return [FileReport("", errors=errors)] if errors else []


def telling(lines: tuple[str, ...], options: LintOptions, settings: OutputSettings) -> OutputSettings:
    """Return the settings with what was fixed, for formats for people; for programs, print it at once."""
    if output_format(options) in _FOR_PEOPLE:
        return replace(settings, fixed=lines)
    for line in lines:
        tell(line)
    return settings


def telling_left_out(words: str, options: LintOptions, settings: OutputSettings) -> OutputSettings:
    """Return the settings with what was left out of a run, for formats for people, who read the summary."""
    if output_format(options) in _FOR_PEOPLE:
        return replace(settings, left_out=words)
    if words and not options.quiet:
        tell(f"note: {words}")
    return settings


def tell_unchecked(reports: Iterable[FileReport]) -> None:
    """Print errors, torchlint's own failures, and which rules were stopped, to stderr."""
    for report in reports:
        for error in report.errors:
            tell(f"error: {error.message}")
            if error.kind in _OURS:
                tell("  tip: this is a bug in torchlint: please report it, with what --traceback shows")
        if (note := report.incompleteness) is not None:
            tell(f"note: {note.message}")


def output_format(options: LintOptions) -> str:
    """Return the requested format, else the default of the environment: GitHub has its own."""
    return options.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")


def exit_code(
    reports: Iterable[FileReport], options: LintOptions, sieve: FindingFilter, *, has_fixed: bool = False
) -> int:
    """Return 2 if something failed, else 1 if a finding has a severity that fails a run."""
    found = list(reports)
    if any(report.errors for report in found):
        return FAILED
    wishes = options.wishes
    is_stale = wishes.error_stale_baseline and sieve.known is not None and sieve.known.stale > 0
    failing = any(sieve.fails(finding) for report in found for finding in report.findings) and not wishes.fix_only
    failing = failing or is_stale or (has_fixed and wishes.exit_non_zero_on_fix)
    return FINDINGS if failing and not options.exit_zero else CLEAN


def _tell_left_out(reports: Iterable[FileReport]) -> None:
    """Print a line about notebooks in other languages: nothing is wrong with them, but they are not clean either."""
    left_out = [report for report in reports if report.left_out]
    if len(left_out) == 1:
        tell(f"note: {left_out[0].path} was not checked: it is {left_out[0].left_out}")
    elif left_out:
        kinds = sorted({report.left_out for report in left_out})
        tell(f"note: {len(left_out)} files were not checked, each of them {' or '.join(kinds)}")


def _write_files(
    outputs: Iterable[OutputFile], reports: Sequence[FileReport], settings: OutputSettings
) -> Iterator[RunError]:
    """Write each file, and its folder if there is none, and yield what cannot be written."""
    settings = replace(settings, color=False, hyperlinks=False, width=None, most=0, to_file=True)
    for output in outputs:
        if reason := _failure(output.path, render(output.form, reports, settings)):
            name = output.path.as_posix()
            yield RunError(name, "unwritable-output", f"cannot write {printable(name)}: {reason}")


def _failure(path: Path, pieces: Iterable[str]) -> str:
    """Write a file, and return why that failed, empty if it did not."""
    try:
        _write(path, pieces)
    except OSError as error:
        return in_words(error)
    return ""


def _write(path: Path, pieces: Iterable[str]) -> None:
    # A pipe, and /dev/stderr in any case, is written to; only a regular file can be replaced.
    if path.is_relative_to("/dev") or (is_present(path) and not is_file(path)):
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        return
    from tempfile import mkstemp

    target = Path(os.path.realpath(path))
    mode = _mode(target)
    # The next call reports something that exists and is no folder.
    with suppress(FileExistsError):
        target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = mkstemp(prefix=".torchlint-", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        fresh.chmod(mode)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def _mode(target: Path) -> int:
    """Return the mode of the file that is replaced, or that of a new one; raises for one that is read-only."""
    if is_present(target):
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
