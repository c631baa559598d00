"""Letting go of parsed files, as large projects make us do, changes no finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project, project
from torchlint.registry import builtin_rules

SAVE = """\
import torch
from torch import nn
model = nn.DataParallel(nn.Linear(2, 2)) if torch.cuda.device_count() > 1 else nn.Linear(2, 2)
torch.save(model.state_dict(), "model.pt")
"""
FILES = ("one.py", "two.py", "three.py")


def test_what_was_found_before_files_were_let_go_of_is_still_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(project, "_MOST_PARSED", 1)
    for name in FILES:
        (tmp_path / name).write_text(SAVE)
    everything = Project(tmp_path)
    rule = builtin_rules()["wrapped-state-dict"]()

    reported = []
    for name in FILES:
        reported += list(rule.check(everything.open(tmp_path / name, name)))
        everything.discard_provisional()

    assert [(finding.path, finding.span.line) for finding in reported] == [(name, 4) for name in FILES]
    assert all(finding.fix is not None for finding in reported)
