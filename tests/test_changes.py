"""Where changes go, as CONTRIBUTING.md says: each is made there, and seen in what is found."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.formats import FORMATS
from torchlint.pytorch import classes, results
from torchlint.pytorch.device_queries import DEVICE_QUERIES, DeviceQuery
from torchlint.pytorch.grad_modes import GRAD_MODES, GradMode
from torchlint.pytorch.kinds import Wrapper
from torchlint.pytorch.roles import Role
from torchlint.pytorch.wrappers import WRAPPERS

Program: TypeAlias = Callable[[str], Checkout]

_ROW = re.compile(r"\| .* `([A-Z_]+)`.* `(torchlint/\S+)\.py`")
_GUARDED = """\
import aid
import torch

if aid.has_gpu():
    torch.zeros(2).cuda()
"""
_SAVED = """\
import aid
import torch

net = aid.Spread(torch.nn.Linear(2, 2).cuda())
torch.save(net.state_dict(), "net.pt")
"""
_COMPUTED = """\
import torch

def scores(x):
    x = x.to("cuda")
    return torch.aid.attend(x).numpy()

scores(torch.ones(2))
"""
_STEPS = """\
import aid
import torch

net = torch.nn.Linear(2, 2)
optimizer = aid.Swift(net.parameters())
for x in torch.utils.data.DataLoader([]):
    net(x).sum().backward()
    optimizer.step()
"""
_EVALUATED = """\
import torch

net = torch.nn.Linear(2, 2).cuda()
with torch.only_look():
    for x in torch.utils.data.DataLoader([]):
        print(net(x.cuda()).sum().item())
"""


_COMPANION = """\
from torchlint.pytorch.kinds import Companion
from torchlint.pytorch.roles import Role

COMPANION = Companion("aid", "aid 1", classes={Role.OPTIMIZER: "Swift"})
"""
_ROOT = Path(__file__).parents[1]


def test_a_row_is_all_that_a_guard_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEVICE_QUERIES, "aid.has_gpu", DeviceQuery("aid.has_gpu", False, (True,)))

    assert program(_GUARDED).reported("hardcoded-cuda") == []
    assert program(_GUARDED.replace("has_gpu", "has_disk")).reported("hardcoded-cuda") != []


def test_a_row_is_all_that_a_wrapper_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WRAPPERS, "aid.Spread", Wrapper("aid.Spread", "aid 1", "module.", "module"))

    assert program(_SAVED).reported("wrapped-state-dict") == ['torch.save(net.state_dict(), "net.pt")']
    assert program(_SAVED.replace("Spread", "Other")).reported("wrapped-state-dict") == []


def test_its_namespace_is_all_that_a_function_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchlint.model.results.by_name.TENSOR_SPACES", results.TENSOR_SPACES | {"aid"})

    assert program(_COMPUTED).reported("numpy-of-device-tensor") == ["return torch.aid.attend(x).numpy()"]
    assert program(_COMPUTED.replace("aid", "elsewhere")).reported("numpy-of-device-tensor") == []


def test_a_name_is_all_that_a_method_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    by_method = _COMPUTED.replace("torch.aid.attend(x)", "x.attend()")
    assert program(by_method).reported("numpy-of-device-tensor") == ["return x.attend().numpy()"]

    monkeypatch.setattr("torchlint.model.results.by_name.TENSOR_NUMBERS", results.TENSOR_NUMBERS | {"attend"})
    assert program(by_method).reported("numpy-of-device-tensor") == []


def test_a_name_is_all_that_an_optimizer_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(classes.BY_NAME, "Swift", [("aid.", Role.OPTIMIZER)])

    assert program(_STEPS).reported("missing-zero-grad") == ["optimizer.step()"]
    assert program(_STEPS.replace("Swift", "Other")).reported("missing-zero-grad") == []


def test_a_row_is_all_that_a_loop_that_evaluates_takes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GRAD_MODES, "only_look", GradMode("only_look", records=False))

    assert program(_EVALUATED).reported("item-in-eval-loop") == ["print(net(x.cuda()).sum().item())"]
    assert program(_EVALUATED.replace("only_look", "only_hear")).reported("item-in-eval-loop") == []


def test_a_file_is_all_that_a_companion_takes(tmp_path: Path) -> None:
    copied = tmp_path / "installed" / "torchlint"
    shutil.copytree(_ROOT / "torchlint", copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "rules").symlink_to(_ROOT / "rules")
    (copied / "pytorch/companions/aid.py").write_text(_COMPANION, "utf-8")
    program = tmp_path / "train.py"
    program.write_text(_STEPS, "utf-8")
    options = ("check", "--select", "missing-zero-grad", "--no-cache", "--output-format", "concise")

    ran = subprocess.run(
        [sys.executable, "-m", "torchlint", *options, str(program)],
        cwd=copied.parent,
        env={**os.environ, "PYTHONPATH": str(copied.parent)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stdout.count("missing-zero-grad")) == (1, 1), ran.stdout + ran.stderr


def test_every_format_is_a_module_of_its_name() -> None:
    for row in FORMATS.values():
        module, _, function = row.partition(":")
        assert callable(getattr(importlib.import_module(module), function)), row


def test_the_tables_are_where_the_page_says() -> None:
    page = (_ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = _ROW.findall(page)

    assert len(rows) == 6
    for table, path in rows:
        assert hasattr(importlib.import_module(path.replace("/", ".")), table), (table, path)
