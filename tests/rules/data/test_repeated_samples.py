"""Samples that each worker of a loader yields."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.data.detectors.repeated_samples import repeated_samples
from torchlint.model import Project

PROGRAM = """import glob
import itertools
import random
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
def read(path):
    with open(path) as lines:
        for line in lines:
            yield line
class Rows(IterableDataset):
    def __init__(self, paths, end=9):
        self.paths, self.end, self.source, self.table = paths, end, unknown(), [1, 2, 3]
    def __iter__(self):
        BODY
loader = DataLoader(Rows(glob.glob("*.txt")), batch_size=2, num_workers=4)
"""
BODY = "for path in self.paths:\n    yield from read(path)"


def repeated(folder: Path, body: str = BODY, change: tuple[str, str] = ("", "")) -> list[str]:
    text = PROGRAM.replace("BODY", body.replace("\n", "\n        "))
    assert change[0] in text
    path = folder / "program.py"
    path.write_text(text.replace(*change) if change[0] else text)
    file = Project(folder).open(path, path.name)
    return [one.place.text for one in repeated_samples(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (BODY, "self.paths"),
        ("return iter(self.table)", "self.table"),
        ("yield from self.table", "self.table"),
        ("for i, row in enumerate(self.table):\n    yield row", "enumerate(self.table)"),
        ("for i in range(self.end):\n    yield i", "range(self.end)"),
        ("rows = list(self.source)\nrandom.shuffle(rows)\nfor row in rows:\n    yield row", "rows"),
        ("with open('x.txt') as lines:\n    for line in lines:\n        yield line", "lines"),
        ("yield from read('x.txt')", "__iter__"),
    ],
)
def test_each_worker_goes_over_all(tmp_path: Path, body: str, place: str) -> None:
    assert repeated(tmp_path, body) == [place]


@pytest.mark.parametrize(
    "body",
    [
        "info = get_worker_info()\nfor path in self.paths[info.id :: info.num_workers]:\n    yield path",
        "for row in itertools.islice(self.paths, self.rank, None, self.world_size):\n    yield row",
        "while True:\n    yield random.choice(self.table)",
        "for _ in range(self.end):\n    yield random.random()",
        "for row in self.source:\n    yield row",
        "return iter(self.source)",
    ],
)
def test_what_is_parted_drawn_or_not_known_is_left_alone(tmp_path: Path, body: str) -> None:
    assert repeated(tmp_path, body) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("num_workers=4", "num_workers=1"),
        ("num_workers=4", "num_workers=args.workers"),
        ("num_workers=4", "num_workers=4, worker_init_fn=part"),
        ("num_workers=4", ""),
        ("class Rows(IterableDataset)", "class Rows(Dataset)"),
        ("DataLoader(Rows(glob.glob(", "Loader(Rows(glob.glob("),
    ],
)
def test_one_worker_or_one_that_knows_its_part_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert repeated(tmp_path, change=(old, new)) == []
