"""Which lines directives cover and which have findings, for each name: looked up, as a file may have thousands."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import accumulate

from torchlint.finding import Finding


class Coverage:
    """The lines that directives cover; the empty name is for every rule."""

    def __init__(self, covered: Iterable[tuple[str, range]]) -> None:
        by_name: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, lines in covered:
            by_name[name].append((lines.start, lines.stop))
        self._starts = {name: sorted(start for start, _ in lines) for name, lines in by_name.items()}
        # How far the lines reach that begin so early.
        self._stops = {name: [*accumulate((stop for _, stop in sorted(lines)), max)] for name, lines in by_name.items()}

    def covers(self, finding: Finding) -> bool:
        """Tell whether a finding is suppressed."""
        return any(self._has(name, finding.span.line) for name in ("", finding.rule, finding.group))

    def _has(self, name: str, line: int) -> bool:
        before = bisect_right(self._starts.get(name, ()), line)
        return before > 0 and line < self._stops[name][before - 1]


class FoundLines:
    """The lines with findings of each rule and group; under the empty name, with any."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        by_name: defaultdict[str, list[int]] = defaultdict(list)
        findings = sorted(findings, key=lambda one: one.span.line)
        for one in findings:
            for name in {"", one.rule, one.group}:
                by_name[name].append(one.span.line)
        self._lines = dict(by_name)
        self._rules = sorted({one.rule for one in findings})

    def has(self, name: str, lines: range) -> bool:
        """Tell whether there is a finding of a name on some lines."""
        found = self._lines.get(name, ())
        first = bisect_left(found, lines.start)
        return first < len(found) and found[first] < lines.stop

    def rules_on(self, lines: range) -> list[str]:
        """Return the rules that have findings on some lines, sorted."""
        return [rule for rule in self._rules if self.has(rule, lines)]
