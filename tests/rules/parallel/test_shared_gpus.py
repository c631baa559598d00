"""Modules that every rank puts on the first GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "ranks-on-one-gpu"
PROGRAM = """
import os, torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
def start(): torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
def main(rank):
    {group}
    {before}
    {wrapped}
main(int(os.environ["RANK"]))
"""
GROUP, WRAPPED = "dist.init_process_group('nccl')", "model = DDP(nn.Linear(4, 2).to('cuda'))"


def reported(program: Program, wrapped: str = WRAPPED, group: str = GROUP, before: str = "pass") -> bool:
    return bool(program(PROGRAM.format(group=group, before=before, wrapped=wrapped)).findings(RULE))


ON_THE_FIRST = [
    WRAPPED,
    "model = DDP(nn.Linear(4, 2).cuda())",
    "model = DDP(nn.Linear(4, 2).cuda(0), device_ids=[0])",
    "model = DDP(module=nn.Linear(4, 2).to('cuda:0'))",
    "device = torch.device('cuda'); net = nn.Linear(4, 2); net.to(device); model = DDP(net)",
    "model = FSDP(nn.Linear(4, 2).cuda())",
    "model = DDP(nn.Linear(4, 2).cuda().to(torch.float16))",
    "model = DDP(nn.Linear(4, 2).cuda().to(None))",
]


@pytest.mark.parametrize("wrapped", ON_THE_FIRST)
def test_a_plain_cuda_is_the_same_gpu_on_every_rank(program: Program, wrapped: str) -> None:
    assert reported(program, wrapped)


BY_RANK = [
    "model = DDP(nn.Linear(4, 2).to(rank), device_ids=[rank])",
    "model = DDP(nn.Linear(4, 2).cuda(rank))",
    "model = DDP(nn.Linear(4, 2).to(f'cuda:{rank}'))",
    "device = torch.device(f'cuda:{rank}'); model = DDP(nn.Linear(4, 2).to(device))",
    "model = DDP(nn.Linear(4, 2).to(torch.device('cuda', rank)))",
    "model = DDP(nn.Linear(4, 2))",
    "model = DDP(nn.Linear(4, 2).cuda().to(rank))",
    "net = nn.Linear(4, 2).to('cuda'); net = net.cuda(rank); model = DDP(net)",
    "model = FSDP(nn.Linear(4, 2).cuda(), device_id=rank)",
    "model = nn.DataParallel(nn.Linear(4, 2).cuda())",
    "if rank == 0: model = DDP(nn.Linear(4, 2).cuda())",
    "model = DDP(nn.Linear(4, 2).cuda()).to(rank)",
]


@pytest.mark.parametrize("wrapped", BY_RANK)
def test_modules_that_the_rank_places_are_left_alone(program: Program, wrapped: str) -> None:
    assert not reported(program, wrapped)


@pytest.mark.parametrize(
    "before",
    [
        "start()",
        "torch.cuda.set_device(rank)",
        "torch.accelerator.set_device_index(rank)",
        "os.environ['CUDA_VISIBLE_DEVICES'] = str(rank)",
    ],
)
def test_a_rank_that_has_set_its_gpu_is_left_alone(program: Program, before: str) -> None:
    assert not reported(program, before=before)


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("dist.init_process_group()", True),
        ("dist.init_process_group(backend='cpu:gloo,cuda:nccl')", True),
        ("dist.init_process_group(dist.Backend.NCCL)", True),
        ("dist.init_process_group('nccl' if torch.cuda.is_available() else 'gloo', rank=rank, world_size=4)", True),
        ("dist.init_process_group('gloo')", False),
        ("dist.init_process_group(os.environ['BACKEND'])", False),
        ("dist.init_process_group('nccl', rank=0, world_size=1)", False),
        ("dist.init_process_group('nccl', device_id=torch.device('cuda', rank))", False),
        ("rank = int(os.environ['SLURM_PROCID']); dist.init_process_group('nccl')", False),
        ("pass", False),
    ],
)
def test_only_nccl_with_several_ranks_wants_a_gpu_for_each(program: Program, group: str, *, expected: bool) -> None:
    assert reported(program, group=group) is expected


def test_who_wraps_by_the_rank_in_another_arm_has_no_rank_in_this_one(program: Program) -> None:
    by_rank, plain = "DDP(nn.Linear(4, 2).cuda(rank))", "DDP(nn.Linear(4, 2).cuda())"

    assert not reported(program, f"model = {by_rank} if rank is not None else {plain}")
