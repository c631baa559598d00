"""Which calls show their arguments, and which only compute with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_LOOP = """\
{head}
import torch
model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader([])
for x in {loader}:
    loss = model(x.cuda()).sum()
    loss.backward()
    optimizer.step()
    {call}
"""
COMPUTING = {
    "torch by a short name": ("import torch as t", "entropy = t.log(loss)"),
    "torch by the name of a logger": ("import torch as log", "entropy = log.log(loss)"),
    "a namespace of torch": ("import torch.special as progress", "entropy = progress.log(loss)"),
    "a dict of numbers that were read": ("", "writer.add_scalars('loss', {'train': loss.item()}, 3)"),
    "what an array computes as well": ("", "print(f'{(unknown(x) - 1).clip(0).sum():.2f}')"),
    "a number that is shown of it": ("import torch as t", "print(t.log(loss).shape)"),
}


@pytest.mark.parametrize(("head", "call"), COMPUTING.values(), ids=COMPUTING)
def test_a_package_of_another_name_is_no_logger(program: Program, head: str, call: str) -> None:
    code = _LOOP.format(head=head, call=call, loader="loader")

    assert program(code).reported("tensor-print-in-training-loop") == []


SHOWING = {
    "a progress bar of the same name": ("from tqdm import tqdm", "t.write(loss)", "(t := tqdm(loader))"),
    "the package of a logger": ("import logging", "logging.info(loss)", "loader"),
    "that package by another name": ("import logging as tell", "tell.info(loss)", "loader"),
    "a logger that is imported": ("from loguru import logger as say", "say.info(loss)", "loader"),
    "a logger of nobody knows whom": ("from ours import log", "log.info(loss)", "loader"),
    "a dict of what is written": ("", "writer.add_scalars('loss', {'rate': 0.1, 'train': loss}, 3)", "loader"),
    "a package that takes the numbers out": ("import wandb", "wandb.log({'loss': loss})", "loader"),
    "a dict by a progress bar": ("from tqdm import tqdm", "t.set_postfix({'loss': loss})", "(t := tqdm(loader))"),
    "a dict that a text takes in": ("", "print('%(loss).3f' % {'loss': loss})", "loader"),
    "what only a tensor computes": ("", "print(f'{(unknown(x) - 1).square().sum():.2f}')", "loader"),
    "what is computed": ("import torch as t", "print(t.log(loss))", "loader"),
}


@pytest.mark.parametrize(("head", "call", "loader"), SHOWING.values(), ids=SHOWING)
def test_loggers_and_progress_bars_show_what_they_are_given(
    program: Program, head: str, call: str, loader: str
) -> None:
    code = _LOOP.format(head=head, call=call, loader=loader)

    assert program(code).reported("tensor-print-in-training-loop") == [call]
