"""A rule that asks without end is stopped after so many steps, and says so; everything else goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.projects import CUDA, AsksForEver, Fails, every_rule, job_of, linted, said, written
from torchlint.engine import linter
from torchlint.steps import BudgetSpentError, Steps

ENDLESS = f"{CUDA}fail()\n"


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rule take few steps: to spend all that it may takes seconds, and one test does."""
    monkeypatch.setattr(linter, "FOR_A_RULE", 1_000)


def test_a_rule_that_takes_too_many_steps_is_named_and_nothing_else_is_lost(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": ENDLESS, "b.py": f"{CUDA}print('may fail')\n"})

    reports = linted(job_of(tmp_path, (AsksForEver(), *every_rule())))

    assert said(reports) == ["a.py:2 hardcoded-cuda", "b.py:2 hardcoded-cuda", "b.py:3 asks-for-ever"]
    assert [report.incomplete for report in reports] == [("asks-for-ever",), ()]
    assert [report.errors for report in reports] == [(), ()]


@pytest.mark.usefixtures("few_steps")
def test_what_a_rule_found_before_it_was_stopped_is_dropped(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": f"{ENDLESS}print(1)\n"})

    (report,) = linted(job_of(tmp_path, (AsksForEver(),)))

    assert (report.findings, report.incomplete) == ((), ("asks-for-ever",))


def test_all_rules_together_have_a_budget_for_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linter, "FOR_A_RULE", 100)
    monkeypatch.setattr(linter, "FOR_A_FILE", 150)
    written(tmp_path, {"a.py": ENDLESS})

    class AsksOn(AsksForEver):
        name = "asks-on"

    (report,) = linted(job_of(tmp_path, (AsksForEver(), AsksOn())))

    assert report.incomplete == ("asks-for-ever", "asks-on")


@pytest.mark.usefixtures("few_steps")
def test_the_note_says_which_rules_and_which_file(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": ENDLESS})

    (report,) = linted(job_of(tmp_path, (AsksForEver(),)))

    note = report.incompleteness
    assert note is not None
    assert note.message == (
        "a.py: `asks-for-ever` was stopped, as the code takes too many steps to follow; "
        "what it would report there is unknown"
    )


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("rule", [AsksForEver(), Fails()])
def test_what_ignores_a_rule_that_did_not_come_to_its_end_is_not_called_unused(tmp_path: Path, rule: Fails) -> None:
    written(tmp_path, {"a.py": f"{CUDA}torch.fail()\nprint()  # torchlint: ignore[{rule.name}]\n"})

    (report,) = linted(job_of(tmp_path, (rule,)))

    assert report.incomplete or report.errors
    assert said([report]) == []


def test_steps_that_are_taken_apart_are_not_taken_from_whoever_asks() -> None:
    steps = Steps()
    steps.allow(2)

    with steps.apart(10):
        steps.take(10)
    steps.take(2)

    with pytest.raises(BudgetSpentError):
        steps.take()
