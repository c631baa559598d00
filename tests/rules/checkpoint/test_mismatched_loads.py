"""Loads of what a checkpoint does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.checkpoint.detectors.mismatched_loads import mismatched_loads
from torchlint.model import Project

PROGRAM = """import argparse
import torch
from torch import nn
net = nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
state = {"net": net.state_dict(), "epoch": 3, "optimizer": optimizer.state_dict()}
torch.save(state, "runs/last.pt")
saved = torch.load("runs/last.pt")
net.load_state_dict(saved)
"""
_SAVE, _READ, _LOAD = PROGRAM.splitlines()[-3:]
_STATE = PROGRAM.splitlines()[-4]


def mismatched(folder: Path, code: str) -> list[tuple[str, str | None]]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [(one.state.text, one.key) for one in mismatched_loads(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("", "", ("saved", None)),
        (_LOAD, "net.load_state_dict(saved, strict=True)", ("saved", None)),
        (_LOAD, "optimizer.load_state_dict(saved)", ("saved", None)),
        (_LOAD, 'net.load_state_dict(saved["state_dict"])', ('saved["state_dict"]', "state_dict")),
        (_LOAD, "epoch = saved['epoch']\nnet.load_state_dict(saved)", ("saved", None)),
        (f"{_READ}\n{_LOAD}", 'net.load_state_dict(torch.load("runs/last.pt"))', ('torch.load("runs/last.pt")', None)),
        (_READ, "def read(path):\n    return torch.load(path)\nsaved = read('runs/last.pt')", ("saved", None)),
        (_SAVE, "def save(what, path='runs/last.pt'):\n    torch.save(what, path)\nsave(state)", ("saved", None)),
        (_SAVE, f"state['best'] = 1\n{_SAVE}", ("saved", None)),
        ('"runs/last.pt"', "path", ("saved", None)),
        (
            f"{_STATE}\n{_SAVE}",
            'torch.save(net.state_dict(), "runs/last.pt")',
            None,
        ),
    ],
)
def test_what_is_loaded_is_not_what_was_saved(
    tmp_path: Path, old: str, new: str, found: tuple[str, str | None] | None
) -> None:
    code = PROGRAM.replace(old, new) if old else PROGRAM
    code = code.replace("net = ", "path = argparse.ArgumentParser().prog\nnet = ", 1)

    assert mismatched(tmp_path, code) == ([found] if found else [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_LOAD, 'net.load_state_dict(saved["net"])'),
        (_LOAD, "net.load_state_dict(saved, strict=False)"),
        (_LOAD, "net.load_state_dict(saved, strict=strict)"),
        (_LOAD, "try:\n    net.load_state_dict(saved)\nexcept RuntimeError:\n    pass"),
        (_LOAD, "saved = saved.get('net', saved)\nnet.load_state_dict(saved)"),
        (_LOAD, "if 'net' not in saved:\n    net.load_state_dict(saved)"),
        (_LOAD, "saved.pop('epoch')\nnet.load_state_dict(saved)"),
        (_LOAD, "del saved['epoch']\nnet.load_state_dict(saved)"),
        (_LOAD, "unknown(net).load_state_dict(saved)"),
        (_READ, 'saved = torch.load("runs/best.pt")'),
        (_READ, "saved = torch.load(unknown())"),
        (_READ, f"{_READ}\nif unknown():\n    saved = torch.load('other.pt')"),
        (_SAVE, f'{_SAVE}\ntorch.save(net.state_dict(), "runs/last.pt")'),
        (_SAVE, f"{_SAVE}\ntorch.save(net.state_dict(), unknown)"),
        (_SAVE, f'{_SAVE}\ntorch.save(unknown(), "runs/last.pt")'),
        (_STATE, 'state = {"weight": net.weight, "bias": net.bias}'),
        (_STATE, "state = {**unknown(), 'net': net.state_dict()}"),
        (_STATE, "state = {name: value.cpu() for name, value in net.state_dict().items()}"),
    ],
)
def test_what_may_fit_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert mismatched(tmp_path, PROGRAM.replace(old, new)) == []


def test_a_key_of_a_file_that_is_a_state_dict_is_reported(tmp_path: Path) -> None:
    code = PROGRAM.replace("torch.save(state", "torch.save(net.state_dict()").replace("(saved)", '(saved["net"])')

    assert mismatched(tmp_path, code) == [('saved["net"]', "net")]
