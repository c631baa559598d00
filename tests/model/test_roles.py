"""Rules ask for the role of an object, and not for the name of its class."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

_OPTIMIZERS = {
    "of PyTorch": ("", "torch.optim.SGD"),
    "sharded": ("from torch.distributed.optim import ZeroRedundancyOptimizer as Zero", "Zero"),
    "of a companion": ("import bitsandbytes as bnb", "bnb.optim.AdamW8bit"),
    "deep in one": ("from timm.optim.lamb import Lamb", "Lamb"),
    "of the project": ("class Mine(torch.optim.SGD):\n    pass", "Mine"),
    "of the project, from a companion": (
        "from transformers import Adafactor\nclass Mine(Adafactor):\n    pass",
        "Mine",
    ),
}
_TRAINING = """
import torch
from torch import nn
{setup}

net = nn.Linear(4, 4)
optimizer = {optimizer}(net.parameters(), lr=0.1)
for x in [torch.ones(4)] * 8:
    net(x).sum().backward()
    optimizer.step()
"""
_LOADERS = {
    "of PyTorch": ("", "DataLoader"),
    "of a companion": ("from torchdata.stateful_dataloader import StatefulDataLoader", "StatefulDataLoader"),
    "of the project": ("class Mine(DataLoader):\n    pass", "Mine"),
}
_OTHER_LOADERS = {
    "of graphs": ("from torch_geometric.loader import DataLoader", "DataLoader"),
    "with arguments of its own": (
        "class Mine(DataLoader):\n    def __init__(self, folder, batch_size):\n        super().__init__(load(folder))",
        "Mine",
    ),
    "with batches of its own": (
        "class Mine(DataLoader):\n    def __iter__(self):\n        return (x.cuda() for x in super().__iter__())",
        "Mine",
    ),
    "of anybody": ("from somewhere import Loader", "Loader"),
}
_FEEDING = """
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10
{setup}

net = nn.Linear(4, 4).to("cuda")
for batch in {loader}(CIFAR10("."), batch_size=4):
    net(batch)
"""
_PARALLEL = """
from torch import nn, ones
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim import SGD
from torch.utils.data import DataLoader
from torchdata.stateful_dataloader import StatefulDataLoader

net = {wrapper}(nn.Linear(4, 4).cuda())
optimizer = SGD(net.parameters(), 0.1)
loader = {loader}([ones(4)] * 8, batch_size=4, shuffle=True)
for x in loader:
    optimizer.zero_grad()
    net(x.cuda()).sum().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("setup", "optimizer"), _OPTIMIZERS.values(), ids=_OPTIMIZERS)
def test_whatever_is_an_optimizer_needs_its_gradients_cleared(
    program: Callable[[str], Checkout], setup: str, optimizer: str
) -> None:
    project = program(_TRAINING.format(setup=setup, optimizer=optimizer))

    assert project.reported("missing-zero-grad") == ["optimizer.step()"]


@pytest.mark.parametrize("optimizer", ["torch.optim.lr_scheduler.StepLR", "torch.optim.swa_utils.AveragedModel"])
def test_what_is_no_optimizer_needs_none(program: Callable[[str], Checkout], optimizer: str) -> None:
    assert program(_TRAINING.format(setup="", optimizer=optimizer)).reported("missing-zero-grad") == []


@pytest.mark.parametrize(("setup", "loader"), _LOADERS.values(), ids=_LOADERS)
def test_what_a_loader_yields_is_on_the_host(program: Callable[[str], Checkout], setup: str, loader: str) -> None:
    assert program(_FEEDING.format(setup=setup, loader=loader)).reported("unmoved-batch") == ["net(batch)"]


@pytest.mark.parametrize(("setup", "loader"), _OTHER_LOADERS.values(), ids=_OTHER_LOADERS)
def test_of_other_loaders_nobody_knows(program: Callable[[str], Checkout], setup: str, loader: str) -> None:
    assert program(_FEEDING.format(setup=setup, loader=loader)).reported("unmoved-batch") == []


@pytest.mark.parametrize("wrapper", ["DDP", "FSDP"])
@pytest.mark.parametrize("loader", ["DataLoader", "StatefulDataLoader"])
def test_every_rank_reads_the_whole_of_any_loader(
    program: Callable[[str], Checkout], wrapper: str, loader: str
) -> None:
    project = program(_PARALLEL.format(wrapper=wrapper, loader=loader))

    assert project.reported("unsharded-loader") == [f"loader = {loader}([ones(4)] * 8, batch_size=4, shuffle=True)"]


@pytest.mark.parametrize(("wrapper", "count"), [("DDP", 1), ("FSDP", 0)])
def test_fsdp_keeps_the_keys_of_the_module(program: Callable[[str], Checkout], wrapper: str, count: int) -> None:
    code = (
        _PARALLEL.format(wrapper=wrapper, loader="DataLoader") + "import torch\ntorch.save(net.state_dict(), 'n.pt')\n"
    )

    assert len(program(code).reported("wrapped-state-dict")) == count
