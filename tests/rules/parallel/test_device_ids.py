"""The first of `device_ids`, and where the module is, as the options of the program say by default."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.finding import Confidence

Program: TypeAlias = Callable[[str], Checkout]
RULE = "device-ids-mismatch"
PROGRAM = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default={default})
args = parser.parse_args()
model = nn.Linear(4, 4)
{move}
net = nn.DataParallel(model, device_ids=[0, 1])
"""
BY_OPTION = [
    "model.cuda(args.gpu)",
    'model.to(f"cuda:{args.gpu}")',
    'model.to(torch.device("cuda", args.gpu))',
    "torch.cuda.set_device(args.gpu)\nmodel.cuda()",
]


@pytest.mark.parametrize("move", BY_OPTION)
def test_the_default_of_an_option_is_where_the_module_is_with_medium_confidence(program: Program, move: str) -> None:
    found = program(PROGRAM.format(default=1, move=move)).findings(RULE)

    assert [one.confidence for one in found] == [Confidence.MEDIUM]


@pytest.mark.parametrize("move", BY_OPTION)
def test_the_default_may_be_the_first_of_them(program: Program, move: str) -> None:
    assert program(PROGRAM.format(default=0, move=move)).findings(RULE) == []


def test_what_no_option_decides_is_reported_with_high_confidence(program: Program) -> None:
    found = program(PROGRAM.format(default=0, move="model.cuda(1)")).findings(RULE)

    assert [one.confidence for one in found] == [Confidence.HIGH]


CHOSEN = """\
import torch
from torch import nn

def wrap(net, gpu):
    net = {moved}
    return nn.DataParallel(net, device_ids=[1, 2])
"""


@pytest.mark.parametrize("moved", ["net.cuda(0) if gpu is None else net.to('cuda:0')", "net.cuda(0) if True else net"])
def test_both_arms_of_a_conditional_expression_may_move_it_to_one_gpu(program: Program, moved: str) -> None:
    found = program(CHOSEN.format(moved=moved)).reported(RULE)

    assert found == ["return nn.DataParallel(net, device_ids=[1, 2])"]


@pytest.mark.parametrize("moved", ["net.cuda(0) if gpu is None else net.to('cuda:1')", "net.cuda(0) if gpu else net"])
def test_the_arms_of_a_conditional_expression_may_differ(program: Program, moved: str) -> None:
    assert program(CHOSEN.format(moved=moved)).reported(RULE) == []


def test_a_module_is_followed_through_attributes_and_tuples(program: Program) -> None:
    found = program(
        """\
import torch
from torch import nn

FIRST = "cuda:0" if torch.cuda.is_available() else "cpu"


class Runner:
    def __init__(self):
        self.net = nn.Linear(4, 2).to(FIRST)
        self.other = nn.Linear(4, 2).to(FIRST)

    def spread(self):
        self.wrapped = nn.DataParallel(self.net, device_ids=[1, 0])
        self.other.to("cuda:1")
        self.moved = nn.DataParallel(self.other, device_ids=[1, 0])


def build():
    net = nn.Linear(4, 2)
    net.to(FIRST)
    return net, 3


model, width = build()
wrapped = nn.DataParallel(model, device_ids=[1, 0])
"""
    ).findings(RULE)

    assert [(one.span.line, one.trace[0].span.line) for one in found] == [(13, 9), (25, 20)]


OF_RANKS = """\
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

def wrap(net, local_rank, gpus):
    one = local_rank
    return DistributedDataParallel(net, device_ids={ids})
"""


@pytest.mark.parametrize("ids", ["[0, 1]", "(0, 1)", "range(2)", "list(range(4))", "[local_rank, local_rank + 1]"])
def test_a_process_takes_one_device(program: Program, ids: str) -> None:
    (found,) = program(OF_RANKS.format(ids=ids)).findings(RULE)

    assert "more than one" in found.message


@pytest.mark.parametrize("ids", ["[local_rank]", "None", "gpus", "[*gpus, 0]", "range(1)", "range(gpus)", "[one]"])
def test_one_device_or_unknown_ones_are_not_reported(program: Program, ids: str) -> None:
    assert program(OF_RANKS.format(ids=ids)).findings(RULE) == []
