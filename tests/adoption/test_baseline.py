"""What is known stays known wherever it moves, and what is gone is noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import pytest

from tests.adoption.reports import reported
from torchlint.adoption import Baseline, Entries
from torchlint.errors import RunError

_RULES = frozenset({"kept-graph", "unsafe-load"})
_TEXT = "total = 0\ntotal += loss\nprint(total)"


def baseline(entries: Entries | None = None, files: Collection[str] = ("a.py", "b.py")) -> Baseline:
    return Baseline(entries or Counter(), lambda path: path, lambda path: path in files)


def known(text: str, *lines: int) -> Entries:
    """Return what a baseline has when there is a finding on each of some lines."""
    return baseline().updated([reported("a.py", text, *lines)], _RULES)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (_TEXT, 2),
        (f"import torch\n\n\n{_TEXT}", 5),
        ("total = 0\n\ttotal  +=  loss\nprint(total)", 2),
        ("total = 0\ntotal += loss  # of a step\nprint(total)", 2),
        ("total = 0\ntotal += \\\n    loss\nprint(total)", 3),
        ("def step():\n    total += loss", 2),
        ("if x: pass\ntotal += loss\n(", 2),
    ],
)
def test_a_statement_is_known_wherever_it_stands_and_however_it_is_laid_out(text: str, line: int) -> None:
    left = baseline(known(_TEXT, 2)).new(reported("a.py", text, line))

    assert left == ()


def test_a_statement_over_several_lines_is_known_on_any_of_them() -> None:
    entries = known("x = f(\n    a,\n    b,\n)", 2)

    assert baseline(entries).new(reported("a.py", "x = f(a,  # first\n      b)", 1)) == ()


@pytest.mark.parametrize("text", ["total = 0\ntotal += losses\n", "total = 0\ntotal += 'loss'\n"])
def test_another_statement_is_new(text: str) -> None:
    report = reported("a.py", text, 2)

    assert baseline(known(_TEXT, 2)).new(report) == report.findings


def test_another_rule_at_the_same_statement_is_new() -> None:
    report = reported("a.py", _TEXT, 2, rule="unsafe-load")

    assert baseline(known(_TEXT, 2)).new(report) == report.findings


def test_a_copy_of_what_is_known_is_new() -> None:
    report = reported("a.py", f"{_TEXT}\ntotal += loss", 2, 4)

    assert baseline(known(_TEXT, 2)).new(report) == report.findings[1:]


def test_in_a_file_that_was_there_before_nothing_of_another_is_known() -> None:
    report = reported("b.py", _TEXT, 2)

    assert baseline(known(_TEXT, 2)).new(report) == report.findings


def test_what_was_known_of_a_file_that_is_gone_is_known_where_it_went() -> None:
    moved = baseline(known(_TEXT, 2), files=["b.py"])

    assert moved.new(reported("b.py", _TEXT, 2)) == ()
    assert moved.new(reported("c.py", _TEXT, 2)) != ()


def test_what_is_not_found_any_more_is_stale() -> None:
    held = baseline(known(f"{_TEXT}\ntotal += loss", 2, 4))

    held.new(reported("a.py", _TEXT, 2))

    assert held.stale(_RULES).total() == 1
    assert held.pruned(_RULES) == known(_TEXT, 2)


def test_of_rules_that_did_not_run_and_files_that_were_not_linted_nothing_is_stale() -> None:
    entries = known(_TEXT, 2)
    other_rule, other_file, failed = baseline(entries), baseline(entries), baseline(entries)

    other_rule.new(reported("a.py", _TEXT))
    other_file.new(reported("b.py", _TEXT))
    failed.new(replace(reported("a.py", _TEXT), errors=(RunError("a.py", "rule-failed", "raised"),)))

    assert other_rule.stale({"unsafe-load"}).total() == 0
    assert other_file.stale(_RULES).total() == 0
    assert failed.stale(_RULES).total() == 0


def test_what_was_known_of_a_file_that_is_gone_is_stale() -> None:
    assert baseline(known(_TEXT, 2), files=[]).stale(_RULES).total() == 1


def test_an_update_keeps_what_the_run_says_nothing_of() -> None:
    entries = known(_TEXT, 2) + baseline().updated([reported("b.py", _TEXT, 2)], _RULES)
    held = baseline(entries)
    report = reported("a.py", _TEXT, 3)

    held.new(report)
    updated = held.updated([report], _RULES)

    assert updated == known(_TEXT, 3) + (entries - known(_TEXT, 2))


def test_of_a_rule_that_was_stopped_in_a_file_nothing_is_stale_there() -> None:
    entries = known(_TEXT, 2)
    held = baseline(entries)
    report = replace(reported("a.py", _TEXT, 3, rule="unsafe-load"), incomplete=("kept-graph",))

    held.new(report)

    assert held.stale(_RULES).total() == 0
    assert held.updated([report], _RULES) == entries + baseline().updated([report], _RULES)
