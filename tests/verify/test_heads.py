from __future__ import annotations

import re
from pathlib import Path

import pytest

import torchlint
from torchlint.errors import TorchlintError
from torchlint.programs import marks
from torchlint.verify.claims import Waits
from torchlint.verify.fixtures import Pair, fixtures_of, head_of, pairs_of, rules_with_fixtures

PAIRS = [pair for rule in rules_with_fixtures() for pair in pairs_of(rule)]


def test_a_head_says_what_a_program_needs() -> None:
    head = head_of(
        [("claim", "waits >= 2 per step"), ("gpus", "4"), ("needs", "time tqdm"), ("torch", "2.6"), ("unproved", "")]
    )

    assert (head.claim, head.gpus, head.needs, head.torch) == (Waits(2.0), 4, ("time", "tqdm"), (2, 6))
    assert (head.then, head.steps, head.unproved) == (None, None, "")


def test_a_mark_may_name_the_rules_that_speak() -> None:
    text = "a()  # error\nb()\nc()  # error: kept-graph\nd()  # error: kept-graph, item-in-training-loop\ne()  # errors"

    assert list(marks(text)) == [(1, ()), (3, ("kept-graph",)), (4, ("kept-graph", "item-in-training-loop"))]


@pytest.mark.parametrize("line", ["#: claim  flies", "#: gpsu   1", "#: gpus   many"])
def test_a_head_that_makes_no_sense_is_refused_by_name(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "fixtures" / "some-rule"
    folder.mkdir(parents=True)
    (folder / "bad.py").write_text(f"{line}\n")
    monkeypatch.setattr(torchlint, "__path__", [str(tmp_path)])

    with pytest.raises(TorchlintError, match=r"^some-rule/bad "):
        fixtures_of("some-rule", "bad")


def test_a_bad_program_needs_a_twin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fixtures" / "some-rule"
    folder.mkdir(parents=True)
    (folder / "bad.py").write_text("#: claim  races\n")
    monkeypatch.setattr(torchlint, "__path__", [str(tmp_path)])

    with pytest.raises(TorchlintError, match=r"^some-rule/bad has no good twin$"):
        pairs_of("some-rule")


def named(pair: Pair) -> str:
    return f"{pair.bad.rule}/{pair.bad.name}"


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_bad_program_claims_something_or_says_why_not(pair: Pair) -> None:
    assert (pair.bad.head.claim is None) == bool(pair.bad.head.unproved)


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_bad_program_has_a_line_to_which_the_rule_points(pair: Pair) -> None:
    assert pair.bad.marked()


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_good_program_has_none(pair: Pair) -> None:
    assert not pair.good.marked()


@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_a_program_says_first_what_it_shows(pair: Pair) -> None:
    for program in (pair.bad, pair.good):
        assert re.match(r'"""[A-Z`].+\."""\n', program.path.read_text(encoding="utf-8"))
