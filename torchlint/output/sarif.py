"""The format `sarif`: SARIF 2.1.0, with the fields that GitHub's code scanning and other viewers need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from torchlint import __version__
from torchlint.finding import Finding
from torchlint.output.jsontext import as_json
from torchlint.output.rank import worst_first
from torchlint.output.records import Record
from torchlint.output.sarif_results import Results
from torchlint.output.sarif_rules import descriptors
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import counted
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.terminal.text import printable

# GitHub shows so many, and rejects a file with many more.
LARGEST = 5000
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://pypi.org/project/torchlint/"
_ROOT = {"%SRCROOT%": {"description": {"text": "The root of the repository."}}}


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield a log of one run, with a line for each result and for each rule that has one."""
    tally, results = Tally(), Results(out)
    found = [
        (finding, results.of(finding, report.lines))
        for report in tally.counting(reports)
        for finding in report.findings
    ]
    kept, left_out = _fitting(found)
    rules = sorted({finding.rule: finding for finding, _ in kept}.items())
    index = {name: position for position, (name, _) in enumerate(rules)}
    yield f'{{"$schema": "{_SCHEMA}", "version": "2.1.0", "runs": [{{"tool": {{"driver": {{'
    yield f'"name": "torchlint", "version": "{__version__}", "semanticVersion": "{__version__}", '
    yield f'"informationUri": "{_HOME}", "rules": ['
    yield from _listed(descriptors((finding for _, finding in rules), out.site))
    yield "]}},\n" + as_json(_about(tally, left_out)).removeprefix("{").removesuffix("}") + ', "results": ['
    yield from _listed({"ruleId": finding.rule, "ruleIndex": index[finding.rule], **result} for finding, result in kept)
    yield "]}]}\n"


def _fitting(found: Sequence[tuple[Finding, Record]]) -> tuple[Sequence[tuple[Finding, Record]], int]:
    """Return the findings that fit, the worst of all, in their order; and how many are left out."""
    if len(found) <= LARGEST:
        return found, 0
    worst = {id(finding) for finding in worst_first(finding for finding, _ in found)[:LARGEST]}
    return [one for one in found if id(one[0]) in worst], len(found) - LARGEST


def _listed(records: Iterable[Record]) -> Iterator[str]:
    before = "\n"
    for record in records:
        yield before + as_json(record)
        before = ",\n"


def _about(tally: Tally, left_out: int) -> Record:
    """Return how the run ended, and how positions in it are counted."""
    notes = [_notification("error", error.message) for error in tally.errors]
    notes += [_notification("note", note.message) for note in tally.notes]
    if left_out:
        told = f"{counted(left_out, 'more finding')}, none of them worse than these, not in this file for want of room"
        notes.append(_notification("warning", told))
    invocation: Record = {"executionSuccessful": not tally.errors}
    return {
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": _ROOT,
        "automationDetails": {"id": "torchlint/"},
        "invocations": [invocation | ({"toolExecutionNotifications": notes} if notes else {})],
    }


def _notification(level: str, text: str) -> Record:
    return {"level": level, "message": {"text": f"{printable(text)}."}}
