"""Losses that a DataParallel gathers into a vector."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.gathered_losses import gathered_losses
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

PROGRAM = """
import torch
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.MSELoss({options})
    def forward(self, x):
        return {returned}
net = nn.{wrapper}(Net())
loss = net(1)
{backward}
"""


def losses_in(
    tmp_path: Path,
    returned: str,
    backward: str = "loss.backward()",
    options: str = "",
    wrapper: str = "DataParallel",
) -> int:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(returned=returned, backward=backward, options=options, wrapper=wrapper))
    return len(list(asked(gathered_losses, Project(tmp_path).open(path, "main.py"), WITH_CUDA)))


@pytest.mark.parametrize("returned", ["self.loss(x, 1)", "F.mse_loss(x, 1) + 0.1 * x.abs().mean()", "torch.mean(x)"])
def test_a_scalar_of_each_replica_is_a_vector(tmp_path: Path, returned: str) -> None:
    assert losses_in(tmp_path, returned) == 1


@pytest.mark.parametrize(
    "backward", ["(loss / 4).backward()", "scaler.scale(loss).backward()", "loss += 1\nloss.backward()"]
)
def test_scaling_reduces_nothing(tmp_path: Path, backward: str) -> None:
    assert losses_in(tmp_path, "self.loss(x, 1)", backward) == 1


@pytest.mark.parametrize(
    "backward", ["loss.mean().backward()", "loss = loss.sum()\nloss.backward()", "loss.backward(x)"]
)
def test_a_reduction_or_a_gradient_is_enough(tmp_path: Path, backward: str) -> None:
    assert losses_in(tmp_path, "self.loss(x, 1)", backward) == 0


SUMMED = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.mse, self.each = nn.MSELoss(), nn.MSELoss(reduction="none")
    def forward(self, x, y=None):
        loss = {start}
        for layer in self.layers:
            x = layer(x)
            {added}
        return {returned}
net = nn.DataParallel(Net())
{taken} = net(1, 2)
loss.backward()
"""


@pytest.mark.parametrize(
    ("start", "added", "returned", "taken", "expected"),
    [
        ("0", "loss += self.mse(x, y)", "loss", "loss", 1),
        ("0.0", "loss = loss + self.mse(x, y)", "loss", "loss", 0),
        ("0", "if y is not None:\n                loss += self.mse(x, y)", "loss, x", "loss, _", 1),
        ("0", "loss += self.mse(x, y)", "x if y is None else (loss, x)", "loss, _", 1),
        ("0", "loss += self.mse(x, y)", "x if y is None else (x, loss)", "loss, _", 0),
        ("0", "loss += self.mse(x, y)", "x if y is None else (x, loss)", "_, loss", 1),
        ("0", "loss += self.each(x, y)", "loss", "loss", 0),
        ("0", "loss += self.mse(x, y) + self.each(x, y)", "loss", "loss", 0),
        ("self.mse(x, y)", "loss += self.each(x, y)", "loss", "loss", 0),
        ("self.mse(x, y)", "loss += 0.1", "loss", "loss", 1),
        ("0", "loss += 1", "loss", "loss", 0),
        ("torch.zeros(4)", "loss += self.mse(x, y)", "loss", "loss", 0),
    ],
)
def test_a_sum_of_scalars_is_one(
    tmp_path: Path, start: str, added: str, returned: str, taken: str, expected: int
) -> None:
    path = tmp_path / "main.py"
    path.write_text(SUMMED.format(start=start, added=added, returned=returned, taken=taken))

    assert len(list(asked(gathered_losses, Project(tmp_path).open(path, "main.py"), WITH_CUDA))) == expected


ON_SEVERAL = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.MSELoss()
    def forward(self, x, y):
        return self.loss(x, y), x
def train(args, net, x, y):
    loss, _ = net(x, y)
    if {test}:
        loss = {reduced}
    if args.adversarial:
        loss.backward()
def main(args):
    net = Net()
    if torch.cuda.device_count() > 1:
        net = nn.DataParallel(net)
    train(args, net, 1, 2)
"""


@pytest.mark.parametrize(
    ("test", "reduced", "expected"),
    [
        ("torch.cuda.device_count() > 1", "torch.mean(loss)", 0),
        ("torch.cuda.device_count() > 1", "loss.mean()", 0),
        ("torch.cuda.device_count() > 1", "loss * 2", 1),
        ("torch.cuda.device_count() > 1 and args.half", "loss.mean()", 1),
        ("args.half", "loss.mean()", 1),
        ("torch.cuda.device_count() == 1", "loss.mean()", 1),
    ],
)
def test_a_reduction_on_several_gpus_is_enough(tmp_path: Path, test: str, reduced: str, expected: int) -> None:
    path = tmp_path / "main.py"
    path.write_text(ON_SEVERAL.format(test=test, reduced=reduced))

    assert len(list(asked(gathered_losses, Project(tmp_path).open(path, "main.py"), WITH_CUDA))) == expected


def test_outputs_and_losses_of_each_sample_are_no_scalars(tmp_path: Path) -> None:
    assert losses_in(tmp_path, "x") == 0
    assert losses_in(tmp_path, "self.loss(x, 1)", options="reduction='none'") == 0


def test_distributed_training_gathers_nothing(tmp_path: Path) -> None:
    assert losses_in(tmp_path, "self.loss(x, 1)", wrapper="parallel.DistributedDataParallel") == 0


CHOSEN = """
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return torch.mean(x)
def train(args, loader):
    {option}
    net = Net()
    if args.distributed:
        net = nn.parallel.DistributedDataParallel(net)
    else:
        net = nn.DataParallel(net)
    for x in loader:
        loss = net(x)
        if {test}:
            loss = loss.mean()
        loss.backward()
"""
EITHER = "args.distributed = args.world_size > 1 or args.spawned"
BOTH = "args.distributed = args.world_size > 1 and args.spawned"


@pytest.mark.parametrize(
    ("option", "test", "found"),
    [
        ("pass", "not args.distributed", 0),
        (EITHER, "not args.spawned", 0),
        (EITHER, "not args.world_size > 1", 0),
        ("pass", "not args.spawned", 1),
        ("pass", "args.distributed", 1),
        (EITHER, "args.spawned", 1),
        (BOTH, "not args.spawned", 1),
    ],
)
def test_a_reduction_where_the_wrapper_is_chosen_is_enough(tmp_path: Path, option: str, test: str, found: int) -> None:
    path = tmp_path / "main.py"
    path.write_text(CHOSEN.format(option=option, test=test))

    assert len(list(asked(gathered_losses, Project(tmp_path).open(path, "main.py"), WITH_CUDA))) == found


COUNTED = """
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return torch.mean(x)
def train(args, loader):
    if args.local_rank == -1:
        count = torch.cuda.device_count()
    {other}
    net = Net()
    if count > 1:
        net = nn.DataParallel(net)
    {later}
    for x in loader:
        loss = net(x)
        if count > 1:
            loss = loss.mean()
        loss.backward()
"""


@pytest.mark.parametrize(
    ("other", "later", "found"),
    [
        ("else: count = 1", "pass", 0),
        ("elif args.spawned: count = 2\n    else: count = 1", "pass", 0),
        ("count = 1 if args.alone else 2", "pass", 1),
        ("else: count = 1", "count = 1", 1),
        ("else: count = 1", "if args.alone: count = 1", 1),
    ],
)
def test_a_test_of_what_each_arm_binds_comes_out_alike_later(
    tmp_path: Path, other: str, later: str, found: int
) -> None:
    path = tmp_path / "main.py"
    path.write_text(COUNTED.format(other=other, later=later))

    assert len(list(asked(gathered_losses, Project(tmp_path).open(path, "main.py"), WITH_CUDA))) == found
