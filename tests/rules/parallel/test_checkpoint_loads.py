"""What is saved bare and loaded into a wrapper."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.checkpoint_loads import bare_loads
from torchlint.model import Project

PROGRAM = """
import os
import torch
from torch import nn
def save(model, folder):
    torch.save({{"model": {saved}.state_dict()}}, os.path.join(folder, "last.pt"))
def load(model, folder):
    state = torch.load(os.path.join(folder, "last.pt"))
    {load}
def main(args):
    net = nn.DataParallel(nn.Linear(2, 2))
    load(net, args.folder)
    save(net, args.folder)
"""


def loads_in(tmp_path: Path, load: str, saved: str = "model.module") -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(load=load, saved=saved))
    return [one.place.text for one in Project(tmp_path).open(path, "main.py").share_of(bare_loads)]


def test_what_was_saved_from_inside_does_not_fit_the_wrapper(tmp_path: Path) -> None:
    load = 'model.load_state_dict(state["model"])'

    assert loads_in(tmp_path, load) == [load]


@pytest.mark.parametrize(
    "load",
    [
        'model.module.load_state_dict(state["model"])',
        'model.load_state_dict(state["model"], strict=False)',
        'model.load_state_dict({"module." + k: v for k, v in state["model"].items()})',
        'model.load_state_dict(torch.load(os.path.join(folder, "pretrained.pt")))',
    ],
)
def test_loads_that_fit_or_come_from_elsewhere_are_left_alone(tmp_path: Path, load: str) -> None:
    assert loads_in(tmp_path, load) == []


def test_what_the_wrapper_saved_fits_the_wrapper(tmp_path: Path) -> None:
    assert loads_in(tmp_path, 'model.load_state_dict(state["model"])', "model") == []
