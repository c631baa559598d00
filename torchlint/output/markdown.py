"""The format `markdown`: a page for a comment on a pull request, or for the summary of a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.job_summary import LARGEST, page
from torchlint.output.settings import OutputSettings
from torchlint.output.tally import Tally
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the page that GitHub shows for a job: HTML that is valid Markdown, cut to GitHub's limit."""
    tally = Tally()
    found = [report for report in tally.counting(reports) if report.findings]
    yield page(found, tally, out, LARGEST)
