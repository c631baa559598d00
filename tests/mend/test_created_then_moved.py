"""A tensor is made where it was moved to, and the move goes, with what was there for its sake alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mend.fixing import mended_text

_HEAD = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, x, device):\n"


def mended(folder: Path, *lines: str, unsafe: bool = False) -> list[str]:
    text = _HEAD + "".join(f"        {line}\n" for line in (*lines, "return x + y"))
    after = mended_text(folder, text, "created-then-moved", unsafe=unsafe)
    return [line.strip() for line in after.removeprefix(_HEAD).splitlines()][:-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.ones(2).to(device=device)", "torch.ones(2, device=device)"),
        ("torch.ones(2).to(device=x.device)", "torch.ones(2, device=x.device)"),
        ("torch.ones(2).to(device=x.device, non_blocking=True)", "torch.ones(2, device=x.device)"),
        ("torch.ones(2).to(device, torch.long)", "torch.ones(2, device=device).to(torch.long)"),
        ("torch.ones(2).to(device=device, dtype=x.dtype)", "torch.ones(2, device=device).to(dtype=x.dtype)"),
        ("torch.ones(2).to(dtype=x.dtype, device=device)", "torch.ones(2, device=device).to(dtype=x.dtype)"),
        ("torch.ones(2).view(1, 2).to(device=device)", "torch.ones(2, device=device).view(1, 2)"),
        ("torch.eye(2)[None, :].to(device)", "torch.eye(2, device=device)[None, :]"),
        ("(torch.arange(2) + 1).to(device)", "(torch.arange(2, device=device) + 1)"),
        ("(torch.arange(2) + 1).to(device).sum()", "(torch.arange(2, device=device) + 1).sum()"),
    ],
)
def test_the_device_goes_to_the_factory_however_it_was_given(tmp_path: Path, before: str, after: str) -> None:
    assert mended(tmp_path, f"y = {before}") == [f"y = {after}"]


@pytest.mark.parametrize("move", ["to(x)", "type_as(x)", "type(x.type())"])
def test_the_type_of_another_tensor_is_still_taken_over(tmp_path: Path, move: str) -> None:
    line = f"y = torch.ones(2).{move}"

    assert mended(tmp_path, line) == [line]
    assert mended(tmp_path, line, unsafe=True) == ["y = torch.ones(2, device=x.device).to(x.dtype)"]


@pytest.mark.parametrize("move", ["copy=True, device=device", "device, torch.long, True", "**options"])
def test_a_move_that_says_more_is_left_to_the_author(tmp_path: Path, move: str) -> None:
    assert mended(tmp_path, f"y = torch.ones(2).to({move})", unsafe=True) == [f"y = torch.ones(2).to({move})"]


def test_what_the_cpu_counts_is_left_to_the_author(tmp_path: Path) -> None:
    lines = ["y = torch.LongTensor(range(2)).to(device)", "y = torch.tensor(range(2)).to(device)"]

    assert mended(tmp_path, *lines, unsafe=True) == lines


def test_what_is_moved_under_its_own_name_needs_no_statement_for_it(tmp_path: Path) -> None:
    assert mended(tmp_path, "y = torch.ones(2)", "y = y.to(x.device)") == ["y = torch.ones(2, device=x.device)"]


def test_what_is_computed_elsewhere_may_have_other_digits(tmp_path: Path) -> None:
    line = "y = torch.exp(-torch.arange(2) / 3).to(device)"

    assert mended(tmp_path, line) == [line]
    assert mended(tmp_path, line, unsafe=True) == ["y = torch.exp(-torch.arange(2, device=device) / 3)"]


def test_each_side_of_a_grid_is_made_there_once(tmp_path: Path) -> None:
    lines = ["v, u = torch.meshgrid(torch.arange(2), torch.arange(3))", "y = torch.stack((u, v)).to(device)"]

    assert mended(tmp_path, *lines) == [
        "v, u = torch.meshgrid(torch.arange(2, device=device), torch.arange(3, device=device))",
        "y = torch.stack((u, v))",
    ]


def test_what_is_moved_under_another_name_keeps_both(tmp_path: Path) -> None:
    lines = mended(tmp_path, "z = torch.ones(2)", "y = z.to(device)")

    assert lines == ["z = torch.ones(2, device=device)", "y = z"]


def test_what_is_moved_on_some_machines_alone_is_left_to_the_author(tmp_path: Path) -> None:
    lines = ["y = torch.ones(2)", "if x.is_cuda:", "    y = y.to(device)"]

    assert mended(tmp_path, *lines, unsafe=True) == [line.strip() for line in lines]


def test_a_device_that_has_no_name_yet_is_left_to_the_author(tmp_path: Path) -> None:
    lines = ["y = torch.ones(2)", "where = x.device", "y = y.to(where)"]

    assert mended(tmp_path, *lines, unsafe=True) == lines


def test_what_is_moved_has_memory_of_its_own_and_a_view_has_not(tmp_path: Path) -> None:
    line = "y = torch.ones(2).expand(3, 2).to(device)"

    assert mended(tmp_path, line) == [line]
    assert mended(tmp_path, line, unsafe=True) == ["y = torch.ones(2, device=device).expand(3, 2)"]
