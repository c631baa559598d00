"""What loops put under the keys of a container."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Device, Tensor

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


LOADERS = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
def loaders_of(data):
    loaders = {{}}
    {filling}
    return loaders
def main(data, device):
    net = nn.Linear(2, 2).to(device)
    loaders = loaders_of(data)
    for phase in ["train", "val"]:
        for x, y in loaders[{key}]:
            net(x)
"""
FILLED = {
    "one by one": "loaders['train'] = DataLoader(data)\n    loaders['val'] = DataLoader(data)",
    "in a loop": "for split in ['train', 'val']:\n        loaders[split] = DataLoader(data[split])",
}
REGISTERED = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from elsewhere import made
class Small(nn.Linear):
    pass
KINDS = {{}}
KINDS["small"] = Small
KINDS["other"] = {other}
def main(data, device, kind):
    net = KINDS[kind](2, 2).to(device)
    for x, y in DataLoader(data):
        net(x)
"""
FILLED_OTHERWISE = {
    "with others": "loaders['train'] = DataLoader(data)\n    loaders['val'] = data.moved()",
    "with what goes through": "for split in ['train', 'val']:\n        loaders[split] = data[split]",
    "under other keys": "loaders['test'] = DataLoader(data)\n    loaders['train'] = loaders['val'] = data.moved()",
}


@pytest.mark.parametrize("key", ["phase", "'train'"])
@pytest.mark.parametrize("filling", FILLED.values(), ids=FILLED)
def test_a_dict_that_starts_empty_holds_what_is_put_into_it(program: Program, filling: str, key: str) -> None:
    assert program(LOADERS.format(filling=filling, key=key)).reported("unmoved-batch") == ["net(x)"]


@pytest.mark.parametrize("filling", FILLED_OTHERWISE.values(), ids=FILLED_OTHERWISE)
def test_under_some_key_of_a_dict_may_be_something_else(program: Program, filling: str) -> None:
    assert program(LOADERS.format(filling=filling, key="phase")).reported("unmoved-batch") == []


@pytest.mark.parametrize(("other", "reported"), [("nn.Linear", ["net(x)"]), ("made.kind", [])])
def test_what_is_defined_may_be_put_into_a_dict(program: Program, other: str, reported: list[str]) -> None:
    assert program(REGISTERED.format(other=other)).reported("unmoved-batch") == reported


def test_under_another_key_of_a_dict_is_something_else(program: Program) -> None:
    code = LOADERS.format(filling=FILLED_OTHERWISE["under other keys"], key="'train'")

    assert program(code).reported("unmoved-batch") == []


SUMMED = """\
import torch
from collections import defaultdict
net = torch.nn.Linear(2, 2).cuda()
sums = {made}
for step, x in enumerate(loader):
    parts = net(x.cuda()).mean(0)
    parts.sum().backward()
    for i, key in enumerate(("box", "conf")):
        {stored}
    print("%.3g" % sums["box"])
"""
AVERAGE = "sums[key] = (sums[key] * step + parts[i].detach()) / (step + 1)"


@pytest.mark.parametrize("made", ["{}", "defaultdict(float)", "elsewhere()"])
@pytest.mark.parametrize("stored", [AVERAGE, "sums[key] += parts[i].detach()"])
def test_what_is_computed_is_stored_under_each_name(program: Program, made: str, stored: str) -> None:
    assert len(program(SUMMED.format(made=made, stored=stored)).findings("tensor-print-in-training-loop")) == 1


@pytest.mark.parametrize(
    "stored",
    [
        "sums[key] += 1",
        "sums[key] = sums[key] * step",
        "sums[key + 's'] = parts[i] * 2",
        f"key = 'all'; {AVERAGE}",
        f"others[key] = {AVERAGE.partition(' = ')[2]}",
    ],
)
def test_numbers_and_what_is_stored_under_other_names_are_no_tensors(program: Program, stored: str) -> None:
    assert program(SUMMED.format(made="{}", stored=stored)).findings("tensor-print-in-training-loop") == []
