"""Fixes are made until nothing changes, and those that do harm are not made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.engine.projects import AsksForEver
from tests.mend.fixing import findings_in, mended_bytes, mended_in
from torchlint import Call, Confidence, Edit, Finding, Fix, Rule, Severity, SourceFile
from torchlint.engine import linter

_TEXT = b"import torch\nold(1)\nold(2)\nkeep(3)\n"


class Renamed(Rule):
    """Call the new function, in the words that a test gives it."""

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("old",)

    def __init__(self, edit: Callable[[Call], tuple[Edit, ...]], *, safe: bool = True) -> None:
        super().__init__()
        self._edit = edit
        self._safe = safe

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.method_calls("old"):
            yield self.finding(call, "is old", fix=Fix("Call the new one", self._edit(call), safe=self._safe))


def to_new(call: Call) -> tuple[Edit, ...]:
    return (call.callee.edits.replace("new"),)


def test_what_can_be_mended_is_mended_and_the_rest_stays(tmp_path: Path) -> None:
    assert mended_bytes(tmp_path, _TEXT, [Renamed(to_new)]) == b"import torch\nnew(1)\nnew(2)\nkeep(3)\n"


@pytest.mark.parametrize("calls", [10, 2_000])
def test_a_long_chain_of_calls_is_mended_at_once(tmp_path: Path, calls: int) -> None:
    chain = f"x = old(1){'.a()' * calls}\n".encode()

    mended = mended_bytes(tmp_path, b"import torch\n" + chain, [Renamed(to_new)])

    assert mended == b"import torch\n" + chain.replace(b"old", b"new")


def test_only_who_asks_for_unsafe_fixes_gets_them(tmp_path: Path) -> None:
    assert mended_bytes(tmp_path, _TEXT, [Renamed(to_new, safe=False)], unsafe=False) == _TEXT


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda call: (call.callee.edits.replace("new("),), "breaks the syntax"),
        (lambda call: (call.callee.edits.replace("module.old"),), "leaves its finding"),
        (lambda call: (call.edits.replace("old(0), old(0)"),), "leaves its finding"),
        (
            lambda call: (call.edits.replace('torch.save(torch.nn.DataParallel(net).state_dict(), "net.pt")'),),
            "would add a finding of `wrapped-state-dict`",
        ),
    ],
)
def test_a_fix_that_does_harm_is_not_made_and_told(
    edit: Callable[[Call], tuple[Edit, ...]], reason: str, tmp_path: Path
) -> None:
    text = "import torch\nnet = torch.nn.Linear(1, 1)\nold(1)\n"
    (tmp_path / "train.py").write_text(text)

    (change,) = mended_in(tmp_path, [Renamed(edit)])

    assert not change.is_changed
    assert [one.reason for one in change.refused] == [reason]


def test_a_fix_after_which_a_rule_is_stopped_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # To spend all that a rule may take would take seconds.
    monkeypatch.setattr(linter, "FOR_A_RULE", 1_000)

    def to_fail(call: Call) -> tuple[Edit, ...]:
        return (call.callee.edits.replace("fail"), call.arguments[0].edits.replace(""))

    (tmp_path / "train.py").write_text("import torch\nnet = torch.nn.Linear(1, 1)\nold(1)\n")

    (change,) = mended_in(tmp_path, [Renamed(to_fail), AsksForEver()])

    assert not change.is_changed
    assert [one.reason for one in change.refused] == ["makes the code take too many steps to check"]


def test_one_bad_fix_keeps_no_good_one_from_being_made(tmp_path: Path) -> None:
    def only_odd(call: Call) -> tuple[Edit, ...]:
        return (call.callee.edits.replace("new" if int(call.arguments[0].text) % 2 else "new("),)

    text = "import torch\n" + "".join(f"old({number})\n" for number in range(7))

    mended = mended_bytes(tmp_path, text.encode(), [Renamed(only_odd)]).decode()

    assert mended.split("\n")[1:-1] == [f"{'new' if number % 2 else 'old'}({number})" for number in range(7)]


def test_overlapping_fixes_are_made_one_after_the_other(tmp_path: Path) -> None:
    text = b"import torch\nold(old(old(1)))\n"

    def whole(call: Call) -> tuple[Edit, ...]:
        return (call.edits.replace(f"new{call.text.removeprefix('old')}"),)

    assert mended_bytes(tmp_path, text, [Renamed(whole)]) == b"import torch\nnew(new(new(1)))\n"


def test_what_is_mended_has_nothing_left_to_mend(tmp_path: Path) -> None:
    mended = mended_bytes(tmp_path, _TEXT, [Renamed(to_new)])

    assert findings_in(tmp_path, mended, [Renamed(to_new)]) == ()
    assert mended_bytes(tmp_path, mended, [Renamed(to_new)]) == mended


def test_what_is_ignored_is_not_mended(tmp_path: Path) -> None:
    text = b"import torch\nold(1)  # torchlint: ignore[renamed]\nold(2)\n"

    assert mended_bytes(tmp_path, text, [Renamed(to_new)]) == text.replace(b"old(2)", b"new(2)")


class Hinted(Rule):
    """Say something about the new function."""

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("new",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.method_calls("new"):
            yield self.finding(call, "is new")


def test_a_hint_that_comes_up_keeps_no_fix_from_being_made(tmp_path: Path) -> None:
    mended = mended_bytes(tmp_path, _TEXT, [Renamed(to_new), Hinted()])

    assert mended == b"import torch\nnew(1)\nnew(2)\nkeep(3)\n"


_BOTH = ["hardcoded-cuda", "late-visible-devices"]
_NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return self.scale * x + torch.ones(3, device="cuda")
"""
_LATE = """\
import os

import torch
from net import Net


def main():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    net = Net(){}
    print(net(torch.ones(3){}))
"""


@pytest.mark.parametrize("move", ["", ".cuda()"])
def test_a_fix_that_does_harm_in_another_file_is_not_made(move: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_NET)
    (tmp_path / "main.py").write_text(_LATE.format(move, move))

    changes = {change.shown: change for change in mended_in(tmp_path, _BOTH)}

    assert not changes["net.py"].is_changed
    reasons = {one.reason for one in changes["net.py"].refused}
    assert reasons == {"would add a finding of `late-visible-devices` to main.py"}


def test_what_others_do_to_a_file_keeps_none_of_its_own_fixes_from_being_made(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_NET)
    (tmp_path / "main.py").write_text(_LATE.format(".cuda()", ".cuda()"))

    changes = {change.shown: change for change in mended_in(tmp_path, _BOTH)}

    assert ".cuda()" not in changes["main.py"].after.decode()
    assert changes["main.py"].refused == ()


def test_a_file_that_was_no_better_before_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(_NET)
    late = _LATE.format("", "").replace("from net", "torch.zeros(1).cuda()\nfrom net")
    (tmp_path / "main.py").write_text(late)

    changes = {change.shown: change for change in mended_in(tmp_path, _BOTH)}

    assert changes["net.py"].is_changed
