"""The format `full`: each finding with its code, its trace, and its fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.first import first
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing
from torchlint.output.tally import Tally
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file, a blank line after each, and the summary."""
    tally, page = Tally(), None
    for report in first(tally.counting(reports), out.most):
        if report.findings and not out.statistics:
            from torchlint.output.page import Page

            page = page or Page(out)
            yield "".join(f"{line}\n" for finding in report.findings for line in page.lines(finding, report))
    yield from closing(tally, out)
