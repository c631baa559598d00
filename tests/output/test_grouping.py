"""Findings of one cause are one, wherever they are shown."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from tests.output.hostile import GROUPED_RUNS
from tests.output.reports import plain_finding, report_of, settings, span_of, text_of
from tests.rules.linted import reports_of
from torchlint.finding import Cause, CellSpan, Confidence, Edit, Finding, Fix, Severity, Span, Step
from torchlint.formats import EACH_PLACE
from torchlint.output import FORMATS
from torchlint.output.grouping import grouped
from torchlint.registry import BUILTIN
from torchlint.report import FileReport
from torchlint.testing import Case, cases

TRAIN = """\
def train(model, loader, optimizer):
    for batch in loader:
        loss = step(model, batch)
        print(loss)
        total += loss.item()

def step(model, batch):
    return float(model(batch))
"""
LOOP = Step("train.py", span_of(TRAIN, "loader:"), "this loop trains")
CALL = Step("train.py", span_of(TRAIN, "step(model, batch)"), "`step` is called in every step here")
WAITS = Cause("makes the host wait", "in the loop", "log every N steps").at(LOOP.path, LOOP.span)
# What has a place for others beside that of a finding; the rest names their lines in the message.
TELL_PLACES = {
    "full",
    "gcc",
    "github",
    "html",
    "json",
    "json-v1",
    "json-lines",
    "junit",
    "markdown",
    "rdjson",
    "rdjsonl",
    "sarif",
}


def wait(code: str, rule: str, *, calls: tuple[Step, ...] = (), severity: Severity = Severity.WARNING) -> Finding:
    """Return a wait of the loop."""
    place = Span(8, 12, 8, 31) if code.startswith("float") else span_of(TRAIN, code)
    found = plain_finding(place, severity, path="train.py", message=f"`{code}` waits; log `{code}`", rule=rule)
    return replace(found, trace=(LOOP, *calls), cause=WAITS)


ITEM = wait("loss.item()", "item-in-training-loop")
PRINT = wait("print(loss)", "tensor-print-in-training-loop")
FLOAT = wait("float(model(batch))", "item-in-training-loop", calls=(CALL,))
REPORT = report_of(TRAIN, PRINT, ITEM, FLOAT, path="train.py")


def shown(*reports: FileReport) -> list[Finding]:
    """Return what is shown of reports."""
    return [finding for report in grouped(reports) for finding in report.findings]


def test_the_first_that_a_step_comes_to_stands_for_all() -> None:
    (one,) = shown(REPORT)

    assert (one.span, one.rule, one.severity) == (FLOAT.span, FLOAT.rule, FLOAT.severity)
    assert one.message == (
        "`float(model(batch))` makes the host wait, as do 2 more places in the loop (lines 4, 5); log every N steps"
    )
    assert one.related == (PRINT, ITEM)


def test_what_each_is_advised_is_advised_of_all() -> None:
    tests = [replace(one, message=f"`{one.rule}` waits; test it rarely") for one in (PRINT, ITEM)]
    longer = [replace(one, message=f"`{one.rule}` waits; log every N steps of the loop") for one in (PRINT, ITEM)]
    longest = [replace(one, message=f"`{one.rule}` waits; {'do ' * 40}it") for one in (PRINT, ITEM)]

    advised = [shown(report_of(TRAIN, *each))[0].message.partition("; ")[2] for each in (tests, longer, longest)]

    assert advised == ["test them rarely", "log every N steps", "log every N steps"]


def test_the_gravest_stands_for_all_and_the_surest_of_those() -> None:
    grave = replace(ITEM, severity=Severity.ERROR)
    vague = replace(PRINT, confidence=Confidence.MEDIUM)

    assert [one.span for one in shown(report_of(TRAIN, vague, grave, FLOAT))] == [ITEM.span]
    assert [one.span for one in shown(report_of(TRAIN, vague, ITEM))] == [ITEM.span]


def test_where_the_first_is_left_out_the_next_stands_for_the_others() -> None:
    (one,) = shown(report_of(TRAIN, PRINT, ITEM))

    assert (
        one.message == "`print(loss)` makes the host wait, as does 1 more place in the loop (line 5); log every N steps"
    )
    assert (one.span, one.related) == (PRINT.span, (ITEM,))


def test_a_place_of_the_same_line_is_not_sent_for_by_its_number() -> None:
    again = replace(PRINT, span=replace(PRINT.span, column=PRINT.span.column + 1))

    (two,) = shown(report_of(TRAIN, PRINT, again))
    (three,) = shown(report_of(TRAIN, PRINT, again, ITEM))

    assert "as does 1 more place in the loop (this line); " in two.message
    assert "as do 2 more places in the loop (this line, line 5); " in three.message


def test_what_is_alone_is_as_it_was() -> None:
    other = replace(PRINT, cause=replace(WAITS, span=Span(40, 1, 40, 2)))
    plain = plain_finding(Span(1, 1, 1, 4))

    assert shown(report_of(TRAIN, plain, other, ITEM)) == [plain, other, ITEM]


def test_a_cause_makes_findings_in_several_files() -> None:
    metric = replace(FLOAT, path="lib/metric.py", trace=(LOOP, CALL))
    reports = [
        FileReport("a.py"),
        FileReport("lib/metric.py", (metric,)),
        report_of(TRAIN, PRINT, ITEM, path="train.py"),
    ]

    found = list(grouped(reports))

    assert [[one.span for one in report.findings] for report in found] == [[], [metric.span], []]
    assert "as do 2 more places in the loop (train.py:4, train.py:5); " in found[1].findings[0].message


def test_a_message_is_never_too_long_and_names_as_many_lines_as_there_is_room_for() -> None:
    code = "x" * 40
    many = [replace(PRINT, span=Span(line, 1, line, 9), message=f"`{code}` waits") for line in range(100, 130)]
    waits = replace(WAITS, happens="makes the host wait for the GPU in every step")

    (one,) = shown(FileReport("train.py", tuple(replace(each, cause=waits) for each in many)))

    assert one.message == (
        f"`{code}` makes the host wait for the GPU in every step, as do 29 more places in the loop (lines 101, …); "
        "log every N steps"
    )
    assert len(one.message) <= 160


def elsewhere(path: str, line: int, cell: int = 0) -> Finding:
    """Return a wait of the loop in some file, or in a cell of a notebook."""
    span = Span(line, 1, line, 9)
    return replace(PRINT, path=path, span=span, cell=CellSpan(cell, span) if cell else None)


def test_a_message_without_room_for_all_places_says_in_how_many_files_they_are() -> None:
    beside = [elsewhere("train.py", line) for line in range(100, 130)]
    model = [elsewhere("model.py", line) for line in range(200, 208)]
    longer = "src/library/training/metrics_of_a_long_name.py"
    reports = [FileReport("train.py", tuple(beside)), FileReport("model.py", tuple(model))]

    (two,) = shown(*reports)
    (three,) = shown(*reports, FileReport(longer, (elsewhere(longer, 300),)))
    (all_named,) = shown(FileReport("train.py", tuple(beside[:2])), FileReport("model.py", tuple(model[:1])))
    (one,) = shown(FileReport("train.py", tuple(beside[:1])), FileReport("model.py", tuple(model)))

    assert "as do 37 more places in 2 files (lines 101, 102, " in two.message
    assert "as do 38 more places in 3 files (lines 101, 102, " in three.message
    assert "as do 2 more places in the loop (line 101, model.py:200); " in all_named.message
    assert "as do 8 more places in another file (model.py:200, model.py:201, " in one.message


def test_so_it_does_of_other_files_where_it_names_none() -> None:
    longer = "src/library/training/metrics_of_a_name_that_leaves_no_room_for_itself_in_any_message.py"
    waits = replace(WAITS, happens="makes the host wait for the GPU in every step")
    here = replace(PRINT, message=f"`{'x' * 40}` waits", cause=waits, severity=Severity.ERROR)
    there = replace(elsewhere(longer, 300), cause=waits)

    (one,) = shown(FileReport("train.py", (here,)), FileReport(longer, (there,)))

    assert "every step, as does 1 more place in another file; log" in one.message


def test_a_notebook_has_its_places_in_cells() -> None:
    found = tuple(elsewhere("train.ipynb", line, cell) for cell in (1, 2, 3) for line in range(1, 9))

    (one,) = shown(FileReport("train.ipynb", found))

    assert "as do 23 more places in 3 cells (lines 2, 3, " in one.message


def test_there_may_be_more_places_than_anybody_reads() -> None:
    many = tuple(replace(PRINT, span=Span(line, 1, line, 9)) for line in range(1, 20_001))

    (one,) = shown(FileReport("train.py", many))

    assert "as do 19999 more places in the loop (lines 2, 3, 4, " in one.message
    assert (len(one.related), len(one.message) <= 160) == (19_999, True)


def test_the_summary_says_how_many_places_there_are_where_these_are_more() -> None:
    fixed = replace(ITEM, fix=Fix("Drop it", (Edit(ITEM.span, ""),), safe=True))
    report = report_of(TRAIN, PRINT, fixed, FLOAT, path="train.py")

    text = text_of("concise", report)
    document = json.loads(text_of("json", report, out=replace(settings(), group=True)))

    assert text.endswith(
        "Found 1 finding at 3 places (1 warning) in 1 of 1 file, 0.41 s.\n[*] 1 place fixable with `torchlint --fix`.\n"
    )
    assert "item-in-training-loop [*] `float(model(batch))` makes" in text
    assert (document["summary"]["findings"], document["summary"]["places"]) == (1, 3)
    assert document["summary"]["fixable"] == {"safe": 1, "unsafe": 0}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_shows_one_finding_and_who_asks_for_each_gets_three(name: str) -> None:
    together = text_of(name, REPORT, out=replace(settings(), group=True))
    each = text_of(name, REPORT, out=replace(settings(), group=False))

    assert together.count("2 more places in the loop (lines 4, 5)") >= 1
    assert "more places" not in each
    if name in TELL_PLACES:
        assert all(words in together for words in ("print(loss)", "loss.item()", "tensor-print-in-training-loop"))


def test_full_shows_the_others_below_the_code() -> None:
    text = text_of("full", REPORT, out=settings(quiet=True))

    assert "  ::: train.py:4:9: also `print(loss)` (tensor-print-in-training-loop)\n" in text
    assert "  ::: train.py:5:18: also `loss.item()`\n" in text


def test_sarif_has_the_others_as_related_locations_after_the_steps_and_not_in_the_flow() -> None:
    (result,) = json.loads(text_of("sarif", REPORT))["runs"][0]["results"]

    places = [
        (one["id"], one["physicalLocation"]["region"]["startLine"], one["message"]["text"])
        for one in result["relatedLocations"]
    ]
    assert places == [
        (1, 2, "this loop trains."),
        (2, 3, "`step` is called in every step here."),
        (3, 4, "`print(loss)` waits; log `print(loss)` (tensor-print-in-training-loop)."),
        (4, 5, "`loss.item()` waits; log `loss.item()`."),
    ]
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 3


def test_json_has_the_others_as_they_are_by_themselves() -> None:
    (together,) = json.loads(text_of("json", REPORT, out=replace(settings(), group=True)))["findings"]
    each: list[dict[str, Any]] = json.loads(text_of("json", REPORT))["findings"]

    alone = [{key: one[key] for key in one.keys() - {"cause", "fingerprint", "related", "url"}} for one in each]
    assert together["related"] == alone[:2]
    assert together["fingerprint"] == each[2]["fingerprint"]
    assert {one["cause"] for one in each} == {together["cause"]}


@pytest.mark.parametrize("name", FORMATS)
def test_formats_of_programs_list_each_place_unless_they_are_asked_to_group(name: str) -> None:
    assert ("more places" in text_of(name, REPORT)) == (name not in EACH_PLACE)


def test_reviewdog_and_gcc_have_the_others_as_they_know_such() -> None:
    (diagnostic,) = json.loads(text_of("rdjson", REPORT))["diagnostics"]

    lines = [one["location"]["range"]["start"]["line"] for one in diagnostic["related_locations"]]
    assert lines == [2, 3, 4, 5]
    assert text_of("gcc", REPORT).splitlines()[1:] == [
        "train.py:4:9: note: also `print(loss)` (tensor-print-in-training-loop)",
        "train.py:5:18: note: also `loss.item()`",
    ]


def test_lines_are_named_in_order_and_related_as_a_run_comes_to_them() -> None:
    (one,) = shown(
        report_of(TRAIN, PRINT, ITEM, replace(FLOAT, trace=(LOOP, Step("train.py", ITEM.span, "called here"))))
    )

    assert "(lines 5, 8)" in one.message
    assert [each.span.line for each in one.related] == [5, 8]


@given(GROUPED_RUNS)
def test_nothing_is_lost_and_nothing_told_twice(run: list[FileReport]) -> None:
    assert _places(shown(*run)) == _places([finding for report in run for finding in report.findings])


@pytest.mark.parametrize("case", cases(BUILTIN, "bad"), ids=str)
def test_of_every_program_the_places_are_those_of_each_finding(case: Case) -> None:
    reports = reports_of(case)
    found = [finding for report in reports for finding in report.findings]

    together = shown(*reports)

    assert _places(together) == _places(found)
    assert len({one.cause for one in together if one.cause}) == len([one for one in together if one.cause])
    assert [one.message for one in together if len(one.message) > 160] == []
    # What says this is a wait of a step loop, whichever rule it is of.
    assert [
        one.rule for one in found if "host wait" in one.message and "every step" in one.message and not one.cause
    ] == []


def _places(findings: list[Finding]) -> list[tuple[object, ...]]:
    """Return the rules and places of findings, those of a cause among them."""
    return sorted((one.rule, *one.order[:2]) for finding in findings for one in finding.members)
