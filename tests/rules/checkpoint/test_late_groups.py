"""Groups of parameters that are added after the state of an optimizer is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.checkpoint.detectors.late_groups import late_groups
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn
FILE = "runs/last.pt"
def unfreeze(net, optimizer):
    optimizer.add_param_group({"params": net.body.parameters()})
def main(net, resume, epochs):
    optimizer = torch.optim.Adam(net.head.parameters())
    if resume:
        optimizer.load_state_dict(torch.load(FILE)["optimizer"])
    for epoch in range(epochs):
        if epoch == 3:
            unfreeze(net, optimizer)
        optimizer.step()
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, FILE)
"""
_RESUME = '        optimizer.load_state_dict(torch.load(FILE)["optimizer"])\n'
_SAVE = '        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, FILE)\n'
_LOOP = "    for epoch in range(epochs):\n        if epoch == 3:\n            unfreeze(net, optimizer)\n"
_UNFREEZE = "            unfreeze(net, optimizer)\n"


def late(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(code)
    file = Project(folder).open(path, path.name)
    return [one.load.text for one in late_groups(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        (_UNFREEZE, '            optimizer.add_param_group({"params": net.body.parameters()})\n'),
        (_RESUME, '        saved = torch.load(FILE)\n        optimizer.load_state_dict(saved["optimizer"])\n'),
        (_SAVE, f"    {_SAVE.lstrip()}"),
        (_LOOP, f"{_UNFREEZE.replace('            ', '    ')}    for epoch in range(epochs):\n"),
    ],
)
def test_a_group_is_added_after_the_load(tmp_path: Path, old: str, new: str) -> None:
    assert len(late(tmp_path, PROGRAM.replace(old, new))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_RESUME, f"        unfreeze(net, optimizer)\n{_RESUME}"),
        (_RESUME, f"        if epochs > 3:\n            unfreeze(net, optimizer)\n{_RESUME}"),
        (_RESUME, f"        try:\n    {_RESUME}        except ValueError:\n            pass\n"),
        (_RESUME, _RESUME.replace("FILE", '"other.pt"')),
        (_RESUME, _RESUME.replace("FILE", "resume")),
        (_RESUME, "        optimizer.load_state_dict(optimizer.state_dict())\n"),
        (_SAVE, _SAVE.replace('"optimizer": optimizer.state_dict()', '"epoch": epoch')),
        (_SAVE, ""),
        (_UNFREEZE, "            unfreeze(net, torch.optim.SGD(net.parameters()))\n"),
    ],
)
def test_what_has_the_groups_that_were_saved_is_left_alone(tmp_path: Path, old: str, new: str) -> None:
    assert old in PROGRAM
    assert late(tmp_path, PROGRAM.replace(old, new)) == []
