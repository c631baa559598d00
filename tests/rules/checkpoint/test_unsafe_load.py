"""What `unsafe-load` says of a call that says nothing depends on the PyTorch that the project is written for."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project
from torchlint.registry import builtin_rules


@pytest.mark.parametrize(
    ("argument", "target", "count"),
    [
        ("", (2, 5), 1),
        ("", (1, 13), 1),
        ("", (1, 12), 1),
        (", pickle_module=mine", (1, 13), 1),
        ("", (2, 6), 0),
        ("", None, 0),
        (", weights_only=True", (2, 5), 0),
        (", weights_only=False", (2, 6), 1),
        (", pickle_module=None", (2, 5), 1),
        (", **options", (2, 5), 0),
    ],
)
def test_a_call_is_unsafe_by_the_default_of_its_pytorch(
    argument: str, target: tuple[int, int] | None, count: int, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(
        f"import torch, dill as mine\ndef f(path, options): return torch.load(path{argument})\n"
    )
    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    found = list(builtin_rules()["unsafe-load"]().check(file))

    assert len(found) == count


@pytest.mark.parametrize(
    ("argument", "target", "is_fixed"),
    [
        ("", (1, 13), True),
        ("", (1, 12), False),
        (", pickle_module=mine", (1, 12), False),
        (", pickle_module=mine", None, True),
        (", weights_only=False", (1, 12), True),
    ],
)
def test_an_argument_that_the_pytorch_has_not_takes_a_newer_one(
    argument: str, target: tuple[int, int] | None, is_fixed: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"import torch, dill as mine\ndef f(path): return torch.load(path{argument})\n")
    file = Project(tmp_path, target).open(tmp_path / "main.py", "main.py")

    (found,) = builtin_rules()["unsafe-load"]().check(file)

    assert (found.fix is not None, "1.13" not in found.message) == (is_fixed, is_fixed)


@pytest.mark.parametrize(
    ("argument", "is_until"),
    [
        ("", True),
        (", pickle_module=None", True),
        (", pickle_module=mine", False),
        (", weights_only=False", False),
    ],
)
def test_a_call_that_only_the_default_makes_unsafe_is_so_before_it_changed(
    argument: str, is_until: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(f"import torch, dill as mine\ndef f(path): return torch.load(path{argument})\n")
    file = Project(tmp_path, (2, 0)).open(tmp_path / "main.py", "main.py")

    (found,) = builtin_rules()["unsafe-load"]().check(file)

    assert ("before PyTorch 2.6" in found.message) == is_until


_SAVING = """import argparse, torch
from dataclasses import dataclass
@dataclass
class Progress:
    epoch: int
parser = argparse.ArgumentParser()
parser.add_argument("--resume")
args = parser.parse_args()
def save(model, path):
    torch.save({"model": model.state_dict(), "epoch": 1, "other": %s}, path)
def resume(model):
    saved = torch.load(%s, weights_only=False)
    model.load_state_dict(saved["model"])
    return saved["%s"]
model = torch.nn.Linear(2, 2)
if args.resume:
    resume(model)
save(model, "last.pt")
"""


@pytest.mark.parametrize(
    ("saved", "path", "read", "is_fixed"),
    [
        ("args", '"last.pt"', "epoch", False),
        ("args", "args.resume", "other", False),
        ("Progress(1)", '"last.pt"', "epoch", False),
        ("argparse.Namespace(lr=1)", '"last.pt"', "epoch", False),
        ("vars(args)", '"last.pt"', "epoch", True),
        ("args.resume", '"last.pt"', "other", True),
        ("args", '"first.pt"', "epoch", True),
        ("args", "args.resume", "step", True),
    ],
)
def test_a_file_with_an_object_of_a_class_is_not_loaded_as_weights(
    saved: str, path: str, read: str, is_fixed: bool, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(_SAVING % (saved, path, read))
    file = Project(tmp_path, None).open(tmp_path / "main.py", "main.py")

    (found,) = builtin_rules()["unsafe-load"]().check(file)

    assert (found.fix is not None, "plain values" not in found.message) == (is_fixed, is_fixed)
    assert ["refuses this object" in step.words for step in found.trace] == [True] * (not is_fixed)
