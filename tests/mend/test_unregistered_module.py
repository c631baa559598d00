"""Empty lists and dicts that become containers of modules, with anything between their brackets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mend.fixing import mended_text

PROGRAM = """\
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = {empty}
        for width in range(3):
            self.blocks.append(nn.Linear(width, 2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""


@pytest.mark.parametrize(
    ("empty", "mended"),
    [
        ("[]", "nn.ModuleList()"),
        ("list()", "nn.ModuleList()"),
        ("list( \\\n)", "nn.ModuleList( \\\n)"),
        ("list(  # filled below\n)", "nn.ModuleList(  # filled below\n)"),
        ("[  # filled below\n]", "nn.ModuleList(  # filled below\n)"),
        ("[nn.Linear(2, 2)]", "nn.ModuleList([nn.Linear(2, 2)])"),
    ],
)
def test_what_is_empty_is_called_and_what_is_not_is_put_in(tmp_path: Path, empty: str, mended: str) -> None:
    program = mended_text(tmp_path, PROGRAM.format(empty=empty), "unregistered-module")

    assert program == PROGRAM.format(empty=mended)
