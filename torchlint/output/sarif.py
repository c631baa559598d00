"""The format `sarif`: SARIF 2.1.0, with the fields that GitHub's code scanning and other viewers need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from torchlint import __version__
from torchlint.finding import Confidence, Finding, Severity
from torchlint.manual import Entry
from torchlint.output.descriptions import described
from torchlint.output.jsontext import as_json
from torchlint.output.rank import worst_first
from torchlint.output.records import Record
from torchlint.output.rule_links import on_site
from torchlint.output.sarif_results import LEVELS, Results
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import counted
from torchlint.output.tally import Tally
from torchlint.programs import programs
from torchlint.report import FileReport
from torchlint.terminal.text import printable

# GitHub shows so many, and rejects a file with many more.
LARGEST = 5000
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://pypi.org/project/torchlint/"
_ROOT = {"%SRCROOT%": {"description": {"text": "The root of the repository."}}}
# GitHub cuts what is longer.
_LONGEST = 1024
_PRECISION = {Confidence.HIGH: "very-high", Confidence.MEDIUM: "high", Confidence.LOW: "medium"}
_GRADES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


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
    yield from _listed(_descriptors((finding for _, finding in rules), out.site))
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


def _descriptors(findings: Iterable[Finding], site: str) -> Iterator[Record]:
    """Yield the description of the rule of each finding, with its page on a site or else PyTorch's on its subject."""
    return (_descriptor(described(finding), on_site(finding.rule, site)) for finding in findings)


def _descriptor(rule: Entry, address: str) -> Record:
    return {
        "id": rule.name,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary[:_LONGEST]},
        "fullDescription": {"text": rule.text[:_LONGEST]},
        "help": {"text": f"{rule.text}\n\nMore: torchlint explain {rule.name}", "markdown": "".join(_markdown(rule))},
        **({"helpUri": uri} if (uri := address or rule.reference) else {}),
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": _properties(rule),
    }


def _properties(rule: Entry) -> Record:
    properties: Record = {
        "tags": ["pytorch", rule.group, *(["security"] if rule.cvss else [])],
        "precision": _PRECISION[rule.confidence],
        "problem.severity": _GRADES[rule.severity],
    }
    # It makes an alert one of security: GitHub accepts no 0.0 there.
    return properties | ({"security-severity": str(rule.cvss)} if rule.cvss else {})


def _markdown(rule: Entry) -> Iterator[str]:
    """Yield the page of a rule, with the first of the programs that it must report and must not."""
    yield f"{rule.text}\n"
    for title, kind in (("Wrong: `# error` marks what is reported", "bad"), ("Right", "good")):
        for program in programs(rule.name, kind)[:1]:
            yield f"\n## {title}\n\n```python\n{program.text.strip()}\n```\n"
    yield f"\n`torchlint explain {rule.name}` shows more.\n"
