"""Rules as SARIF describes them, in the words of the manual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Confidence, Finding, Severity
from torchlint.manual import Entry
from torchlint.output.descriptions import described
from torchlint.output.records import Record
from torchlint.output.rule_links import on_site
from torchlint.output.sarif_results import LEVELS
from torchlint.programs import programs

# GitHub cuts what is longer.
_LONGEST = 1024
_PRECISION = {Confidence.HIGH: "very-high", Confidence.MEDIUM: "high", Confidence.LOW: "medium"}
_GRADES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def descriptors(findings: Iterable[Finding], site: str) -> Iterator[Record]:
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
