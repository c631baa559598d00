"""The format `grouped`: the findings of each file below its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.first import first
from torchlint.output.place import opening, sign
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.screen import printable
from torchlint.style import Style


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield a group for each file that has findings, a blank line after it, and the summary."""
    tally, style = Tally(), Style(out.color)
    for report in first(tally.counting(reports), out.most):
        if report.findings and not out.statistics:
            yield f"{style.bold(opening(report.path))}:\n{''.join(_lines(report))}\n"
    yield from closing(tally, out)


def _lines(report: FileReport) -> Iterator[str]:
    """Yield the findings of a file with their places one below the other."""
    spans = [finding.span for finding in report.findings]
    lines = max(len(str(span.line)) for span in spans)
    columns = max(len(str(span.column)) for span in spans)
    for finding in report.findings:
        place = f"{finding.span.line:>{lines}}:{finding.span.column:<{columns}}"
        yield f"  {place} {finding.rule} {sign(finding)}{printable(finding.message)}\n"
