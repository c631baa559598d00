"""The findings that a project has accepted.

An entry is the path of a file, the name of a rule and a fingerprint of the statement, so that it stays valid when the
statement moves in the file or is laid out differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeAlias

from torchlint.adoption.statements import Statements
from torchlint.finding import Finding
from torchlint.report import FileReport

Key: TypeAlias = "tuple[str, str, str]"
"""The path of a file in the baseline, the name of a rule, and a fingerprint."""

Entries: TypeAlias = "Counter[Key]"
"""How often each finding is known."""


@dataclass(slots=True)
class Baseline:
    """The known findings, compared with the current ones; entries of a linted file that are not found are stale.

    `named` returns the path in the baseline for the path of a report, `is_there` whether such a path leads to a file:
    the entries of files that are gone count wherever the finding turns up.
    """

    known: Entries
    named: Callable[[str], str]
    is_there: Callable[[str], bool]
    _unmet: Entries = field(default_factory=Counter)
    _homeless: Counter[tuple[str, str]] = field(default_factory=Counter)
    _stopped: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """By file that was linted, the rules that were stopped in it."""
    _met: Entries = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._unmet = Counter(self.known)
        gone = {path for path, _, _ in self.known if not self.is_there(path)}
        for (path, rule, mark), times in self.known.items():
            if path in gone:
                self._homeless[rule, mark] += times

    def new(self, report: FileReport) -> tuple[Finding, ...]:
        """Return the findings of a file that are not known, and count the others as found."""
        path = self.named(report.path)
        if not report.errors:
            self._stopped[path] = report.incomplete
        marks = fingerprints(report)
        return tuple(one for one in report.findings if not self._is_known(path, one.rule, marks[one.span.line]))

    def stale(self, ran: Collection[str]) -> Entries:
        """Return the entries that nothing was found for, of the rules that ran and the files that they checked."""
        return Counter({
            key: times for key, times in self._unmet.items() if times > 0 and self._is_judged(key, ran)
        })  # fmt: skip

    def pruned(self, ran: Collection[str]) -> Entries:
        """Return the known findings without the stale ones."""
        return self.known - self.stale(ran)

    def updated(self, reports: Iterable[FileReport], ran: Collection[str]) -> Entries:
        """Return the findings of reports as entries, and the entries of all that was not linted."""
        entries = Counter({key: times for key, times in self.known.items() if not self._is_judged(key, ran)})
        for report in reports:
            marks, path = fingerprints(report), self.named(report.path)
            entries.update((path, one.rule, marks[one.span.line]) for one in report.findings)
        return entries

    def _is_known(self, path: str, rule: str, mark: str) -> bool:
        if self._unmet[path, rule, mark] > 0:
            self._unmet[path, rule, mark] -= 1
            return True
        if self._homeless[rule, mark] > 0:
            self._homeless[rule, mark] -= 1
            return True
        return False

    def _is_judged(self, key: Key, ran: Collection[str]) -> bool:
        path, rule, _ = key
        if not self.is_there(path):
            return True
        return rule in ran and path in self._stopped and rule not in self._stopped[path]


def fingerprints(report: FileReport) -> dict[int, str]:
    """Return fingerprints of the statements with findings, by the lines that the findings are on."""
    statements = Statements("\n".join(report.lines)) if report.findings else None
    lines = {finding.span.line for finding in report.findings}
    return {line: fingerprint(statements.essence(line)) for line in lines if statements}


def fingerprint(essence: str) -> str:
    """Return sixteen hexadecimal digits for a statement without its comments and white space."""
    return blake2b(essence.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
