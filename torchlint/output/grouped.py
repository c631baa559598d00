"""The format `grouped`: the findings of each file below its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Finding
from torchlint.output.cells import seen
from torchlint.output.first import first
from torchlint.output.place import opening, sign
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.terminal.style import Style
from torchlint.terminal.text import printable


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield a group for each file that has findings, a blank line after it, and the summary."""
    tally, style = Tally(), Style(out.color)
    for report in first(tally.counting(reports), out.most):
        if report.findings and not out.statistics:
            yield f"{style.bold(opening(report.path))}:\n{''.join(_lines(report))}\n"
    yield from closing(tally, out)


def _lines(report: FileReport) -> Iterator[str]:
    """Yield the findings of a file with their places one below the other."""
    starts = [_start(finding) for finding in report.findings]
    lines = max(len(line) for line, _ in starts)
    columns = max(len(column) for _, column in starts)
    for finding, (line, column) in zip(report.findings, starts, strict=True):
        place = f"{line:>{lines}}:{column:<{columns}}"
        yield f"  {place} {finding.rule} {sign(finding)}{printable(finding.message)}\n"


def _start(finding: Finding) -> tuple[str, str]:
    """Return the line and the column of a finding, with the cell if it is in a notebook."""
    span = seen(finding)
    return f"cell {finding.cell.cell}:{span.line}" if finding.cell else str(span.line), str(span.column)
