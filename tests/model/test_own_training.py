"""Files that train what they make, and leave it where it was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.devices.own_training import trains_on_host

BESIDE = """\
import torch


def place(net):
    return net.to(torch.device("cuda"))


def score(net, rows):
    return net(rows).mean()
"""

PROGRAM = """\
import torch
from torch import nn, optim
from somewhere import rows, settle
from beside import place, score


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        {more}

    def forward(self, batch):
        return self.body(batch)


def main({parameter}):
    {made}
    {then}
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for batch in rows():
        loss = net(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""


def is_on_host(folder: Path, *, made: str = "net = Net()", then: str = "", more: str = "", parameter: str = "") -> bool:
    (folder / "beside.py").write_text(BESIDE)
    path = folder / "main.py"
    path.write_text(PROGRAM.format(made=made or "pass", then=then or "pass", more=more or "pass", parameter=parameter))
    return asked(trains_on_host, Project(folder).open(path, "main.py"))


@pytest.mark.parametrize("then", ["", "net.train()", "score(net, rows())", "nn.utils.clip_grad_norm_(net, 1.0)"])
def test_a_module_that_is_made_and_left_trains_on_the_host(tmp_path: Path, then: str) -> None:
    assert is_on_host(tmp_path, then=then)


@pytest.mark.parametrize(
    ("made", "then", "more", "parameter"),
    [
        ("net = Net()", "place(net)", "", ""),
        ("net = place(Net())", "", "", ""),
        ("net = Net()", "settle(net)", "", ""),
        ("net = Net()", "net = settle(net)", "", ""),
        ("net = Net()", "", "self.cuda()", ""),
        ("net = Net()", "net.cuda()", "", ""),
        ("net = Net()", "kept = [net]", "", ""),
        ("", "", "", "net"),
        ("net = settle()", "", "", ""),
    ],
    ids=["placed", "made there", "unknown", "rebound", "constructor", "moved", "stored", "passed in", "unknown maker"],
)
def test_one_that_may_be_moved_may_train_anywhere(
    tmp_path: Path, made: str, then: str, more: str, parameter: str
) -> None:
    assert not is_on_host(tmp_path, made=made, then=then, more=more, parameter=parameter)
