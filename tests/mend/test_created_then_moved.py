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
    ],
)
def test_the_device_goes_to_the_factory_however_it_was_given(tmp_path: Path, before: str, after: str) -> None:
    assert mended(tmp_path, f"y = {before}") == [f"y = {after}"]


@pytest.mark.parametrize("move", ["copy=True, device=device", "device, torch.long, True", "**options"])
def test_a_move_that_says_more_is_left_to_the_author(tmp_path: Path, move: str) -> None:
    assert mended(tmp_path, f"y = torch.ones(2).to({move})", unsafe=True) == [f"y = torch.ones(2).to({move})"]
