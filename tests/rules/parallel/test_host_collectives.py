"""Which collectives get a tensor on the host, in programs whose process group is one of NCCL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

RULE = "cpu-tensor-in-nccl-collective"
HEAD = """\
import argparse
import os
import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--dist-backend", default="nccl")
args = parser.parse_args()
rank = int(os.environ["LOCAL_RANK"])
device = torch.device("cuda", rank)
"""
NCCL = 'dist.init_process_group("nccl")\n'
RAISE = {
    "a number": "t = torch.tensor(3.0)\ndist.all_reduce(t)\n",
    "a copy": "t = torch.tensor([3.0], device=device).cpu()\ndist.all_reduce(t, op=dist.ReduceOp.SUM)\n",
    "by name": "dist.broadcast(tensor=torch.zeros(3), src=0)\n",
    "through a function": "def reduced(t):\n    t = t.clone()\n    dist.all_reduce(t)\n    return t\nreduced(torch.tensor(1.0))\n",
    "in a list": "t = torch.ones(1, device=device)\ndist.all_gather([torch.zeros(1), torch.zeros(1)], t)\n",
    "in a comprehension": "t = torch.ones(1, device=device)\ndist.all_gather([torch.zeros(1) for _ in range(2)], t)\n",
    "sent": "dist.send(torch.ones(2), dst=1)\n",
    "no group": "dist.all_reduce(torch.ones(2), group=None)\n",
}
WORK = {
    "on the GPU": "dist.all_reduce(torch.tensor(3.0, device=device))\n",
    "moved": "t = torch.tensor(3.0).to(device)\ndist.all_reduce(t)\n",
    "unknown": "def reduced(t):\n    dist.all_reduce(t)\n",
    "another group": 'group = dist.new_group(backend="gloo")\ndist.all_reduce(torch.ones(2), group=group)\n',
    "an object": "dist.all_gather_object([None], torch.ones(2))\n",
    "on some machines": "t = torch.tensor(3.0)\nif not torch.cuda.is_available():\n    dist.all_reduce(t)\n",
}
OTHERS = {
    "both": "dist.init_process_group()\n",
    "by device": 'dist.init_process_group("cpu:gloo,cuda:nccl")\n',
    "gloo": 'dist.init_process_group(backend="gloo")\n',
    "one of them": 'dist.init_process_group("nccl" if rank else "gloo")\n',
    "another one later": 'dist.init_process_group("nccl")\ndist.destroy_process_group()\ndist.init_process_group("gloo")\n',
    "unknown": 'dist.init_process_group(os.environ["BACKEND"])\n',
}


@pytest.mark.parametrize("code", RAISE.values(), ids=RAISE)
def test_a_tensor_on_the_host_raises(program: Callable[[str], Checkout], code: str) -> None:
    (found,) = program(HEAD + NCCL + code).findings(RULE)

    assert found.severity.value == "error"


@pytest.mark.parametrize("code", WORK.values(), ids=WORK)
def test_what_may_be_on_the_gpu_is_not_reported(program: Callable[[str], Checkout], code: str) -> None:
    assert program(HEAD + NCCL + code).findings(RULE) == []


@pytest.mark.parametrize("group", OTHERS.values(), ids=OTHERS)
def test_a_group_that_may_take_tensors_on_the_host_is_not_reported(
    program: Callable[[str], Checkout], group: str
) -> None:
    assert program(HEAD + group + RAISE["a number"]).findings(RULE) == []


@pytest.mark.parametrize(
    "group", ['dist.init_process_group(backend="NCCL")\n', "dist.init_process_group(args.dist_backend)\n"]
)
def test_the_backend_may_come_from_elsewhere(program: Callable[[str], Checkout], group: str) -> None:
    assert len(program(HEAD + group + RAISE["a number"]).findings(RULE)) == 1


def test_a_collective_that_an_option_lets_in_is_no_error_by_default(program: Callable[[str], Checkout]) -> None:
    head = HEAD.replace("args =", 'parser.add_argument("--log", action="store_true")\nargs =')
    (found,) = program(f"{head}{NCCL}if args.log:\n    dist.all_reduce(torch.ones(2))\n").findings(RULE)

    assert found.severity.value == "warning"
