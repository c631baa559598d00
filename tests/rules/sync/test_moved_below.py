"""What is on the host still, as it is moved to a device further down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "item-in-training-loop"
CODE = """\
import torch
from elsewhere import batches, pack, to_cuda
from torch import nn
def count(words, pad):
    return words.ne(pad).sum().item()
def train(model, optimizer, device):
    for batch in batches():
        words, targets = batch
        {body}
        loss = model(words, targets).sum()
        loss.backward()
        optimizer.step()
model = nn.Linear(2, 2).cuda()
train(model, torch.optim.SGD(model.parameters()), torch.device("cuda"))
"""
ON_HOST = {
    "moved by a method": "words.sum().item(); words = words.to(device)",
    "moved where it is handed on": "words.sum().item(); model(words.cuda(), targets)",
    "moved by a helper": "words.sum().item(); words, targets = to_cuda(words, targets)",
    "an item": "batch[0].sum().item(); words = batch[0].cuda()",
    "what is made of it is moved": "words.sum().item(); words = pack(words); words = words.cuda()",
    "moved by the caller": "tokens = count(words, 0); words = words.cuda()",
    "moved in one arm, made anew in the other": (
        "\n        if device:\n            words.sum().item()\n        else:\n            words = targets\n"
        "        words = words.cuda()"
    ),
}
NOT_ON_HOST = {
    "moved before": "words = words.cuda(); words.sum().item()",
    "nowhere moved": "words.sum().item()",
    "something else is moved": "words.sum().item(); targets = targets.cuda()",
    "made anew before it is moved": "words.sum().item(); words = pack(targets); other = words.cuda()",
    "given another type": "words.sum().item(); words = words.to(torch.float16)",
    "brought home": "words.sum().item(); words = words.to('cpu')",
    "moved by one of two callers": "tokens = count(words, 0) + count(targets, 0); words = words.cuda()",
}


@pytest.mark.parametrize("body", ON_HOST.values(), ids=ON_HOST)
def test_what_is_moved_further_down_is_on_the_host(program: Program, body: str) -> None:
    assert program(CODE.format(body=body.replace("; ", "\n        "))).reported(RULE) == []


@pytest.mark.parametrize("body", NOT_ON_HOST.values(), ids=NOT_ON_HOST)
def test_what_is_not_may_be_anywhere(program: Program, body: str) -> None:
    assert len(program(CODE.format(body=body.replace("; ", "\n        "))).reported(RULE)) == 1
