"""The format of test reports: valid, no two tests of one name, and never empty."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given

from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, flush, item_finding, plain_finding, report_of, text_of
from torchlint.errors import RunError
from torchlint.finding import Span
from torchlint.report import FileReport

XS = "{http://www.w3.org/2001/XMLSchema}"
XSD = ElementTree.parse(Path(__file__).parent / "schemas/junit-10.xsd").getroot()
# GitLab shows the file of a test; the schema of Jenkins' xUnit plugin is older than that.
BEYOND = {("testcase", "file")}


def mistakes(element: ElementTree.Element) -> list[str]:
    """Return what the schema has against an element: attributes and children that it lacks, or should not have."""
    declared = XSD.find(f"./{XS}element[@name='{element.tag}']")
    assert declared is not None, element.tag
    attributes = {str(found.get("name")): found.get("use") for found in declared.iter(f"{XS}attribute")}
    children = {found.get("ref") for found in declared.iter(f"{XS}element")}
    extra = {name for name in set(element.keys()) - attributes.keys() if (element.tag, name) not in BEYOND}
    lacking = {name for name, use in attributes.items() if use == "required"} - set(element.keys())
    found = [f"{element.tag}: {name}" for name in sorted(extra | lacking)]
    found += [f"{element.tag}: <{child.tag}>" for child in element if child.tag not in children]
    return found + [mistake for child in element for mistake in mistakes(child)]


@given(RUNS)
def test_every_report_is_as_the_schema_says(run: list[FileReport]) -> None:
    root = ElementTree.fromstring(text_of("junit", *run).encode())

    assert root.tag == "testsuites"
    assert mistakes(root) == []


@given(RUNS)
def test_the_totals_add_up(run: list[FileReport]) -> None:
    root = ElementTree.fromstring(text_of("junit", *run).encode())

    findings, errors = sum(len(found.findings) for found in run), sum(len(found.errors) for found in run)
    for place, kind, number in (("failures", "failure", findings), ("errors", "error", errors)):
        assert int(root.attrib[place]) == len(root.findall(f".//{kind}")) == number
    assert int(root.attrib["tests"]) == len(root.findall(".//testcase")) > 0
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))


def test_the_schema_is_held_to() -> None:
    bad = ElementTree.fromstring(
        "<testsuite name='a' tests='1' failures='0'><testcase line='1'/><failure/></testsuite>"
    )

    assert mistakes(bad) == [
        "testsuite: errors",
        "testsuite: <failure>",
        "testcase: line",
        "testcase: name",
    ]


def test_a_finding_is_a_test_that_failed_and_an_error_one_that_broke() -> None:
    error = RunError("src/train.py", "rule-failed", "rule `a` failed on <b>")

    text = text_of("junit", FileReport("src/train.py", (item_finding(),), (error,)))

    assert text == flush(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="torchlint" tests="2" failures="1" errors="1">
        <testsuite name="src/train.py" tests="2" failures="1" errors="1">
        <testcase name="item-in-training-loop [8:20]" classname="src/train.py" file="src/train.py">\
<failure type="item-in-training-loop" message="waits on every step: add up `loss.detach()`">\
src/train.py:8:20: item-in-training-loop waits on every step: add up `loss.detach()`
          src/train.py:5:5: runs once per batch
          help: Add up `loss.detach()`</failure></testcase>
        <testcase name="rule-failed (1)" classname="src/train.py" file="src/train.py">\
<error type="rule-failed" message="rule `a` failed on &lt;b&gt;">rule `a` failed on &lt;b&gt;</error></testcase>
        </testsuite>
        </testsuites>
        """
    )


def test_a_clean_run_is_a_test_that_passed() -> None:
    root = ElementTree.fromstring(text_of("junit", FileReport("a.py"), FileReport("b.py")).encode())

    assert root.attrib == {"name": "torchlint", "tests": "1", "failures": "0", "errors": "0"}
    assert len(root.findall("./testsuite/testcase")) == 1


def test_findings_of_one_rule_at_one_place_are_tests_of_their_own() -> None:
    finding = plain_finding(Span(1, 1, 1, 2))

    root = ElementTree.fromstring(text_of("junit", report_of(TRAIN, finding, finding)).encode())

    assert [case.attrib["name"] for case in root.iter("testcase")] == ["some-rule [1:1]", "some-rule [1:1] (2)"]
