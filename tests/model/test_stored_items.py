"""What loops put under the keys of a container."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout
from torchlint.model.values import Device, Tensor

Program: TypeAlias = Callable[[str], Checkout]

MOVED = Device("cuda")


def devices_of_mask(program: Program, loop: str) -> list[object]:
    text = f"from elsewhere import batch, other\ndef step():\n{loop}\n    mask = batch['mask']\n    mask\n"
    return [value.device if isinstance(value, Tensor) else None for value in program(text).values("mask")]


@pytest.mark.parametrize(
    "loop",
    [
        "    for key in batch:\n        batch[key] = batch[key].cuda()",
        "    for key in batch.keys():\n        batch[key] = batch[key].cuda()",
        "    for key in list(batch):\n        batch[key] = batch[key].cuda()",
        "    for key, value in batch.items():\n        batch[key] = value.cuda()",
        "    for key, value in list(batch.items()):\n        batch[key] = value.cuda()",
        "    for key in batch:\n        if key != 'meta':\n            batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key == 'meta':\n            continue\n        batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key in ('image', 'mask'):\n            batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key not in ['meta']:\n            batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key not in other:\n            batch[key] = batch[key].cuda()",
    ],
)
def test_a_loop_over_the_keys_stores_under_each(program: Program, loop: str) -> None:
    assert MOVED in devices_of_mask(program, loop)


@pytest.mark.parametrize(
    "loop",
    [
        "    for key in batch:\n        if key != 'mask':\n            batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key == 'mask':\n            continue\n        batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key in ('image', 'label'):\n            batch[key] = batch[key].cuda()",
        "    for key in batch:\n        if key not in ['mask']:\n            batch[key] = batch[key].cuda()",
        "    for key in other:\n        batch[key] = other[key].cuda()",
        "    for value, key in batch.items():\n        batch[key] = batch[key].cuda()",
        "    key = 'image'\n    batch[key] = batch[key].cuda()",
    ],
)
def test_what_a_loop_leaves_out_stays_where_it_was(program: Program, loop: str) -> None:
    assert MOVED not in devices_of_mask(program, loop)


LOADED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
def sent(batch, device):
    {body}
    return batch
def main(device):
    net = nn.Linear(2, 2).to(device)
    for batch in DataLoader([1]):
        batch = sent(batch, device)
        net(batch["x"])
"""
REFILLED = [
    "batch.update(x=batch['x'].to(device))",
    "batch['x'] = batch['x'].to(device)",
    "for key, value in batch.items():\n        batch[key] = value.to(device)",
]


@pytest.mark.parametrize("body", REFILLED)
def test_a_batch_that_a_function_fills_anew_is_not_what_it_was(program: Program, body: str) -> None:
    assert program(LOADED.format(body=body)).reported("unmoved-batch") == []


@pytest.mark.parametrize("body", ["batch[0] = batch[1]", "print(batch['x'])", "seen = {}\n    seen.update(batch)"])
def test_a_batch_that_is_only_looked_at_stays_where_it_was(program: Program, body: str) -> None:
    assert program(LOADED.format(body=body)).reported("unmoved-batch") == ['net(batch["x"])']
