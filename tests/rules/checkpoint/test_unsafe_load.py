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
