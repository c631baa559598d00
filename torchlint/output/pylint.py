"""The format `pylint`: a line for each finding as Pylint's `parseable` has it, for tools that read that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.place import opening
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport
from torchlint.terminal.text import printable


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:  # noqa: ARG001
    """Yield the findings of each file, and nothing else."""
    for report in reports:
        for finding in report.findings:
            yield f"{opening(finding.path)}:{finding.span.line}: [{finding.rule}] {printable(finding.message)}\n"
