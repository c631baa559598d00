"""The format `concise`: one line for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.first import first
from torchlint.output.place import one_line
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing
from torchlint.output.tally import Tally
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file, one in a line, and the summary."""
    tally = Tally()
    for report in first(tally.counting(reports), out.most):
        if report.findings and not out.statistics:
            yield "".join(f"{one_line(finding)}\n" for finding in report.findings)
    yield from closing(tally, out)
