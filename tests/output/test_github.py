"""What GitHub's runner reads is what was found, and nothing that was found gives it orders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings as examples, strategies as st

from tests.output.ci_logs import github_command
from tests.output.hostile import RUNS, findings
from tests.output.reports import TRAIN, flush, item_finding, plain_finding, report_of, settings, text_of
from torchlint.errors import TorchlintError
from torchlint.finding import Finding, Severity, Span
from torchlint.output import render
from torchlint.output.github import annotation
from torchlint.output.markdown import LARGEST, line_address
from torchlint.output.place import one_line
from torchlint.report import FileReport
from torchlint.terminal.text import printable

KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


@given(findings())
@example(plain_finding(Span(1, 1, 1, 2), path="=a,b::c%0A\r\n%25=.py", message="%25, ::error::\r\n=::"))
def test_the_runner_reads_back_what_was_found(finding: Finding) -> None:
    command = github_command(annotation(finding, settings()))

    assert command is not None
    assert command.name == KINDS[finding.severity]
    assert command.properties.pop("file").removeprefix("./") == printable(finding.path)
    assert command.properties.pop("title") == f"torchlint ({finding.rule})"
    span, numbers = finding.span, {key: int(value) for key, value in command.properties.items()}
    columns = {"col": span.column, "endColumn": span.end_column} if span.line == span.end_line else {}
    assert numbers == {"line": span.line, "endLine": span.end_line, **columns}
    said, *story = command.data.split("\n")
    assert said == one_line(finding)
    assert said.endswith(printable(finding.message))
    assert len(story) == len(finding.trace) + (finding.fix is not None)


@given(RUNS, st.booleans())
def test_the_runner_obeys_the_annotations_only(run: list[FileReport], statistics: bool) -> None:
    lines = text_of("github", *run, out=settings(statistics=statistics)).split("\n")

    commands = [command for line in lines if (command := github_command(line))]

    assert len(commands) == sum(len(report.findings) for report in run)
    assert {command.name for command in commands} <= {"error", "warning", "notice"}


@given(st.lists(findings(), min_size=40, max_size=40))
@examples(max_examples=10)
def test_the_runner_does_not_obey_what_there_was_no_room_for(found: list[Finding]) -> None:
    lines = text_of("github", FileReport("a.py", tuple(found))).split("\n")

    commands = [command for line in lines if (command := github_command(line))]

    assert len(commands) == sum(min(10, sum(finding.severity is grade for finding in found)) for grade in Severity)
    assert sum(line.startswith("- ") for line in lines) == len(found) - len(commands)


def test_an_annotation_is_as_github_documents_it() -> None:
    text = text_of("github", report_of(TRAIN, item_finding()))

    assert text == flush(
        """
        ::warning file=src/train.py,line=8,endLine=8,col=20,endColumn=31,title=torchlint (item-in-training-loop)::\
src/train.py:8:20: item-in-training-loop waits on every step: add up `loss.detach()`\
%0A  src/train.py:5:5: runs once per batch%0A  help: Add up `loss.detach()`
        Found 1 finding (1 warning) in 1 of 1 file, 0.41 s.
        [-] 1 fixable with `torchlint --fix --unsafe-fixes`.
        """
    )


def test_what_runs_over_lines_has_no_columns() -> None:
    text = text_of("github", report_of("f(\n)", plain_finding(Span(1, 1, 2, 2), Severity.ERROR)))

    assert text.startswith("::error file=a.py,line=1,endLine=2,title=torchlint (some-rule)::")


def test_the_worst_come_first_and_the_rest_as_lines() -> None:
    place = Span(1, 1, 1, 2)
    found = [plain_finding(place, path=f"{number:02}.py") for number in range(12)]
    found.append(plain_finding(place, Severity.ERROR, path="z.py"))

    lines = text_of("github", FileReport("a.py", tuple(found)), out=settings(quiet=True)).splitlines()

    assert [line.split(" ")[0] for line in lines[:11]] == ["::error", *["::warning"] * 10]
    assert lines[11:] == [
        "GitHub shows 10 annotations of a kind; 2 more findings:",
        "- 10.py:1:1: some-rule goes wrong: do it right",
        "- 11.py:1:1: some-rule goes wrong: do it right",
    ]


def test_a_file_is_named_from_the_root_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "workspace" / "packages" / "net").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "workspace")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "link"))

    here = annotation(item_finding(), settings(cwd=tmp_path / "workspace" / "packages" / "net"))
    above = annotation(item_finding("../shared/io.py"), settings(cwd=tmp_path / "link" / "packages" / "net"))
    outside = annotation(item_finding("/etc/x.py"), settings(cwd=tmp_path / "workspace"))

    assert here.startswith("::warning file=packages/net/src/train.py,")
    assert above.startswith("::warning file=packages/shared/io.py,")
    assert outside.startswith("::warning file=/etc/x.py,")


def test_the_job_gets_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "summary.md"
    page.write_text("# Tests\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    bad = plain_finding(Span(1, 1, 1, 2), Severity.ERROR, path="<b>.py", message="`a < b` is\n\n# wrong: <script>")

    text_of("github", report_of(TRAIN, item_finding()), report_of("x", bad, path="<b>.py"))

    assert page.read_text("utf-8") == flush(
        """
        # Tests
        <h3>torchlint</h3>
        <p>Found 2 findings (1 error, 1 warning) in 2 of 2 files, 0.41 s.</p>
        <table>
        <tr><th>rule</th><th>findings</th><th>severity</th><th>confidence</th></tr>
        <tr><td><code>item-in-training-loop</code></td><td>1</td><td>warning</td><td>high</td></tr>
        <tr><td><code>some-rule</code></td><td>1</td><td>error</td><td>high</td></tr>
        </table>
        <details><summary><b>error</b> &lt;b&gt;.py:1:1: <code>some-rule</code>
        <br><code>a &lt; b</code> is␊␊# wrong: &lt;script&gt;</summary>
        <ul>
        <li>&lt;b&gt;.py:1:1<br><code>x</code></li>
        </ul>
        </details>
        <details><summary><b>warning</b> src/train.py:8:20: <code>item-in-training-loop</code>
        <br>waits on every step: add up <code>loss.detach()</code></summary>
        <ol>
        <li>src/train.py:5:5: runs once per batch<br><code>for step, (x, y) in enumerate(loader):</code></li>
        <li>src/train.py:8:20<br><code>running += loss.item()</code></li>
        </ol>
        <p>Add up <code>loss.detach()</code> (unsafe fix).</p>
        <pre lang="diff">-        running += loss.item()
        +        running += loss.detach()</pre>
        </details>
        """
    )


@pytest.mark.parametrize("written", [0, LARGEST - 2000, LARGEST - 300, LARGEST - 1, LARGEST + 5])
def test_the_page_never_grows_past_what_github_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    page = tmp_path / "summary.md"
    page.write_bytes(b"-" * written)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    paths = [f"{number}.py" for number in range(2000)]
    run = [FileReport(path, (plain_finding(Span(1, 1, 1, 2), path=path, message="日本" * 90),)) for path in paths]

    text_of("github", *run)

    text = page.read_text("utf-8")
    shown = text.count("<details>")
    assert len(text.encode()) <= max(LARGEST, written)
    assert shown == text.count("</details>") < len(paths)
    assert f"<p>{len(paths) - shown} more findings in the log.</p>" in text or "<h3>" not in text


def test_the_page_leads_to_the_lines_of_the_commit_and_to_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    for name, value in (("SERVER_URL", "https://github.com"), ("REPOSITORY", "us/net"), ("SHA", "0a1b")):
        monkeypatch.setenv(f"GITHUB_{name}", value)

    text = text_of(
        "markdown", report_of(TRAIN, item_finding("a b.py")), out=settings(cwd=tmp_path, site="https://a.com/")
    )

    lines = "https://github.com/us/net/blob/0a1b/a%20b.py#L8-L8"
    assert f'<summary><b>warning</b> <a href="{lines}">a b.py:8:20</a>: <code>item' in text
    assert '<a href="https://github.com/us/net/blob/0a1b/a%20b.py#L5-L5">a b.py:5:5</a>: runs once per batch' in text
    assert '<td><a href="https://a.com/rules/item-in-training-loop.html"><code>item-in-training-loop</code></a>' in text


def test_what_is_outside_of_the_repository_has_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))
    monkeypatch.setenv("CI_PROJECT_URL", "https://gitlab.com/us/net")
    monkeypatch.setenv("CI_COMMIT_SHA", "0a1b")
    out = settings(cwd=tmp_path)

    assert line_address("train.py", Span(3, 1, 4, 2), out) == "https://gitlab.com/us/net/-/blob/0a1b/train.py#L3-4"
    assert line_address("a.ipynb", Span(3, 1, 3, 2), out).endswith("/a.ipynb?plain=1#L3-3")
    assert line_address("../train.py", Span(3, 1, 4, 2), out) == line_address("/a.py", Span(3, 1, 4, 2), out) == ""


def test_a_page_that_cannot_be_written_is_told_after_the_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    chunks = render("github", [report_of(TRAIN, item_finding())], settings())

    assert next(chunks).startswith("::warning ")
    with pytest.raises(TorchlintError, match=r"cannot write the job summary .*: is a directory"):
        list(chunks)
