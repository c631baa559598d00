"""Epochs that repeat the order of their data."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.repeated_orders import repeated_orders
from torchlint.model import Project

HEAD = """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
sampler = DistributedSampler(dataset{options})
loader = DataLoader(dataset, sampler=sampler)
"""
EPOCHS = "for epoch in range(3):\n    for batch in loader:\n        step(batch)\n"


def headers_in(tmp_path: Path, text: str, options: str = "") -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(HEAD.format(options=options) + text)
    return [one.epochs.text for one in Project(tmp_path).open(path, "main.py").share_of(repeated_orders)]


def test_an_epoch_loop_that_tells_nobody_repeats_its_order(tmp_path: Path) -> None:
    assert headers_in(tmp_path, EPOCHS) == ["range(3)"]


def test_the_loop_may_be_a_caller_of_who_reads(tmp_path: Path) -> None:
    text = "def one(data):\n    for batch in enumerate(data): step(batch)\nwhile epochs < 9:\n    one(loader)\n"

    assert headers_in(tmp_path, text) == ["epochs < 9"]


@pytest.mark.parametrize("constant", ["0", "epoch=1"])
def test_a_constant_epoch_tells_nobody_which_one_begins(tmp_path: Path, constant: str) -> None:
    told_once = f"sampler.set_epoch({constant})\n{EPOCHS}"
    told_again = EPOCHS.replace("    for batch", f"    sampler.set_epoch({constant})\n    for batch")

    assert headers_in(tmp_path, told_once) == ["range(3)"]
    assert headers_in(tmp_path, told_again) == ["range(3)"]


@pytest.mark.parametrize(
    "text",
    [
        "sampler.set_epoch(0)\nfor epoch in range(3):\n    sampler.set_epoch(epoch)\n    for batch in loader: step(batch)\n",
        "for epoch in range(3):\n    sampler.set_epoch(epoch + 1)\n    for batch in loader: step(batch)\n",
        "for epoch in range(3):\n    sampler.set_epoch(*counted)\n    for batch in loader: step(batch)\n",
        "for epoch in range(3):\n    sampler.set_epoch(epoch)\n    for batch in loader: step(batch)\n",
        "for epoch in range(3):\n    loader.sampler.set_epoch(epoch)\n    for batch in loader: step(batch)\n",
        "for batch in loader: step(batch)\n",
        "import torch\nfor _ in range(3):\n    with torch.no_grad():\n        for batch in loader: step(batch)\n",
        "for name in names:\n    for batch in loader: step(batch)\n",
    ],
)
def test_told_samplers_single_epochs_and_evaluation_are_left_alone(tmp_path: Path, text: str) -> None:
    assert headers_in(tmp_path, text) == []


@pytest.mark.parametrize("options", [", shuffle=False", ", 2, 0, False", ", shuffle=train"])
def test_a_sampler_that_may_not_shuffle_needs_no_epoch(tmp_path: Path, options: str) -> None:
    assert headers_in(tmp_path, EPOCHS, options) == []


BATCHES = """
import torch
from torch.utils.data import BatchSampler
from torch.utils.data.sampler import BatchSampler as Other
loader = DataLoader(dataset, batch_sampler={made}(sampler, 8, True))
"""


@pytest.mark.parametrize("made", ["BatchSampler", "Other", "torch.utils.data.sampler.BatchSampler"])
def test_the_batches_of_a_sampler_come_in_its_order(tmp_path: Path, made: str) -> None:
    assert headers_in(tmp_path, BATCHES.format(made=made) + EPOCHS) == ["range(3)"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ('options = {"sampler": sampler}\nloader = DataLoader(dataset, **options)\n', ["range(3)"]),
        ("options = dict(sampler=sampler)\nloader = DataLoader(dataset, **options)\n", ["range(3)"]),
        ('options = {}\noptions["sampler"] = sampler\nloader = DataLoader(dataset, **options)\n', ["range(3)"]),
        (
            "def options():\n    found = {}\n    found['sampler'] = sampler\n    return found\n"
            "loader = DataLoader(dataset, **options())\n",
            ["range(3)"],
        ),
        ('kept = {"sampler": sampler}\noptions = {}\nloader = DataLoader(dataset, **options)\n', []),
        ('options = {"collate_fn": sampler}\nloader = DataLoader(dataset, **options)\n', []),
    ],
)
def test_a_loader_may_be_given_its_sampler_in_a_dict(tmp_path: Path, made: str, expected: list[str]) -> None:
    assert headers_in(tmp_path, made + EPOCHS) == expected


IN_A_DICT = """
loaders = {{"train": loader, "val": DataLoader(dataset)}}
class Trainer:
    def run(self, given, epochs):
        for epoch in range(epochs):
            {before}
            for batch in {read}: step(batch)
Trainer().run(loaders, 3)
"""


@pytest.mark.parametrize(
    ("before", "read", "expected"),
    [
        ("pass", 'given["train"]', ["range(epochs)"]),
        ("pass", 'enumerate(given["train"])', ["range(epochs)"]),
        ("pass", 'given["val"]', []),
        ('given["train"].sampler.set_epoch(epoch)', 'given["train"]', []),
        ("sampler.set_epoch(epoch)", 'given["train"]', []),
    ],
)
def test_a_loader_may_be_an_item_of_a_dict(tmp_path: Path, before: str, read: str, expected: list[str]) -> None:
    assert headers_in(tmp_path, IN_A_DICT.format(before=before, read=read)) == expected
