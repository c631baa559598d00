"""Programs that only generators write neither crash nor hang."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.projects import job_of, linted
from torchlint.engine.depth import deeply

LOOP = """\
import torch
model = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
for x in loader:
    loss = model(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    """

LINTED = {
    "terms": f"x = {' + '.join(['loss'] * 20_000)}",
    "attributes": f"x = loss{'.a' * 20_000}",
    "items": f"x = loss{'[0]' * 20_000}",
    "calls": f"x = loss{'.a()' * 2_000}",
    "a huge line": f"x = '{'a' * 5_000_000}'",
    "parentheses": f"x = {'(' * 150}loss{')' * 150}",
    "comparisons": f"x = {' < '.join(['loss'] * 20_000)}",
    "ternaries": f"x = {'1 if loss else ' * 60}2",
    "conjunctions": f"x = {' and '.join(['loss'] * 100)}",
    "decorators": "@torch.no_grad()\n    " * 3_000 + "def f(): pass",
}
REFUSED = {
    "parentheses": f"x = {'(' * 10_000}loss{')' * 10_000}",
    "lambdas": f"x = {'lambda: ' * 20_000}1",
    "blocks": "".join(f"{' ' * depth}if x:\n    " for depth in range(1_000)) + " " * 1_000 + "pass",
}


@pytest.mark.parametrize("name", LINTED)
def test_deep_and_long_code_is_linted(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(f"{LOOP}{LINTED[name]}\n    print(x)\n    loss.item()\n")

    (report,) = linted(job_of(tmp_path))

    assert report.errors == ()
    found = {finding.rule for finding in report.findings}
    # What more than two million bytes hold is not looked through for training steps.
    assert ("hardcoded-cuda" if name == "a huge line" else "item-in-training-loop") in found


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_deep_for_python_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(f"{LOOP}{REFUSED[name]}\n")

    (report,) = linted(job_of(tmp_path))

    assert [finding.rule for finding in report.findings] == ["unreadable-source"]
    assert report.errors == ()


def test_many_signs_before_a_number_end_in_one_report(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"{LOOP}x = {'-' * 3_000}loss\n")

    (report,) = linted(job_of(tmp_path))

    assert report.errors == ()
    assert {finding.rule for finding in report.findings} <= {"hardcoded-cuda", "unreadable-source"}


def test_there_is_room_for_twenty_thousand_calls_and_everything_is_as_before_afterwards() -> None:
    def depth(left: int) -> int:
        return max([left], key=lambda one: depth(one - 1) if one else 0)

    def work() -> Iterator[int]:
        yield depth(5_000)

    before = (sys.getrecursionlimit(), gc.isenabled(), threading.stack_size())
    found: list[int] = []

    deeply(work, found.append)

    assert found == [5_000]
    assert (sys.getrecursionlimit(), gc.isenabled(), threading.stack_size()) == before


def test_what_the_work_raises_is_raised_to_the_caller() -> None:
    def work() -> Iterator[int]:
        yield 1
        raise LookupError("lost")

    found: list[int] = []

    with pytest.raises(LookupError, match="lost"):
        deeply(work, found.append)
    assert found == [1]


def test_every_item_is_taken_in_the_thread_of_the_caller() -> None:
    taken: list[tuple[int | None, int]] = []

    deeply(lambda: iter([1, None, 3]), lambda item: taken.append((item, threading.get_ident())))

    assert taken == [(item, threading.get_ident()) for item in (1, None, 3)]
    assert threading.active_count() == 1
