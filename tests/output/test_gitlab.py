"""The format for GitLab: each finding is one that it accepts, and none is taken for another."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given

from tests.output.hostile import RUNS
from tests.output.reports import TRAIN, item_finding, plain_finding, report_of, settings, text_of
from torchlint.finding import Severity, Span
from torchlint.report import FileReport

SCHEMA = jsonschema.Draft202012Validator(json.loads((Path(__file__).parent / "schemas/gitlab.json").read_text()))


@given(RUNS)
def test_every_report_is_one_that_gitlab_takes(run: list[FileReport]) -> None:
    found = json.loads(text_of("gitlab", *run))

    SCHEMA.validate(found)
    assert len({degradation["fingerprint"] for degradation in found}) == len(found)
    assert len(found) == sum(len(report.findings) for report in run)


def test_a_finding_is_written_as_gitlab_shows_it() -> None:
    (found,) = json.loads(text_of("gitlab", report_of(TRAIN, item_finding())))

    assert found.pop("fingerprint")
    assert found == {
        "description": "item-in-training-loop: waits on every step: add up `loss.detach()`",
        "check_name": "item-in-training-loop",
        "severity": "minor",
        "location": {"path": "src/train.py", "lines": {"begin": 8, "end": 8}},
    }


def test_a_clean_run_is_an_empty_list() -> None:
    assert text_of("gitlab", FileReport("a.py")) == "[]\n"


def test_a_finding_is_known_again_after_its_code_has_moved_and_been_indented() -> None:
    line = "x = loss.item()"
    before = report_of(line, plain_finding(Span(1, 5, 1, 16)))
    after = report_of(f"import torch\nif True:\n    {line}", plain_finding(Span(3, 9, 3, 20)))
    other = report_of("y = loss.item()", plain_finding(Span(1, 5, 1, 16)))

    first, moved, changed = (json.loads(text_of("gitlab", run))[0]["fingerprint"] for run in (before, after, other))

    assert first == moved != changed


def test_of_findings_that_are_alike_each_is_one() -> None:
    twice = plain_finding(Span(1, 1, 1, 2))
    run = report_of("f()\nf()", twice, replace(twice, span=Span(2, 1, 2, 2)), replace(twice, severity=Severity.INFO))

    found = json.loads(text_of("gitlab", run))

    assert len({degradation["fingerprint"] for degradation in found}) == 3


def test_a_file_is_named_from_the_root_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "packages" / "net").mkdir(parents=True)
    monkeypatch.setenv("CI_PROJECT_DIR", str(tmp_path))

    (found,) = json.loads(
        text_of("gitlab", report_of(TRAIN, item_finding("./a.py")), out=settings(cwd=tmp_path / "packages" / "net"))
    )

    assert found["location"]["path"] == "packages/net/a.py"
