"""What all findings of the fixtures look like in a GitHub annotation, a SARIF result and an editor, to be read in review.

`python -m tests.rules.shown` writes `messages.txt` again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lsprotocol import types as lsp

from tests.output.reports import settings, text_of
from tests.rules.linted import reports_of
from torchlint.cli.serving import planned
from torchlint.output.github import annotation
from torchlint.output.grouping import grouped
from torchlint.output.place import one_line
from torchlint.registry import BUILTIN
from torchlint.report import FileReport
from torchlint.server.diagnostics import Diagnostics
from torchlint.server.documents import Documents
from torchlint.server.projects import Checked
from torchlint.testing import Case, cases

FILE = Path(__file__).with_name("messages.txt")
_ENCODING = "utf-16"


def all_shown() -> str:
    """Return every finding of every wrong program, by program and line, in three forms, and those of one cause as one."""
    return "\n".join(f"{case}\n{''.join(_shown(case))}" for case in cases(BUILTIN, "bad"))


def _shown(case: Case) -> Iterator[str]:
    reports = reports_of(case)
    for report in reports:
        forms = zip(_annotations(report), _results(report), _diagnostics(report), strict=True)
        yield from (f"  github  {github}\n  sarif   {sarif}\n  editor  {editor}\n" for github, sarif, editor in forms)
    groups = (finding for report in grouped(reports) for finding in report.findings if finding.related)
    yield from (f"  grouped {one_line(group)}\n" for group in groups)


def _annotations(report: FileReport) -> Iterator[str]:
    return (annotation(finding, settings()) for finding in report.findings)


def _results(report: FileReport) -> Iterator[str]:
    for result in json.loads(text_of("sarif", report, out=replace(settings(), group=False)))["runs"][0]["results"]:
        flow = (one["location"] for each in result.get("codeFlows", ()) for one in each["threadFlows"][0]["locations"])
        words = [result["message"]["text"], *(one["message"]["text"] for one in flow if "message" in one)]
        yield " | ".join(dict.fromkeys(words))


def _diagnostics(report: FileReport) -> Iterator[str]:
    path = Path(report.path).absolute()
    item = lsp.TextDocumentItem(path.as_uri(), "python", 1, "\n".join(report.lines))
    documents = Documents(_ENCODING)
    documents.opened(item)
    document, plan = documents.at(item.uri), planned(path)
    assert document is not None
    assert plan is not None
    diagnostics = Diagnostics(documents, _ENCODING, tells_stories=True)
    for found in diagnostics.by_uri(Checked(document, replace(plan, groups=False), report))[item.uri]:
        kind = lsp.DiagnosticSeverity(found.severity or 1).name.lower()
        story = (step.message for step in found.related_information or ())
        yield " | ".join([f"{kind} {found.code}: {found.message}", *story])


if __name__ == "__main__":
    FILE.write_text(all_shown(), "utf-8")
