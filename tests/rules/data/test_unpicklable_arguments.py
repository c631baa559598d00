"""What workers get pickled, and cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.data.detectors.unpicklable_arguments import unpicklable_arguments
from torchlint.model import Project

HEAD = """
import os
from functools import partial
import torch.multiprocessing as mp
from multiprocessing import get_context
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset
from torchvision import datasets, transforms

def top(rows): return rows
def made(k):
    def inner(rows): return rows[k]
    return inner
def made_class():
    class Rows(Dataset):
        def __getitem__(self, i): return i
    return Rows
class Held(Dataset):
    def __init__(self, f, more=None):
        self.f: object = f
        self.more = {"f": more}
    def __getitem__(self, i): return self.f(i)
class Method:
    def collate(self, rows): return rows
rows = TensorDataset()
short = lambda rows: rows
"""


def found_in(tmp_path: Path, text: str, **others: str) -> list[tuple[str, str, bool]]:
    for name, other in others.items():
        (tmp_path / f"{name}.py").write_text(other)
    path = tmp_path / "main.py"
    path.write_text(HEAD + text)
    file = Project(tmp_path).open(path, "main.py")
    found = unpicklable_arguments(file.evaluator(), file)
    return [(one.argument.text, one.local.kind, one.is_chosen) for one in found]


@pytest.mark.parametrize(
    ("given", "argument", "kind"),
    [
        ("rows, collate_fn=lambda rows: rows", "lambda rows: rows", "a lambda"),
        ("rows, collate_fn=short", "short", "a lambda"),
        ("rows, collate_fn=made(1)", "made(1)", "a local function"),
        ("rows, collate_fn=partial(made(1))", "partial(made(1))", "a local function"),
        ("rows, worker_init_fn=lambda worker: None", "lambda worker: None", "a lambda"),
        ("made_class()()", "made_class()()", "an object of a local class"),
        ("Held(lambda i: i)", "Held(lambda i: i)", "a lambda"),
        ("Held(top, made(2))", "Held(top, made(2))", "a local function"),
        ("Subset(Held(short), [0])", "Subset(Held(short), [0])", "a lambda"),
        (
            "datasets.MNIST('.', transform=transforms.Compose([transforms.ToTensor(), transforms.Lambda(short)]))",
            "datasets.MNIST('.', transform=transforms.Compose([transforms.ToTensor(), transforms.Lambda(short)]))",
            "a lambda",
        ),
        ("Held(transforms.Lambda(short))", "Held(transforms.Lambda(short))", "a lambda"),
    ],
)
@pytest.mark.parametrize("context", ["'spawn'", "'forkserver'", "get_context('spawn')", "mp.get_context('spawn')"])
def test_what_is_local_cannot_be_pickled(tmp_path: Path, given: str, argument: str, kind: str, context: str) -> None:
    text = f"DataLoader({given}, num_workers=2, multiprocessing_context={context})\n"

    assert found_in(tmp_path, text) == [(argument, kind, True)]


@pytest.mark.parametrize(
    "given",
    [
        "rows, num_workers=2, collate_fn=top",
        "rows, num_workers=2, collate_fn=partial(top)",
        "rows, num_workers=2, collate_fn=None",
        "rows, num_workers=2, collate_fn=Method().collate",
        "rows, num_workers=2, collate_fn=short if os.environ else top",
        "rows, num_workers=2, collate_fn=unknown",
        "rows, num_workers=0, collate_fn=short",
        "rows, num_workers=2 if os.environ else 0, collate_fn=short",
        "rows, num_workers=unknown, collate_fn=short",
        "rows, collate_fn=short",
        "rows, num_workers=2, sampler=map(short, [0])",
        "Held(top), num_workers=2",
        "Held(unknown), num_workers=2",
    ],
)
def test_what_can_be_pickled_or_is_not_is_not_reported(tmp_path: Path, given: str) -> None:
    assert found_in(tmp_path, f"DataLoader({given}, multiprocessing_context='spawn')\n") == []


@pytest.mark.parametrize(
    ("chosen", "is_chosen"),
    [
        ("", False),
        ("mp.set_start_method('spawn')", True),
        ("mp.set_start_method('forkserver', force=True)", True),
        ("if __name__ == '__main__':\n    mp.set_start_method('spawn')", True),
        ("try:\n    mp.set_start_method('spawn')\nexcept RuntimeError:\n    pass", True),
        ("mp.set_start_method('fork')", None),
        ("mp.set_start_method(os.environ['METHOD'])", False),
        ("mp.set_start_method('spawn' if os.environ else 'fork')", None),
        ("library.start(method='spawn')", False),
    ],
)
def test_the_program_chooses_how_workers_are_started(tmp_path: Path, chosen: str, is_chosen: bool | None) -> None:
    text = f"DataLoader(rows, num_workers=2, collate_fn=short)\n{chosen}\n"
    expected = [] if is_chosen is None else [("short", "a lambda", is_chosen)]

    assert found_in(tmp_path, text) == expected


def test_a_file_that_runs_the_program_chooses_for_it(tmp_path: Path) -> None:
    text = "def batches():\n    return DataLoader(rows, num_workers=2, collate_fn=short)\n"
    start = "import torch.multiprocessing as mp\nfrom main import batches\nmp.set_start_method('spawn')\nbatches()\n"

    assert found_in(tmp_path, text, start=start) == [("short", "a lambda", True)]


def test_a_context_of_the_loader_comes_before_the_choice_of_the_program(tmp_path: Path) -> None:
    text = "mp.set_start_method('spawn')\nDataLoader(rows, num_workers=2, collate_fn=short, multiprocessing_context='fork')\n"

    assert found_in(tmp_path, text) == []
