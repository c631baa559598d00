"""The formats for programs, held to the schema that ships with them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, strategies as st

import torchlint.output
from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, item_finding, plain_finding, report_of, settings, text_of
from torchlint import __version__
from torchlint.errors import RunError
from torchlint.finding import Span, Step
from torchlint.report import FileReport

SCHEMA = json.loads(Path(torchlint.output.__file__).with_name("schema.json").read_text("utf-8"))
DOCUMENT = jsonschema.Draft202012Validator(SCHEMA)
FINDING = jsonschema.Draft202012Validator({**SCHEMA["$defs"]["finding"], "$defs": SCHEMA["$defs"]})


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@given(RUNS, st.booleans())
def test_a_document_is_as_the_schema_says(run: list[FileReport], statistics: bool) -> None:
    document = json.loads(text_of("json", *run, out=settings(statistics=statistics)))

    DOCUMENT.validate(document)
    assert len(document["findings"]) == document["summary"]["findings"] == sum(len(report.findings) for report in run)


@given(RUNS)
def test_lines_are_the_document_cut_in_pieces(run: list[FileReport]) -> None:
    document = json.loads(text_of("json", *run))

    *findings, last = map(json.loads, text_of("json-lines", *run).splitlines())

    assert {**last, "findings": findings} == document


def test_a_field_that_goes_missing_is_not_as_the_schema_says() -> None:
    document = json.loads(text_of("json", report_of(TRAIN, item_finding())))
    finding = document["findings"][0]

    for record, validator in ((document, DOCUMENT), (finding, FINDING)):
        # What came within a version, nobody has to look for.
        for field in record.keys() - {"cause", "notes", "related", "url"}:
            rest = {key: value for key, value in record.items() if key != field}
            with pytest.raises(jsonschema.ValidationError):
                validator.validate(rest)


def test_everything_about_a_finding_is_written() -> None:
    (line, _) = text_of("json-lines", report_of(TRAIN, item_finding())).splitlines()

    assert json.loads(line) == {
        "rule": "item-in-training-loop",
        "group": "sync",
        "path": "src/train.py",
        "line": 8,
        "column": 20,
        "end_line": 8,
        "end_column": 31,
        "message": "waits on every step: add up `loss.detach()`",
        "severity": "warning",
        "confidence": "high",
        "trace": [
            {
                "path": "src/train.py",
                "line": 5,
                "column": 5,
                "end_line": 5,
                "end_column": 43,
                "message": "runs once per batch",
            }
        ],
        "fix": {
            "title": "Add up `loss.detach()`",
            "applicability": "unsafe",
            "doubt": "",
            "edits": [{"line": 8, "column": 20, "end_line": 8, "end_column": 31, "text": "loss.detach()"}],
        },
        "url": None,
        "cause": None,
        "related": [],
        "fingerprint": "48070477425079899b8cc521009446b8",
    }


def test_a_finding_is_known_again_where_its_code_has_moved() -> None:
    below = replace(item_finding(), span=Span(9, 20, 9, 31))
    before, after = (
        [json.loads(line).get("fingerprint") for line in text_of("json-lines", report).splitlines()]
        for report in (report_of(TRAIN, item_finding()), report_of(f"\n{TRAIN}", below, below))
    )

    assert before[:1] == after[:1]
    assert after[0] != after[1]


def test_a_version_that_is_named_stays_as_it_is() -> None:
    report = report_of(TRAIN, item_finding())

    assert text_of("json-v1", report) == text_of("json", report)


def test_the_summary_and_the_errors_come_with_the_findings() -> None:
    error = RunError("b.py", "rule-failed", "hardcoded-cuda: IndexError")
    run = [
        report_of(TRAIN, item_finding()),
        FileReport("b.py", errors=(error,), suppressed=2, baselined=3),
        FileReport("c.py", incomplete=("wrapper-attribute", "kept-graph")),
    ]

    document = json.loads(text_of("json", *run))

    del document["findings"]
    assert document == {
        "version": 1,
        "tool": {"name": "torchlint", "version": __version__},
        "summary": {
            "files": 3,
            "findings": 1,
            "places": 1,
            "by_severity": {"error": 0, "warning": 1, "info": 0},
            "by_rule": {"item-in-training-loop": 1},
            "fixable": {"safe": 0, "unsafe": 1},
            "suppressed": 2,
            "baselined": 3,
            "duration_s": 0.41,
        },
        "errors": [{"path": "b.py", "kind": "rule-failed", "message": "hardcoded-cuda: IndexError"}],
        "notes": [
            {
                "path": "c.py",
                "rules": ["wrapper-attribute", "kept-graph"],
                "message": "c.py: `wrapper-attribute`, `kept-graph` were stopped, as the code takes too many steps to "
                "follow; what they would report there is unknown",
            }
        ],
    }


def test_an_error_outside_of_any_file_counts_no_file() -> None:
    error = RunError("", "unreadable-folder", "src: permission denied")

    document = json.loads(text_of("json", FileReport("", errors=(error,))))

    assert document["summary"]["files"] == 0
    assert document["errors"] == [{"path": "", "kind": "unreadable-folder", "message": "src: permission denied"}]


def test_statistics_are_inside_the_document() -> None:
    document = json.loads(text_of("json", report_of(TRAIN, item_finding()), out=settings(statistics=True)))

    assert document["statistics"] == {
        "rules": [
            {
                "rule": "item-in-training-loop",
                "findings": 1,
                "severity": "warning",
                "confidence": "high",
                "fixable": {"safe": 0, "unsafe": 1},
            }
        ],
        "files": [{"path": "src/train.py", "findings": 1}],
    }
    assert document["findings"]


@given(RUNS)
def test_any_terminal_and_any_pipe_can_carry_it(run: list[FileReport]) -> None:
    text_of("json", *run).encode("ascii")
    text_of("json-lines", *run).encode("ascii")


def test_a_name_that_is_no_text_is_still_valid_unicode() -> None:
    step = Step("s\udcff.py", Span(1, 1, 1, 2), "\udcff")
    finding = plain_finding(Span(1, 1, 1, 2), path="f\udcff.py", message="\udcff", trace=(step,))
    error = RunError("e\udcff.py", "rule-failed", "\udcff")

    text = text_of("json", FileReport("f\udcff.py", (finding,), (error,)), out=settings(statistics=True))

    assert "\\udcff" not in text
    assert text.count("\\ufffd") == 7


def test_a_clean_run_is_a_document_too() -> None:
    document = json.loads(text_of("json"))

    DOCUMENT.validate(document)
    assert document["findings"] == []
