"""The formats `json` and `json-lines`: one object with a line for each finding, or an object in each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.output.fingerprint import Fingerprints
from torchlint.output.jsontext import as_json
from torchlint.output.records import closing_record, finding_records, header
from torchlint.output.settings import OutputSettings
from torchlint.output.tally import Tally
from torchlint.report import FileReport


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the object piece by piece, so that only one file's findings are in memory."""
    tally, fingerprints = Tally(), Fingerprints()
    yield as_json(header()).removesuffix("}") + ', "findings": ['
    separator = "\n"
    for report in tally.counting(reports):
        for record in finding_records(report, fingerprints, out.site):
            yield separator + as_json(record)
            separator = ",\n"
    yield "\n], " + as_json(closing_record(tally, out)).removeprefix("{") + "\n"


def render_lines(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file as it is done, and the summary."""
    tally, fingerprints = Tally(), Fingerprints()
    for report in tally.counting(reports):
        if report.findings:
            yield "".join(as_json(record) + "\n" for record in finding_records(report, fingerprints, out.site))
    yield as_json(header() | closing_record(tally, out)) + "\n"
