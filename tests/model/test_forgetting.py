"""Letting go of parsed files, as large projects make us do, changes no finding."""

from __future__ import annotations

import ast
import gc
from pathlib import Path

import pytest

import torchlint.source
from torchlint.engine import Job
from torchlint.engine.linter import Linter
from torchlint.files.discovery import discover
from torchlint.model import Project, project
from torchlint.model.interface import ParsedFile
from torchlint.registry import builtin_rules
from torchlint.source import Source

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
        everything.make_room()
        reported += list(rule.check(everything.open(tmp_path / name, name)))
        everything.discard_provisional()

    assert [(finding.path, finding.span.line) for finding in reported] == [(name, 4) for name in FILES]
    assert all(finding.fix is not None for finding in reported)


def test_files_that_all_lead_to_more_than_is_kept_are_parsed_again_but_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "_MOST_PARSED", 4)
    parsed: list[str] = []

    def parse(source: Source) -> ast.Module:
        parsed.append(source.path)
        return torchlint.source.parse(source)

    monkeypatch.setattr(project, "parse", parse)

    _, names = _each_leading_to_all(tmp_path, 16)

    assert sorted(parsed) == sorted(2 * names)


def test_nothing_holds_on_to_files_that_were_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_MOST_PARSED", 4)

    linter, names = _each_leading_to_all(tmp_path, 16)

    alive = [one.path for one in gc.get_objects() if isinstance(one, ParsedFile) and one.path in names]
    assert sorted(alive) == sorted(names)
    del linter


def _each_leading_to_all(folder: Path, files: int) -> tuple[Linter, list[str]]:
    """Lint files that each lead to all others; return what did, and their names."""
    names = [f"{folder.name}_{number}" for number in range(files)]
    for name in names:
        others = "".join(f"from {other} import save as save_{other}\n" for other in names if other != name)
        (folder / f"{name}.py").write_text(f"{SAVE}{others}def save(d):\n    torch.save(d, d)\nsave(save_{names[0]})\n")
    targets = discover([folder], (), folder).targets
    linter = Linter(Job(folder, targets, [rule() for rule in builtin_rules().values()]))
    for target in targets:
        linter.lint(target)
    return linter, [target.shown for target in targets]
