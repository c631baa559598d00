"""What functions put into a batch that they are given, and what callers have put into it before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
Projects: TypeAlias = Callable[[dict[str, str]], Checkout]

TRAINING = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
{before}
def main(device):
    net = nn.Linear(2, 2).to(device)
    for batch in DataLoader([1]):
        {moved}
        net({used})
"""


def left_behind(program: Program, before: str, moved: str, used: str = 'batch["x"]') -> list[str]:
    return program(TRAINING.format(before=before, moved=moved, used=used)).reported("unmoved-batch")


MOVES = [
    "for k, v in d.items():\n        d[k] = v.to(device)",
    "for k in d:\n        d[k] = d[k].to(device)",
    "for k, v in d.items():\n        if isinstance(v, torch.Tensor):\n            d[k] = v.to(device)",
    "for k in ('x', 'y'):\n        d[k] = d[k].to(device)",
    "for k in NAMES:\n        d[k] = d[k].to(device)",
    "d['x'] = d['x'].to(device)",
    "d.update({k: v.to(device) for k, v in d.items()})",
    "d.update(x=d['x'].to(device))",
    "for v in d.values():\n        move(v, device)\n    for k in d:\n        d[k] = d[k].to(device)",
]
LEAVES = [
    "for k in d:\n        if k != 'x':\n            d[k] = d[k].to(device)",
    "for k in ('y', 'z'):\n        d[k] = d[k].to(device)",
    "d['y'] = d['y'].to(device)",
    "d.update(y=d['y'].to(device))",
    "d = dict(d)\n    for k in d:\n        d[k] = d[k].to(device)",
    "print(d['x'])",
]


@pytest.mark.parametrize("body", MOVES)
def test_a_function_moves_the_batch_that_it_is_given(program: Program, body: str) -> None:
    assert left_behind(program, f"def move(d, device):\n    {body}\n", "move(batch, device)") == []


@pytest.mark.parametrize("body", MOVES[1:])
def test_a_batch_is_moved_where_it_is_read(program: Program, body: str) -> None:
    moved = body.replace("move(v, device)", "pass").replace("d[", "batch[").replace("d.", "batch.")
    moved = moved.replace(" in d:", " in batch:").replace("\n    ", "\n        ")

    assert left_behind(program, "", moved) == []


@pytest.mark.parametrize("body", LEAVES)
def test_what_a_function_leaves_out_or_copies_stays_where_it_was(program: Program, body: str) -> None:
    before = f"def move(d, device):\n    {body}\n"

    assert left_behind(program, before, "move(batch, device)") == ['net(batch["x"])']


@pytest.mark.parametrize(
    "before",
    [
        "def inner(d, device):\n    for k in d:\n        d[k] = d[k].to(device)\n"
        "def move(d, device):\n    inner(d, device)\n",
        "class Mover:\n    def __call__(self, d, device):\n        for k in d:\n            d[k] = d[k].to(device)\n"
        "move = Mover()\n",
        "def move(d, device):\n    for k, v in d.items():\n        if isinstance(v, dict):\n"
        "            move(v, device)\n        else:\n            d[k] = v.to(device)\n",
    ],
    ids=["by another", "by an object", "by itself"],
)
def test_what_a_function_runs_may_move_the_batch(program: Program, before: str) -> None:
    assert left_behind(program, before, "move(batch, device)") == []


def test_the_function_that_moves_may_be_in_another_file(project_of: Projects) -> None:
    moving = "def move(d, device):\n    for k, v in d.items():\n        d[k] = v.to(device)\n"
    main = TRAINING.format(before="from moving import move", moved="move(batch, device)", used='batch["x"]')

    assert project_of({"moving.py": moving, "main.py": main}).reported("unmoved-batch") == []


@pytest.mark.parametrize(
    ("moved", "found"),
    [("for i in range(len(batch)):\n            batch[i] = batch[i].to(device)", []), ("print(batch)", ["net(x)"])],
)
def test_what_was_put_into_a_list_is_what_is_taken_out_of_it(program: Program, moved: str, found: list[str]) -> None:
    assert left_behind(program, "", f"{moved}\n        x, y = batch", "x") == found


USED_ELSEWHERE = "def used(net, data):\n    return net(data['x'])\n"


@pytest.mark.parametrize(
    ("moved", "found"),
    [
        ("for k in batch:\n            batch[k] = batch[k].to(device)", []),
        ("batch['x'] = batch['x'].to(device)", []),
        ("batch['y'] = batch['y'].to(device)", ["return net(data['x'])"]),
    ],
)
def test_what_was_put_into_a_batch_goes_along_where_it_is_passed(
    program: Program, moved: str, found: list[str]
) -> None:
    assert left_behind(program, USED_ELSEWHERE, f"{moved}\n        used(net, batch)", "batch['x'].to(device)") == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("self.data = data\n        for k in self.data:\n            self.data[k] = self.data[k].to(device)", []),
        ("self.data = data", ['self.net(self.data["x"])']),
    ],
)
def test_one_method_moves_what_another_one_uses(program: Program, body: str, found: list[str]) -> None:
    trainer = f"""\
import torch
from torch import nn
from torch.utils.data import DataLoader
device = "cuda" if torch.cuda.is_available() else "cpu"
class Trainer:
    def __init__(self):
        self.net = nn.Linear(2, 2).to(device)
    def set_input(self, data):
        {body}
    def step(self):
        self.net(self.data["x"])
trainer = Trainer()
for batch in DataLoader([1]):
    trainer.set_input(batch)
    trainer.step()
"""

    assert program(trainer).reported("unmoved-batch") == found


CRITERION = """\
import torch
from torch import nn
class Focal(nn.Module):
    def forward(self, pred, gt):
        count = gt.eq(1).float().sum()
        if count == 0:
            return pred.sum()
        return pred.sum() / count
class Criterion(nn.Module):
    def __init__(self):
        super().__init__()
        self.focal = Focal()
    def forward(self, outputs, batch):
        return self.focal(outputs, batch["mask"])
def main(loader):
    net = nn.Linear(4, 1).cuda()
    criterion = Criterion()
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    for batch in loader:
        {moved}
        loss = criterion(net(batch["x"].cuda()), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_criterion_that_is_given_a_moved_batch_waits_for_it(program: Program) -> None:
    moved = "for key in batch:\n            batch[key] = batch[key].cuda()"

    assert program(CRITERION.format(moved=moved)).reported("tensor-branch-in-training-loop") == ["if count == 0:"]


READ_FIRST = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
def main():
    net = nn.Linear(2, 2).cuda()
    optimizer = torch.optim.Adam(net.parameters(), 0.1)
    for batch in DataLoader([1]):
        {body}
        loss = net(batch["x"]).sum()
        loss.backward()
        optimizer.step()
"""
READ, MOVE = 'count = batch["y"].sum().item()', 'batch["y"] = batch["y"].cuda()'


@pytest.mark.parametrize(("lines", "found"), [((READ, MOVE), []), ((MOVE, READ), [READ])])
def test_what_is_read_before_the_batch_is_moved_waits_for_nothing(
    program: Program, lines: tuple[str, str], found: list[str]
) -> None:
    text = READ_FIRST.format(body="\n        ".join(lines))

    assert program(text).reported("item-in-training-loop") == found


FORWARD = """\
import numpy as np
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
    def forward(self, x, sizes):
        sizes = np.array({read})
        return self.fc(x), sizes
def main(loader):
    net = Net().cuda()
    for x, sizes in loader:
        net(x.cuda(), sizes)
"""


@pytest.mark.parametrize(
    ("read", "found"), [("sizes[::-1]", []), ("sizes[..., ::-1]", []), ("sizes[::2]", ["sizes = np.array(sizes[::2])"])]
)
def test_what_runs_backwards_is_no_tensor(program: Program, read: str, found: list[str]) -> None:
    assert program(FORWARD.format(read=read)).reported("numpy-of-device-tensor") == found


UNSEEN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
def move(d, device, keys):
    for k, v in d.items():
        if k in keys:
            d[k] = v.to(device)
class Loop:
    def move(self, d):
        d.update({{k: v.to(self.device) for k, v in d.items()}})
    def run(self, net: nn.Module, device):
        net.to(device)
        for batch in DataLoader([1]):
            {moved}
            net(batch)
"""


@pytest.mark.parametrize(
    ("moved", "found"),
    [
        ("move(batch, device, self.keys)", []),
        ("self.move(batch)", []),
        ("for k in batch:\n                batch[k] = batch[k].to(device)", []),
        ("batch['x'] = batch['x'].to(device)", []),
        ("print(batch)", ["net(batch)"]),
        ("other = dict(batch)\n            move(other, device, ())", ["net(batch)"]),
    ],
)
def test_nobody_sees_what_an_unknown_module_reads_of_a_batch_that_was_refilled(
    program: Program, moved: str, found: list[str]
) -> None:
    assert program(UNSEEN.format(moved=moved)).reported("unmoved-batch") == found
