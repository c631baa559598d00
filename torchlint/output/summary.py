"""The text below the findings: how many there are, and how to fix them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from torchlint.finding import Severity
from torchlint.output.settings import OutputSettings
from torchlint.output.tally import RuleTally, Tally
from torchlint.terminal.style import Style
from torchlint.terminal.text import printable

_MOST_AFFECTED = 3
_GRADES = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("info", "info"),
}


def closing(tally: Tally, out: OutputSettings) -> Iterator[str]:
    """Yield the lines at the end of a text format: the statistics if they were requested, else the summary."""
    yield from (f"{printable(line)}\n" for line in out.fixed)
    statistics = out.statistics and tally.findings > 0
    if statistics:
        yield from _table(tally, Style(out.color))
    if not out.quiet:
        yield from _statistics(tally) if statistics else summary(tally, out.elapsed)
        yield from _unshown(tally, 0 if out.statistics else out.most)
        if out.left_out:
            yield f"note: {out.left_out}\n"


def summary(tally: Tally, seconds: float) -> Iterator[str]:
    """Yield the lines that summarize a run; none if no file was linted."""
    files = counted(tally.files, "file")
    if tally.findings:
        yield f"Found {_found(tally.by_severity, tally.places)} in {_where(tally)}, {seconds:.2f} s.\n"
        yield from _unread(tally)
        yield from _fixable(tally)
    elif tally.files and (unchecked := _unchecked(tally)):
        yield f"No findings in {files}, {seconds:.2f} s, but not everything was checked: {unchecked}.\n"
    elif tally.files:
        yield f"All checks passed ({files}, {seconds:.2f} s).\n"


def _unchecked(tally: Tally) -> str:
    """Return which rules did not complete, and why, or empty."""
    stopped = {rule for note in tally.notes for rule in note.rules}
    counts = ((len(tally.errors), "error"), (len(stopped), "stopped rule"))
    return ", ".join(counted(number, kind) for number, kind in counts if number)


def _unshown(tally: Tally, most: int) -> Iterator[str]:
    if most and tally.findings > most:
        yield f"note: {_found(_beyond(tally.by_severity, most))} not shown: `--max-findings 0` shows all\n"
    if tally.baselined:
        verb = "is" if tally.baselined == 1 else "are"
        yield f"note: {counted(tally.baselined, 'place')} {verb} in the baseline\n"


def _beyond(by_severity: Counter[Severity], most: int) -> Counter[Severity]:
    """Return the rest of the findings without so many of the most severe."""
    ordered = [grade for grade in _GRADES for _ in range(by_severity[grade])]
    return Counter(ordered[most:])


def _found(by_severity: Counter[Severity], places: int = 0) -> str:
    """Return how many findings there are, at how many places if these are more, by severity."""
    grades = (counted(by_severity[grade], *names) for grade, names in _GRADES.items() if by_severity[grade])
    return f"{_placed(by_severity.total(), places)} ({', '.join(grades)})"


def _placed(findings: int, places: int) -> str:
    return counted(findings, "finding") + (f" at {places} places" if places > findings else "")


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and what it counts."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _where(tally: Tally) -> str:
    return f"{len(tally.by_path)} of {counted(tally.files, 'file')}"


def _unread(tally: Tally) -> Iterator[str]:
    if tally.unread:
        yield f"note: {counted(tally.unread, 'file')} could not be read in full: rules may have missed mistakes there\n"


def _fixable(tally: Tally) -> Iterator[str]:
    fix, fix_all = "`torchlint --fix`", "`torchlint --fix --unsafe-fixes`"
    safe, unsafe = _fixes(tally.safe, tally), _fixes(tally.unsafe, tally)
    if tally.safe and tally.unsafe:
        yield f"[*] {safe} fixable with {fix} ({tally.unsafe} more with `--fix --unsafe-fixes`).\n"
    elif tally.safe:
        yield f"[*] {safe} fixable with {fix}.\n"
    elif tally.unsafe:
        yield f"[-] {unsafe} fixable with {fix_all}.\n"


def _fixes(number: int, tally: Tally) -> str:
    """Return a number of fixes: of places where these are more than the findings, as each place has its own."""
    return counted(number, "place") if tally.places > tally.findings else str(number)


def _table(tally: Tally, style: Style) -> Iterator[str]:
    widest = max(len(rule.name) for rule in tally.rules)
    for rule in tally.rules:
        severity = style.grave(f"{rule.severity.value:<7}", rule.severity)
        yield f"{rule.findings:>3}  {_mark(rule)} {rule.name:<{widest}}  {severity}  {rule.confidence.value}\n"


def _mark(rule: RuleTally) -> str:
    """Return whether the rule has fixes for its findings."""
    if rule.safe:
        return "[*]"
    return "[-]" if rule.unsafe else "[ ]"


def _statistics(tally: Tally) -> Iterator[str]:
    counts = (("[*]", tally.safe, "safe"), ("[-]", tally.unsafe, "unsafe"))
    fixes = ", ".join(f"{mark} {number} {kind}" for mark, number, kind in counts if number)
    noun = "fix" if tally.safe + tally.unsafe == 1 else "fixes"
    mended = f" {fixes} {noun}." if fixes else ""
    yield f"Found {_placed(tally.findings, tally.places)} in {_where(tally)}.{mended}\n"
    most = (f"{printable(path)} ({number})" for path, number in tally.paths[:_MOST_AFFECTED])
    yield f"Most affected: {', '.join(most)}.\n"
