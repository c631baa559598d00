"""The format `checkstyle`: the XML of Java's Checkstyle, which Jenkins and many review tools read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Finding
from torchlint.output.markup import inline
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:  # noqa: ARG001
    """Yield an element for each file that has findings."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n'
    for report in reports:
        if report.findings:
            errors = "".join(map(_error, report.findings))
            yield f'  <file name="{inline(report.path)}">\n{errors}  </file>\n'
    yield "</checkstyle>\n"


def _error(finding: Finding) -> str:
    span = finding.span
    return (
        f'    <error line="{span.line}" column="{span.column}" severity="{finding.severity.value}"'
        f' message="{inline(finding.message)}" source="torchlint.{inline(finding.rule)}"/>\n'
    )
