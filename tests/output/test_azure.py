"""The format for Azure Pipelines: its agent reads back what was found, and nothing that was found gives it orders."""

from __future__ import annotations

import re

from hypothesis import example, given, strategies as st

from tests.output.ci_logs import azure_command
from tests.output.hostile import RUNS, findings
from tests.output.reports import TRAIN, flush, item_finding, plain_finding, report_of, settings, text_of
from torchlint.finding import Finding, Severity, Span
from torchlint.output.azure import command
from torchlint.report import FileReport
from torchlint.terminal.text import printable

KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "warning"}


@given(findings())
@example(plain_finding(Span(1, 1, 1, 2), path="=a];b%5D%AZP253B\r\n.py", message="%AZP25]; ##vso[task.complete]\r\n"))
def test_the_agent_reads_back_what_was_found(finding: Finding) -> None:
    read = azure_command(command(finding, settings()))

    assert read is not None
    assert read.name == "task.logissue"
    assert read.properties.pop("sourcepath").removeprefix("./") == printable(finding.path)
    assert read.properties == {
        "type": KINDS[finding.severity],
        "linenumber": str(finding.span.line),
        "columnnumber": str(finding.span.column),
        "code": finding.rule,
    }
    assert read.data == printable(finding.message)


@given(RUNS, st.booleans())
def test_the_agent_obeys_a_command_for_each_finding_only(run: list[FileReport], statistics: bool) -> None:
    lines = re.split("[\r\n]", text_of("azure", *run, out=settings(statistics=statistics)))

    commands = [read for line in lines if (read := azure_command(line))]

    assert [read.name for read in commands] == ["task.logissue"] * sum(len(report.findings) for report in run)


def test_a_command_is_as_the_manual_of_azure_has_it() -> None:
    text = text_of("azure", report_of(TRAIN, item_finding()))

    assert text == flush(
        """
        ##vso[task.logissue type=warning;sourcepath=src/train.py;linenumber=8;columnnumber=20;\
code=item-in-training-loop;]waits on every step: add up `loss.detach()`
        Found 1 finding (1 warning) in 1 of 1 file, 0.41 s.
        [-] 1 fixable with `torchlint --fix --unsafe-fixes`.
        """
    )


def test_the_worst_come_first_and_the_rest_as_lines() -> None:
    place = Span(1, 1, 1, 2)
    found = [plain_finding(place, Severity.INFO, path=f"{number:02}.py") for number in range(10)]
    found.append(plain_finding(place, path="z.py"))

    lines = text_of("azure", FileReport("a.py", tuple(found)), out=settings(quiet=True)).splitlines()

    assert [line.split(";")[1] for line in lines[:2]] == ["sourcepath=z.py", "sourcepath=00.py"]
    assert lines[10:] == [
        "Azure shows 10 findings of a type; 1 more finding:",
        "- 09.py:1:1: some-rule goes wrong: do it right",
    ]
