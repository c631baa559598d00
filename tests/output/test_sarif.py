"""SARIF, held to its schema and to what GitHub's code scanning asks of it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given, settings as examples

from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, item_finding, plain_finding, report_of, settings, text_of
from torchlint.errors import RunError
from torchlint.finding import Finding, Severity, Span, Step
from torchlint.output.sarif import LARGEST
from torchlint.registry import builtin_rules
from torchlint.report import FileReport

SCHEMAS = Path(__file__).parent / "schemas"
SARIF = jsonschema.Draft7Validator(json.loads((SCHEMAS / "sarif-2.1.0.json").read_text("utf-8")))
GITHUB = jsonschema.Draft202012Validator(json.loads((SCHEMAS / "github-sarif.json").read_text("utf-8")))
HERE = Span(1, 1, 1, 2)


def run_of(*reports: FileReport, cwd: Path = Path("/nowhere")) -> dict[str, list[dict[str, object]]]:
    document = json.loads(text_of("sarif", *reports, out=settings(cwd=cwd)))
    SARIF.validate(document)
    GITHUB.validate(document)
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


def result_of(*reports: FileReport, cwd: Path = Path("/nowhere")) -> dict[str, object]:
    (result,) = run_of(*reports, cwd=cwd)["results"]
    return result


@given(RUNS)
@examples(max_examples=30)
def test_whatever_was_found_is_valid_and_taken_by_github(run: list[FileReport]) -> None:
    found = run_of(*run)

    assert len(found["results"]) == sum(len(report.findings) for report in run)


def test_every_rule_is_described_as_github_wants_it() -> None:
    found = [
        Finding(rule.name, rule.group, "a.py", HERE, "m", rule.severity, rule.confidence)
        for rule in builtin_rules().values()
    ]

    run = run_of(FileReport("a.py", tuple(found), lines=("x",)))

    rules = json.loads(json.dumps(run["tool"]))["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(builtin_rules())
    assert [rules[int(str(result["ruleIndex"]))]["id"] for result in run["results"]] == [one.rule for one in found]
    assert all("```python" in rule["help"]["markdown"] for rule in rules)
    graded = {
        rule["id"]: rule["properties"]["security-severity"]
        for rule in rules
        if "security" in rule["properties"]["tags"]
    }
    assert graded == {"unsafe-load": "7.8"}


def test_a_result_says_where_and_what() -> None:
    result = result_of(report_of(TRAIN, item_finding()))

    region = {"startLine": 8, "startColumn": 20, "endLine": 8, "endColumn": 31, "snippet": {"text": "loss.item()"}}
    artifact = {"uri": "src/train.py", "uriBaseId": "%SRCROOT%"}
    place = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    assert result["message"] == {"text": "waits on every step: add up `loss.detach()`."}
    assert result["level"] == "warning"
    assert result["locations"] == [place]


def test_the_story_is_told_as_related_places_and_as_a_flow_that_ends_in_the_finding(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("model = wrap(model)\n")
    steps = (Step("other.py", Span(1, 9, 1, 20), "wrapped here"), Step("a.py", Span(1, 1, 1, 2), "passed here"))

    result = result_of(report_of("x\ny", plain_finding(Span(2, 1, 2, 2), trace=steps), path="a.py"), cwd=tmp_path)

    told = json.loads(json.dumps(result))
    (flow,) = told["codeFlows"][0]["threadFlows"]
    places = [step["location"]["physicalLocation"] for step in flow["locations"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["other.py", "a.py", "a.py"]
    assert places[0]["region"]["snippet"] == {"text": "wrap(model)"}
    assert [place["message"]["text"] for place in told["relatedLocations"]] == ["wrapped here.", "passed here."]
    assert [place["id"] for place in told["relatedLocations"]] == [1, 2]
    assert places[-1] == told["locations"][0]["physicalLocation"]


def test_a_fix_is_what_it_replaces_and_by_what() -> None:
    result = result_of(report_of(TRAIN, item_finding()))

    (fix,) = json.loads(json.dumps(result))["fixes"]
    (change,) = fix["artifactChanges"]
    deleted = {"startLine": 8, "startColumn": 20, "endLine": 8, "endColumn": 31}
    assert change["replacements"] == [{"deletedRegion": deleted, "insertedContent": {"text": "loss.detach()"}}]
    assert fix["properties"] == {"applicability": "unsafe"}


def test_a_finding_has_the_fingerprints_of_github_and_of_ours() -> None:
    lines = "x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n"

    known = result_of(report_of(lines, plain_finding(Span(5, 1, 5, 6))))["partialFingerprints"]

    assert isinstance(known, dict)
    assert known["primaryLocationLineHash"] == "54517377da7028d2:1"
    assert set(known) == {"primaryLocationLineHash", "torchlint/v1"}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü#?.py", "a%20b/%C3%BC%23%3F.py"),
        ("c:d.py", "c%3Ad.py"),
        ("./x//y.py", "x/y.py"),
        ("f\udcff.py", "f%FF.py"),
        ("../up.py", "file:///up.py"),
        ("/etc/x y.py", "file:///etc/x%20y.py"),
    ],
)
def test_a_path_is_a_uri(path: str, uri: str) -> None:
    told = json.loads(json.dumps(result_of(FileReport(path, (plain_finding(HERE, path=path),)))))

    found = told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert found == uri
    assert unquote(found, errors="surrogateescape").endswith(path.lstrip("./").replace("//", "/"))


def test_what_went_wrong_is_told_and_the_run_has_failed() -> None:
    error = RunError("a.py", "rule-failed", "rule `x` failed on a.py:1")

    (invocation,) = run_of(FileReport("a.py", errors=(error,)))["invocations"]

    assert invocation == {
        "executionSuccessful": False,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": "rule `x` failed on a.py:1."}}],
    }


def test_rules_that_were_stopped_are_noted_and_the_run_is_no_failure() -> None:
    (invocation,) = run_of(FileReport("a.py", incomplete=("kept-graph",)))["invocations"]

    words = "a.py: `kept-graph` was stopped, as the code takes too many steps to follow; what it would report there is"
    assert invocation == {
        "executionSuccessful": True,
        "toolExecutionNotifications": [{"level": "note", "message": {"text": f"{words} unknown."}}],
    }


def test_of_more_than_github_takes_the_worst_are_kept_and_the_rest_is_told() -> None:
    found = [plain_finding(Span(line, 1, line, 2), Severity.INFO) for line in range(1, LARGEST + 2)]
    found.append(plain_finding(Span(LARGEST + 2, 1, LARGEST + 2, 2), Severity.ERROR))

    document = json.loads(text_of("sarif", FileReport("a.py", tuple(found))))

    (run,) = document["runs"]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]]
    assert lines == [*range(1, LARGEST), LARGEST + 2]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 more findings, none of them worse than these")


def test_a_clean_run_is_a_log_too() -> None:
    run = run_of(FileReport("a.py"))

    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True}]
