"""Loads that only machines with CUDA reach, and which every rank makes: all of them get a copy on the same GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "load-without-map-location"
PROGRAM = """\
import os
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

class Trainer:
    def __init__(self, path):
        self.rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.rank)
        self.net = nn.Linear(4, 4).cuda()
        {call}
        self.net = DistributedDataParallel(self.net, device_ids=[self.rank])

    def load(self, path):
        saved = {load}
        self.net.load_state_dict(saved["model"])

if __name__ == "__main__":
    dist.init_process_group({group})
    Trainer("last.pt")
"""
CALL, LOAD, GROUP = "self.load(path)", "torch.load(path)", '"nccl"'


def _found(program: Program, call: str = CALL, load: str = LOAD, group: str = GROUP) -> bool:
    return bool(program(PROGRAM.format(call=call, load=load, group=group)).reported(RULE))


@pytest.mark.parametrize(
    "group", ['"nccl"', "", 'backend="cpu:gloo,cuda:nccl"', '"nccl", world_size=int(os.environ["W"])']
)
@pytest.mark.parametrize("call", [CALL, "if os.path.exists(path): self.load(path)"])
def test_every_rank_loads_to_the_gpu_of_the_one_that_saved(program: Program, group: str, call: str) -> None:
    assert _found(program, group=group, call=call)


@pytest.mark.parametrize("call", ["if self.rank == 0: self.load(path)", "if dist.get_rank() == 0: self.load(path)"])
def test_one_rank_alone_may_load_where_it_saved(program: Program, call: str) -> None:
    assert not _found(program, call=call)


@pytest.mark.parametrize(
    "load", ['torch.load(path, map_location="cpu")', 'torch.load(path, map_location=f"cuda:{self.rank}")']
)
def test_a_location_is_one_of_each_rank(program: Program, load: str) -> None:
    assert not _found(program, load=load)


def test_a_group_of_one_has_one_gpu(program: Program) -> None:
    assert not _found(program, group='"nccl", world_size=1, rank=0')


def test_a_rank_that_sees_one_gpu_has_no_other(program: Program) -> None:
    code = PROGRAM.format(call=CALL, load=LOAD, group=GROUP)
    alone = code.replace(
        "class Trainer", 'os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["LOCAL_RANK"]\n\nclass Trainer'
    )

    assert not program(alone).reported(RULE)
