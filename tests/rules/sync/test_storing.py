"""Losses that are put into lists and tables, by themselves or with something else, and added to tensors in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_TRAINED = """\
import torch
from collections import deque
def train(model, optimizer, batches):
    losses = []
    seen, last, count = {{}}, {{}}, 0
    total = torch.zeros(())
    recent = deque(maxlen=5)
    for i, (x, y) in enumerate(batches):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {line}
    return losses, seen, last, total
"""
WITH_GRAPH = [
    "losses.append((i, loss))",
    "losses.append({'loss': loss})",
    "losses.append([(loss, x), i])",
    "losses.extend([loss])",
    "losses.insert(0, loss)",
    "losses += [loss]",
    "losses = losses + [loss]",
    "losses = [*losses, loss]",
    "seen[i] = loss",
    "seen[i, 0] = loss",
    "seen.update({i: loss})",
    "total.add_(loss)",
    "total.mul_(0.9).add_(loss, alpha=0.1)",
    "total.lerp_(loss, 0.1)",
]


@pytest.mark.parametrize("line", WITH_GRAPH)
def test_what_holds_a_loss_of_each_step_keeps_all_graphs(program: Program, line: str) -> None:
    checkout = program(_TRAINED.format(line=line))

    assert len(checkout.reported("kept-graph")) == 1


def test_a_table_by_what_is_counted_in_the_loop_keeps_all_graphs(program: Program) -> None:
    checkout = program(_TRAINED.format(line="count += 1; seen[count] = loss"))

    assert len(checkout.reported("kept-graph")) == 1


WITHOUT_GRAPHS = [
    "losses.append((i, loss.item()))",
    "losses.append((i, loss)); losses.pop(0)",
    "losses.append((i, loss)); del losses[:]",
    "losses.append((i, loss)); losses[:] = losses[-3:]",
    "losses += [float(loss)]",
    "losses = [i, loss]",
    "losses = seen + [loss]",
    "losses.append((i, loss)); sum(one for _, one in losses).backward()",
    "recent.append(loss)",
    "recent.append((i, loss))",
    "last['loss'] = loss",
    "last[i % 3] = loss",
    "last.update({'loss': loss})",
    "count = 1; last[count] = loss",
    "for name in ('a', 'b'): last[name] = loss",
    "total.add_(loss.detach())",
    "total.add_(loss); total.detach_()",
    "total.data.add_(loss)",
]


@pytest.mark.parametrize("line", WITHOUT_GRAPHS)
def test_what_holds_numbers_or_the_last_losses_keeps_no_more_graphs(program: Program, line: str) -> None:
    assert program(_TRAINED.format(line=line)).reported("kept-graph") == []


_PUSHED = """\
import torch
class Rows:
    def __init__(self):
        self.rows = []
    def push(self, *row):
        self.rows.append({row})
def train(model, optimizer, batches):
    rows = Rows()
    for i, x in enumerate(batches):
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rows.push(i, {loss})
"""


@pytest.mark.parametrize(
    ("row", "loss", "kept"),
    [
        ("row", "loss", ["rows.push(i, loss)"]),
        ("row", "loss.item()", []),
        ("len(row)", "loss", []),
    ],
)
def test_a_method_keeps_all_that_it_is_given(program: Program, row: str, loss: str, kept: list[str]) -> None:
    assert program(_PUSHED.format(row=row, loss=loss)).reported("kept-graph") == kept


_LIGHTNING = """\
import torch
import lightning
class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(2, 2)
        self.outputs = []
    def training_step(self, batch, batch_idx):
        loss = self.net(batch).sum()
        self.outputs.append({{"loss": {loss}}})
        return loss
"""


@pytest.mark.parametrize(("loss", "count"), [("loss", 1), ("loss.detach()", 0)])
def test_a_training_step_that_gathers_tables_of_losses_keeps_all_graphs(
    program: Program, loss: str, count: int
) -> None:
    assert len(program(_LIGHTNING.format(loss=loss)).reported("kept-graph")) == count


_BUFFERED = """\
import numpy as np
import torch
class Buffer:
    def __init__(self, size):
        self.values, self.at = {made}, 0
    def add(self, value):
        self.values[self.at] = value
        self.at += 1
def train(model, optimizer, batches):
    buffer, seen = Buffer(100), {made}
    for i, x in enumerate(batches):
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        buffer.add(loss)
        seen[i] = loss
train(torch.nn.Linear(2, 2), torch.optim.SGD([], 0.1), [])
"""


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        ("np.zeros(100)", []),
        ("np.zeros((100, 1), dtype=np.float32)", []),
        ("{}", ["buffer.add(loss)", "seen[i] = loss"]),
        ("[None] * 100", ["buffer.add(loss)", "seen[i] = loss"]),
    ],
)
def test_an_array_keeps_the_numbers_only(program: Program, made: str, kept: list[str]) -> None:
    assert program(_BUFFERED.replace("{made}", made)).reported("kept-graph") == kept
