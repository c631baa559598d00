"""The format `junit`: a report of tests, in which a file is a suite and a finding a test that failed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from torchlint.errors import RunError
from torchlint.finding import Finding
from torchlint.output.markup import inline
from torchlint.output.place import also, place_of
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport

_CLEAN = '<testsuite name="torchlint" tests="1" failures="0" errors="0"><testcase name="torchlint"/></testsuite>\n'


@dataclass(frozen=True, slots=True)
class _Suite:
    """The failures of a file, as test cases: `failures` are its findings."""

    path: str
    failures: list[str]
    errors: list[str]

    @property
    def text(self) -> str:
        cases = "".join([*self.failures, *self.errors])
        return f"<testsuite {_counts(inline(self.path), [self])}>\n{cases}</testsuite>\n"


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield a suite for each file with failures; if there are none, a test that passed.

    Totals come first, so all must be known before any is written.
    """
    suites = [_suite(report, out) for report in reports if report.findings or report.errors]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites {_counts('torchlint', suites, 0 if suites else 1)}>\n"
    yield from (suite.text for suite in suites)
    # Some tools reject a report without tests.
    yield "</testsuites>\n" if suites else f"{_CLEAN}</testsuites>\n"


def _counts(name: str, suites: Iterable[_Suite], passed: int = 0) -> str:
    suites = list(suites)
    failures, errors = sum(len(suite.failures) for suite in suites), sum(len(suite.errors) for suite in suites)
    return f'name="{name}" tests="{failures + errors + passed}" failures="{failures}" errors="{errors}"'


def _suite(report: FileReport, out: OutputSettings) -> _Suite:
    path = in_repository(report.path, out) if report.path else "torchlint"
    failures = [_failure(finding, path, number) for number, finding in _numbered(report.findings)]
    errors = [_error(error, path, number) for number, error in enumerate(report.errors, 1)]
    return _Suite(path, failures, errors)


def _numbered(findings: Iterable[Finding]) -> Iterator[tuple[int, Finding]]:
    """Yield findings, each with how often its rule has reported that position: of two tests of one name one is lost."""
    seen: dict[tuple[str, int, int], int] = {}
    for finding in findings:
        key = (finding.rule, finding.span.line, finding.span.column)
        seen[key] = seen.get(key, 0) + 1
        yield seen[key], finding


def _failure(finding: Finding, path: str, number: int) -> str:
    span = finding.span
    again = f" ({number})" if number > 1 else ""
    name = f"{finding.rule} [{span.line}:{span.column}]{again}"
    message = inline(finding.message)
    steps = "".join(f"\n  {inline(place_of(step))}: {inline(step.words)}" for step in finding.trace)
    steps += "".join(f"\n  {inline(place_of(one))}: {inline(also(one, finding))}" for one in finding.related)
    text = f"{inline(place_of(finding))}: {finding.rule} {message}{steps}"
    help_ = f"\n  help: {inline(finding.fix.title)}" if finding.fix else ""
    return _case(name, path, f'<failure type="{inline(finding.rule)}" message="{message}">{text}{help_}</failure>')


def _error(error: RunError, path: str, number: int) -> str:
    message, kind = inline(error.message), inline(error.kind)
    return _case(f"{error.kind} ({number})", path, f'<error type="{kind}" message="{message}">{message}</error>')


def _case(name: str, path: str, outcome: str) -> str:
    # GitLab shows `file`; the schema that Jenkins has for other tools' reports has no `line`.
    shown = inline(path)
    return f'<testcase name="{inline(name)}" classname="{shown}" file="{shown}">{outcome}</testcase>\n'
