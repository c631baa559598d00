"""Tests for one GPU: whether they are a guard depends on what the other arm needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import json
import torch
options = json.load(open("options.json"))
num_gpus = options["num_gpus"]
net = torch.nn.Linear(4, 4)
"""


def _reported(program: Program, code: str) -> list[str]:
    return program(HEAD + code).reported("hardcoded-cuda")


BOTH = {
    "two arms": "if num_gpus == 1:\n    net = net.cuda()\nelse:\n    net = torch.nn.DataParallel(net.cuda())\n",
    "the other way round": "if num_gpus != 1:\n    net = torch.nn.DataParallel(net.cuda())\nelse:\n    net.cuda()\n",
    "in a block": "if num_gpus == 1:\n    net.cuda()\nelse:\n    with torch.no_grad():\n        net.cuda()\n",
}


@pytest.mark.parametrize("code", BOTH.values(), ids=BOTH)
def test_where_both_arms_ask_for_cuda_a_test_for_one_is_no_guard(program: Program, code: str) -> None:
    assert len(_reported(program, code)) == 2


def test_a_device_by_its_name_is_asked_for_as_well(program: Program) -> None:
    code = "if num_gpus == 1:\n    net = net.to('cuda')\nelse:\n    net = torch.nn.DataParallel(net).to('cuda:0')\n"

    assert len(_reported(program, code)) == 2


ONE = {
    "no other arm": "if num_gpus == 1:\n    net.cuda()\n",
    "another arm for several alone": "if num_gpus == 1:\n    net.cuda()\nelif num_gpus > 1:\n    net.cuda()\n",
    "another arm on the host": "if num_gpus == 1:\n    net.cuda()\nelse:\n    net.cpu()\n",
    "another arm that asks where there is one": (
        "if num_gpus == 1:\n    net.cuda()\nelse:\n    net = net.cuda() if torch.cuda.is_available() else net\n"
    ),
    "another arm that chooses": (
        "host = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "if num_gpus == 1:\n    net.cuda()\nelse:\n    net.to(host)\n"
    ),
    "a number of processes": "world_size = num_gpus\nif world_size == 1:\n    net.cuda()\nelse:\n    net.cuda()\n",
    "another number": "if num_gpus == 2:\n    net.cuda()\nelse:\n    net.cuda()\n",
    "and something else": "if num_gpus == 1 and options['gpu']:\n    net.cuda()\n",
}


@pytest.mark.parametrize("code", ONE.values(), ids=ONE)
def test_where_the_other_arm_does_without_it_is_one(program: Program, code: str) -> None:
    assert _reported(program, code) == []
