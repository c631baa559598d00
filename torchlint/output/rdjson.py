"""The format `rdjson`: one object for reviewdog, with a line for each finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.diagnostics import Diagnostics
from torchlint.output.jsontext import as_json
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the object piece by piece."""
    diagnostics, before = Diagnostics(out), "\n"
    yield '{"source": {"name": "torchlint"}, "diagnostics": ['
    for report in reports:
        for finding in report.findings:
            yield before + as_json(diagnostics.of(finding, report.lines))
            before = ",\n"
    yield "\n]}\n"
