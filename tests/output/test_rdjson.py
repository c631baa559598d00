"""The formats for reviewdog: places in bytes, and suggestions that can be taken as they are."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from hypothesis import given

from tests.output.hostile import RUNS
from tests.output.reports import nan_finding, plain_finding, report_of, settings, text_of
from torchlint.finding import Edit, Fix, Span, Step
from torchlint.report import FileReport

SCHEMA = json.loads((Path(__file__).parent / "schemas/rdjson.json").read_text())
RESULT = jsonschema.Draft202012Validator(SCHEMA)
DIAGNOSTIC = jsonschema.Draft202012Validator({"$ref": "#/$defs/diagnostic", "$defs": SCHEMA["$defs"]})


@given(RUNS)
def test_every_result_is_one_that_reviewdog_reads(run: list[FileReport]) -> None:
    result = json.loads(text_of("rdjson", *run))
    lines = [json.loads(line) for line in text_of("rdjsonl", *run).splitlines()]

    RESULT.validate(result)
    for line in lines:
        DIAGNOSTIC.validate(line)
        assert line.pop("source") == result["source"]
    assert lines == result["diagnostics"]


def test_columns_count_bytes() -> None:
    source = '日本 = "é🎉"; mask = x != float("nan")'

    (found,) = json.loads(text_of("rdjson", report_of(source, nan_finding("a.py", source))))["diagnostics"]

    first, last = (found["location"]["range"][end]["column"] - 1 for end in ("start", "end"))
    assert source.encode()[first:last].decode() == 'x != float("nan")'
    assert found["suggestions"] == [{"range": found["location"]["range"], "text": "~torch.isnan(x)"}]


def test_half_a_fix_is_never_suggested() -> None:
    edits = (Edit(Span(1, 1, 1, 2), "y"), Edit(Span(2, 1, 2, 2), "y"))
    finding = plain_finding(Span(1, 1, 1, 2), fix=Fix("Rename it", edits, safe=True))

    (found,) = json.loads(text_of("rdjson", report_of("x\nx", finding)))["diagnostics"]

    assert "suggestions" not in found


def test_the_story_is_told_in_other_places_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("日本 = wrap()\n", "utf-8")
    step = Step("other.py", Span(1, 6, 1, 12), "wrapped here")

    text = text_of("rdjson", report_of("x", plain_finding(Span(1, 1, 1, 2), trace=(step,))), out=settings(cwd=tmp_path))

    (found,) = json.loads(text)["diagnostics"]
    place = {"start": {"line": 1, "column": 10}, "end": {"line": 1, "column": 16}}
    assert found["related_locations"] == [{"message": "wrapped here", "location": {"path": "other.py", "range": place}}]
