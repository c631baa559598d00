"""What one decision makes several findings of is shown as one; what is done about them is done about each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Torchlint
from tests.notebook.notebooks import notebook_of

_HEAD = "import torch\n\n"
_TRAIN = """\
def train(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss){}
        best = loss.item(){}
        yield best, loss.abs().cpu(){}
"""
_CUDA = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
FIRST = "cuda:0"
args = parser.parse_args()
one = torch.ones(1).cuda()
two = torch.ones(2).to("cuda")
three = torch.ones(3).to(FIRST)
four = torch.ones(4, device="cuda")
five = torch.ones(5, device=args.device)
"""
_CHOOSE = "choose the device once, with `torch.cuda.is_available()`"
_CONCISE = "--select", "sync", "--output-format", "concise"


def program(first: str = "", second: str = "", third: str = "") -> str:
    """Return a program whose loop waits three times, with a comment behind each wait."""
    return _HEAD + _TRAIN.format(first, second, third)


def test_one_loop_is_one_finding_and_each_of_its_waits_for_who_asks(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program())

    together, each = torchlint(*_CONCISE), torchlint(*_CONCISE, "--no-group")

    assert together.out == (
        "train.py:9:9: tensor-print-in-training-loop `print(loss)` makes the host wait for the GPU in every step, "
        "as do 2 more places in the loop (lines 10, 11); read and log every N steps\n"
        "Found 1 finding at 3 places (1 warning) in 1 of 1 file, 0.00 s.\n"
    )
    assert each.out.count("in-training-loop") == 3
    assert each.out.endswith("Found 3 findings (3 warnings) in 1 of 1 file, 0.00 s.\n")
    assert together.code == each.code == 1


def test_reports_are_kept_of_each_place(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program())
    first, again, each = torchlint(*_CONCISE), torchlint(*_CONCISE), torchlint(*_CONCISE, "--no-group")

    assert first == again
    assert each == torchlint(*_CONCISE, "--no-group", "--no-cache")


def test_a_project_can_settle_it_and_the_command_line_otherwise(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program())
    (here / "torchlint.toml").write_text("group = false\n")

    assert "Found 3 findings (" in torchlint(*_CONCISE).out
    assert "Found 1 finding at 3 places (" in torchlint(*_CONCISE, "--group").out
    assert "group = false\n" in torchlint("--show-settings").out


def test_where_the_first_is_ignored_the_next_stands_for_the_others(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program("  # torchlint: ignore[sync]"))

    ran = torchlint(*_CONCISE)
    summary = json.loads(torchlint("--select", "sync", "--group", "--output-format", "json").out)["summary"]

    assert ran.out.startswith("train.py:10:16: item-in-training-loop `loss.item()` makes the host wait ")
    assert "as does 1 more place in the loop (line 11); " in ran.out
    assert (summary["findings"], summary["places"], summary["suppressed"]) == (1, 2, 1)


def test_a_comment_is_used_though_another_place_is_shown(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program(second="  # torchlint: ignore[item-in-training-loop]"))

    ran = torchlint(*_CONCISE, "--extend-select", "unused-ignore")

    assert "as does 1 more place in the loop (line 11); " in ran.out
    assert "unused-ignore" not in ran.out


def test_comments_are_written_behind_every_place(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program())

    ran = torchlint("--select", "sync", "--add-ignore=known")

    assert ran.out.startswith("Ignored 3 findings in 1 file.\n")
    assert (here / "train.py").read_text().count("# torchlint: ignore[") == 3


def test_a_baseline_knows_each_place_and_shows_what_is_new(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(program().replace("best = loss.item()", "best = 0"))
    written = torchlint("--select", "sync", "--baseline", "known.json", "--update-baseline")
    (here / "train.py").write_text(program())

    ran = torchlint(*_CONCISE, "--baseline", "known.json")

    assert written.err == "known.json: 2 places, 2 new, 0 removed\n"
    assert ran.out.startswith(
        "train.py:10:16: item-in-training-loop `loss.item()` makes the host wait for the GPU in every step; "
    )
    assert ran.out.endswith("note: 2 places are in the baseline\n")


def test_waits_in_other_files_are_of_the_loop_that_comes_to_them(here: Path, torchlint: Torchlint) -> None:
    (here / "metric.py").write_text("def metric(loss):\n    return loss.item()\n")
    (here / "train.py").write_text(f"from metric import metric\n{program().replace('loss.item()', 'metric(loss)')}")

    ran = torchlint(*_CONCISE)
    alone = torchlint(*_CONCISE, "metric.py")

    assert ran.out.startswith("train.py:10:9: tensor-print-in-training-loop `print(loss)` makes ")
    assert "as do 2 more places in the loop (line 12, metric.py:2); " in ran.out
    assert alone.out.startswith(
        "metric.py:2:12: item-in-training-loop `loss.item()` makes the host wait for the GPU in every step; "
    )


@pytest.mark.parametrize("form", ["concise", "full", "json"])
def test_in_a_notebook_lines_are_those_of_the_cells(form: str, here: Path, torchlint: Torchlint) -> None:
    function = _TRAIN.format("", "", "").replace("best = loss.item()", "best = number(loss)")
    (here / "train.ipynb").write_text(
        notebook_of("import torch\n\ndef number(loss):\n    return loss.item()\n", function)
    )

    ran = torchlint("--select", "sync", "--group", "--output-format", form)

    assert "as do 2 more places in the loop (line 9, cell 2:4); " in ran.out


def test_fixes_are_made_at_every_place(here: Path, torchlint: Torchlint) -> None:
    loop = _TRAIN.replace("print(loss){}", "torch.cuda.synchronize()").replace("{}", "")
    (here / "train.py").write_text(_HEAD + loop.replace("best = loss.item()", "torch.cuda.synchronize()"))
    sync = "--select", "synchronize-in-training-loop"

    before = torchlint(*sync, "--output-format", "concise")
    torchlint(*sync, "--fix", "--unsafe-fixes")

    assert "as does 1 more place in the loop (line 10); remove them\n" in before.out
    assert "[-] 2 places fixable with `torchlint --fix --unsafe-fixes`." in before.out
    assert "synchronize" not in (here / "train.py").read_text()


def test_the_places_of_a_file_that_ask_for_cuda_are_one_and_a_constant_and_a_default_are_others(
    here: Path, torchlint: Torchlint
) -> None:
    (here / "train.py").write_text(_CUDA)

    ran = torchlint("--select", "hardcoded-cuda", "--output-format", "concise")
    torchlint("--select", "hardcoded-cuda", "--fix", "--unsafe-fixes")

    assert [line.partition(" hardcoded-cuda ")[::2] for line in ran.out.splitlines()[:3]] == [
        ("train.py:5:41:", f'`"cuda"` raises on a machine without CUDA; {_CHOOSE}'),
        ("train.py:6:9:", f'`"cuda:0"` raises on a machine without CUDA; {_CHOOSE}'),
        (
            "train.py:8:7:",
            "`torch.ones(1).cuda()` raises on a machine without CUDA, as do 2 more places in the file (lines 9, 11); "
            "choose the device once",
        ),
    ]
    assert "Found 3 findings at 5 places (3 warnings)" in ran.out
    assert torchlint("-q", "--select", "hardcoded-cuda").out == ""
