"""The formats `gcc` and `pylint`: a line for each finding as compilers and Pylint write them, for what reads that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Severity
from torchlint.output.place import also, opening, place
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport
from torchlint.terminal.text import printable

_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_gcc(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:  # noqa: ARG001
    """Yield the findings of each file, and as notes, as compilers do, what is shown with them; editors jump to both."""
    for report in reports:
        for finding in report.findings:
            kind, message = _KINDS[finding.severity], printable(finding.message)
            yield f"{place(finding.path, finding.span)}: {kind}: {message} [{finding.rule}]\n"
            for one in finding.related:
                yield f"{place(one.path, one.span)}: note: {also(one, finding)}\n"


def render_pylint(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:  # noqa: ARG001
    """Yield the findings of each file as Pylint's `parseable` has them, and nothing else."""
    for report in reports:
        for finding in report.findings:
            yield f"{opening(finding.path)}:{finding.span.line}: [{finding.rule}] {printable(finding.message)}\n"
