"""Which generators of a dataset all workers of a loader have a copy of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "shared-worker-rng"
CODE = """\
import argparse, random
import numpy as np
import torch
from numpy.random import RandomState
from torch.utils.data import DataLoader, Dataset, get_worker_info
from elsewhere import anything
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=4)
args = parser.parse_args()
class Base(Dataset):
    def __getitem__(self, index):
        return self.draw(index)
class Rows(Base):
    def __init__(self, seed=0):
        self.rng = {made}
    def draw(self, index):
        return {drawn}
    {more}
class Other(Dataset):
    def __init__(self):
        self.rng = anything()
class More(Rows):
    pass
def seed(worker): pass
loader = {loader}
"""
LOADER = "DataLoader(Rows(), num_workers=2)"


def code(
    made: str = "np.random.default_rng(seed)",
    drawn: str = "self.rng.random()",
    loader: str = LOADER,
    more: str = "pass",
) -> str:
    return CODE.format(made=made, drawn=drawn, loader=loader, more=more)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("np.random.default_rng(seed)", True),
        ("np.random.default_rng()", True),
        ("RandomState(123)", True),
        ("random.Random(0)", True),
        ("torch.Generator()", True),
        ("anything(0)", False),
        ("None", False),
        ("[np.random.default_rng(i) for i in range(9)]", False),
    ],
)
def test_generators_are_known_by_what_makes_them(program: Program, made: str, expected: bool) -> None:
    assert bool(program(code(made)).reported(RULE)) is expected


@pytest.mark.parametrize(
    ("loader", "expected"),
    [
        (LOADER, True),
        ("DataLoader(More(), 8, True, None, None, 2)", True),
        ("DataLoader(dataset=Rows(), num_workers=args.workers)", True),
        ("DataLoader(Rows(), num_workers=2, worker_init_fn=None)", True),
        ("DataLoader(Rows())", False),
        ("DataLoader(Rows(), num_workers=0)", False),
        ("DataLoader(Rows(), num_workers=anything())", False),
        ("DataLoader(Rows(), num_workers=2, worker_init_fn=seed)", False),
        ("DataLoader(Rows(), num_workers=2, worker_init_fn=anything())", False),
        ("DataLoader(Rows(), num_workers=2, **anything())", False),
        ("DataLoader(Other(), num_workers=2)", False),
        ("anything(Rows(), num_workers=2)", False),
    ],
)
def test_a_loader_with_workers_has_to_draw_from_them(program: Program, loader: str, expected: bool) -> None:
    assert bool(program(code(loader=loader)).reported(RULE)) is expected


@pytest.mark.parametrize(
    ("drawn", "more", "expected"),
    [
        ("anything(self.rng)", "pass", True),
        ("index", "def look(self): return self.rng.random()", False),
        ("np.random.default_rng(index).random()", "pass", False),
        ("self.rng.random()", "def set_epoch(self, epoch): self.rng = np.random.default_rng(epoch)", False),
        ("self.rng.random() if get_worker_info() is None else 0", "pass", False),
    ],
)
def test_what_is_asked_for_an_item_has_to_draw(program: Program, drawn: str, more: str, expected: bool) -> None:
    assert bool(program(code(drawn=drawn, more=more)).reported(RULE)) is expected


def test_the_loader_may_be_in_another_file(project_of: ProjectOf) -> None:
    data = code(loader="None")
    checkout = project_of(
        {"data.py": data, "main.py": "from data import *\nloader = DataLoader(Rows(), num_workers=2)\n"}
    )

    assert len(checkout.reported(RULE, "data.py")) == 1
    assert [step[1] for step in checkout.trace(RULE, "data.py")] == [
        "return self.rng.random()",
        "loader = DataLoader(Rows(), num_workers=2)",
    ]


def test_whoever_seeds_it_from_outside_is_heard(program: Program) -> None:
    source = code() + "loader.dataset.rng = np.random.default_rng(1)\n"

    assert program(source).reported(RULE) == []


PARTS = """\
import random
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from elsewhere import anything
class Part:
    def __init__(self, seed=0):
        {made}
    def renew(self): self.rng = np.random.default_rng(0)
    def __call__(self, x): return x + self.rng.random()
    def seen(self): return self.rng.random()
class Rows(Dataset):
    def __init__(self, part): self.part, self.parts = part, [part]
    def __getitem__(self, index):
        {drawn}
def renewing(part):
    {renewing}
loader = DataLoader(Rows(Part()), num_workers={workers})
"""


def of_part(
    made: str = "self.rng = np.random.default_rng(seed)",
    drawn: str = "return self.part(index)",
    renewing: str = "pass",
    workers: int = 2,
) -> str:
    text = PARTS.format(made=made, drawn=drawn, renewing=renewing, workers=workers)
    is_renewed = made == "self.renew()"
    return text if is_renewed else text.replace("    def renew(self): self.rng = np.random.default_rng(0)\n", "")


@pytest.mark.parametrize(
    "source",
    [
        of_part(),
        of_part(drawn="return [part(index) for part in self.parts]"),
        of_part(drawn="return self.part.seen()"),
        of_part(made="self.renew()"),
    ],
)
def test_what_a_dataset_calls_for_its_samples_has_a_copy_in_each_worker(program: Program, source: str) -> None:
    assert len(program(source).reported(RULE)) == 1


@pytest.mark.parametrize(
    "source",
    [
        of_part(workers=0),
        of_part(drawn="return index"),
        of_part(drawn="return Part()(index)"),
        of_part(drawn="self.part.rng = np.random.default_rng(index)\n        return self.part(index)"),
        of_part(made="self.renew()", renewing="part.renew()"),
    ],
)
def test_what_is_made_or_seeded_for_a_sample_is_its_own(program: Program, source: str) -> None:
    assert program(source).reported(RULE) == []


def test_one_that_seeds_its_generator_is_not_reported(program: Program) -> None:
    assert program(of_part(drawn="self.part.rng.seed(index)\n        return self.part(index)")).reported(RULE) == []
