"""Files in newer grammar than the running Python's are linted as any other, at the right place."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Torchlint

_TRAINING = """\
import torch


type Rows[T] = list[T]


class Trainer[T: torch.nn.Module]:
    def fit(self, model: T, loader, optimizer):
        total = 0
        for x in loader:
            loss = model(x).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss
            print(f"é {names["x"]} {"\\n".join(names)} {loss.item()} {
                total.cpu()  # on the next line
            }")
        return total


try:
    x = torch.ones(3)
except OSError, ValueError:
    x = None
"""


def _places(out: str) -> list[str]:
    return [line.split(" ")[0] + line.split(" ")[1] for line in out.splitlines() if line.startswith("train.py:")]


def test_findings_stand_where_their_code_does(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(_TRAINING, "utf-8")

    ran = torchlint("--no-group", "--output-format", "concise", ".")

    assert (ran.code, ran.err) == (1, "")
    assert _places(ran.out) == [
        "train.py:15:13:kept-graph",
        "train.py:16:56:item-in-training-loop",
        "train.py:17:17:host-copy-in-training-loop",
    ]


def test_fixes_change_what_they_are_about_alone(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(_TRAINING, "utf-8")

    ran = torchlint("--fix", ".")

    assert ran.err == ""
    assert (here / "train.py").read_text("utf-8") == _TRAINING.replace("total += loss", "total += loss.detach()")


def test_comments_ignore_what_is_found_there(here: Path, torchlint: Torchlint) -> None:
    ignoring = _TRAINING.replace("total += loss", "total += loss  # torchlint: ignore[kept-graph]")
    (here / "train.py").write_text(
        ignoring.replace('            }")', '            }")  # torchlint: ignore[sync]'), "utf-8"
    )

    ran = torchlint(".")

    assert (ran.code, ran.err) == (0, "")


def test_comments_are_written_where_they_ignore_what_is_found(here: Path, torchlint: Torchlint) -> None:
    (here / "train.py").write_text(_TRAINING, "utf-8")

    ran = torchlint("--add-ignore", ".")

    assert ran.err == ""
    assert torchlint(".").code == 0
    assert (here / "train.py").read_text("utf-8").count("# torchlint: ignore[") == 2


def test_a_cell_of_a_notebook_is_read(here: Path, torchlint: Torchlint) -> None:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": source.splitlines(keepends=True)}
        for source in (
            'import torch\n%time print(f"{d[\'k\']} {d["k"]}")',
            "class A[T]: pass\nx = torch.ones(3).cuda()",
        )
    ]
    notebook = {"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    (here / "a.ipynb").write_text(json.dumps(notebook), "utf-8")

    ran = torchlint("--output-format", "concise", ".")

    assert ran.out.startswith("a.ipynb:cell 2:2:5: hardcoded-cuda")


def test_what_no_python_reads_is_reported_in_the_words_of_this_one(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("import torch\ntype X = torch.Tensor +\n", "utf-8")

    ran = torchlint("--output-format", "concise", ".")

    assert "unreadable-source" in ran.out
    assert ran.code == 1
