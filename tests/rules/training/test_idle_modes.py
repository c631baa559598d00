"""Which modes of autograd are made, and never entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "ineffective-no-grad"
STATEMENTS = {
    "no_grad": ("torch.no_grad()", True),
    "enable_grad": ("torch.enable_grad()", True),
    "inference_mode": ("torch.inference_mode(True)", True),
    "by its home": ("torch.autograd.no_grad()", True),
    "by a name of its own": ("from torch import no_grad as off\noff()", True),
    "not even called": ("torch.no_grad", True),
    "that switches at once": ("torch.set_grad_enabled(False)", False),
    "entered": ("with torch.no_grad():\n    pass", False),
    "entered by hand": ("torch.no_grad().__enter__()", False),
    "that decorates": ("@torch.no_grad()\ndef f(): pass", False),
    "that is kept": ("mode = torch.no_grad()", False),
    "that is handed on": ("stack.enter_context(torch.no_grad())", False),
    "before a block that enters": ("torch.no_grad()\nx = []\nwith torch.inference_mode():\n    pass", False),
    "before a block of something else": ("torch.no_grad()\nwith open('x') as x:\n    pass", True),
    "of another": ("from own import no_grad\nno_grad()", False),
    "that is to raise": ("with pytest.raises(TypeError):\n    torch.no_grad(1)", False),
}


@pytest.mark.parametrize(("code", "is_found"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_mode_that_nobody_enters_is_told_from_others(program: Program, code: str, is_found: bool) -> None:
    assert len(program(f"import torch\n{code}\n").findings(RULE)) == is_found
