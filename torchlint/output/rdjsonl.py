"""The format `rdjsonl`: for reviewdog, an object in a line for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.diagnostics import Diagnostics
from torchlint.output.jsontext import as_json
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file as it is done."""
    diagnostics = Diagnostics(out)
    for report in reports:
        for finding in report.findings:
            record = {"source": {"name": "torchlint"}, **diagnostics.of(finding, report.lines)}
            yield f"{as_json(record)}\n"
